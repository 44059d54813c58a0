// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/cut_texts.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QToolTip>

namespace loupe::views {
namespace {

class CutTexts : public QObject {
  public:
    explicit CutTexts(QAbstractItemView& view) : QObject(&view), view_(view) {
        view.viewport()->installEventFilter(this);
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
    static QString cutHeader(const QHeaderView& header, const QPoint& at) {
        const int section = header.logicalIndexAt(at);
        if (section < 0 || header.orientation() != Qt::Horizontal) return {};
        const bool is_cut = header.sectionSize(section) < header.sectionSizeHint(section);
        return is_cut ? header.model()->headerData(section, Qt::Horizontal).toString() : QString();
    }
    static QString ownTitle(const QHeaderView& header, const QPoint& at) {
        return header.model()->headerData(header.logicalIndexAt(at), header.orientation(), Qt::ToolTipRole).toString();
    }
    QString cutItem(const QModelIndex& index) const {
        if (!index.isValid()) return {};
        const bool is_cut = view_.visualRect(index).width() < view_.sizeHintForIndex(index).width();
        return is_cut ? index.data().toString() : QString();
    }

    QAbstractItemView& view_;
};

}  // namespace

void tipWhatIsCut(QAbstractItemView& view) { new CutTexts(view); }

void tipWhatIsCutIn(QWidget& widget) {
    for (auto* view : widget.findChildren<QAbstractItemView*>()) tipWhatIsCut(*view);
}

}  // namespace loupe::views
