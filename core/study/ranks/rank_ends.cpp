// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_ends.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/record/not_finite.h"

namespace loupe::session {
namespace {

using State = RankEnd::State;

Said last_text(const RankRun& run, EventId last) {
    if (last == 0) return engine::said("it has no event");
    const Event& event = run.recording->event(last);
    const std::string place = place_text({std::string(event.source_file), event.source_line, 0});
    return said_in_row(engine::said("its last event is #%1 %2", last, short_operator_name(event.op)),
                       place.empty() ? std::string() : concat(" (", place, ")"));
}

// Members of it that have not come to it.
std::vector<int> absent(const RankSet& set, const MatchedCollective& each) {
    std::vector<int> out;
    for (const int rank : each.members) {
        const int place = set.place_of(rank);
        if (place >= 0 && each.index[static_cast<std::size_t>(place)] < 0) out.push_back(rank);
    }
    return out;
}

RankEnd end_of(const RankSet& set, const std::vector<MatchedCollective>& matched, std::size_t place) {
    const RankRun& run = set.ranks[place];
    RankEnd end;
    end.last_event = static_cast<EventId>(run.recording->event_count());
    end.state = run.recording->is_complete() ? State::Finished : State::Running;
    std::string error;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        const MatchedCollective& each = matched[i];
        const Collective* own = each.on(set, place);
        if (own == nullptr) {
            const bool is_member =
                std::find(each.members.begin(), each.members.end(), run.rank()) != each.members.end();
            if (is_member && !end.lacks) end.lacks = i;
            continue;
        }
        if (!own->error.empty()) error = own->error;
        // Without rows ends are not known, and one that is complete waits for nothing.
        const bool is_open = run.has_rows && !own->completed && !own->waited_until && own->error.empty();
        if (!is_open) continue;
        auto missing = absent(set, each);
        if (missing.empty()) continue;
        end.waits = i;
        end.waits_for = std::move(missing);
    }
    const Event* last = end.last_event != 0 ? &run.recording->event(end.last_event) : nullptr;
    if (last != nullptr && last->failed) error = last->error;
    if (!error.empty()) {
        end.state = State::Failed;
        end.text = engine::said("rank %1 failed: %2; %3", run.rank(), error, last_text(run, end.last_event));
    } else if (end.waits) {
        end.state = State::Waiting;
        const MatchedCollective& each = matched[*end.waits];
        end.text = engine::said("rank %1 waits in %2 (%3) for %4", run.rank(), each.name(set),
                                place_text(each.on(set, place)->place), ranks_text(end.waits_for));
    } else if (end.lacks && end.state == State::Finished) {
        end.state = State::Stopped;
        const MatchedCollective& each = matched[*end.lacks];
        end.text = engine::said("rank %1 never reached %2 (%3): %4", run.rank(), each.name(set),
                                place_text(each.first(set).place), last_text(run, end.last_event));
    }
    return end;
}

}  // namespace

std::vector<RankEnd> rank_ends(const RankSet& set, const std::vector<MatchedCollective>& matched) {
    std::vector<RankEnd> ends;
    for (std::size_t place = 0; place < set.ranks.size(); ++place) ends.push_back(end_of(set, matched, place));
    // A rank that others wait for, and that goes on elsewhere or stands: say where it is.
    for (std::size_t place = 0; place < ends.size(); ++place) {
        if (ends[place].state != State::Running) continue;
        for (const RankEnd& other : ends) {
            const bool is_missed = std::find(other.waits_for.begin(), other.waits_for.end(), set.ranks[place].rank()) !=
                                   other.waits_for.end();
            if (!is_missed || !ends[place].text.empty()) continue;
            const MatchedCollective& each = matched[*other.waits];
            ends[place].lacks = other.waits;
            ends[place].text = engine::said("rank %1 has not reached %2 (%3), in which others wait: %4",
                                            set.ranks[place].rank(), each.name(set), place_text(each.first(set).place),
                                            last_text(set.ranks[place], ends[place].last_event));
        }
    }
    return ends;
}

Said state_text(const RankSet& set, const std::vector<MatchedCollective>& matched, const RankEnd& end) {
    switch (end.state) {
        case State::Finished:
            return engine::said("finished");
        case State::Running:
            return engine::said("running");
        case State::Waiting:
            return engine::said("waits in %1 for %2", matched[*end.waits].name(set), ranks_text(end.waits_for));
        case State::Failed:
            return engine::said("failed");
        case State::Stopped:
            break;
    }
    return end.lacks ? engine::said("stopped before %1", matched[*end.lacks].name(set)) : engine::said("stopped");
}

}  // namespace loupe::session
