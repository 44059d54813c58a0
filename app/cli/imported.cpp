// SPDX-License-Identifier: Apache-2.0
#include "app/cli/imported.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/profiler/snapshot_reader.h"
#include "core/formats/profiler/trace_reader.h"
#include "core/record/recording_file.h"
#include "core/session/imported_file.h"
#include "core/study/flame_difference.h"
#include "core/study/profile_of_recording.h"
#include "core/study/profile_statistics.h"
#include "core/study/profile_streams.h"
#include "core/study/snapshot_history.h"

namespace loupe::cli {
namespace {

using nlohmann::json;
using session::ImportedKind;

constexpr std::size_t kShown = 20;  // rows of a table

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }
std::string change_text(std::int64_t bytes) {
    return concat(bytes < 0 ? "-" : "+", format_bytes(static_cast<double>(std::abs(bytes))));
}
std::string cut(const std::string& text, std::size_t width) {
    return text.size() <= width ? text : concat(text.substr(0, width - 3), "...");
}

template <typename Read>
auto read_named(const std::string& path, Read read) {
    try {
        return read(MappedFile::open(path));
    } catch (Error& error) {
        error.add_context({.file = path});
        throw;
    }
}

// Columns of a table are counted in bytes.
std::string plain(std::string text) {
    for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"\u203a", ">"}, {"\u2026", "..."}})
        for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    return text;
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) std::printf("note: %s\n", note.c_str());
}

void print_trace(const ProfileTrace& trace) {
    std::printf("%s\n%s: %s on %s, %s; nothing of it runs\n", trace.path.c_str(), trace.source.c_str(),
                counted(trace.zones.size(), "event").c_str(), counted(trace.tracks.size(), "track").c_str(),
                format_seconds(trace.seconds).c_str());
    print_notes(trace.notes);
    std::printf("\ntracks\n");
    for (const ProfileTrack& track : trace.tracks)
        std::printf("  %-40s %-32s %10llu\n", cut(track.process, 40).c_str(), cut(track.name, 32).c_str(),
                    static_cast<unsigned long long>(track.count));
    for (const ProfileCounter& counter : trace.counters) {
        const double greatest = counter.values.empty() ? 0 : *std::ranges::max_element(counter.values);
        std::printf("  %-40s %-32s %10zu\n", cut(counter.name, 40).c_str(),
                    concat("at most ", counter.is_bytes ? format_bytes(greatest) : concat(greatest)).c_str(),
                    counter.values.size());
    }
    for (const session::StreamUse& use : session::stream_uses(trace)) {
        std::printf(
            "  %-40s busy %s of %s (%.1f %%), idle %s, longest gap %s at %s%s\n",
            cut(trace.tracks[use.track].name, 40).c_str(), format_seconds(use.busy).c_str(),
            format_seconds(use.end - use.begin).c_str(), use.share() * 100, format_seconds(use.idle()).c_str(),
            format_seconds(use.longest_gap).c_str(), format_seconds(use.gap_at).c_str(),
            use.launch_to_start
                ? concat("; starts ", format_seconds(*use.launch_to_start), " behind its launch (median)").c_str()
                : "");
    }
    std::map<std::string_view, std::size_t> links;
    for (const ProfileLink& link : trace.links) ++links[trace.texts[link.category]];
    for (const auto& [name, count] : links)
        std::printf("  links %-34s %-32s %10zu\n", std::string(name).c_str(), "", count);
    const auto totals = session::operator_totals(trace);
    std::printf("\n%-46s %-16s %8s %10s %10s %10s %10s %10s\n", "operator", "category", "calls", "total", "self",
                "median", "p95", "max");
    for (std::size_t i = 0; i < std::min(kShown, totals.size()); ++i) {
        const session::OperatorTotals& row = totals[i];
        std::printf("%-46s %-16s %8llu %10s %10s %10s %10s %10s\n", cut(row.name, 46).c_str(),
                    cut(row.category, 16).c_str(), static_cast<unsigned long long>(row.count),
                    format_seconds(row.total).c_str(), format_seconds(row.self).c_str(),
                    format_seconds(row.median).c_str(), format_seconds(row.p95).c_str(),
                    format_seconds(row.greatest).c_str());
    }
    if (totals.size() > kShown) std::printf("and %zu more\n", totals.size() - kShown);
}

