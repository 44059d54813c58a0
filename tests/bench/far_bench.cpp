// SPDX-License-Identifier: GPL-3.0-or-later
// bench_far [MILLISECONDS BYTES_PER_SECOND [MODEL]]: a window whose engine is behind a slow line (one way so long, and
// so many bytes a second; 50 and 1,000,000 when nothing is said), with a recorded forward and backward run. Panels are
// scrolled for ten seconds each. Prints the longest time that the main thread was away from its event loop, what went
// over the line for it, and how long until all that is in sight had come. Needs a display.

#include <unistd.h>

#include <QAbstractScrollArea>
#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTreeView>
#include <QWheelEvent>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "core/session/far_place.h"
#include "tests/bench/stall_watch.h"
#include "views/common/theme.h"
#include "views/common/view.h"
#include "views/tensor/tensor_view.h"

namespace {

using loupe::bench::Stall;
using loupe::bench::StallWatch;
using loupe::session::FarPlace;
using loupe::session::FarState;
using loupe::session::RunState;
using loupe::views::TensorView;
using loupe::views::View;
using loupe::window::MainWindow;

constexpr int kPatience = 300'000;
constexpr int kScrolled = 10'000;
const std::string kEngine = LOUPE_BINARY_DIR "/bin/tensorloupe-engine";

bool waitFor(const std::function<bool()>& done, int patience = kPatience) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < patience)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
    return done();
}

void rest(int milliseconds) {
    QElapsedTimer clock;
    clock.start();
    waitFor([&] { return clock.elapsed() > milliseconds; });
}

class Bench {
  public:
    Bench(MainWindow& window, FarPlace& place) : window_(window), place_(place) {}

    View& view(const char* id) { return *window_.docks().view(QLatin1String(id)); }
    bool isSettled() {
        const auto& all = window_.docks().all();
        return std::all_of(all.begin(), all.end(), [](const QDockWidget* dock) {
            const auto* view = static_cast<const View*>(dock->widget());
            return !view->isInSight() || view->isSettled();
        });
    }
    // What came over the line: known once a second.
    std::uint64_t received() {
        rest(1300);
        return place_.state().bytes_received;
    }

    // step: each few milliseconds.
    void measure(const char* name, const std::function<void(int)>& step, int every = 16) {
        waitFor([&] { return isSettled(); });
        const std::uint64_t before = received();
        StallWatch watch;
        rest(50);
        watch.take();
        QElapsedTimer clock;
        clock.start();
        int count = 0;
        for (; clock.elapsed() < kScrolled; ++count) {
            step(count);
            const qint64 next = static_cast<qint64>(count + 1) * every;
            waitFor([&] { return clock.elapsed() >= next; });
        }
        const Stall stall = watch.take();
        clock.start();
        waitFor([&] { return isSettled(); });
        const qint64 filled = clock.elapsed();
        std::printf("%-38s %6d  %7.0f %7.0f  %9.0f  %8lld\n", name, count, stall.wall, stall.work,
                    static_cast<double>(received() - before) / 1000, static_cast<long long>(filled));
        std::fflush(stdout);
    }

