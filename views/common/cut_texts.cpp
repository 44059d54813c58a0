// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/cut_texts.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLineEdit>
#include <QToolButton>
#include <QToolTip>

namespace loupe::views {
namespace {

QString shownText(const QLineEdit& edit) { return edit.text().isEmpty() ? edit.placeholderText() : edit.text(); }

class CutTexts : public QObject {
  public:
    explicit CutTexts(QAbstractItemView& view) : QObject(&view), view_(view) {
        view.viewport()->installEventFilter(this);
        auto* header = qobject_cast<QHeaderView*>(&view);
        if (header == nullptr || header->orientation() != Qt::Horizontal) return;
        header->setTextElideMode(Qt::ElideRight);
        header->ensurePolished();
        const auto fitAll = [header] {
            for (int section = 0; section < header->count(); ++section) fitTitle(*header, section);
        };
        connect(header, &QHeaderView::sectionCountChanged, this, fitAll);
        connect(header, &QHeaderView::sectionResized, this, [header](int section, int before, int) {
            if (before == 0) fitTitle(*header, section);  // it was hidden
        });
        fitAll();
    }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::ToolTip || view_.model() == nullptr) return QObject::eventFilter(watched, event);
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto* header = qobject_cast<const QHeaderView*>(&view_);
        const QModelIndex index = header ? QModelIndex() : view_.indexAt(help->pos());
        const QString cut = header ? cutHeader(*header, help->pos()) : cutItem(index);
        if (cut.isEmpty()) return QObject::eventFilter(watched, event);
        const QString own = header ? ownTitle(*header, help->pos()) : index.data(Qt::ToolTipRole).toString();
        QString tip = cut.toHtmlEscaped();
        if (!own.isEmpty() && own != cut)
            tip += QStringLiteral("<br>") + (Qt::mightBeRichText(own) ? own : own.toHtmlEscaped());
        QToolTip::showText(help->globalPos(), QStringLiteral("<qt>%1</qt>").arg(tip), view_.viewport());
        return true;
    }

  private:
    // A width that the user, or a session, gives later stays.
    static void fitTitle(QHeaderView& header, int section) {
        const bool is_free = header.sectionResizeMode(section) == QHeaderView::Interactive;
        if (!is_free || header.isSectionHidden(section) || header.model() == nullptr) return;
        const int title = header.sectionSizeHint(section);
        if (header.sectionSize(section) < title) header.resizeSection(section, title);
    }
    static QString cutHeader(const QHeaderView& header, const QPoint& at) {
        const int section = header.logicalIndexAt(at);
        if (section < 0 || header.orientation() != Qt::Horizontal) return {};
        // Or the list ends within it.
        const int end = header.sectionViewportPosition(section) + header.sectionSizeHint(section);
        const bool is_cut =
            header.sectionSize(section) < header.sectionSizeHint(section) || end > header.viewport()->width();
        return is_cut ? header.model()->headerData(section, Qt::Horizontal).toString() : QString();
    }
    static QString ownTitle(const QHeaderView& header, const QPoint& at) {
        return header.model()->headerData(header.logicalIndexAt(at), header.orientation(), Qt::ToolTipRole).toString();
    }
    QString cutItem(const QModelIndex& index) const {
        if (!index.isValid()) return {};
        const QRect place = view_.visualRect(index);
        const int wanted = view_.sizeHintForIndex(index).width();
        const bool is_cut = place.width() < wanted || place.left() + wanted > view_.viewport()->width();
        return is_cut ? index.data().toString() : QString();
    }

    QAbstractItemView& view_;
};

class CutLine : public QObject {
  public:
    explicit CutLine(QLineEdit& edit) : QObject(&edit), edit_(edit) { edit.installEventFilter(this); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::ToolTip || !isCut(edit_)) return QObject::eventFilter(watched, event);
        QString tip = shownText(edit_).toHtmlEscaped();
        if (const QString own = edit_.toolTip(); !own.isEmpty())
            tip += QStringLiteral("<br>") + (Qt::mightBeRichText(own) ? own : own.toHtmlEscaped());
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), QStringLiteral("<qt>%1</qt>").arg(tip),
                           &edit_);
        return true;
    }

  private:
    QLineEdit& edit_;
};

}  // namespace

int roomFor(const QLineEdit& edit) {
    int room = edit.width() - (edit.minimumSizeHint().width() - edit.fontMetrics().maxWidth());
    for (const QToolButton* button : edit.findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (button->isVisibleTo(&edit)) room -= button->width();
    }
    return room;
}

bool isCut(const QLineEdit& edit) { return edit.fontMetrics().horizontalAdvance(shownText(edit)) > roomFor(edit); }

void tipWhatIsCut(QAbstractItemView& view) { new CutTexts(view); }

void tipWhatIsCutIn(QWidget& widget) {
    for (auto* view : widget.findChildren<QAbstractItemView*>()) tipWhatIsCut(*view);
    for (auto* edit : widget.findChildren<QLineEdit*>()) new CutLine(*edit);
}

}  // namespace loupe::views
