// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/wheel_guard.h"

#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>

namespace loupe::views {
namespace {

// The field that the widget is, or is a part of, as the edit in a number's box is.
QWidget* fieldOf(QWidget* widget) {
    for (int up = 0; widget != nullptr && up < 2; ++up, widget = widget->parentWidget()) {
        if (qobject_cast<QScrollBar*>(widget) != nullptr) return nullptr;
        if (qobject_cast<QComboBox*>(widget) != nullptr || qobject_cast<QAbstractSpinBox*>(widget) != nullptr ||
            qobject_cast<QAbstractSlider*>(widget) != nullptr)
            return widget;
    }
    return nullptr;
}

bool isScrolled(const QWidget& field) {
    for (const QWidget* above = field.parentWidget(); above != nullptr; above = above->parentWidget()) {
        if (qobject_cast<const QAbstractScrollArea*>(above) != nullptr) return true;
        if (above->isWindow()) return false;
    }
    return false;
}

class WheelGuard : public QObject {
  public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Wheel && event->type() != QEvent::Polish) return false;
        if (!watched->isWidgetType()) return false;
        QWidget* field = fieldOf(static_cast<QWidget*>(watched));
        if (field == nullptr) return false;
        // Qt gives the focus before the wheel is seen here.
        if (event->type() == QEvent::Polish) {
            if (field->focusPolicy() == Qt::WheelFocus) field->setFocusPolicy(Qt::StrongFocus);
            return false;
        }
        const QWidget* focused = QApplication::focusWidget();
        if ((focused != nullptr && (focused == field || field->isAncestorOf(focused))) || !isScrolled(*field))
            return false;
        // What is ignored goes on to the parent, which scrolls.
        event->ignore();
        return true;
    }
};

}  // namespace

void guardFieldsFromWheel(QApplication& application) {
    const QString name = QStringLiteral("wheelGuard");
    if (application.findChild<QObject*>(name, Qt::FindDirectChildrenOnly) != nullptr) return;
    auto* guard = new WheelGuard(&application);
    guard->setObjectName(name);
    application.installEventFilter(guard);
}

}  // namespace loupe::views
