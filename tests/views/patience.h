// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tests of the window wait for a fact, however slow the machine is. The time is only how long a broken program is waited for.

#include <QApplication>
#include <QTest>

constexpr int kPatience = 120'000;

#undef QTRY_VERIFY
#define QTRY_VERIFY(expression) QTRY_VERIFY_WITH_TIMEOUT((expression), kPatience)
#undef QTRY_VERIFY2
#define QTRY_VERIFY2(expression, message) QTRY_VERIFY2_WITH_TIMEOUT((expression), message, kPatience)
#undef QTRY_COMPARE
#define QTRY_COMPARE(actual, expected) QTRY_COMPARE_WITH_TIMEOUT((actual), expected, kPatience)

namespace loupe::testing {

/// Whether the widget's window has the keyboard; asks for it when it has not. Without a window manager nobody gives it,
/// and a window that is taken away takes it along.
inline bool isActive(QWidget& widget) {
    QWidget* window = widget.window();
    if (QApplication::activeWindow() != window) QApplication::setActiveWindow(window);
    return QApplication::activeWindow() == window;
}

/// As the pointer that comes there, which is another's on a display that others use.
inline void hover(QWidget& widget, const QPoint& place) {
    QMouseEvent event(QEvent::MouseMove, place, widget.mapToGlobal(place), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(&widget, &event);
}

}  // namespace loupe::testing
