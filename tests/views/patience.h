// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tests of the window wait for a fact, however slow the machine is. The time is only how long a broken program is
// waited for; Qt waits twice as long again before it says so, and for five minutes in all.

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

constexpr int kPatience = 80'000;

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

/// Settings and files of a person of its own, from before the application on: others who run the same tests at the same
/// time draw into theirs.
class OwnHome {
  public:
    OwnHome() {
        if (qEnvironmentVariableIsEmpty("XDG_CACHE_HOME"))
            qputenv("XDG_CACHE_HOME", qgetenv("HOME") + "/.cache");  // fonts and shaders are anybody's
        qputenv("HOME", folder_.path().toUtf8());
        qputenv("XDG_CONFIG_HOME", folder_.filePath(QStringLiteral("config")).toUtf8());
        qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("data")).toUtf8());
        qputenv("XDG_STATE_HOME", folder_.filePath(QStringLiteral("state")).toUtf8());
    }

  private:
    QTemporaryDir folder_;
};
inline const OwnHome kOwnHome;

/// As the pointer that comes there, which is another's on a display that others use.
inline void hover(QWidget& widget, const QPoint& place) {
    QMouseEvent event(QEvent::MouseMove, place, widget.mapToGlobal(place), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(&widget, &event);
}

}  // namespace loupe::testing