void print_peak(const MemorySnapshot& snapshot, const session::SnapshotHistory& history) {
    const double time = session::seconds_at(snapshot, history, history.peak);
    std::printf("device %llu: peak %s behind entry %u of %u%s, reserved %s there\n",
                static_cast<unsigned long long>(history.device), bytes_text(history.peak_bytes()).c_str(), history.peak,
                history.steps() - 1, time > 0 ? concat(" (", format_seconds(time), ")").c_str() : "",
                bytes_text(history.reserved[history.peak]).c_str());
    for (const std::uint32_t step : history.out_of_memory) {
        const SnapshotEntry& entry = snapshot.devices[history.device].entries[step - 1];
        std::printf("out of memory behind entry %u: %s wanted, %s free on the device, %s active\n", step,
                    bytes_text(entry.size).c_str(), bytes_text(static_cast<std::int64_t>(entry.address)).c_str(),
                    bytes_text(history.active[step]).c_str());
    }
}

void print_snapshot(const MemorySnapshot& snapshot) {
    const session::SnapshotHistory history = std::move(session::snapshot_histories(snapshot).front());
    std::printf("%s\na memory snapshot of PyTorch's allocator: %s, %s, %s\n", snapshot.path.c_str(),
                counted(snapshot.entry_count(), "entry", "entries").c_str(),
                counted(snapshot.segments.size(), "segment").c_str(),
                counted(snapshot.stacks.size() - 1, "stack").c_str());
    print_notes(snapshot.notes);
    print_notes(history.notes);
    print_peak(snapshot, history);
    const auto holders = session::holders_at(snapshot, history, history.peak, session::HolderKind::OwnCode);
    std::printf("\n%-72s %10s %8s\n", "at the peak held by", "bytes", "blocks");
    for (std::size_t i = 0; i < std::min(kShown, holders.size()); ++i)
        std::printf("%-72s %10s %8llu\n", cut(holders[i].where, 72).c_str(), bytes_text(holders[i].bytes).c_str(),
                    static_cast<unsigned long long>(holders[i].blocks));
    if (holders.size() > kShown) std::printf("and %zu more\n", holders.size() - kShown);
}

// --- comparison

ProfileTrace trace_of(const std::string& path) {
    if (session::is_recording(path)) {
        const session::RecordingFile file(path);
        ProfileTrace trace = session::profile_of_recording(*file.recording(), file.recording()->event_count());
        trace.path = path;
        return trace;
    }
    return read_named(path, read_profile_trace);
}

void compare_traces(const std::string& here, const std::string& there, bool as_json) {
    const ProfileTrace one = trace_of(here);
    const ProfileTrace other = trace_of(there);
    const auto rows = session::compare_totals(session::operator_totals(one), session::operator_totals(other));
    const session::FlameDifference flames =
        session::compare_flames(one, session::flame_graph(one), other, session::flame_graph(other));
    const std::vector<std::uint32_t> changed = session::most_changed(flames, kShown);
    if (as_json) {
        json out = json::array();
        for (const auto& row : rows)
            out.push_back({{"name", row.name},
                           {"category", row.category},
                           {"count", {row.count_here, row.count_there}},
                           {"total", {row.total_here, row.total_there}},
                           {"self", {row.self_here, row.self_there}}});
        json stacks = json::array();
        for (const std::uint32_t node : changed) {
            const session::FlamePair& each = flames.nodes[node];
            stacks.push_back({{"path", flames.path_of(node, flames.depth)},
                              {"count", {each.count_here, each.count_there}},
                              {"total", {each.total_here, each.total_there}},
                              {"self", {each.self_here, each.self_there}}});
        }
        std::printf("%s\n", json{{"A", here},
                                 {"B", there},
                                 {"seconds", {one.seconds, other.seconds}},
                                 {"operators", out},
                                 {"stacks", stacks}}
                                .dump(2, ' ', false, json::error_handler_t::replace)
                                .c_str());
        return;
    }
    std::printf("A %s: %s, %s\nB %s: %s, %s\n\n", here.c_str(), one.source.c_str(), format_seconds(one.seconds).c_str(),
                there.c_str(), other.source.c_str(), format_seconds(other.seconds).c_str());
    std::printf("%-46s %-16s %8s %8s %10s %10s %11s\n", "operator", "category", "calls A", "calls B", "total A",
                "total B", "B - A");
    for (std::size_t i = 0; i < std::min(2 * kShown, rows.size()); ++i) {
        const session::TotalsDifference& row = rows[i];
        std::printf("%-46s %-16s %8llu %8llu %10s %10s %s%10s\n", cut(row.name, 46).c_str(),
                    cut(row.category, 16).c_str(), static_cast<unsigned long long>(row.count_here),
                    static_cast<unsigned long long>(row.count_there), format_seconds(row.total_here).c_str(),
                    format_seconds(row.total_there).c_str(), row.change() < 0 ? "-" : "+",
                    format_seconds(std::abs(row.change())).c_str());
    }
    if (rows.size() > 2 * kShown) std::printf("and %zu more\n", rows.size() - 2 * kShown);
    if (changed.empty()) return;
    std::printf("\n%-88s %10s %10s %11s\n", "call stacks whose own time differs most", "self A", "self B", "B - A");
    for (const std::uint32_t node : changed) {
        const session::FlamePair& each = flames.nodes[node];
        constexpr std::size_t kWide = 88;
        const std::string path = plain(flames.path_of(node, 3));
        // The end says most.
        std::size_t from = path.size() > kWide ? path.size() - kWide + 3 : 0;
        while (from < path.size() && (static_cast<unsigned char>(path[from]) & 0xc0) == 0x80) ++from;
        std::printf("%-88s %10s %10s %s%10s\n", concat(from > 0 ? "..." : "", path.substr(from)).c_str(),
                    format_seconds(each.self_here).c_str(), format_seconds(each.self_there).c_str(),
                    each.self_change() < 0 ? "-" : "+", format_seconds(std::abs(each.self_change())).c_str());
    }
}

