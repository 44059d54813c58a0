// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_difference.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/record/not_finite.h"
#include "core/study/ranks/rank_cause.h"
#include "core/study/ranks/rank_ends.h"

namespace loupe::session {
namespace {

using Kind = RankDifference::Kind;

// A candidate for the first difference: the same value on all ranks.
struct Suspect {
    Kind kind = Kind::Parameter;
    std::string name;
    std::vector<ValueId> values;  // by place
    RankClasses classes;
    EventId order = 0;  // event of the first rank that has it: the first of all suspects counts
};

EventId producer_of(const RankSet& set, std::size_t place, ValueId value) {
    return set.ranks[place].recording->value(value).producer;
}

EventId order_of(const RankSet& set, const std::vector<ValueId>& values) {
    for (std::size_t place = 0; place < values.size(); ++place) {
        if (values[place] != 0) return producer_of(set, place, values[place]);
    }
    return 0;
}

// Places of the program where ranks can be held against each other: they stand before the same collective, or at the
// end.
struct Meeting {
    // By place: the first event behind it; 0: the rank is not there.
    std::vector<EventId> before;
    bool is_common = true;  // false: ranks end at different places
};

std::vector<Meeting> meetings_of(const RankSet& set, const std::vector<MatchedCollective>& matched) {
    std::vector<Meeting> all;
    // Where one rank has left one out, those behind it stand beside others' next.
    const bool fits = !first_mismatch(set, matched).has_value();
    for (const MatchedCollective& each : matched) {
        if (each.is_message || !fits) continue;
        Meeting& meeting = all.emplace_back();
        for (std::size_t place = 0; place < set.ranks.size(); ++place) {
            const Collective* own = each.on(set, place);
            meeting.before.push_back(own == nullptr ? 0 : own->event);
        }
    }
    Meeting& end = all.emplace_back();
    for (const RankRun& run : set.ranks) end.before.push_back(static_cast<EventId>(run.recording->event_count()) + 1);
    const auto ends = rank_ends(set, matched);
    end.is_common =
        fits && std::ranges::all_of(ends, [](const RankEnd& each) { return each.state == RankEnd::State::Finished; });
    return all;
}

// Versions of one parameter on all ranks, as long as all have it in one shape. What ranks write between two meetings is
// their own affair, as long as they have the same at the second: one may write more often than the others.
class Parameters {
  public:
    Parameters(const RankSet& set, const std::vector<MatchedCollective>& matched, const RankElements& elements)
        : set_(set), elements_(elements), meetings_(meetings_of(set, matched)) {
        for (const RankRun& run : set.ranks) versions_.push_back(parameter_versions(*run.recording));
    }

    // The first version that differs behind one that did not.
    std::optional<Suspect> first() {
        std::optional<Suspect> found;
        if (versions_.empty()) return found;
        for (const auto& [name, own] : versions_.front()) {
            check_cancelled();
            if (!is_replicated(name)) continue;
            ++replicated_;
            auto suspect = first_of(name);
            if (suspect && (!found || suspect->order < found->order)) found = std::move(suspect);
        }
        return found;
    }
    // None of those that all ranks have was equal at any time.
    bool were_never_equal() const { return replicated_ > 0 && equal_ == 0 && different_ > 0; }
    const std::optional<Suspect>& never_equal() const { return never_equal_; }

  private:
    // Of one parameter on one rank.
    struct Progress {
        const std::vector<ValueId>* versions = nullptr;  // null: it has none
        std::size_t next = 0;                            // the first that is not passed
        ValueId state = 0;                               // the last that is
        std::vector<ValueId> written;                    // since the meeting before
    };

    bool is_replicated(const std::string& name) const {
        const Shape* shape = nullptr;
        std::size_t with = 0;
        for (std::size_t place = 0; place < versions_.size(); ++place) {
            const auto found = versions_[place].find(name);
            if (found == versions_[place].end()) continue;
            const Shape& own = set_.ranks[place].recording->value(found->second.front()).shape;
            if (shape != nullptr && *shape != own) return false;
            shape = &own;
            ++with;
        }
        return with > 1;
    }

    std::vector<Progress> start(const std::string& name) const {
        std::vector<Progress> all(versions_.size());
        for (std::size_t place = 0; place < versions_.size(); ++place) {
            const auto found = versions_[place].find(name);
            if (found != versions_[place].end()) all[place].versions = &found->second;
        }
        return all;
    }

