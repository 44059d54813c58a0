// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A window for tests that drive it with mouse and keys.

#include <QAction>
#include <QApplication>
#include <QCoreApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <memory>

#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "tests/views/patience.h"
#include "views/common/theme.h"

namespace loupe::testing {

inline QString model(const char* name) {
    return QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/%1.pt").arg(QLatin1String(name));
}
inline QString fixture(const char* name) {
    return QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/models/%1.pt").arg(QLatin1String(name));
}

class WindowFixture : public QObject {
  protected:
    using RunState = session::RunState;
    using MainWindow = window::MainWindow;

    RunState state() const { return window_->bridge().status().state; }
    QAction* action(const char* id) const {
        return window_->findChild<QAction*>(QStringLiteral("action.%1").arg(QLatin1String(id)));
    }
    template <typename View>
    View& view(const char* id) const {
        return *static_cast<View*>(window_->docks().view(QLatin1String(id)));
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const {
        QTRY_VERIFY(testing::isActive(*window_));
        QTest::keyClick(window_.get(), key, modifiers);
    }
    /// Every change of the layout is in its place and known.
    void settle() const { QTRY_VERIFY(window_->docks().isSettled()); }
    // While a file is being opened there is no model, or still the one before.
    [[nodiscard]] bool shows(const QString& file) {
        return window_->bridge().model() && window_->bridge().model()->path == file.toStdString() &&
               state() == RunState::Ready;
    }
    void open(const QString& file) {
        window_->openFile(file);
        QTRY_VERIFY(shows(file));
    }
    static void prepare() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeTest"));
        views::Theme::instance().setMode(views::Theme::Mode::Dark);
    }
    // A new one that asks nothing about runs.
    void makeWindow() {
        QSettings().clear();
        QSettings().setValue(QStringLiteral("ask/runs"), false);  // see window_keeping_test
        window_ = std::make_unique<MainWindow>();
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get(), kPatience));
        // Without a window manager nobody else makes it active.
        QApplication::setActiveWindow(window_.get());
    }

    std::unique_ptr<MainWindow> window_;
};

}  // namespace loupe::testing
