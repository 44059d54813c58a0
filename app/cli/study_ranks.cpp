// SPDX-License-Identifier: Apache-2.0
// ranks: the recordings of the ranks of one run, held against each other.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/recording_file.h"
#include "core/session/rank_files.h"
#include "core/study/ranks/rank_report.h"

namespace loupe::cli {
namespace {

using nlohmann::json;
using session::Collective;
using session::CollectiveTimes;
using session::MatchedCollective;
using session::RankReport;
using session::RecordingFile;

// One file: those beside it too.
std::vector<session::RankFile> files_of(const RanksArguments& options) {
    if (options.files.size() == 1 && !options.alone) return session::rank_files(options.files.front());
    std::vector<session::RankFile> all;
    for (const std::string& file : options.files) {
        int named = -1;
        for (const session::RankFile& each : session::rank_files(file)) {
            if (each.path == std::filesystem::path(file)) named = each.named;
        }
        all.push_back({file, named});
    }
    return all;
}

std::string seconds(double value, bool is_at_most) {
    if (!std::isfinite(value)) return "-";
    if (value <= 0) return "0";
    return (is_at_most && value > 0 ? "<= " : "") + format_seconds(value);
}

// Columns as wide as their widest cell; the first `left` of them begin at the left.
void print_table(const std::vector<std::vector<std::string>>& rows, const std::set<std::size_t>& left) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string fill(widths[i] - row[i].size(), ' ');
            line += i > 0 ? "  " : "";
            line += left.contains(i) ? row[i] + fill : fill + row[i];
        }
        while (!line.empty() && line.back() == ' ') line.pop_back();
        std::printf("%s\n", line.c_str());
    }
}

void print_ranks(const RankReport& report) {
    std::vector<std::vector<std::string>> rows{
        {"rank", "host", "pid", "events", "collectives", "waited", "others waited for it", "came last", "state"}};
    for (std::size_t place = 0; place < report.set.ranks.size(); ++place) {
        const session::RankRun& run = report.set.ranks[place];
        const session::RankWaits& waits = report.waits[place];
        rows.push_back({concat(run.rank()), run.facts.host.empty() ? "-" : run.facts.host,
                        run.facts.pid > 0 ? concat(run.facts.pid) : "-", concat(run.recording->event_count()),
                        concat(run.collectives.size()), seconds(waits.waited, waits.is_at_most),
                        seconds(waits.made_wait, waits.is_at_most), concat(waits.times_last),
                        session::state_text(report.set, report.matched, report.ends[place])});
    }
    print_table(rows, {1, 8});
}

std::string size_text(const Collective& each) {
    return each.bytes > 0 ? format_bytes(static_cast<double>(each.bytes)) : "-";
}

void print_collectives(const RankReport& report, std::size_t most) {
    std::vector<std::size_t> order(report.matched.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const bool is_part = order.size() > most;
    if (is_part) {
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return report.times[a].waited > report.times[b].waited; });
        order.resize(most);
    }
    if (order.empty()) return;
    std::printf("\n%s\n", is_part ? concat("the ", most, " of ", report.matched.size(),
                                           " collectives that ranks waited for longest (--all: every one)")
                                        .c_str()
                                  : "collectives");
    std::vector<std::vector<std::string>> rows{{"collective", "line", "bytes", "last", "behind", "others waited"}};
    for (const std::size_t number : order) {
        const MatchedCollective& each = report.matched[number];
        const CollectiveTimes& times = report.times[number];
        const Collective& first = each.first(report.set);
        const bool has_last = times.last >= 0;
        rows.push_back({each.name(report.set), session::place_text(first.place), size_text(first),
                        has_last ? concat("rank ", report.set.ranks[static_cast<std::size_t>(times.last)].rank()) : "-",
                        has_last ? seconds(times.late_by, false) : "-", seconds(times.waited, times.is_at_most)});
    }
    print_table(rows, {0, 1, 3});
}

// What times of several clocks are worth.
void print_clocks(const RankReport& report) {
    const bool is_known = std::all_of(report.clocks.begin(), report.clocks.end(), [](const session::RankClock& clock) {
        return clock.source == session::RankClock::Source::Same || clock.source == session::RankClock::Source::Host;
    });
    if (is_known || report.matched.empty()) return;
    for (std::size_t place = 1; place < report.clocks.size(); ++place)
        std::printf("%sclock of rank %d: %s\n", place == 1 ? "\n" : "", report.set.ranks[place].rank(),
                    session::clock_text(report.clocks[place]).text().c_str());
}

void print_report(const RankReport& report, std::size_t most) {
    print_ranks(report);
    print_collectives(report, most);
    print_clocks(report);
    std::printf("\n");
    for (const Said& problem : report.set.problems) std::printf("Problem: %s\n", problem.text().c_str());
    for (const RankReport::Finding& each : report.findings)
        std::printf("%s: %s\n", each.title.text().c_str(), each.text.text().c_str());
    if (report.is_wrong()) return;
    if (report.matched.empty())
        std::printf("no collectives, and nothing differs that should be equal\n");
    else
        std::printf("all %zu collectives match, and nothing differs that should be equal\n", report.matched.size());
}