    // Takes each rank to the meeting. False: nothing was written since the last.
    bool advance(std::vector<Progress>& ranks, const Meeting& meeting) const {
        bool is_new = false;
        for (std::size_t place = 0; place < ranks.size(); ++place) {
            Progress& rank = ranks[place];
            rank.written.clear();
            if (rank.versions == nullptr || meeting.before[place] == 0) continue;
            for (; rank.next < rank.versions->size(); ++rank.next) {
                const ValueId version = (*rank.versions)[rank.next];
                if (producer_of(set_, place, version) >= meeting.before[place]) break;
                rank.written.push_back(version);
            }
            is_new = is_new || !rank.written.empty();
        }
        return is_new;
    }

    // Values of the ranks that are at the meeting, behind so many writes since the last; where a rank has fewer, behind
    // its last.
    std::vector<ValueId> behind(const std::vector<Progress>& ranks, const Meeting& meeting, std::size_t writes) const {
        std::vector<ValueId> values(ranks.size(), 0);
        for (std::size_t place = 0; place < ranks.size(); ++place) {
            const Progress& rank = ranks[place];
            const std::size_t own = std::min(writes, rank.written.size());
            if (meeting.before[place] != 0) values[place] = own == 0 ? rank.state : rank.written[own - 1];
        }
        return values;
    }

    std::optional<Suspect> suspect(const std::string& name, std::vector<ValueId> values) {
        if (std::ranges::count_if(values, [](ValueId v) { return v != 0; }) < 2) return std::nullopt;
        Suspect found{.kind = Kind::Parameter, .name = name, .values = std::move(values), .classes = {}};
        found.classes = classify_values(set_, elements_, found.values);
        found.order = order_of(set_, found.values);
        return found;
    }

    std::optional<Suspect> first_of(const std::string& name) {
        std::vector<Progress> ranks = start(name);
        bool was_equal = false;
        for (const Meeting& meeting : meetings_) {
            if (!advance(ranks, meeting)) continue;
            std::size_t most = 0;
            std::size_t least = SIZE_MAX;
            for (std::size_t place = 0; place < ranks.size(); ++place) {
                if (ranks[place].versions == nullptr || meeting.before[place] == 0) continue;
                most = std::max(most, ranks[place].written.size());
                least = std::min(least, ranks[place].written.size());
            }
            const auto at_it = suspect(name, behind(ranks, meeting, most));
            const bool agrees = meeting.is_common && at_it && at_it->classes.count == 1;
            if (agrees) {
                was_equal = true;
                ++equal_;
            }
            // Which write it was.
            for (std::size_t writes = 1; !agrees && writes <= (meeting.is_common ? most : least); ++writes) {
                auto found = suspect(name, behind(ranks, meeting, writes));
                if (!found) continue;
                if (found->classes.count == 1) {
                    was_equal = true;
                    ++equal_;
                } else if (found->classes.count > 1) {
                    ++different_;
                    if (was_equal) return found;
                    if (!never_equal_ || found->order < never_equal_->order) never_equal_ = std::move(found);
                }
            }
            for (Progress& rank : ranks) {
                if (!rank.written.empty()) rank.state = rank.written.back();
            }
        }
        return std::nullopt;
    }

