// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/far_file_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/session/far_place.h"
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
    ++generation_;
    session::ListFolderQuery first = query;
    first.count = kPage;
    files_.bridge().ask(QStringLiteral("folder"), first, this,
                        [this, first, generation = generation_](const session::FolderPage& answer) {
                            if (generation == generation_) takeFirst(first, answer);
                        });
}

void FarFolderModel::takeFirst(const session::ListFolderQuery& query, const session::FolderPage& answer) {
    if (answer.path.empty()) return emit failed(text(answer.error));
    ++generation_;
    beginResetModel();
    query_ = query;
    query_.path = answer.path;
    folder_ = answer;
    folder_.entries.clear();
    asked_ = {};
    pages_.clear();
    pages_[0] = answer.entries;
    endResetModel();
    emit shown();
}

void FarFolderModel::ask(std::uint64_t page) const {
    const std::size_t side = page % asked_.size();
    if (asked_[side] == page) return;
    asked_[side] = page;
    session::ListFolderQuery query = query_;
    query.first = page * kPage;
    query.count = kPage;
    auto* self = const_cast<FarFolderModel*>(this);
    files_.bridge().ask(QStringLiteral("folder page %1").arg(side), query, self,
                        [self, page, generation = generation_](const session::FolderPage& answer) {
                            if (generation == self->generation_) self->take(page, answer);
                        });
}

void FarFolderModel::take(std::uint64_t page, const session::FolderPage& answer) {
    std::optional<std::uint64_t>& asked = asked_[page % asked_.size()];
    if (asked == page) asked.reset();
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
                return found->changed == 0 ? QString()
                                           : QLocale::system().toString(QDateTime::fromMSecsSinceEpoch(found->changed),
                                                                        QLocale::ShortFormat);
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
    if (mode == Mode::Save) {
        name_->setFocus();
        name_->setSelection(0, static_cast<int>(QFileInfo(name_->text()).completeBaseName().size()));
    }
}

QLayout* FarFileDialog::buildTop() {
    path_ = new QLineEdit(this);
    path_->setObjectName(QStringLiteral("farPath"));
    path_->setAccessibleName(tr("Folder on %1").arg(EngineFiles::host()));
    path_->setToolTip(tr("The folder; type another one, or the path of a file, and press Enter"));
    up_ = new QPushButton(tr("Up"), this);
    up_->setObjectName(QStringLiteral("farUp"));
    home_ = new QPushButton(tr("Home"), this);
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("farSearch"));
    search_->setPlaceholderText(tr("Names that contain\u2026"));
    search_->setClearButtonEnabled(true);
    auto* top = new QHBoxLayout;
    top->addWidget(path_, 3);
    top->addWidget(up_);
    top->addWidget(home_);
    top->addWidget(search_, 1);
    return top;
}

QLayout* FarFileDialog::buildFilter(const QString& filter) {
    filters_ = new QComboBox(this);
    filters_->setObjectName(QStringLiteral("farFilter"));
    filters_->setAccessibleName(tr("Kinds of files"));
    filters_->addItems(filter.split(QStringLiteral(";;"), Qt::SkipEmptyParts));
    filters_->setVisible(filters_->count() > 0);
    hidden_ = new QCheckBox(tr("Hidden ones too"), this);
    hidden_->setObjectName(QStringLiteral("farHidden"));
    auto* row = new QHBoxLayout;
    row->addWidget(filters_, 1);
    row->addWidget(hidden_);
    return row;
}

void FarFileDialog::addButtons(QDialogButtonBox& buttons) {
    accept_ = buttons.addButton(mode_ == Mode::Save     ? tr("Save there")
                                : mode_ == Mode::Folder ? tr("Choose")
                                                        : tr("Open"),
                                QDialogButtonBox::ActionRole);
    accept_->setObjectName(QStringLiteral("farAccept"));
    accept_->setDefault(true);
    accept_->setEnabled(false);  // until there is a folder
    if (mode_ != Mode::Save) return;
    QPushButton* here = buttons.addButton(tr("Save on this computer\u2026"), QDialogButtonBox::ActionRole);
    here->setObjectName(QStringLiteral("farHere"));
    here->setAutoDefault(false);
    here->setToolTip(tr("It is written on %1 first, and then brought here").arg(EngineFiles::host()));
    here->setEnabled(!EngineFiles::ownFolder().isEmpty());
    connect(here, &QPushButton::clicked, this, [this] {
        is_here_ = true;
        accept();
    });
}

