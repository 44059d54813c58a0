// SPDX-License-Identifier: GPL-3.0-or-later
// bench_imports FILE...: how long traces of PyTorch's profiler and memory snapshots take to open, what memory the
// process holds then, and how long a frame takes while panning at several zooms, 1440x500 pixels. Prints tables;
// asserts nothing.

#include <QApplication>
#include <QElapsedTimer>
#include <QPainter>
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "core/formats/profiler/snapshot_reader.h"
#include "core/formats/profiler/trace_reader.h"
#include "core/session/imported_file.h"
#include "views/common/theme.h"
#include "views/memory/band_picture.h"
#include "views/timeline/trace_drawing.h"

using namespace loupe;
using namespace loupe::views;

namespace {

constexpr QSize kSize{1440, 500};
constexpr int kFrames = 60;
constexpr double kShares[] = {1.0, 0.3, 0.1, 0.01, 0.001, 0.0001};

double milliseconds(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) * 1e-6; }

double resident_mib(const char* field) {
    std::ifstream status("/proc/self/status");
    std::string name;
    double kib = 0;
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) kib = std::stod(line.substr(line.find(':') + 1));
    return kib / 1024;
}

void print_memory() {
    std::printf("the process holds %.0f MiB of its own, at most %.0f MiB with the file's pages\n",
                resident_mib("RssAnon"), resident_mib("VmHWM"));
}

void print_frames(double share, std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    std::printf("%11.2f%% %14.2f %14.2f\n", share * 100, times[times.size() / 2], times.back());
}

void bench_trace(const Ptr<MappedFile>& file) {
    QElapsedTimer timer;
    timer.start();
    const auto studied = std::make_shared<session::StudiedTrace>();
    studied->trace = read_profile_trace(file);
    const double read = milliseconds(timer);
    timer.restart();
    studied->totals = session::operator_totals(studied->trace);
    const double totals = milliseconds(timer);
    timer.restart();
    studied->flame = session::flame_graph(studied->trace);
    const double flame = milliseconds(timer);
    timer.restart();
    const TraceIndex index{studied};
    std::printf("%zu events: read %.0f ms, totals %.0f ms, flame graph %.0f ms, index %.0f ms\n",
                studied->trace.zones.size(), read, totals, flame, milliseconds(timer));
    print_memory();
    std::printf("%12s %14s %14s\n", "visible", "median ms", "worst ms");
    QImage image(kSize, QImage::Format_RGB32);
    for (const double share : kShares) {
        std::vector<double> times;
        for (int i = 0; i < kFrames; ++i) {
            TraceState state;
            const double span = index.end() * share;
            state.from = (index.end() - span) * i / kFrames;
            state.to = state.from + span;
            timer.restart();
            QPainter painter(&image);
            PainterSurface surface(painter);
            TraceDrawing(index, state, kSize.width(), kSize.height()).draw(surface);
            painter.end();
            times.push_back(milliseconds(timer));
        }
        print_frames(share, times);
    }
}

void bench_snapshot(const Ptr<MappedFile>& file) {
    QElapsedTimer timer;
    timer.start();
    const auto studied = std::make_shared<session::StudiedSnapshot>();
    studied->snapshot = read_memory_snapshot(file);
    const double read = milliseconds(timer);
    timer.restart();
    studied->histories = session::snapshot_histories(studied->snapshot);
    const session::SnapshotHistory& history = studied->histories.front();
    const double counted = milliseconds(timer);
    timer.restart();
    BandPicture picture(studied, &history);
    const double index = milliseconds(timer);
    timer.restart();
    const auto holders = session::holders_at(studied->snapshot, history, history.peak, session::HolderKind::OwnCode);
    std::printf("%zu entries, %zu stacks: read %.0f ms, history %.0f ms, index %.0f ms, holders %.0f ms (%zu)\n",
                studied->snapshot.entry_count(), studied->snapshot.stacks.size(), read, counted, index,
                milliseconds(timer), holders.size());
    print_memory();
    std::printf("%12s %14s %14s\n", "visible", "median ms", "worst ms");
    for (const double share : kShares) {
        std::vector<double> times;
        for (int i = 0; i < kFrames; ++i) {
            BandRange range;
            const double span = std::max(100.0, history.steps() * share);
            range.from = (history.steps() - span) * i / kFrames;
            range.to = range.from + span;
            range.top = static_cast<double>(history.peak_bytes()) * 1.08;
            timer.restart();
            picture.draw(range, kSize, BandPicture::kNone);
            times.push_back(milliseconds(timer));
        }
        print_frames(share, times);
    }
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    Theme::instance().setMode(Theme::Mode::Dark);
    for (int i = 1; i < argc; ++i) {
        const auto file = MappedFile::open(argv[i]);
        std::printf("%s: %.0f MB\n", argv[i], static_cast<double>(file->bytes().size()) * 1e-6);
        if (session::imported_kind(argv[i]) == session::ImportedKind::MemorySnapshot)
            bench_snapshot(file);
        else
            bench_trace(file);
    }
    return 0;
}
