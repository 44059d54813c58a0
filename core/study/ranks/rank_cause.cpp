// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_cause.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/record/not_finite.h"
#include "core/study/ranks/derived_collectives.h"

namespace loupe::session {
namespace {

constexpr int kMostSteps = 10000;
constexpr std::size_t kMostLooked = 200;  // events back to a collective

const Event* producer(const RankSet& set, RankValue at) {
    const Recording& recording = *set.ranks[at.place].recording;
    const EventId made = recording.value(at.value).producer;
    return made != 0 && made <= recording.event_count() ? &recording.event(made) : nullptr;
}

// It does not read what was in its first argument.
bool overwrites(std::string_view op) {
    const std::string_view name = short_operator_name(op);
    return name == "copy_" || name == "fill_" || name == "zero_" || name == "_foreach_copy_";
}

bool is_random(const Event& event) {
    constexpr std::string_view kRandom[] = {"rand",        "dropout",   "bernoulli",   "normal",           "uniform",
                                            "exponential", "geometric", "multinomial", "rrelu_with_noise", "poisson"};
    const std::string_view name = short_operator_name(event.op);
    return std::any_of(std::begin(kRandom), std::end(kRandom),
                       [&](std::string_view each) { return name.find(each) != std::string_view::npos; }) &&
           name.find("backward") == std::string_view::npos;
}

Said where(const RankSet& set, std::size_t place, const Event& event) {
    const std::string at = place_text({std::string(event.source_file), event.source_line, 0});
    return engine::said(
        "%1 on rank %2",
        concat("#", event.id, " ", short_operator_name(event.op), at.empty() ? "" : concat(" (", at, ")")),
        set.ranks[place].rank());
}

// Arguments that are not the same: "alpha=-0.2 on rank 2, alpha=-0.1 on rank 0"; empty: all are.
Said arguments_text(const RankSet& set, RankValue odd, const Event& a, RankValue most, const Event& b) {
    std::vector<std::string> of_a;
    std::vector<std::string> of_b;
    for (const std::string& each : a.arguments) {
        if (std::find(b.arguments.begin(), b.arguments.end(), each) == b.arguments.end()) of_a.push_back(each);
    }
    for (const std::string& each : b.arguments) {
        if (std::find(a.arguments.begin(), a.arguments.end(), each) == a.arguments.end()) of_b.push_back(each);
    }
    if (of_a.empty() && of_b.empty()) return {};
    const auto text = [&](const std::vector<std::string>& parts, std::size_t place) {
        const int rank = set.ranks[place].rank();
        return parts.empty() ? engine::said("nothing on rank %1", rank)
                             : engine::said("%1 on rank %2", join(parts, ", "), rank);
    };
    return engine::said("the arguments differ: %1, %2", text(of_a, odd.place), text(of_b, most.place));
}

// The collective that a gradient of the rank comes from, inside its backward phase; null: none.
class Reductions {
  public:
    explicit Reductions(const RankRun& run) : recording_(*run.recording) {
        for (const Collective& each : run.collectives) {
            if (each.operation != "all_reduce" && each.operation != "reduce_scatter" && each.operation != "all_gather")
                continue;
            if (each.event == 0 || each.event > recording_.event_count()) continue;
            const Event& event = recording_.event(each.event);
            for (const auto* values : {&event.inputs, &event.outputs}) {
                for (const ValueId value : *values) {
                    if (const std::uint64_t storage = recording_.value(value).storage_id; storage != 0)
                        by_storage_.emplace(storage, &each);
                }
            }
        }
    }

    const Collective* behind(ValueId value) const {
        std::deque<ValueId> left{value};
        std::unordered_set<ValueId> seen{value};
        for (std::size_t looked = 0; !left.empty() && looked < kMostLooked; ++looked) {
            const Value& at = recording_.value(left.front());
            left.pop_front();
            if (const auto found = by_storage_.find(at.storage_id); found != by_storage_.end()) return found->second;
            if (at.producer == 0 || at.producer > recording_.event_count()) continue;
            const Event& event = recording_.event(at.producer);
            if (event.phase != RunPhase::Backward) continue;  // what was computed of it is no gradient of this pass
            for (const ValueId input : event.inputs) {
                if (seen.insert(input).second) left.push_back(input);
            }
        }
        return nullptr;
    }

