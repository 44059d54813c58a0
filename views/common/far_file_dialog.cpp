// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/far_file_dialog.h"

#include <QComboBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

namespace loupe::views {

namespace {

using Kind = session::FolderEntry::Kind;

// Of "Models (*.pt *.onnx)".
std::vector<std::string> patternsOf(const QString& filter) {
    static const QRegularExpression inside(QStringLiteral("\\(([^)]*)\\)\\s*$"));
    const auto match = inside.match(filter);
    std::vector<std::string> patterns;
    for (const QString& each : match.captured(1).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (each == QLatin1String("*")) return {};
        patterns.push_back(each.toStdString());
    }
    return patterns;
}

QString lastFolderKey() {
    return QStringLiteral("far/folder/") + EngineFiles::host().replace(QLatin1Char('/'), QLatin1Char('|'));
}

}  // namespace

// --- the rows

FarFolderModel::FarFolderModel(EngineFiles& files, QObject* parent) : QAbstractTableModel(parent), files_(files) {}

void FarFolderModel::show(const session::ListFolderQuery& query) {
    query_ = query;
    ++generation_;
    asked_.clear();
    ask(0);
}

void FarFolderModel::ask(std::uint64_t page) const {
    if (!asked_.insert(page).second) return;
    session::ListFolderQuery query = query_;
    query.first = page * kPage;
    query.count = kPage;
    auto* self = const_cast<FarFolderModel*>(this);
    files_.bridge().ask(QStringLiteral("folder %1").arg(page), query, self,
                        [self, page, generation = generation_](const session::FolderPage& answer) {
                            self->take(page, generation, answer);
                        });
}

void FarFolderModel::take(std::uint64_t page, int generation, const session::FolderPage& answer) {
    if (generation != generation_) return;
    if (page == 0) {
        beginResetModel();
        pages_.clear();
        folder_ = answer;
        folder_.entries.clear();
        pages_[0] = answer.entries;
        asked_ = {0};
        endResetModel();
        asked_.clear();
        emit shown();
        return;
    }
    asked_.erase(page);
    pages_[page] = answer.entries;
    const int first = static_cast<int>(page * kPage);
    const int last = std::min(rowCount(), first + static_cast<int>(kPage)) - 1;
    if (last >= first) emit dataChanged(index(first, 0), index(last, Columns - 1));
}

const session::FolderEntry* FarFolderModel::entry(int row) const {
    if (row < 0) return nullptr;
    const auto page = pages_.find(static_cast<std::uint64_t>(row) / kPage);
    const std::size_t at = static_cast<std::size_t>(row) % kPage;
    return page != pages_.end() && at < page->second.size() ? &page->second[at] : nullptr;
}

int FarFolderModel::rowCount(const QModelIndex& parent) const {
    constexpr std::uint64_t kMostRows = 10'000'000;
    return parent.isValid() ? 0 : static_cast<int>(std::min(folder_.total, kMostRows));
}

int FarFolderModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : Columns; }

QVariant FarFolderModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const session::FolderEntry* found = entry(index.row());
    if (found == nullptr) {
        // A page that came and is short has no more to come.
        const std::uint64_t page = static_cast<std::uint64_t>(index.row()) / kPage;
        if (role == Qt::DisplayRole && !pages_.contains(page)) ask(page);
        return role == Qt::DisplayRole && index.column() == Name ? QVariant(QStringLiteral("\u2026")) : QVariant();
    }
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
            case Name:
                return text(found->name) + (found->kind == Kind::Folder ? QStringLiteral("/") : QString());
            case Size:
                return found->kind == Kind::File ? bytesText(static_cast<double>(found->bytes)) : QString();
            case Changed:
                return found->changed == 0
                           ? QString()
                           : QLocale().toString(QDateTime::fromMSecsSinceEpoch(found->changed), QLocale::ShortFormat);
        }
    }
    if (role == Qt::DecorationRole && index.column() == Name)
        return themeIcon(found->kind == Kind::Folder ? QStringLiteral("open") : QStringLiteral("model"));
    if (role == Qt::TextAlignmentRole && index.column() == Size) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole && !found->is_readable) return Theme::instance().colour(Theme::Colour::Faint);
    if (role == Qt::ToolTipRole) {
        const QString kind = found->kind == Kind::Broken  ? tr("a link that leads nowhere")
                             : !found->is_readable        ? tr("you may not read it")
                             : found->kind == Kind::Other ? tr("no file")
                             : found->is_link             ? tr("a link")
                                                          : QString();
        return kind.isEmpty() ? text(found->name) : tr("%1: %2").arg(text(found->name), kind);
    }
    return {};
}

