// SPDX-License-Identifier: GPL-3.0-or-later
// bench_window [MODEL...]: how long the window takes to start on the shipped model, and the longest time its main
// thread is away from its event loop while each model is opened, laid out, run forward and backward, and every panel
// looked at.

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "tests/bench/stall_watch.h"
#include "views/common/theme.h"
#include "views/common/view.h"

namespace {

using loupe::bench::Stall;
using loupe::bench::StallWatch;
using loupe::session::RunState;
using loupe::window::MainWindow;

constexpr int kPatience = 120000;

bool waitFor(const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < kPatience)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    return done();
}

bool isSettled(const MainWindow& window) {
    auto& docks = const_cast<MainWindow&>(window).docks();
    return std::all_of(docks.all().begin(), docks.all().end(), [](const QDockWidget* dock) {
        const auto* view = static_cast<const loupe::views::View*>(dock->widget());
        return !view->isInSight() || view->isSettled();
    });
}

void rest(int milliseconds) {
    QElapsedTimer clock;
    clock.start();
    waitFor([&] { return clock.elapsed() > milliseconds; });
}

double medianStart(const QString& program, const QString& model) {
    std::vector<double> all;
    for (int i = 0; i < 7; ++i) {
        QProcess process;
        process.start(program, {QStringLiteral("--startup-time"), model});
        process.waitForFinished(20000);
        const QList<QByteArray> words = process.readAllStandardOutput().simplified().split(' ');
        all.push_back(words.value(3).toDouble());
    }
    std::nth_element(all.begin(), all.begin() + 3, all.end());
    return all[3];
}

void measure(const QString& model) {
    MainWindow window;
    window.show();
    StallWatch watch;
    waitFor([&] { return window.isVisible(); });
    rest(300);
    watch.take();
    window.openFile(model);
    if (!waitFor([&] {
            return window.bridge().model() && window.bridge().status().state == RunState::Ready && isSettled(window);
        })) {
        std::printf("%-28s cannot be opened: %s\n", qPrintable(QFileInfo(model).fileName()),
                    window.bridge().status().error.c_str());
        return;
    }
    rest(300);
    const auto open = watch.take();
    auto options = window.bridge().runOptions();
    options.backward = true;
    window.bridge().setRunOptions(options);
    window.bridge().run();
    waitFor([&] {
        return window.bridge().status().state == RunState::Finished ||
               window.bridge().status().state == RunState::Failed;
    });
    rest(500);
    const auto run = watch.take();
    Stall panels;
    QString slowest;
    for (QDockWidget* dock : window.docks().all()) {
        window.docks().show(dock->objectName());
        rest(100);
        waitFor([&] { return isSettled(window); });
        rest(250);
        if (const auto stall = watch.take(); stall.work > panels.work) {
            panels = stall;
            slowest = dock->objectName();
        }
    }
    std::printf("%-24s", qPrintable(QFileInfo(model).fileName()));
    for (const Stall& stall : {open, run, panels}) std::printf("  %6.0f %6.0f", stall.wall, stall.work);
    std::printf("  (%s)\n", qPrintable(slowest));
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeBench"));
    loupe::views::Theme::instance().setMode(loupe::views::Theme::Mode::Dark);
    const QString shipped = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
    std::printf("start on digits.pt, until its graph stands in the window: %.0f ms (median of 7)\n",
                medianStart(QStringLiteral(LOUPE_BINARY_DIR "/bin/tensorloupe"), shipped));
    QStringList models = app.arguments().mid(1);
    if (models.isEmpty())
        models = {shipped, QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/models/resnet18.pt"),
                  QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/models/densenet.pt")};
    std::printf(
        "longest stall of the main thread, ms: as the clock shows, and of it the thread's own work\n%-24s  %13s  %13s  "
        "%13s\n",
        "model", "opening", "running", "panels");
    for (const QString& model : models) measure(model);
    return 0;
}