    // How long from choosing an event until its tensor is seen, and until it is all there.
    void measureSteps(const char* name, int first, int last, int pause) {
        std::vector<qint64> seen, whole;
        auto& tensor = static_cast<TensorView&>(view("tensor"));
        for (int event = first; event <= last; ++event) {
            QElapsedTimer clock;
            clock.start();
            window_.bridge().setCurrentEvent(static_cast<loupe::session::EventId>(event));
            const auto& outputs = window_.bridge().recording()->event(window_.bridge().currentEvent()).outputs;
            if (outputs.empty()) continue;
            waitFor([&] { return tensor.slice().value == *outputs.begin(); }, 20'000);
            seen.push_back(clock.elapsed());
            waitFor([&] { return isSettled(); }, 60'000);
            whole.push_back(clock.elapsed());
            rest(pause);
        }
        std::sort(seen.begin(), seen.end());
        std::sort(whole.begin(), whole.end());
        const auto at = [](const std::vector<qint64>& all, double part) {
            return static_cast<long long>(all[static_cast<std::size_t>(static_cast<double>(all.size() - 1) * part)]);
        };
        std::printf("%-38s %6zu  seen %lld / %lld / %lld ms, whole %lld / %lld / %lld ms (median / 90 %% / most)\n",
                    name, seen.size(), at(seen, 0.5), at(seen, 0.9), at(seen, 1), at(whole, 0.5), at(whole, 0.9),
                    at(whole, 1));
        std::fflush(stdout);
    }

    template <typename Area>
    void scroll(const char* id, const char* name) {
        window_.docks().show(QLatin1String(id));
        rest(500);
        Area* area = nullptr;
        for (Area* each : view(id).findChildren<Area*>()) {
            const bool isTaller =
                area == nullptr || each->verticalScrollBar()->maximum() > area->verticalScrollBar()->maximum();
            if (each->isVisible() && isTaller) area = each;
        }
        if (area == nullptr) return;
        if (auto* tree = qobject_cast<QTreeView*>(area)) tree->expandAll();
        QScrollBar* bar = area->verticalScrollBar();
        const int step = std::max(1, bar->maximum() / 250);
        measure(name, [bar, step](int count) {
            const int place = bar->maximum() > 0 ? count * step % (2 * bar->maximum()) : 0;
            bar->setValue(place <= bar->maximum() ? place : 2 * bar->maximum() - place);
        });
    }

    void turnWheel(const char* id, const char* name) {
        window_.docks().show(QLatin1String(id));
        rest(500);
        QWidget* canvas = &view(id);
        for (QWidget* each : view(id).findChildren<QWidget*>()) {
            if (each->isVisible() && each->inherits("QOpenGLWidget")) canvas = each;
        }
        measure(name, [canvas](int count) {
            const QPointF place(canvas->width() * 0.4, canvas->height() * 0.5);
            const int turn = count / 40 % 2 == 0 ? 120 : -120;
            QWheelEvent event(place, canvas->mapToGlobal(place), {}, {0, turn}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(canvas, &event);
        });
    }

  private:
    MainWindow& window_;
    FarPlace& place_;
};

// The run, and how long it takes until all of it is here.
bool openAndRun(MainWindow& window, Bench& bench, const QString& model) {
    QElapsedTimer clock;
    clock.start();
    window.openFile(model);
    if (!waitFor([&] { return window.bridge().model() && window.bridge().status().state == RunState::Ready; })) {
        std::printf("%s cannot be opened: %s\n", qPrintable(model), window.bridge().status().error.c_str());
        return false;
    }
    waitFor([&] { return bench.isSettled(); });
    std::printf("opened in %lld ms, %.0f kB\n", static_cast<long long>(clock.elapsed()),
                static_cast<double>(bench.received()) / 1000);
    auto options = window.bridge().runOptions();
    options.backward = true;
    window.bridge().setRunOptions(options);
    const std::uint64_t before = bench.received();
    clock.start();
    window.bridge().run();
    waitFor([&] { return window.bridge().status().state == RunState::Finished; });
    const qint64 finished = clock.elapsed();
    waitFor([&] { return bench.isSettled(); });
    std::printf("ran in %lld ms, all in sight in %lld ms, %zu events, %.0f kB\n", static_cast<long long>(finished),
                static_cast<long long>(clock.elapsed()), window.bridge().eventCount(),
                static_cast<double>(bench.received() - before) / 1000);
    return true;
}

std::shared_ptr<FarPlace> placeOf(const QString& delay, const QString& rate) {
    FarPlace::Options options;
    options.command = {LOUPE_BINARY_DIR "/tests/loupe_slow_link",
                       delay.toStdString(),
                       rate.toStdString(),
                       kEngine,
                       "--stdio",
                       "--stay",
                       "--engine",
                       "bench"};
    options.address = "ssh://far";
    options.host = "far";
    return std::make_shared<FarPlace>(options);
}

void measureAll(const QString& model, FarPlace& place) {
    MainWindow window;
    window.resize(1400, 860);
    window.show();
    waitFor([&] { return place.state().kind == FarState::Kind::Connected; });
    Bench bench(window, place);
    if (!openAndRun(window, bench, model)) return;
    std::printf("%-38s %6s  %15s  %9s  %8s\n%-38s %6s  %7s %7s  %9s  %8s\n", "ten seconds of", "steps",
                "longest stall, ms", "kB came", "then ms", "", "", "wall", "work", "", "to all");
    bench.scroll<QAbstractScrollArea>("events", "Events scrolled");
    const auto count = static_cast<int>(window.bridge().eventCount());
    bench.measure(
        "Events, the next one 10 times a second",
        [&](int step) { window.bridge().setCurrentEvent(static_cast<loupe::session::EventId>(1 + step % count)); },
        100);
    auto& tensor = static_cast<TensorView&>(bench.view("tensor"));
    tensor.setDisplay(TensorView::Display::Grid);
    bench.scroll<QTableView>("tensor", "Tensor, numbers scrolled");
    auto* tile = tensor.findChild<QComboBox*>(QStringLiteral("tile"));
    bench.measure(
        "Tensor, numbers, the next tile, 4 a s",
        [tile](int step) {
            if (tile != nullptr && tile->count() > 0) tile->setCurrentIndex(step % tile->count());
        },
        250);
    tensor.setDisplay(TensorView::Display::Tiles);
    bench.scroll<QAbstractScrollArea>("source", "Source scrolled");
    bench.scroll<QTreeView>("modules", "Modules scrolled");
    bench.turnWheel("timeline", "Timeline, wheel");
    bench.measureSteps("to the next event, tiles", 10, 30, 500);
    bench.measureSteps("the same ones again", 10, 30, 0);
}

}  // namespace

int main(int argc, char** argv) {
    QTemporaryDir runtime;
    qputenv("TENSORLOUPE_RUNTIME", runtime.path().toLocal8Bit());
    std::filesystem::permissions(runtime.path().toStdString(), std::filesystem::perms::owner_all);
    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    QApplication app(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeBench"));
    loupe::views::Theme::instance().setMode(loupe::views::Theme::Mode::Dark);
    const QStringList words = app.arguments();
    const QString shipped = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/models/resnet18.pt");
    const auto place = placeOf(words.value(1, QStringLiteral("50")), words.value(2, QStringLiteral("1000000")));
    loupe::session::set_far_place(place);
    measureAll(words.value(3, shipped), *place);
    loupe::session::set_far_place(nullptr);
    QProcess::execute(QString::fromStdString(kEngine), {QStringLiteral("--end"), QStringLiteral("bench")});
    return 0;
}