void FarFileDialog::build(const QString& filter) {
    QLayout* top = buildTop();
    rows_ = new QTreeView(this);
    rows_->setObjectName(QStringLiteral("farRows"));
    rows_->setAccessibleName(tr("Files on %1").arg(EngineFiles::host()));
    rows_->setModel(model_);
    rows_->setRootIsDecorated(false);
    rows_->setUniformRowHeights(true);
    rows_->setAllColumnsShowFocus(true);
    rows_->header()->setSectionResizeMode(FarFolderModel::Name, QHeaderView::Stretch);
    rows_->header()->setStretchLastSection(false);
    name_ = new QLineEdit(this);
    name_->setObjectName(QStringLiteral("farName"));
    name_->setPlaceholderText(tr("Name of the file"));
    name_->setVisible(mode_ == Mode::Save);
    QLayout* filters = buildFilter(filter);
    state_ = new QLabel(this);
    state_->setObjectName(QStringLiteral("farState"));
    state_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    addButtons(*buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addLayout(top);
    column->addWidget(rows_, 1);
    column->addWidget(name_);
    column->addLayout(filters);
    column->addWidget(state_);
    column->addWidget(buttons);
    resize(760, 520);
    connectAll();
}

void FarFileDialog::connectAll() {
    soon_.setSingleShot(true);
    soon_.setInterval(200);
    connect(&soon_, &QTimer::timeout, this, &FarFileDialog::list);
    connect(search_, &QLineEdit::textChanged, &soon_, qOverload<>(&QTimer::start));
    asking_.setInterval(1000);
    connect(&asking_, &QTimer::timeout, this, &FarFileDialog::sayAsking);
    connect(filters_, &QComboBox::currentIndexChanged, this, &FarFileDialog::list);
    connect(hidden_, &QCheckBox::toggled, this, &FarFileDialog::list);
    connect(up_, &QPushButton::clicked, this, [this] { go(text(model_->folder().parent)); });
    connect(home_, &QPushButton::clicked, this, [this] { go({}); });
    for (QPushButton* button : {up_, home_}) button->setAutoDefault(false);
    connect(rows_, &QTreeView::activated, this, &FarFileDialog::activate);
    connect(rows_->selectionModel(), &QItemSelectionModel::currentChanged, this, &FarFileDialog::takeSelection);
    connect(model_, &FarFolderModel::shown, this, &FarFileDialog::takeShown);
    connect(model_, &FarFolderModel::failed, this, &FarFileDialog::takeFailed);
    connect(accept_, &QPushButton::clicked, this, &FarFileDialog::acceptChosen);
    for (QWidget* each : std::initializer_list<QWidget*>{path_, search_, rows_}) each->installEventFilter(this);
}

bool FarFileDialog::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (isEnter && watched == path_) {
        goTo(path_->text().trimmed());
        return true;
    }
    if (isEnter && watched == rows_) {
        activate(rows_->currentIndex());
        return true;
    }
    // A path can be typed at once.
    const bool isPlain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
    if (watched == rows_ && isPlain && !key->text().isEmpty() && key->text().front().isPrint() &&
        key->key() != Qt::Key_Space) {
        name_->setFocus();
        name_->setText(key->text());
        return true;
    }
    if (watched == rows_ && (key->key() == Qt::Key_Backspace) && up_->isEnabled()) {
        up_->click();
        return true;
    }
    // What is found is chosen with the arrow keys.
    if (watched == search_ && (isEnter || key->key() == Qt::Key_Down)) {
        rows_->setFocus();
        if (!rows_->currentIndex().isValid()) rows_->setCurrentIndex(model_->index(0, 0));
        return true;
    }
    return QDialog::eventFilter(watched, event);
}

QString FarFileDialog::filter() const { return filters_->currentText(); }

void FarFileDialog::setFilter(const QString& filter) { filters_->setCurrentText(filter); }

QString FarFileDialog::inFolder(const QString& name) const {
    if (name.startsWith(QLatin1Char('/')) || name.startsWith(QLatin1Char('~'))) return name;
    return folder_ + (folder_.endsWith(QLatin1Char('/')) ? QString() : QStringLiteral("/")) + name;
}

void FarFileDialog::goTo(const QString& typed) {
    go(typed.isEmpty() ? typed : inFolder(typed));
    opens_typed_ = true;
}

void FarFileDialog::go(const QString& path) {
    wanted_ = path;
    is_new_ = true;
    opens_typed_ = false;
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
    query.with_hidden = hidden_->isChecked();
    asked_.start();
    asking_.start();
    sayAsking();
    model_->show(query);
}

