// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/tab_guard.h"

#include <Qsci/qsciscintilla.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTextBrowser>

namespace loupe::views {
namespace {

// A panel behind another of its room is only moved away: Qt calls it visible.
bool isBehind(const QWidget& widget) {
    for (const QWidget* above = &widget; above != nullptr; above = above->parentWidget()) {
        if (qobject_cast<const QDockWidget*>(above) == nullptr) continue;
        const QWidget& window = *above->window();
        return !window.rect().intersects(QRect(above->mapTo(&window, QPoint()), above->size()));
    }
    return false;
}

// The next that Tab comes to, or the one before; null where there is no other. Not QWidget::focusNextPrevChild(), which
// stays within some of what stands for its parts.
QWidget* neighbour(QWidget& from, bool isForward) {
    for (QWidget* at = &from;;) {
        at = isForward ? at->nextInFocusChain() : at->previousInFocusChain();
        if (at == &from) return nullptr;
        const bool canTake = (at->focusPolicy() & Qt::TabFocus) == Qt::TabFocus && at->focusProxy() == nullptr;
        if (canTake && at->isEnabled() && at->isVisibleTo(from.window()) && !isBehind(*at)) return at;
    }
}

// What Tab means something else to.
bool needsTab(const QWidget& widget) {
    if (const auto* edit = qobject_cast<const QTextEdit*>(&widget))
        return qobject_cast<const QTextBrowser*>(edit) != nullptr || (!edit->isReadOnly() && !edit->tabChangesFocus());
    if (const auto* edit = qobject_cast<const QPlainTextEdit*>(&widget))
        return !edit->isReadOnly() && !edit->tabChangesFocus();
    if (const auto* edit = qobject_cast<const QsciScintilla*>(&widget)) return !edit->isReadOnly();
    // Its links, one after the other.
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return (label->textInteractionFlags() & Qt::LinksAccessibleByKeyboard) != 0;
    // The editor of a cell goes on to the next one.
    const QWidget* above = widget.parentWidget();
    const auto* items = above == nullptr ? nullptr : qobject_cast<const QAbstractItemView*>(above->parentWidget());
    return items != nullptr && items->viewport() == above;
}

class TabGuard : public QObject {
  public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Polish) {
            if (auto* items = qobject_cast<QAbstractItemView*>(watched)) items->setTabKeyNavigation(false);
            return false;
        }
        if (event->type() != QEvent::KeyPress || watched != QApplication::focusWidget() ||
            QApplication::activePopupWidget() != nullptr)
            return false;
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (key.key() != Qt::Key_Tab && key.key() != Qt::Key_Backtab) return false;
        const Qt::KeyboardModifiers with = key.modifiers() & ~Qt::ShiftModifier;
        auto& widget = *static_cast<QWidget*>(watched);
        if (with != Qt::ControlModifier && (with != Qt::NoModifier || needsTab(widget))) return false;
        const bool isBack = key.key() == Qt::Key_Backtab || (key.modifiers() & Qt::ShiftModifier) != 0;
        QWidget* next = neighbour(widget, !isBack);
        if (next != nullptr) next->setFocus(isBack ? Qt::BacktabFocusReason : Qt::TabFocusReason);
        return true;
    }
};

}  // namespace

void letTabLeave(QApplication& application) {
    const QString name = QStringLiteral("tabGuard");
    if (application.findChild<QObject*>(name, Qt::FindDirectChildrenOnly) != nullptr) return;
    auto* guard = new TabGuard(&application);
    guard->setObjectName(name);
    application.installEventFilter(guard);
}

}  // namespace loupe::views