QVariant FarFolderModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == Name ? tr("Name") : section == Size ? tr("Size") : tr("Changed");
}

Qt::ItemFlags FarFolderModel::flags(const QModelIndex& index) const {
    const session::FolderEntry* found = entry(index.row());
    const bool canChoose = found && found->is_readable && found->kind != Kind::Broken;
    return canChoose ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

// --- the dialogue

FarFileDialog::FarFileDialog(EngineFiles& files, Mode mode, const QString& title, const QString& folder,
                             const QString& filter, QWidget* parent)
    : QDialog(parent), files_(files), mode_(mode), model_(new FarFolderModel(files, this)) {
    setObjectName(QStringLiteral("farFiles"));
    setWindowTitle(tr("%1 \u2013 %2").arg(title, EngineFiles::host()));
    build(filter);
    const bool isName = mode == Mode::Save && !folder.contains(QLatin1Char('/'));
    if (mode == Mode::Save) name_->setText(folder.section(QLatin1Char('/'), -1));
    const QString last = QSettings().value(lastFolderKey()).toString();
    go(isName || folder.isEmpty() ? last : mode == Mode::Save ? QFileInfo(folder).path() : folder);
}

void FarFileDialog::build(const QString& filter) {
    path_ = new QLineEdit(this);
    path_->setObjectName(QStringLiteral("farPath"));
    path_->setAccessibleName(tr("Folder on %1").arg(EngineFiles::host()));
    up_ = new QPushButton(tr("Up"), this);
    auto* home = new QPushButton(tr("Home"), this);
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("farSearch"));
    search_->setPlaceholderText(tr("Names that contain\u2026"));
    search_->setClearButtonEnabled(true);
    rows_ = new QTreeView(this);
    rows_->setObjectName(QStringLiteral("farRows"));
    rows_->setAccessibleName(tr("Files on %1").arg(EngineFiles::host()));
    rows_->setModel(model_);
    rows_->setRootIsDecorated(false);
    rows_->setUniformRowHeights(true);
    rows_->header()->setSectionResizeMode(FarFolderModel::Name, QHeaderView::Stretch);
    rows_->header()->setStretchLastSection(false);
    name_ = new QLineEdit(this);
    name_->setObjectName(QStringLiteral("farName"));
    name_->setPlaceholderText(tr("Name of the file"));
    name_->setVisible(mode_ == Mode::Save);
    filters_ = new QComboBox(this);
    filters_->addItems(filter.split(QStringLiteral(";;"), Qt::SkipEmptyParts));
    filters_->setVisible(filters_->count() > 0);
    state_ = new QLabel(this);
    state_->setObjectName(QStringLiteral("farState"));
    state_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Cancel)->setIcon({});
    accept_ = buttons->addButton(mode_ == Mode::Save     ? tr("Save there")
                                 : mode_ == Mode::Folder ? tr("Choose")
                                                         : tr("Open"),
                                 QDialogButtonBox::AcceptRole);
    accept_->setDefault(true);
    if (mode_ == Mode::Save) {
        QPushButton* here = buttons->addButton(tr("Save on this computer\u2026"), QDialogButtonBox::ActionRole);
        here->setToolTip(tr("It is written on %1 first, and then brought here").arg(EngineFiles::host()));
        here->setEnabled(!EngineFiles::ownFolder().isEmpty());
        connect(here, &QPushButton::clicked, this, [this] {
            is_here_ = true;
            accept();
        });
    }
    auto* top = new QHBoxLayout;
    top->addWidget(path_, 3);
    top->addWidget(up_);
    top->addWidget(home);
    top->addWidget(search_, 1);
    auto* column = new QVBoxLayout(this);
    column->addLayout(top);
    column->addWidget(rows_, 1);
    column->addWidget(name_);
    column->addWidget(filters_);
    column->addWidget(state_);
    column->addWidget(buttons);
    resize(760, 520);
    soon_.setSingleShot(true);
    soon_.setInterval(200);
    connect(&soon_, &QTimer::timeout, this, &FarFileDialog::list);
    connect(search_, &QLineEdit::textChanged, &soon_, qOverload<>(&QTimer::start));
    connect(filters_, &QComboBox::currentIndexChanged, this, &FarFileDialog::list);
    connect(path_, &QLineEdit::returnPressed, this, [this] { go(path_->text()); });
    connect(up_, &QPushButton::clicked, this, [this] { go(text(model_->folder().parent)); });
    connect(home, &QPushButton::clicked, this, [this] { go({}); });
    for (QPushButton* button : {up_, home}) button->setAutoDefault(false);
    connect(rows_, &QTreeView::activated, this, &FarFileDialog::activate);
    connect(rows_->selectionModel(), &QItemSelectionModel::currentChanged, this, &FarFileDialog::takeSelection);
    connect(model_, &FarFolderModel::shown, this, &FarFileDialog::takeShown);
    connect(accept_, &QPushButton::clicked, this, &FarFileDialog::acceptChosen);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