// The window's banner is behind this dialogue.
void FarFileDialog::sayAsking() {
    QString said = tr("Asking %1\u2026").arg(EngineFiles::host());
    const auto place = session::far_place();
    if (place && asked_.elapsed() > 900) {
        const session::FarState state = place->state();
        if (state.kind == session::FarState::Kind::Lost)
            said += tr(" The connection is lost: %1").arg(text(state.text));
    }
    state_->setText(said);
    Theme::setTone(*state_, Theme::Colour::Faint);
}

void FarFileDialog::takeShown() {
    asking_.stop();
    const session::FolderPage& folder = model_->folder();
    const bool isTyped = std::exchange(opens_typed_, false);
    const bool isNew = std::exchange(is_new_, false);
    state_->setText(!folder.error.empty() ? text(folder.error)
                    : folder.total == 0   ? tr("Nothing here matches")
                                          : counted(static_cast<std::int64_t>(folder.total), "entry", "entries"));
    Theme::setTone(*state_, folder.error.empty() ? Theme::Colour::Faint : Theme::Colour::Bad);
    takeFolder(folder);
    rows_->resizeColumnToContents(FarFolderModel::Changed);
    if (isNew && !name_->hasFocus()) rows_->setFocus();
    takeSelection();
    if (folder.file.empty()) return;
    if (mode_ == Mode::Save) return name_->setText(text(folder.file));
    if (mode_ != Mode::Open) return;
    chosen_ = inFolder(text(folder.file));
    accept_->setEnabled(true);
    select(text(folder.file));
    if (isTyped) acceptChosen();
}

// The folder that was shown stays.
void FarFileDialog::takeFailed(const QString& error) {
    asking_.stop();
    wanted_ = folder_;
    opens_typed_ = is_new_ = false;
    state_->setText(error);
    Theme::setTone(*state_, Theme::Colour::Bad);
    if (path_->hasFocus()) return path_->selectAll();
    // The one that was open last is gone.
    if (folder_.isEmpty() && !error.isEmpty() && !home_was_tried_) {
        home_was_tried_ = true;
        go({});
    }
}

void FarFileDialog::takeFolder(const session::FolderPage& folder) {
    folder_ = wanted_ = text(folder.path);
    path_->setText(folder_);
    chosen_.clear();
    up_->setEnabled(!folder.parent.empty());
}

// Where it is among the first ones.
void FarFileDialog::select(const QString& name) {
    for (int row = 0; row < static_cast<int>(std::min<std::uint64_t>(FarFolderModel::kPage, model_->folder().total));
         ++row) {
        const session::FolderEntry* found = model_->entry(row);
        if (found && text(found->name) == name) return rows_->setCurrentIndex(model_->index(row, 0));
    }
}

void FarFileDialog::takeSelection() {
    const session::FolderEntry* found = model_->entry(rows_->currentIndex().row());
    const bool isFile = found && found->kind != Kind::Folder;
    if (mode_ == Mode::Save && isFile) name_->setText(text(found->name));
    if (found) chosen_ = inFolder(text(found->name));
    accept_->setEnabled(mode_ != Mode::Open || found || !chosen_.isEmpty());
}

void FarFileDialog::activate(const QModelIndex& index) {
    const session::FolderEntry* found = model_->entry(index.row());
    if (!found || !model_->flags(index).testFlag(Qt::ItemIsEnabled)) return;
    const QString path = inFolder(text(found->name));
    if (found->kind == Kind::Folder) return go(path);
    if (mode_ == Mode::Folder) return;
    chosen_ = path;
    acceptChosen();
}

void FarFileDialog::acceptChosen() {
    if (mode_ == Mode::Save) return acceptSaved();
    const session::FolderEntry* found = model_->entry(rows_->currentIndex().row());
    // The row that the keyboard is on need not be what was typed.
    const bool isFolder = found && found->kind == Kind::Folder && chosen_ == inFolder(text(found->name));
    if (mode_ == Mode::Open && isFolder) return go(chosen_);
    if (mode_ == Mode::Folder && !found) chosen_ = folder_;
    if (chosen_.isEmpty()) return;
    QSettings().setValue(lastFolderKey(), folder_);
    accept();
}

void FarFileDialog::acceptSaved() {
    const QString name = name_->text().trimmed();
    if (name.isEmpty()) return name_->setFocus();
    const QString file = inFolder(name);
    EngineFiles::look(file, this, [this, file](const session::FileFacts& facts) {
        if (facts.is_folder) return go(file);
        const QString name = QFileInfo(file).fileName();
        const auto question = tr("%1 is on %2 already. Replace it?").arg(name, EngineFiles::host());
        if (facts.exists && QMessageBox::question(this, windowTitle(), question) != QMessageBox::Yes) return;
        chosen_ = file;
        QSettings().setValue(lastFolderKey(), folder_);
        accept();
    });
}

}  // namespace loupe::views