json spot_json(const session::RankDifference::Spot& spot) {
    if (spot.rank < 0) return nullptr;
    return {{"rank", spot.rank},
            {"event", spot.event},
            {"value", spot.value},
            {"file", spot.place.file},
            {"line", spot.place.line}};
}

json time_json(const std::optional<double>& time) { return time ? json(*time) : json(); }

// launched and what follows: by the rank's own clock, seconds since its run began.
json arrival_json(const Collective& own, int rank, double arrived, double waited) {
    return {{"rank", rank},
            {"arrived", arrived},
            {"waited", waited},
            {"launched", own.launched},
            {"completed", time_json(own.completed)},
            {"waited_from", time_json(own.waited_from)},
            {"waited_until", time_json(own.waited_until)},
            {"event", own.event}};
}

json report_json(const RankReport& report) {
    json ranks = json::array();
    for (std::size_t place = 0; place < report.set.ranks.size(); ++place) {
        const session::RankRun& run = report.set.ranks[place];
        const session::RankWaits& waits = report.waits[place];
        ranks.push_back({{"rank", run.rank()},
                         {"host", run.facts.host},
                         {"pid", run.facts.pid},
                         {"events", run.recording->event_count()},
                         {"collectives", run.collectives.size()},
                         {"waited", waits.waited},
                         {"made_wait", waits.made_wait},
                         {"times_last", waits.times_last},
                         {"waits_are_at_most", waits.is_at_most},
                         {"clock_offset", report.clocks[place].offset},
                         {"state", session::state_text(report.set, report.matched, report.ends[place]).text()}});
    }
    json collectives = json::array();
    for (std::size_t number = 0; number < report.matched.size(); ++number) {
        const MatchedCollective& each = report.matched[number];
        const CollectiveTimes& times = report.times[number];
        const Collective& first = each.first(report.set);
        json arrivals = json::array();
        for (std::size_t place = 0; place < times.ranks.size(); ++place) {
            if (times.ranks[place])
                arrivals.push_back(arrival_json(*each.on(report.set, place), report.set.ranks[place].rank(),
                                                times.ranks[place]->arrived, times.ranks[place]->waited));
        }
        collectives.push_back(
            {{"name", each.name(report.set).text()},
             {"group", each.group},
             {"sequence", each.sequence},
             {"operation", first.operation},
             {"dtype", first.dtype},
             {"bytes", first.bytes},
             {"file", first.place.file},
             {"line", first.place.line},
             {"last", times.last >= 0 ? json(report.set.ranks[static_cast<std::size_t>(times.last)].rank()) : json()},
             {"late_by", times.late_by},
             {"waited", times.waited},
             {"ranks", std::move(arrivals)}});
    }
    json findings = json::array();
    for (const RankReport::Finding& each : report.findings)
        findings.push_back({{"title", each.title.text()},
                            {"text", each.text.text()},
                            {"at", spot_json(each.spot)},
                            {"against", spot_json(each.other)}});
    return {{"world_size", report.set.world_size},
            {"ranks", ranks},
            {"collectives", collectives},
            {"problems", std::vector<std::string>(report.set.problems.begin(), report.set.problems.end())},
            {"findings", findings},
            {"is_wrong", report.is_wrong()}};
}

}  // namespace

int run_ranks(const RanksArguments& options) {
    const auto files = files_of(options);
    std::vector<session::RankSource> sources;
    std::vector<std::shared_ptr<RecordingFile>> opened;
    for (const session::RankFile& file : files) {
        opened.push_back(std::make_shared<RecordingFile>(file.path));
        sources.push_back({opened.back()->recording(), file.path.filename().string(), file.named});
    }
    session::RankSet set = session::join_ranks(sources);
    if (set.ranks.size() == 1 && set.world_size == 1)
        throw Error(ErrorKind::Usage, concat(sources.front().name, " is a recording of one process alone"),
                    {.hint = concat("other ranks' lie beside it as ",
                                    std::filesystem::path(sources.front().name).stem().string(), ".rank1.loupe")});
    // Elements by the recording: the set is in the order of ranks.
    std::vector<const RecordingFile*> of_place;
    for (const session::RankRun& run : set.ranks) {
        for (const auto& file : opened) {
            if (file->recording() == run.recording) of_place.push_back(file.get());
        }
    }
    const auto elements = [&](std::size_t place, session::ValueId value) { return of_place[place]->elements(value); };
    const RankReport report = session::study_ranks(std::move(set), elements);
    constexpr std::size_t kMost = 10;
    if (options.json)
        std::printf("%s\n", report_json(report).dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    else
        print_report(report, options.all ? report.matched.size() : kMost);
    return report.is_wrong() ? 1 : 0;
}

}  // namespace loupe::cli
