// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a trace comes to by operator, over all its calls; and two traces held against each other.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"
#include "core/formats/profiler/profile_trace.h"

namespace loupe::session {

// All calls of one name and category. Times in seconds.
struct OperatorTotals {
    static constexpr std::size_t kBins = 24;

    std::string name;      // "aten::addmm"
    std::string category;  // "cpu_op", "kernel", ...
    std::uint64_t count = 0;
    double total = 0;
    double self = 0;  // without what it called
    double least = 0;
    double median = 0;
    double p95 = 0;
    double greatest = 0;
    // Calls by duration: bins of equal ratio from least to greatest; of calls that all last equally long the first.
    std::array<std::uint64_t, kBins> histogram{};
};
auto fields(Like<OperatorTotals> auto& it) {
    return std::tie(it.name, it.category, it.count, it.total, it.self, it.least, it.median, it.p95, it.greatest,
                    it.histogram);
}

// The name by which calls of two traces are one: numbers of steps do not count ("ProfilerStep#4"), nor lines of Python
// functions ("train.py(8): step"), which an edit above moves.
std::string matching_name(std::string_view name);

// Sorted by total, the longest first. Instants and the profiler's own span are no calls. Of a function that calls
// itself all calls make the total, as in PyTorch's key_averages().
std::vector<OperatorTotals> operator_totals(const ProfileTrace& trace);

// An operator of two traces. Null counts: it is in one of them only.
struct TotalsDifference {
    std::string name;
    std::string category;
    std::uint64_t count_here = 0;
    std::uint64_t count_there = 0;
    double total_here = 0;
    double total_there = 0;
    double self_here = 0;
    double self_there = 0;

    double change() const { return total_there - total_here; }
};
// By name and kind of event: PyTorch's cpu_op is an operator of a recorded run. Sorted by how much they differ.
std::vector<TotalsDifference> compare_totals(const std::vector<OperatorTotals>& here,
                                             const std::vector<OperatorTotals>& there);

}  // namespace loupe::session
