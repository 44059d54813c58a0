// SPDX-License-Identifier: GPL-3.0-or-later
// bench_training [ROUNDS [EPOCHS]]: training the shipped digit model in tensorloupe-cli, in the window as it opens, and
// in the window with every panel in sight at once, in turn, with two threads. Walls and processor times, and what the
// window costs beside the command.

#include <sys/resource.h>

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "core/base/share_cores.h"
#include "views/common/theme.h"

namespace {

using loupe::session::RunState;
using loupe::session::TrainOptions;
using loupe::window::MainWindow;

constexpr int kPatience = 600'000;
const QString kModel = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
const QString kData = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits_data.npz");

struct Cost {
    double wall = 0;  // seconds
    double work = 0;  // of all threads
};

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}
double workOf(int who) {
    rusage usage{};
    getrusage(who, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Looks twenty times a second, so that waiting costs nothing beside what is measured.
void waitFor(const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    QEventLoop loop;
    QTimer poll;
    poll.setInterval(50);
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        if (done() || clock.elapsed() > kPatience) loop.quit();
    });
    poll.start();
    if (!done()) loop.exec();
}

// "trained 285 steps in 5.123 s": opening and reading are no part of it.
Cost inCommand(int epochs) {
    const double before = workOf(RUSAGE_CHILDREN);
    QProcess process;
    // The command waits as it does by itself, not as a window.
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("GOMP_SPINCOUNT"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(LOUPE_BINARY_DIR "/bin/tensorloupe-cli"),
                  {QStringLiteral("train"), kModel, QStringLiteral("--data"), kData, QStringLiteral("--epochs"),
                   QString::number(epochs), QStringLiteral("--threads"), QStringLiteral("2")});
    process.waitForFinished(kPatience);
    const QByteArray last = process.readAllStandardOutput().trimmed().split('\n').back();
    return {last.split(' ').value(4).toDouble(), workOf(RUSAGE_CHILDREN) - before};
}

enum class Sight { Default, Everything };

Cost inWindow(int epochs, Sight sight) {
    MainWindow window;
    window.show();
    window.openFile(kModel);
    waitFor([&] { return window.bridge().model() && window.bridge().status().state == RunState::Ready; });
    window.docks().show(QStringLiteral("train"));
    if (sight == Sight::Everything) {
        int place = 0;
        for (QDockWidget* dock : window.docks().all()) {
            dock->show();
            dock->setFloating(true);
            dock->resize(420, 320);
            dock->move((place % 3) * 440, (place / 3 % 3) * 290);
            ++place;
        }
    }
    QElapsedTimer rest;
    rest.start();
    waitFor([&] { return rest.elapsed() > 1500; });
    TrainOptions options;
    options.data.path = kData.toStdString();
    options.epochs = epochs;
    options.threads = 2;
    const double before = workOf(RUSAGE_SELF);
    QElapsedTimer clock;
    clock.start();
    double wall = 0;
    QObject::connect(&window.bridge(), &loupe::views::SessionBridge::statusChanged, &window, [&] {
        if (wall == 0 && window.bridge().status().state == RunState::Finished)
            wall = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
    });
    window.bridge().train(options);
    waitFor([&] { return wall > 0 || window.bridge().status().state == RunState::Failed; });
    const Cost cost{wall, workOf(RUSAGE_SELF) - before};
    if (window.bridge().status().state != RunState::Finished)
        std::printf("the training failed: %s\n", window.bridge().status().error.c_str());
    return cost;
}

struct Row {
    const char* name;
    std::vector<Cost> costs;

    double wall(double part) const {
        return at(part, [](const Cost& cost) { return cost.wall; });
    }
    double work(double part) const {
        return at(part, [](const Cost& cost) { return cost.work; });
    }

  private:
    template <typename Get>
    double at(double part, Get&& get) const {
        std::vector<double> all;
        for (const Cost& cost : costs) all.push_back(get(cost));
        std::sort(all.begin(), all.end());
        return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
    }
};

void print(const std::vector<Row>& rows) {
    double load[3] = {};
    getloadavg(load, 3);
    std::printf("load %.2f %.2f %.2f\n%-26s  %8s %8s  %8s %8s  %s\n", load[0], load[1], load[2], "seconds", "least",
                "median", "work", "median", "to the command: least wall, median wall, least work");
    const Row& base = rows.front();
    for (const Row& row : rows) {
        std::printf("%-26s  %8.3f %8.3f  %8.3f %8.3f  %.2f %.2f %.2f\n", row.name, row.wall(0), row.wall(0.5),
                    row.work(0), row.work(0.5), row.wall(0) / base.wall(0), row.wall(0.5) / base.wall(0.5),
                    row.work(0) / base.work(0));
    }
}

}  // namespace

int main(int argc, char** argv) {
    loupe::share_cores(argv);
    QApplication app(argc, argv);
    QTemporaryDir settings;
    qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeBench"));
    loupe::views::Theme::instance().setMode(loupe::views::Theme::Mode::Dark);
    const int rounds = std::max(1, app.arguments().value(1, QStringLiteral("5")).toInt());
    const int epochs = std::max(1, app.arguments().value(2, QStringLiteral("5")).toInt());
    std::vector<Row> rows{{"tensorloupe-cli train", {}}, {"window, as it opens", {}}, {"window, every panel", {}}};
    for (int round = 0; round < rounds; ++round) {
        rows[0].costs.push_back(inCommand(epochs));
        rows[1].costs.push_back(inWindow(epochs, Sight::Default));
        rows[2].costs.push_back(inWindow(epochs, Sight::Everything));
        std::fprintf(stderr, "round %d: %.3f %.3f %.3f s\n", round + 1, rows[0].costs.back().wall,
                     rows[1].costs.back().wall, rows[2].costs.back().wall);
    }
    print(rows);
    return 0;
}
