// SPDX-License-Identifier: Apache-2.0
#include "core/study/profile_statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "core/base/cancel.h"
#include "core/study/profile_of_recording.h"

namespace loupe::session {
namespace {

// Seconds that the zones called by each take inside of it.
std::vector<double> inner_seconds(const ProfileTrace& trace) {
    std::vector<double> inner(trace.zones.size(), 0);
    for (const ProfileZone& zone : trace.zones) {
        if (zone.parent == ProfileZone::kNone) continue;
        const double end = std::min(zone.end(), trace.zones[zone.parent].end());
        inner[zone.parent] += std::max(0.0, end - zone.start);
    }
    return inner;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void take_durations(OperatorTotals& row, std::vector<double>& durations) {
    std::sort(durations.begin(), durations.end());
    const auto at = [&](double share) {
        return durations[static_cast<std::size_t>(share * static_cast<double>(durations.size() - 1) + 0.5)];
    };
    row.least = durations.front();
    row.greatest = durations.back();
    row.median = at(0.5);
    row.p95 = at(0.95);
    const double from = std::max(row.least, 1e-9);
    const double span = std::log(std::max(row.greatest, from) / from);
    for (const double duration : durations) {
        const double share = span > 0 ? std::log(std::max(duration, from) / from) / span : 0;
        const auto bin = static_cast<std::size_t>(share * OperatorTotals::kBins);
        ++row.histogram[std::min(bin, OperatorTotals::kBins - 1)];
    }
}

}  // namespace

std::string matching_name(std::string_view name) {
    const auto mark = name.rfind('#');
    const bool is_numbered = mark != std::string_view::npos && mark + 1 < name.size() &&
                             std::ranges::all_of(name.substr(mark + 1), is_digit);
    if (is_numbered) return std::string(name.substr(0, mark + 1));
    const auto close = name.find("): ");
    const auto open = close == std::string_view::npos ? close : name.rfind('(', close);
    const bool has_line = open != std::string_view::npos && open + 1 < close &&
                          std::ranges::all_of(name.substr(open + 1, close - open - 1), is_digit);
    return has_line ? std::string(name.substr(0, open)).append(name.substr(close + 1)) : std::string(name);
}

std::vector<OperatorTotals> operator_totals(const ProfileTrace& trace) {
    const std::vector<double> inner = inner_seconds(trace);
    std::unordered_map<std::uint64_t, std::size_t> places;
    std::vector<OperatorTotals> rows;
    std::vector<std::vector<double>> durations;
    for (std::size_t i = 0; i < trace.zones.size(); ++i) {
        if (i % 65536 == 0) check_cancelled();
        const ProfileZone& zone = trace.zones[i];
        if ((zone.duration <= 0 && zone.arguments_size == 0) || trace.is_span(zone)) continue;
        const auto [found, is_new] = places.try_emplace((std::uint64_t{zone.name} << 32) | zone.category, rows.size());
        if (is_new) {
            rows.push_back({std::string(trace.name_of(zone)), std::string(trace.category_of(zone))});
            durations.emplace_back();
        }
        OperatorTotals& row = rows[found->second];
        ++row.count;
        row.total += zone.duration;
        row.self += std::max(0.0, zone.duration - inner[i]);
        durations[found->second].push_back(zone.duration);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) take_durations(rows[i], durations[i]);
    std::ranges::stable_sort(rows, std::ranges::greater(), &OperatorTotals::total);
    return rows;
}

std::vector<TotalsDifference> compare_totals(const std::vector<OperatorTotals>& here,
                                             const std::vector<OperatorTotals>& there) {
    std::map<std::pair<std::string, std::string_view>, TotalsDifference> all;
    const auto row_of = [&](const OperatorTotals& totals) -> TotalsDifference& {
        const std::string_view kind =
            totals.category == kOperatorCategory ? "cpu_op" : std::string_view(totals.category);
        TotalsDifference& row = all[{matching_name(totals.name), kind}];
        row.name = totals.name;
        row.category = kind;
        return row;
    };
    for (const OperatorTotals& totals : here) {
        TotalsDifference& row = row_of(totals);
        row.count_here += totals.count;
        row.total_here += totals.total;
        row.self_here += totals.self;
    }
    for (const OperatorTotals& totals : there) {
        TotalsDifference& row = row_of(totals);
        row.count_there += totals.count;
        row.total_there += totals.total;
        row.self_there += totals.self;
    }
    std::vector<TotalsDifference> rows;
    for (auto& [key, row] : all) rows.push_back(std::move(row));
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const TotalsDifference& row) { return std::abs(row.change()); });
    return rows;
}

}  // namespace loupe::session
