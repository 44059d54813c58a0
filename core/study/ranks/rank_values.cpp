// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_values.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/study/difference.h"

namespace loupe::session {
namespace {

// Of sums in double of the same numbers in another order.
constexpr double kSameSum = 1e-13;

bool is_same_sum(double a, double b, double scale) {
    return a == b || std::abs(a - b) <= kSameSum * std::max({std::abs(a), std::abs(b), scale});
}

}  // namespace

Agreement compare_statistics(const Statistics& a, const Statistics& b) {
    const bool are_counts = a.count == b.count && a.nan_count == b.nan_count && a.inf_count == b.inf_count &&
                            a.zero_count == b.zero_count && a.finite.has_value() == b.finite.has_value();
    if (!are_counts) return Agreement::Different;
    if (!a.finite) return Agreement::Equal;
    const FiniteStatistics& x = *a.finite;
    const FiniteStatistics& y = *b.finite;
    // A recorder may have left histograms out.
    const auto has_histogram = [](const Statistics& s) {
        return std::any_of(s.exponents.begin(), s.exponents.end(), [](std::uint32_t count) { return count != 0; });
    };
    const bool is_same_histogram = a.exponents == b.exponents || !has_histogram(a) || !has_histogram(b);
    const bool is_same = x.min == y.min && x.max == y.max && is_same_histogram &&
                         is_same_sum(x.mean, y.mean, x.abs_mean) && is_same_sum(x.abs_mean, y.abs_mean, 0) &&
                         is_same_sum(x.norm, y.norm, 0);
    return is_same ? Agreement::Equal : Agreement::Different;
}

Agreement compare_values(const RankSet& set, const RankElements& elements, RankValue a, RankValue b) {
    const Value& x = set.ranks[a.place].recording->value(a.value);
    const Value& y = set.ranks[b.place].recording->value(b.value);
    if (x.shape != y.shape || x.dtype != y.dtype) return Agreement::Different;
    Agreement found = Agreement::Unknown;
    if (x.statistics && y.statistics) found = compare_statistics(*x.statistics, *y.statistics);
    // Numbers that are equal to the last digit are of equal elements; of others the elements have the last word.
    if (found == Agreement::Equal || !elements) return found;
    const Tensor of_a = elements(a.place, a.value);
    const Tensor of_b = elements(b.place, b.value);
    if (!of_a.defined() || !of_b.defined() || of_a.numel() != of_b.numel()) return found;
    return measure_difference(of_a, of_b, {}).is_same() ? Agreement::Equal : Agreement::Different;
}

RankClasses classify_values(const RankSet& set, const RankElements& elements, const std::vector<ValueId>& values) {
    RankClasses out;
    out.of.assign(values.size(), -1);
    std::vector<std::vector<std::size_t>> classes;
    std::vector<std::size_t> unknown;
    for (std::size_t place = 0; place < values.size(); ++place) {
        if (values[place] == 0) continue;
        bool is_unknown = false;
        for (std::size_t c = 0; c < classes.size() && out.of[place] < 0; ++c) {
            const std::size_t other = classes[c].front();
            const Agreement found = compare_values(set, elements, {place, values[place]}, {other, values[other]});
            if (found == Agreement::Equal) out.of[place] = static_cast<int>(c);
            is_unknown = is_unknown || found == Agreement::Unknown;
        }
        if (out.of[place] < 0 && is_unknown) continue;
        if (out.of[place] < 0) {
            out.of[place] = static_cast<int>(classes.size());
            classes.emplace_back();
        }
        classes[static_cast<std::size_t>(out.of[place])].push_back(place);
    }
    out.count = static_cast<int>(classes.size());
    for (const auto& each : classes) {
        if (each.size() > out.most.size()) out.most = each;
    }
    for (std::size_t place = 0; place < values.size(); ++place) {
        const bool is_known = out.of[place] >= 0;
        if (is_known && std::find(out.most.begin(), out.most.end(), place) == out.most.end()) out.odd.push_back(place);
    }
    return out;
}

namespace {

// Did an operator write it in place, or an optimizer ("SGD")? Views of a parameter are made by others.
bool is_written(const Recording& recording, const Value& value) {
    if (value.producer == 0 || value.producer > recording.event_count()) return false;
    const Event& event = recording.event(value.producer);
    const bool is_optimizer = event.phase != RunPhase::Backward && event.op.find("::") == std::string_view::npos;
    return is_optimizer || event.op.ends_with('_');
}

}  // namespace

ParameterVersions parameter_versions(const Recording& recording) {
    std::set<std::uint64_t> storages;
    for (std::size_t i = 0; i < recording.allocation_count(); ++i) {
        const Allocation block = recording.allocation(i);
        if (block.category == Category::Parameter) storages.insert(block.storage_id);
    }
    // Those that were made in the recording, before their module was called, are known by their names alone.
    const auto is_parameter = [&](const Value& value) {
        if (value.name.empty() || value.name.starts_with('%')) return false;
        return storages.contains(value.storage_id) || (value.producer == 0 && value.requires_grad);
    };
    // By what they lie on. A transposed look at the same version is none of its own.
    std::map<std::uint64_t, std::map<std::string, ValueId>> named;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        if (is_parameter(value)) named[value.storage_id].emplace(value.name, id);
    }
    ParameterVersions out;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        const auto on = named.find(value.storage_id);
        if (on == named.end()) continue;
        for (const auto& [name, first] : on->second) {
            const Value& like = recording.value(first);
            const bool is_it =
                value.shape == like.shape && value.strides == like.strides && value.offset == like.offset;
            if (!is_it || (value.name != name && !(value.name.empty() && is_written(recording, value)))) continue;
            auto& versions = out[name];
            // One that got its name behind a write is the one that was written.
            if (versions.empty() || value.producer != 0) versions.push_back(id);
        }
    }
    return out;
}

std::vector<ValueId> results_of(const Recording& recording, const Collective& collective) {
    const auto made_by = [&](EventId id) {
        std::vector<ValueId> made;
        if (id == 0 || id > recording.event_count()) return made;
        const Event& event = recording.event(id);
        for (const ValueId output : event.outputs) {
            if (std::find(event.inputs.begin(), event.inputs.end(), output) == event.inputs.end())
                made.push_back(output);
        }
        return made;
    };
    if (collective.waited_by != 0 && collective.waited_by != collective.event) {
        auto made = made_by(collective.waited_by);
        if (!made.empty()) return made;
        // What it had when it was launched says nothing.
        if (!collective.completed) return {};
    }
    return made_by(collective.event);
}

bool gives_all_the_same(std::string_view operation) {
    return operation == "all_reduce" || operation == "broadcast" || operation == "all_gather";
}

}  // namespace loupe::session