  private:
    const Recording& recording_;
    std::unordered_map<std::uint64_t, const Collective*> by_storage_;
};

// One comes from a collective and the other does not.
Said reduction_text(const RankSet& set, RankValue odd, RankValue most) {
    const Collective* of_odd = Reductions(set.ranks[odd.place]).behind(odd.value);
    const Collective* of_most = Reductions(set.ranks[most.place]).behind(most.value);
    if ((of_odd == nullptr) == (of_most == nullptr)) return {};
    const Collective& there = of_odd != nullptr ? *of_odd : *of_most;
    const int with = set.ranks[of_odd != nullptr ? odd.place : most.place].rank();
    const int without = set.ranks[of_odd != nullptr ? most.place : odd.place].rank();
    return engine::said("it comes from %1 #%2 (%3) on rank %4, on rank %5 from no collective", there.operation,
                        there.sequence, place_text(there.place), with, without);
}

class Way {
  public:
    Way(const RankSet& set, const RankElements& elements, RankValue odd, RankValue most)
        : set_(set), elements_(elements), cause_{odd, most, {}} {}

    RankCause back() {
        for (int steps = 0; steps < kMostSteps; ++steps) {
            if (!step()) break;
        }
        return cause_;
    }

  private:
    bool end(Said why) {
        cause_.why = std::move(why);
        return false;
    }

    // False: it begins here.
    bool step() {
        const Event* a = producer(set_, cause_.odd);
        const Event* b = producer(set_, cause_.most);
        if (a == nullptr || b == nullptr)
            return end(a == b ? engine::said("it differs from the beginning of the recording")
                              : engine::said("one rank did not make it"));
        if (a->phase == RunPhase::Backward && b->phase == RunPhase::Backward) {
            if (Said why = reduction_text(set_, cause_.odd, cause_.most); !why.empty()) return end(std::move(why));
        }
        if (a->op != b->op || a->inputs.size() != b->inputs.size())
            return end(engine::said("it is made by %1 and by %2", where(set_, cause_.odd.place, *a),
                                    where(set_, cause_.most.place, *b)));
        bool is_unknown = false;
        for (std::size_t i = overwrites(a->op) && a->inputs.size() > 1 ? 1 : 0; i < a->inputs.size(); ++i) {
            const RankValue of_a{cause_.odd.place, a->inputs[i]};
            const RankValue of_b{cause_.most.place, b->inputs[i]};
            const bool is_itself = of_a.value == cause_.odd.value || of_b.value == cause_.most.value;
            const Agreement found = is_itself ? Agreement::Equal : compare_values(set_, elements_, of_a, of_b);
            is_unknown = is_unknown || found == Agreement::Unknown;
            if (found != Agreement::Different || !seen_.insert(of_a.value).second) continue;
            cause_.odd = of_a;
            cause_.most = of_b;
            return true;
        }
        if (!collective_operation(a->op).empty())
            return end(engine::said("the operation gave the ranks different results"));
        if (Said why = arguments_text(set_, cause_.odd, *a, cause_.most, *b); !why.empty()) return end(std::move(why));
        if (is_random(*a)) return end(engine::said("it draws random numbers"));
        if (is_unknown) return end(engine::said("not all that it reads was measured"));
        return end(engine::said("all that it reads is equal"));
    }

    const RankSet& set_;
    const RankElements& elements_;
    RankCause cause_;
    std::set<ValueId> seen_;
};

}  // namespace

RankCause find_cause(const RankSet& set, const RankElements& elements, RankValue odd, RankValue most) {
    return Way(set, elements, odd, most).back();
}

}  // namespace loupe::session
