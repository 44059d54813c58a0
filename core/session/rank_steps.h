// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps of all ranks of a program, so that they park at a common place. One rank leads: the one that is shown, or that
// came to a breakpoint first. Where it parks the others are to park too: at the same place where they have it (see
// rank_meeting.h), else before the next collective, which all share. A rank that is ahead stays where it is, and steps
// only when the others have come there; one that waits in a collective parks behind it. The leader is never moved.
//
// Used on one thread, to which what the engines say is posted.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/rank_meeting.h"
#include "core/session/session.h"

namespace loupe::session {

// Of a run that is under way: does it stand in a collective, as Status::progress says?
bool waits_in_collective(const Status& status);

class RankSteps {
  public:
    struct Ranks {
        std::function<Session&(std::size_t)> session;
        std::function<std::string(std::size_t)> name;     // "rank 2"
        std::function<void(std::function<void()>)> post;  // from any thread to the one of this
    };
    RankSteps(std::size_t count, Ranks ranks);
    RankSteps(const RankSteps&) = delete;
    RankSteps& operator=(const RankSteps&) = delete;

    // Orders to all ranks. Those that are not where the leader is stay, until it is where they are.
    void step(std::size_t leader, StepKind kind);
    void run_to(std::size_t leader, const RunTarget& target);
    // Of a program that does not run yet: all begin, as far as the orders that `run` gives say.
    void begin(std::size_t leader, const std::function<void(std::size_t)>& run);
    // Those that are parked go on; where none is, all begin. The first that parks leads.
    void go_on(const std::function<void(std::size_t)>& run);
    // All park where they are; the leader leads.
    void pause(std::size_t leader);
    // Nothing is ordered any more: ranks are ordered one by one, or stopped.
    void let_go();
    // What a rank's session says, in order.
    void take_status(std::size_t rank, const Status& status);

    // Of a rank that is parked, as far as it is known.
    const std::optional<RankPlace>& place(std::size_t rank) const { return ranks_[rank].place; }
    // Where the rank is to the one that leads, one line: "ahead of rank 0, which is before ..."; empty: there, or it is
    // not known.
    std::string standing_text(std::size_t rank) const;
    std::optional<std::size_t> leader() const { return leader_; }
    // The wanted one where it is parked, else the first that is; nullopt: none.
    std::optional<std::size_t> parked_leader(std::size_t wanted) const;
    // Has every rank that can come to the leader's place come there?
    bool is_settled() const;

  private:
    struct Rank {
        RunState state = RunState::Empty;
        bool waits = false;  // in a collective
        std::optional<RankPlace> place;
        std::optional<RankStanding> standing;  // to the leader's place
        bool is_asked = false;                 // and has not answered
        bool is_sent = false;                  // to the leader's place
    };

    bool is_with_leader(std::size_t rank) const;
    void ask_place(std::size_t rank);
    void compare(std::size_t rank);
    void take_answer(std::size_t rank, std::size_t turn, const RankPlace& place, std::optional<RankStanding> standing);
    void lead(std::size_t rank);
    void move_others();

    const Ranks access_;
    std::vector<Rank> ranks_;
    std::optional<std::size_t> leader_;
    bool is_free_ = false;  // all go on until one parks
    std::size_t turn_ = 0;  // of the leader's places
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace loupe::session
