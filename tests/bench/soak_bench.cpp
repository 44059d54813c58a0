// SPDX-License-Identifier: GPL-3.0-or-later
// bench_soak [--models N] [--minutes M]: opens N models one after another in one window (10,000) and runs each that
// runs, then trains the shipped digit model for M minutes (60) with every panel in sight. Prints what the window and
// its engine hold meanwhile: memory, handles and threads must stay what they were. Status 1: they did not.

#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "core/base/share_cores.h"
#include "core/session/session.h"
#include "views/common/theme.h"

namespace {

using loupe::session::RunState;
using loupe::session::TrainOptions;
using loupe::views::SessionBridge;
using loupe::window::MainWindow;

constexpr int kPatience = 120'000;
constexpr int kLongRun = 2'000;
const QString kTests = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/");
const QString kShipped = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/");

struct Held {
    double mebibytes = 0;
    int handles = 0;
    int threads = 0;

    Held& operator+=(const Held& other) {
        mebibytes += other.mebibytes;
        handles += other.handles;
        threads += other.threads;
        return *this;
    }
};

QByteArray content(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Held heldBy(qint64 process) {
    const QString folder = QStringLiteral("/proc/%1/").arg(process);
    Held held;
    const auto filter = QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot;
    held.handles = static_cast<int>(QDir(folder + QStringLiteral("fd")).entryList(filter).size());
    held.threads = static_cast<int>(QDir(folder + QStringLiteral("task")).entryList(filter).size());
    const QList<QByteArray> pages = content(folder + QStringLiteral("statm")).split(' ');
    if (pages.size() > 1) held.mebibytes = pages[1].toDouble() * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
    return held;
}

// Those that it started, and what these started.
Held heldByChildren(qint64 process) {
    Held held;
    const QString tasks = QStringLiteral("/proc/%1/task").arg(process);
    for (const QString& task : QDir(tasks).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        for (const QByteArray& child :
             content(tasks + u'/' + task + QStringLiteral("/children")).simplified().split(' ')) {
            if (child.isEmpty()) continue;
            held += heldBy(child.toLongLong());
            held += heldByChildren(child.toLongLong());
        }
    }
    return held;
}

// Looks twenty times a second, so that waiting costs nothing. False: it took too long.
bool waitFor(const std::function<bool()>& done, int milliseconds = kPatience) {
    QElapsedTimer clock;
    clock.start();
    QEventLoop loop;
    QTimer poll;
    poll.setInterval(10);
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        if (done() || clock.elapsed() > milliseconds) loop.quit();
    });
    poll.start();
    if (!done()) loop.exec();
    return done();
}

class Table {
  public:
    explicit Table(const char* what) {
        std::printf("\n%-14s %12s %8s %8s   %12s %8s %8s\n", what, "window MiB", "handles", "threads", "engine MiB",
                    "handles", "threads");
    }
    void add(const QString& at) {
        const Held window = heldBy(getpid()), engine = heldByChildren(getpid());
        std::printf("%-14s %12.1f %8d %8d   %12.1f %8d %8d\n", qPrintable(at), window.mebibytes, window.handles,
                    window.threads, engine.mebibytes, engine.handles, engine.threads);
        std::fflush(stdout);
        Held both = window;
        both += engine;
        rows_.push_back(both);
    }
    // The last of them beside the one at a fifth of the way, when all that is made once has been made.
    bool isFlat() const {
        const Held& first = rows_[rows_.size() / 5];
        const Held& last = rows_.back();
        const bool is_flat = last.mebibytes < 1.1 * first.mebibytes + 16 && last.handles <= first.handles + 4 &&
                             last.threads <= first.threads + 4;
        std::printf("%s: %+.1f MiB, %+d handles, %+d threads\n", is_flat ? "flat" : "NOT flat",
                    last.mebibytes - first.mebibytes, last.handles - first.handles, last.threads - first.threads);
        return is_flat;
    }

  private:
    std::vector<Held> rows_;
};

QStringList models() {
    QStringList all;
    for (const QString& folder : {kShipped, kTests + QStringLiteral("models/"), kTests + QStringLiteral("exported/"),
                                  kTests + QStringLiteral("onnx/"), kTests + QStringLiteral("checkpoints/"),
                                  kTests + QStringLiteral("sources/")}) {
        for (const QFileInfo& file : QDir(folder).entryInfoList(
                 {QStringLiteral("*.pt"), QStringLiteral("*.pt2"), QStringLiteral("*.onnx"), QStringLiteral("*.py")},
                 QDir::Files)) {
            if (file.size() < (256 << 10)) all << file.filePath();
        }
    }
    return all;
}

