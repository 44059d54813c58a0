// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/chooser.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "views/common/theme.h"

namespace loupe::window {

using views::Theme;

namespace {

constexpr int kMaxShown = 200;
constexpr int kDetailRole = Qt::UserRole + 1;
constexpr int kIndexRole = Qt::UserRole + 2;

class RowDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::instance();
        const QRect row = option.rect;
        if (option.state & QStyle::State_Selected) painter->fillRect(row, theme.colour(Theme::Colour::AccentBack));
        index.data(Qt::DecorationRole).value<QIcon>().paint(painter, QRect(row.x() + 8, row.y(), 18, row.height()));
        const bool enabled = index.flags() & Qt::ItemIsEnabled;
        painter->setPen(theme.colour(enabled ? Theme::Colour::Text : Theme::Colour::Faint));
        painter->setFont(option.font);
        const QString detail = index.data(kDetailRole).toString();
        const int detailWidth = option.fontMetrics.horizontalAdvance(detail);
        const QRect text = row.adjusted(34, 0, -24 - detailWidth, 0);
        painter->drawText(text, Qt::AlignVCenter,
                          option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, text.width()));
        painter->setPen(theme.colour(Theme::Colour::Faint));
        painter->drawText(row.adjusted(0, 0, -12, 0), Qt::AlignVCenter | Qt::AlignRight, detail);
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {option.rect.width(), option.fontMetrics.height() + 10};
    }
};

}  // namespace

Chooser::Chooser(const QString& prompt, std::vector<Item> items, QWidget* parent)
    : QDialog(parent, Qt::Popup), items_(std::move(items)) {
    setObjectName(QStringLiteral("chooser"));
    setAttribute(Qt::WA_DeleteOnClose);
    for (const Item& item : items_) keys_.push_back((item.title + QLatin1Char(' ') + item.detail).toLower());

    edit_ = new QLineEdit(this);
    edit_->setPlaceholderText(prompt);
    edit_->setAccessibleName(prompt);
    edit_->installEventFilter(this);
    list_ = new QListWidget(this);
    list_->setItemDelegate(new RowDelegate(list_));
    list_->setUniformItemSizes(true);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(edit_);
    layout->addWidget(list_);

    const QWidget* over = parent->window();
    const QSize size(std::min(640, over->width() - 40), std::min(460, over->height() - 80));
    resize(size);
    move(over->mapToGlobal(QPoint((over->width() - size.width()) / 2, 60)));
    connect(edit_, &QLineEdit::textChanged, this, &Chooser::filter);
    connect(list_, &QListWidget::itemClicked, this, [this] { chooseCurrent(); });
    filter({});
    edit_->setFocus();
}

void Chooser::filter(const QString& words) {
    const QString all_words = words.toLower().simplified();
    const QStringList parts = all_words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    // The one that is called so comes first ("memory" for "Show panel: Memory"), then those that begin with the words.
    std::vector<std::size_t> same;
    std::vector<std::size_t> first;
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const bool all =
            std::all_of(parts.begin(), parts.end(), [&](const QString& part) { return keys_[i].contains(part); });
        if (!all) continue;
        const QString title = items_[i].title.toLower();
        const bool isSame = title == all_words || title.endsWith(QStringLiteral(": ") + all_words);
        const bool begins = !parts.empty() && keys_[i].startsWith(parts.front());
        (isSame && !parts.empty() ? same : begins ? first : rest).push_back(i);
        if (first.size() >= kMaxShown) break;
    }
    first.insert(first.begin(), same.begin(), same.end());
    first.insert(first.end(), rest.begin(), rest.end());
    first.resize(std::min<std::size_t>(first.size(), kMaxShown));

    list_->clear();
    for (const std::size_t i : first) {
        auto* row = new QListWidgetItem(items_[i].icon, items_[i].title, list_);
        row->setData(kDetailRole, items_[i].detail);
        row->setData(kIndexRole, static_cast<qulonglong>(i));
        row->setToolTip(items_[i].tip);
        if (!items_[i].enabled) row->setFlags(row->flags() & ~Qt::ItemIsEnabled);
    }
    if (first.empty()) {
        auto* row =
            new QListWidgetItem(words.trimmed().isEmpty() ? tr("There is nothing to choose.")
                                                          : tr("Nothing matches \u201c%1\u201d.").arg(words.trimmed()),
                                list_);
        row->setFlags(Qt::NoItemFlags);
    }
    for (int row = 0; row < list_->count(); ++row) {
        if (!(list_->item(row)->flags() & Qt::ItemIsEnabled)) continue;
        list_->setCurrentRow(row);
        break;
    }
}

bool Chooser::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            QCoreApplication::sendEvent(list_, event);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            chooseCurrent();
            return true;
        default:
            return QDialog::eventFilter(watched, event);
    }
}

void Chooser::chooseCurrent() {
    QListWidgetItem* row = list_->currentItem();
    if (!row || !(row->flags() & Qt::ItemIsEnabled)) return;
    const auto choose = items_[row->data(kIndexRole).toULongLong()].choose;
    close();
    // After the popup is closed, so that the chosen action may open another.
    QMetaObject::invokeMethod(parent(), choose, Qt::QueuedConnection);
}

}  // namespace loupe::window
