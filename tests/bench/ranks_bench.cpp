// SPDX-License-Identifier: GPL-3.0-or-later
// bench_ranks [RANKS [EVENTS_A_SECOND [SECONDS]]]: the longest time that the window's main thread is away from its
// event loop while so many ranks record so many events a second each, and how many of them are shown. The ranks are
// this program again, which says what engines would say.

#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/rank_process.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"
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

double now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

int number(int argc, char** argv, int at, int otherwise) {
    return argc > at ? std::max(1, std::atoi(argv[at])) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 3 && std::strcmp(argv[1], "--feed") == 0) return feed_all(std::atoi(argv[2]), std::atoi(argv[3]));
    const int ranks = number(argc, argv, 1, 8);
    const int rate = number(argc, argv, 2, 1000);
    const int seconds = number(argc, argv, 3, 10);
    QStandardPaths::setTestModeEnabled(true);
    QApplication app(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("TensorloupeBench"));
    views::Theme::instance().setMode(views::Theme::Mode::Dark);
    window::MainWindow window;
    window.resize(1440, 900);
    window.show();
    const std::vector<std::string> command{std::filesystem::canonical("/proc/self/exe").string(), "--feed",
                                           std::to_string(ranks), std::to_string(rate)};
    const auto process = std::make_shared<RankProcess>(command, static_cast<std::size_t>(ranks));
    window.bridge().startRanks(
        static_cast<std::size_t>(ranks),
        [process](std::size_t rank, SessionListener* listener) {
            return std::make_unique<Session>(*process, rank, listener);
        },
        process, [process] { process->kill(); });
    double longest_wall = 0, longest_work = 0;
    double wall = now(CLOCK_MONOTONIC), work = now(CLOCK_THREAD_CPUTIME_ID);
    bool counts = false;
    QTimer beat;
    beat.setInterval(1);
    QObject::connect(&beat, &QTimer::timeout, [&] {
        const double new_wall = now(CLOCK_MONOTONIC), new_work = now(CLOCK_THREAD_CPUTIME_ID);
        if (counts) {
            longest_wall = std::max(longest_wall, new_wall - wall);
            longest_work = std::max(longest_work, new_work - work);
        }
        wall = new_wall;
        work = new_work;
    });
    beat.start();
    // Panels are laid out first.
    QTimer::singleShot(2000, [&] {
        counts = true;
        window.docks().show(QStringLiteral("ranks"));
    });
    QTimer::singleShot(2000 + seconds * 500, [&] { window.docks().show(QStringLiteral("timeline")); });
    QTimer::singleShot(2000 + seconds * 1000, &app, &QApplication::quit);
    QApplication::exec();
    std::size_t shown = 0;
    for (std::size_t seat = 0; seat < window.bridge().seatCount(); ++seat)
        shown += window.bridge().recordingAt(seat) ? window.bridge().recordingAt(seat)->event_count() : 0;
    const auto& report = views::Ranks::of(window.bridge()).report();
    std::printf(
        "%d ranks, %d events a second each, %d s: %zu events there, %zu collectives matched; longest stall %.0f ms, "
        "of it %.0f ms at work\n",
        ranks, rate, seconds, shown, report ? report->matched.size() : 0, longest_wall, longest_work);
    process->kill();
    std::fflush(stdout);
    std::_Exit(0);
}