bool openAndClose(int count) {
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    const QStringList files = models();
    Table table("models");
    int opened = 0, ran = 0, refused = 0;
    const auto state = [&] { return window.bridge().status().state; };
    bool is_begun = false;
    // One that is quick is not seen opening.
    QObject::connect(&window.bridge(), &SessionBridge::modelChanged, &window, [&] { is_begun = true; });
    QObject::connect(&window.bridge(), &SessionBridge::statusChanged, &window,
                     [&] { is_begun = is_begun || state() == RunState::Opening || state() == RunState::Failed; });
    for (int i = 0; i < count; ++i) {
        const QString& file = files[i % files.size()];
        window.bridge().setUnsaved(false, false);  // nobody is asked about the run before
        is_begun = false;
        window.openFile(file);
        const auto is_there = [&] {
            const auto& model = window.bridge().model();
            return is_begun && state() != RunState::Opening &&
                   (state() == RunState::Failed || (model && QString::fromStdString(model->path) == file));
        };
        const bool came = waitFor(is_there);
        if (!came || (state() == RunState::Failed && i < files.size())) {
            std::printf("%s: %s %s\n", qPrintable(file),
                        came ? "is refused:" : "does not open:", window.bridge().status().error.c_str());
            std::fflush(stdout);
        }
        if (state() == RunState::Ready && window.bridge().model()->cannot_run.empty()) {
            ++opened;
            window.bridge().run();
            const auto has_run = [&] { return state() == RunState::Finished || state() == RunState::Failed; };
            if (!waitFor(has_run, kLongRun)) {  // one without an end is among them
                window.bridge().stop();
                waitFor([&] { return !window.bridge().isBusy(); });
            }
            ran += state() == RunState::Finished;
        } else {
            ++refused;
        }
        if (i % std::max(1, count / 20) == 0 || i + 1 == count) table.add(QString::number(i + 1));
    }
    std::printf("%d opened, %d ran, %d have nothing to run\n", opened, ran, refused);
    return table.isFlat();
}

bool train(int minutes) {
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    window.openFile(kShipped + QStringLiteral("digits.pt"));
    waitFor([&] { return window.bridge().model() && window.bridge().status().state == RunState::Ready; });
    int place = 0;
    for (QDockWidget* dock : window.docks().all()) {
        dock->show();
        dock->setFloating(true);
        dock->resize(420, 320);
        dock->move((place % 3) * 440, (place / 3 % 3) * 290);
        ++place;
    }
    TrainOptions options;
    options.data.path = (kShipped + QStringLiteral("digits_data.npz")).toStdString();
    options.epochs = 1'000'000;
    window.bridge().train(options);
    Table table("minutes");
    const int rows = std::max(10, std::min(minutes, 60));
    for (int i = 0; i <= rows; ++i) {
        waitFor([] { return false; }, minutes * 60'000 / rows);
        table.add(QString::number(static_cast<double>(i + 1) * minutes / rows, 'f', 1));
    }
    std::printf("%zu steps\n", window.bridge().training() ? window.bridge().training()->step_count() : 0);
    window.bridge().stop();
    waitFor([&] { return !window.bridge().isBusy(); });
    return table.isFlat();
}

}  // namespace

int main(int argc, char** argv) {
    loupe::share_cores(argv);
    QApplication app(argc, argv);
    QTemporaryDir settings;
    // As in the program: an engine in a process of its own.
    loupe::session::Session::set_engine_program(
        (QCoreApplication::applicationDirPath() + QStringLiteral("/tensorloupe-engine")).toStdString(),
        {settings.path().toStdString()});
    qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeBench"));
    loupe::views::Theme::instance().setMode(loupe::views::Theme::Mode::Dark);
    QCommandLineParser options;
    const QCommandLineOption count(QStringLiteral("models"), {}, QStringLiteral("N"), QStringLiteral("10000"));
    const QCommandLineOption minutes(QStringLiteral("minutes"), {}, QStringLiteral("M"), QStringLiteral("60"));
    options.addOptions({count, minutes});
    options.process(app);
    bool is_flat = true;
    if (const int wanted = options.value(count).toInt(); wanted > 0) is_flat = openAndClose(wanted) && is_flat;
    if (const int wanted = options.value(minutes).toInt(); wanted > 0) is_flat = train(wanted) && is_flat;
    return is_flat ? 0 : 1;
}
