// SPDX-License-Identifier: GPL-3.0-or-later
// bench_ranks [--fed] [RANKS [EVENTS_A_SECOND [SECONDS]]]: a window that shows so many live ranks, each of which
// records so many events a second: how many it shows, how long its main thread is away from its event loop, how many
// frames it draws, and how far the runs stay behind their pace. The ranks are engines that mpirun starts, with
// ranks_pace.py; with --fed they are this program again, which says what engines would say.

#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/rank_process.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"
#include "tests/bench/stall_watch.h"
#include "tests/session/rank_runs.h"
#include "views/common/ranks.h"
#include "views/common/theme.h"

namespace {

using namespace loupe;
using namespace loupe::session;
using Clock = std::chrono::steady_clock;

template <typename T>
bool send(Channel& channel, MessageKind kind, const T& message) {
    return channel.write(kind, to_bytes(message));
}

// A rank that records, until it is closed.
void feed(Channel& channel, int rank, int ranks, int rate) {
    if (!channel.write_greeting(engine_greeting())) return;
    auto model = std::make_shared<ModelInfo>();
    model->title = model->path = "net.py";
    model->modules.emplace_back();
    model->modules.front().class_name = "Net";
    Status status;
    status.state = RunState::Running;
    testing::RankWriter w(rank, ranks);
    w.writer().set_rank(w.facts());
    const ValueId weight = w.parameter("w", 1, 1);
    RecordingSource source(w.writer().recording(), 1);
    bool goes_on = send(channel, MessageKind::Model, ModelMessage{model}) && send(channel, MessageKind::Status, status);
    bool is_shown = false;
    const auto began = Clock::now();
    double done = 0;
    while (goes_on) {
        std::this_thread::sleep_for(std::chrono::milliseconds(16));
        const double due = std::chrono::duration<double>(Clock::now() - began).count() * rate;
        for (; done < due; ++done) {
            const auto made = [&](EventId id) { return std::vector{w.value("", 1 + rank, id, 100 + id)}; };
            const EventId id = w.event(RunPhase::Forward, "aten::mm", 20 + static_cast<int>(done) % 40, {weight}, made);
            if (static_cast<int>(done) % 100 == 99) w.collective("all_reduce", id, w.now + 0.0001);
        }
        while (const auto growth = source.take()) {
            goes_on = send(channel, MessageKind::Growth, *growth);
            if (!goes_on || growth->events.size() < RecordingSource::kMost) break;
        }
        if (!is_shown) {
            is_shown = true;
            goes_on = goes_on && send(channel, MessageKind::Shown, ShownMessage{1, 0, {}}) &&
                      send(channel, MessageKind::ShowRecording, NumberMessage{1});
        }
        goes_on =
            goes_on && send(channel, MessageKind::Events, EventsMessage{1, w.writer().recording()->event_count()});
    }
}

int feed_all(int ranks, int rate) {
    std::signal(SIGPIPE, SIG_IGN);
    const std::string line = rank_greeting(static_cast<std::size_t>(ranks)) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return 1;
    ByteMux mux(FileHandle(::dup(STDIN_FILENO)), FileHandle(::dup(STDOUT_FILENO)), static_cast<std::size_t>(ranks));
    std::vector<std::thread> feeding;
    for (int rank = 0; rank < ranks; ++rank)
        feeding.emplace_back(
            [&mux, rank, ranks, rate] { feed(*mux.take(static_cast<std::size_t>(rank)), rank, ranks, rate); });
    std::this_thread::sleep_for(std::chrono::minutes(5));
    std::_Exit(0);
}

int number(const std::vector<std::string>& words, std::size_t at, int otherwise) {
    return words.size() > at ? std::max(1, std::atoi(words[at].c_str())) : otherwise;
}

struct Asked {
    bool is_fed = false;
    int ranks = 8;
    int rate = 1000;
    int seconds = 10;
};

Asked asked_of(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    Asked asked;
    asked.is_fed = std::erase(words, "--fed") > 0;
    asked.ranks = number(words, 0, asked.ranks);
    asked.rate = number(words, 1, asked.rate);
    asked.seconds = number(words, 2, asked.seconds);
    return asked;
}

// Frames of a window.
class FrameCount final : public QObject {
  public:
    using QObject::QObject;
    int count = 0;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::UpdateRequest && qobject_cast<QWidget*>(watched) != nullptr &&
            static_cast<QWidget*>(watched)->isWindow())
            ++count;
        return false;
    }
};

// ranks_pace.py with the numbers that were asked for.
QString pace_program(const QTemporaryDir& folder, const Asked& asked) {
    QFile source(QStringLiteral(LOUPE_SOURCE_DIR "/tests/bench/ranks_pace.py"));
    QFile copy(folder.filePath(QStringLiteral("ranks_pace.py")));
    if (!source.open(QIODevice::ReadOnly) || !copy.open(QIODevice::WriteOnly)) return {};
    QByteArray text = source.readAll();
    text.replace("RATE = 1000", "RATE = " + QByteArray::number(asked.rate));
    text.replace("SECONDS = 10", "SECONDS = " + QByteArray::number(asked.seconds));
    copy.write(text);
    return copy.fileName();
}