QString FarFileDialog::filter() const { return filters_->currentText(); }

void FarFileDialog::setFilter(const QString& filter) { filters_->setCurrentText(filter); }

void FarFileDialog::go(const QString& path) {
    wanted_ = path;
    {
        const QSignalBlocker quiet(search_);
        search_->clear();
    }
    list();
}

void FarFileDialog::list() {
    session::ListFolderQuery query;
    query.path = wanted_.toStdString();
    query.patterns = mode_ == Mode::Save ? std::vector<std::string>() : patternsOf(filters_->currentText());
    query.contains = search_->text().trimmed().toStdString();
    query.only_folders = mode_ == Mode::Folder;
    state_->setText(tr("Asking %1\u2026").arg(EngineFiles::host()));
    model_->show(query);
}

void FarFileDialog::takeShown() {
    const session::FolderPage& folder = model_->folder();
    if (!folder.path.empty()) {
        // Typed: the path of a file.
        const QString typed = wanted_;
        path_->setText(text(folder.path));
        if (mode_ == Mode::Open && typed.startsWith(QLatin1Char('/')) && typed != path_->text() &&
            QFileInfo(typed).path() == path_->text())
            chosen_ = typed;
        else
            chosen_.clear();
        wanted_ = text(folder.path);
    }
    up_->setEnabled(!folder.parent.empty());
    state_->setText(!folder.error.empty() ? text(folder.error)
                    : folder.total == 0   ? tr("Nothing here matches")
                                          : counted(static_cast<std::int64_t>(folder.total), "entry", "entries"));
    Theme::setTone(*state_, folder.error.empty() ? Theme::Colour::Faint : Theme::Colour::Bad);
    rows_->resizeColumnToContents(FarFolderModel::Changed);
    rows_->setFocus();
    takeSelection();
}

void FarFileDialog::takeSelection() {
    const session::FolderEntry* found = model_->entry(rows_->currentIndex().row());
    const bool isFile = found && found->kind != Kind::Folder;
    if (mode_ == Mode::Save && isFile) name_->setText(text(found->name));
    if (found)
        chosen_ = wanted_ + (wanted_.endsWith(QLatin1Char('/')) ? QString() : QStringLiteral("/")) + text(found->name);
    accept_->setEnabled(mode_ != Mode::Open || found || !chosen_.isEmpty());
}

void FarFileDialog::activate(const QModelIndex& index) {
    const session::FolderEntry* found = model_->entry(index.row());
    if (!found) return;
    const QString path =
        wanted_ + (wanted_.endsWith(QLatin1Char('/')) ? QString() : QStringLiteral("/")) + text(found->name);
    if (found->kind == Kind::Folder) return go(path);
    if (mode_ == Mode::Folder) return;
    chosen_ = path;
    acceptChosen();
}

void FarFileDialog::acceptChosen() {
    const session::FolderEntry* found = model_->entry(rows_->currentIndex().row());
    const bool isFolder = found && found->kind == Kind::Folder;
    if (mode_ == Mode::Open && isFolder) return go(chosen_);
    if (mode_ == Mode::Folder && !found) chosen_ = wanted_;
    if (mode_ == Mode::Save) {
        const QString name = name_->text().trimmed();
        if (name.isEmpty()) return name_->setFocus();
        chosen_ = name.startsWith(QLatin1Char('/'))
                      ? name
                      : wanted_ + (wanted_.endsWith(QLatin1Char('/')) ? QString() : QStringLiteral("/")) + name;
    }
    if (chosen_.isEmpty()) return;
    QSettings().setValue(lastFolderKey(), wanted_);
    accept();
}

}  // namespace loupe::views