void compare_snapshots(const std::string& here, const std::string& there, bool as_json) {
    const MemorySnapshot one = read_named(here, read_memory_snapshot);
    const MemorySnapshot other = read_named(there, read_memory_snapshot);
    const auto before = std::move(session::snapshot_histories(one).front());
    const auto after = std::move(session::snapshot_histories(other).front());
    const auto rows =
        session::compare_holders(session::holders_at(one, before, before.peak, session::HolderKind::OwnCode),
                                 session::holders_at(other, after, after.peak, session::HolderKind::OwnCode));
    if (as_json) {
        json out = json::array();
        for (const auto& row : rows)
            out.push_back({{"where", row.where},
                           {"change", row.word()},
                           {"bytes", {row.bytes_here, row.bytes_there}},
                           {"blocks", {row.blocks_here, row.blocks_there}}});
        std::printf(
            "%s\n",
            json{{"A", here}, {"B", there}, {"peak", {before.peak_bytes(), after.peak_bytes()}}, {"holders", out}}
                .dump(2, ' ', false, json::error_handler_t::replace)
                .c_str());
        return;
    }
    std::printf("A %s: peak %s\nB %s: peak %s (%s)\n\n", here.c_str(), bytes_text(before.peak_bytes()).c_str(),
                there.c_str(), bytes_text(after.peak_bytes()).c_str(),
                change_text(after.peak_bytes() - before.peak_bytes()).c_str());
    std::printf("%-8s %-60s %10s %10s %11s\n", "", "at the peak held by", "A", "B", "B - A");
    for (std::size_t i = 0; i < std::min(2 * kShown, rows.size()) && rows[i].change() != 0; ++i)
        std::printf("%-8s %-60s %10s %10s %11s\n", std::string(rows[i].word()).c_str(), cut(rows[i].where, 60).c_str(),
                    bytes_text(rows[i].bytes_here).c_str(), bytes_text(rows[i].bytes_there).c_str(),
                    change_text(rows[i].change()).c_str());
    const auto same = std::ranges::count_if(rows, [](const auto& row) { return row.change() == 0; });
    if (same > 0) std::printf("%zu the same\n", static_cast<std::size_t>(same));
}

}  // namespace

bool print_imported(const std::string& path) {
    switch (session::imported_kind(path)) {
        case ImportedKind::ProfileTrace:
            print_trace(read_named(path, read_profile_trace));
            return true;
        case ImportedKind::MemorySnapshot:
            print_snapshot(read_named(path, read_memory_snapshot));
            return true;
        case ImportedKind::None:
            break;
    }
    return false;
}

bool compare_imported(const std::string& here, const std::vector<std::string>& others, bool as_json) {
    bool any_snapshot = session::imported_kind(here) == ImportedKind::MemorySnapshot;
    bool any_trace = session::imported_kind(here) == ImportedKind::ProfileTrace;
    bool all_snapshots = any_snapshot;
    bool all_timed = any_trace || session::is_recording(here);
    for (const std::string& other : others) {
        const ImportedKind kind = session::imported_kind(other);
        any_snapshot |= kind == ImportedKind::MemorySnapshot;
        any_trace |= kind == ImportedKind::ProfileTrace;
        all_snapshots &= kind == ImportedKind::MemorySnapshot;
        all_timed &= kind == ImportedKind::ProfileTrace || session::is_recording(other);
    }
    if (!any_snapshot && !any_trace) return false;
    if (others.empty() || !(all_snapshots || all_timed))
        throw Error(ErrorKind::Usage, "a trace is compared with a trace or a recorded run, a snapshot with a snapshot",
                    {.file = here});
    for (const std::string& other : others)
        all_snapshots ? compare_snapshots(here, other, as_json) : compare_traces(here, other, as_json);
    return true;
}

}  // namespace loupe::cli