std::shared_ptr<RankProcess> start(views::SessionBridge& bridge, const Asked& asked, const QString& program) {
    const auto count = static_cast<std::size_t>(asked.ranks);
    const std::vector<std::string> command =
        asked.is_fed ? std::vector<std::string>{std::filesystem::canonical("/proc/self/exe").string(), "--feed",
                                                std::to_string(asked.ranks), std::to_string(asked.rate)}
                     : launch_command(kLaunchCommand, count, LOUPE_BINARY_DIR "/bin/tensorloupe-engine");
    const auto process = std::make_shared<RankProcess>(command, count);
    bridge.startRanks(
        count,
        [process](std::size_t rank, SessionListener* listener) {
            return std::make_unique<Session>(*process, rank, listener);
        },
        process, [process] { process->kill(); });
    for (std::size_t seat = 0; !asked.is_fed && seat < count; ++seat)
        bridge.sessionAt(seat).open(program.toStdString());
    return process;
}

std::size_t events_of(const views::SessionBridge& bridge, std::size_t seat) {
    const auto recording = bridge.recordingAt(seat);
    return recording ? recording->event_count() : 0;
}
std::size_t all_events(const views::SessionBridge& bridge) {
    std::size_t all = 0;
    for (std::size_t seat = 0; seat < bridge.seatCount(); ++seat) all += events_of(bridge, seat);
    return all;
}
bool all_are(const views::SessionBridge& bridge, RunState state) {
    for (std::size_t seat = 0; seat < bridge.seatCount(); ++seat) {
        if (bridge.statusAt(seat).state != state) return false;
    }
    return true;
}

// Until that holds; false: it does not within the time.
bool until(const std::function<bool()>& holds, int seconds) {
    QEventLoop loop;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, [&] {
        if (holds()) loop.quit();
    });
    look.start(20);
    QTimer::singleShot(seconds * 1000, &loop, &QEventLoop::quit);
    loop.exec();
    return holds();
}

// How far behind its pace a rank was at most, and at its end, in seconds: what held it back, whatever it was.
struct Behind {
    double most = 0;
    double last = 0;
};
Behind behind_of(const Recording& recording, int rate) {
    Behind behind;
    const auto count = static_cast<EventId>(recording.event_count());
    double began = -1, due = 0;
    for (EventId id = 1; id <= count; ++id) {
        const Event& event = recording.event(id);
        if (event.op != "aten::tanh") continue;
        if (began < 0) began = event.start;
        behind.last = event.start - began - due++ / rate;
        behind.most = std::max(behind.most, behind.last);
    }
    return behind;
}

void print_behind(const views::SessionBridge& bridge, const Asked& asked) {
    Behind most;
    int rank = 0;
    for (std::size_t seat = 0; seat < bridge.seatCount(); ++seat) {
        const auto recording = bridge.recordingAt(seat);
        const Behind each = recording ? behind_of(*recording, asked.rate) : Behind();
        most.last = std::max(most.last, each.last);
        if (each.most <= most.most) continue;
        most.most = each.most;
        rank = bridge.rankAt(seat);
    }
    std::printf("  runs         furthest behind their pace %.0f ms (rank %d), at their end %.0f ms\n", 1e3 * most.most,
                rank, 1e3 * most.last);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 3 && std::strcmp(argv[1], "--feed") == 0) return feed_all(std::atoi(argv[2]), std::atoi(argv[3]));
    const Asked asked = asked_of(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QApplication app(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeBench"));
    views::Theme::instance().setMode(views::Theme::Mode::Dark);
    const QTemporaryDir folder;
    window::MainWindow window;
    window.resize(1440, 900);
    window.show();
    views::SessionBridge& bridge = window.bridge();
    const auto process = start(bridge, asked, pace_program(folder, asked));
    if (!asked.is_fed && !until([&] { return all_are(bridge, RunState::Ready); }, 120)) {
        std::printf("the ranks have not opened their program\n");
        std::_Exit(1);
    }
    // Panels are laid out first.
    until([] { return false; }, 2);
    FrameCount frames;
    app.installEventFilter(&frames);
    bench::StallWatch watch;
    if (!asked.is_fed) bridge.run();
    const std::size_t before = all_events(bridge);
    until([&] { return all_events(bridge) > before; }, 60);
    watch.take();
    frames.count = 0;
    const std::size_t first = all_events(bridge);
    QElapsedTimer time;
    time.start();
    window.docks().show(QStringLiteral("ranks"));
    QTimer::singleShot(asked.seconds * 500, [&] { window.docks().show(QStringLiteral("timeline")); });
    // Of engines until all that they made is shown; a part of a second more than they take.
    const auto is_over = [&] {
        return asked.is_fed ? time.elapsed() >= asked.seconds * 1000 : all_are(bridge, RunState::Finished);
    };
    until(is_over, 3 * asked.seconds + 60);
    const double seconds = static_cast<double>(time.elapsed()) / 1e3;
    const std::size_t shown = all_events(bridge) - first;
    const bench::Stall stall = watch.take();
    std::size_t least = SIZE_MAX;
    for (std::size_t seat = 0; seat < bridge.seatCount(); ++seat) least = std::min(least, events_of(bridge, seat));
    std::printf("%d %s ranks of %d events a second each, %.1f s\n", asked.ranks, asked.is_fed ? "fed" : "live",
                asked.rate, seconds);
    std::printf("  shown        %zu events, %.0f a second; the rank with least has %zu\n", shown,
                static_cast<double>(shown) / seconds, least);
    std::printf("  main thread  longest away from its loop %.0f ms, of it %.0f ms at work\n", stall.wall, stall.work);
    std::printf("  frames       %d drawn, %.0f a second\n", frames.count, frames.count / seconds);
    if (!asked.is_fed) print_behind(bridge, asked);
    std::fflush(stdout);
    process->kill();
    std::_Exit(0);
}