    const RankSet& set_;
    const RankElements& elements_;
    const std::vector<Meeting> meetings_;
    std::vector<ParameterVersions> versions_;
    std::size_t replicated_ = 0;
    std::size_t equal_ = 0;
    std::size_t different_ = 0;
    std::optional<Suspect> never_equal_;
};

std::optional<Suspect> first_result(const RankSet& set, const std::vector<MatchedCollective>& matched,
                                    const RankElements& elements) {
    for (const MatchedCollective& each : matched) {
        check_cancelled();
        if (each.is_message || !gives_all_the_same(each.first(set).operation)) continue;
        std::vector<std::vector<ValueId>> results(set.ranks.size());
        std::size_t most = 0;
        bool is_one_operation = true;
        for (std::size_t place = 0; place < set.ranks.size(); ++place) {
            const Collective* own = each.on(set, place);
            if (own == nullptr) continue;
            is_one_operation = is_one_operation && own->operation == each.first(set).operation;
            results[place] = results_of(*set.ranks[place].recording, *own);
            most = std::max(most, results[place].size());
        }
        // What does not match is said as such.
        if (!is_one_operation) continue;
        for (std::size_t number = 0; number < most; ++number) {
            Suspect suspect{.kind = Kind::Result, .name = each.name(set), .values = {}, .classes = {}};
            suspect.values.assign(set.ranks.size(), 0);
            for (std::size_t place = 0; place < results.size(); ++place) {
                if (number < results[place].size()) suspect.values[place] = results[place][number];
            }
            suspect.classes = classify_values(set, elements, suspect.values);
            if (suspect.classes.count < 2) continue;
            suspect.order = order_of(set, suspect.values);
            return suspect;
        }
    }
    return std::nullopt;
}

bool reduces_gradients(const RankSet& set) {
    return std::any_of(set.ranks.begin(), set.ranks.end(), [](const RankRun& run) {
        return std::any_of(run.collectives.begin(), run.collectives.end(), [&](const Collective& each) {
            return each.operation == "all_reduce" && each.event != 0 && each.event <= run.recording->event_count() &&
                   run.recording->event(each.event).phase == RunPhase::Backward;
        });
    });
}

RankDifference::Spot spot_of(const RankSet& set, RankValue at) {
    const RankRun& run = set.ranks[at.place];
    RankDifference::Spot spot{.rank = run.rank(), .event = 0, .value = at.value, .place = {}};
    if (at.value != 0) spot.event = run.recording->value(at.value).producer;
    if (spot.event != 0 && spot.event <= run.recording->event_count()) {
        const Event& event = run.recording->event(spot.event);
        spot.place = {std::string(event.source_file), event.source_line, 0};
    }
    return spot;
}

Said event_text(const RankSet& set, const RankDifference::Spot& spot) {
    if (spot.event == 0) return engine::said("before the recording");
    const Recording& recording = *set.ranks[static_cast<std::size_t>(set.place_of(spot.rank))].recording;
    const std::string place = place_text(spot.place);
    return said_in_row(engine::said("event #%1 %2", spot.event, short_operator_name(recording.event(spot.event).op)),
                       place.empty() ? std::string() : concat(" (", place, ")"));
}

std::vector<int> rank_numbers(const RankSet& set, const std::vector<std::size_t>& places) {
    std::vector<int> out;
    for (const std::size_t place : places) out.push_back(set.ranks[place].rank());
    return out;
}

RankDifference describe(const RankSet& set, const RankElements& elements, const Suspect& suspect) {
    RankDifference out;
    out.kind = suspect.kind;
    out.name = suspect.name;
    out.odd = rank_numbers(set, suspect.classes.odd);
    const RankValue odd{suspect.classes.odd.front(), suspect.values[suspect.classes.odd.front()]};
    const RankValue most{suspect.classes.most.front(), suspect.values[suspect.classes.most.front()]};
    out.spot = spot_of(set, odd);
    out.other = spot_of(set, most);
    if (elements) {
        const Tensor a = elements(odd.place, odd.value);
        const Tensor b = elements(most.place, most.value);
        if (a.defined() && b.defined() && a.numel() == b.numel()) out.elements = measure_difference(a, b, {});
    }
    // What most and odd ranks are counts only where there is a most.
    const bool is_clear = suspect.classes.most.size() > suspect.classes.odd.size() || suspect.classes.odd.size() == 1;
    const Said with = ranks_text(rank_numbers(set, suspect.classes.most));
    if (suspect.kind == Kind::NeverEqual) {
        out.text = engine::said(
            "no parameter is equal on the ranks at any time, though gradients are reduced: %1 differs on "
            "%2 from %3: were the weights broadcast, or made of the same random numbers?",
            suspect.name, ranks_text(out.odd), with);
        out.cause = out.spot;
        out.other_cause = out.other;
        return out;
    }
    const Said what = suspect.kind == Kind::Parameter ? engine::said("parameter %1", suspect.name)
                                                      : engine::said("the result of %1", suspect.name);
    out.text = is_clear ? engine::said("%1 differs on %2 from %3 after %4", what, ranks_text(out.odd), with,
                                       event_text(set, out.spot))
                        : engine::said("%1 differs between %2 and %3 after %4", what, with, ranks_text(out.odd),
                                       event_text(set, out.spot));
    if (out.elements && !out.elements->is_same())
        out.text = said_in_row(out.text, ", ", difference_text(*out.elements));
    const RankCause cause = find_cause(set, elements, odd, most);
    out.cause = spot_of(set, cause.odd);
    out.other_cause = spot_of(set, cause.most);
    out.why = cause.why;
    if (!out.why.empty()) {
        const bool is_elsewhere = out.cause.event != out.spot.event && out.cause.event != 0;
        if (is_elsewhere)
            out.text += engine::said(": it begins at %1 of rank %2", event_text(set, out.cause), out.cause.rank);
        out.text = said_in_row(out.text, ": ", out.why);
    }
    return out;
}

// The first event up to that one that reads or makes something that is not finite, and is not meant; 0: none.
EventId first_bad(const Recording& recording, EventId until) {
    for (EventId id = 1; id <= until && id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.not_finite == NotFinite::Meant) continue;
        const auto bad = [&](ValueId value) { return is_bad(recording.value(value)); };
        if (std::any_of(event.inputs.begin(), event.inputs.end(), bad) ||
            std::any_of(event.outputs.begin(), event.outputs.end(), bad))
            return id;
    }
    return 0;
}

// Has the rank given something that is not finite? The value; 0: no.
ValueId bad_given(const RankRun& run, const Collective& each) {
    if (each.event == 0 || each.event > run.recording->event_count()) return 0;
    const Event& event = run.recording->event(each.event);
    for (const ValueId input : event.inputs) {
        if (is_bad(run.recording->value(input))) return input;
    }
    return 0;
}

}  // namespace

std::optional<RankDifference> first_difference(const RankSet& set, const std::vector<MatchedCollective>& matched,
                                               const RankElements& elements) {
    if (set.ranks.size() < 2) return std::nullopt;
    Parameters parameters(set, matched, elements);
    std::optional<Suspect> found = parameters.first();
    auto result = first_result(set, matched, elements);
    if (result && (!found || result->order < found->order)) found = std::move(result);
    if (!found && parameters.were_never_equal() && reduces_gradients(set)) {
        found = parameters.never_equal();
        if (found) found->kind = Kind::NeverEqual;
    }
    if (!found) return std::nullopt;
    return describe(set, elements, *found);
}

std::optional<RankNotFinite> first_not_finite(const RankSet& set, const std::vector<MatchedCollective>& matched) {
    for (std::size_t number = 0; number < matched.size(); ++number) {
        const MatchedCollective& each = matched[number];
        RankNotFinite out;
        out.collective = number;
        int finite = 0;
        for (std::size_t place = 0; place < set.ranks.size(); ++place) {
            const Collective* own = each.on(set, place);
            if (own == nullptr || own->operation == "recv") continue;
            const RankRun& run = set.ranks[place];
            const ValueId bad = bad_given(run, *own);
            if (bad == 0) {
                ++finite;
                continue;
            }
            out.from.push_back(run.rank());
            if (out.rank >= 0) continue;
            out.rank = run.rank();
            out.value = bad;
            out.event = own->event;
            const EventId made = run.recording->value(bad).producer;
            const auto way = trace_origin(*run.recording, made != 0 ? made : own->event);
            if (!way.empty()) {
                out.event = way.back().event;
                out.value = way.back().value;
                out.is_given = out.event == 0;
                // What was given is shown where it is read first.
                if (out.is_given) out.event = way.size() > 1 ? way[way.size() - 2].event : own->event;
                // A bucket is filled by no operator: what came before it is looked through.
                if (const EventId first = first_bad(*run.recording, own->event); first != 0 && first < out.event) {
                    out.event = first;
                    const Event& event = run.recording->event(first);
                    out.is_given = std::any_of(event.inputs.begin(), event.inputs.end(),
                                               [&](ValueId value) { return is_bad(run.recording->value(value)); });
                    out.value = event.outputs.empty() ? 0 : event.outputs.front();
                }
            }
            if (out.event != 0) {
                const Event& event = run.recording->event(out.event);
                out.place = {std::string(event.source_file), event.source_line, 0};
            }
        }
        if (out.from.empty()) continue;
        // Where all bring it, the ranks are alike in it: each recording says where it begins.
        if (finite == 0) return std::nullopt;
        const Recording& recording = *set.ranks[static_cast<std::size_t>(set.place_of(out.rank))].recording;
        const std::string place = place_text(out.place);
        Said where =
            said_in_row(engine::said("event #%1 %2", out.event, short_operator_name(recording.event(out.event).op)),
                        place.empty() ? std::string() : concat(" (", place, ")"));
        if (out.is_given) where = engine::said("what %1 reads", where);
        const Said into = said_in_row(each.name(set), " (", place_text(each.first(set).place), ")");
        out.text = out.from.size() == 1
                       ? engine::said(
                             "%1 brings NaN or Inf into %2, which all ranks have from there on: it begins at "
                             "%3 of rank %4",
                             ranks_text(out.from), into, where, out.rank)
                       : engine::said(
                             "%1 bring NaN or Inf into %2, which all ranks have from there on: it begins at %3 "
                             "of rank %4",
                             ranks_text(out.from), into, where, out.rank);
        return out;
    }
    return std::nullopt;
}

}  // namespace loupe::session
