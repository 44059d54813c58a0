// SPDX-License-Identifier: Apache-2.0
#include "core/session/rank_steps.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/session/queries/meet_rank.h"
#include "core/session/rank_run.h"

namespace loupe::session {

RankSteps::RankSteps(std::size_t count, Ranks ranks) : access_(std::move(ranks)), ranks_(count) {
    for (std::size_t i = 0; i < count; ++i) ranks_[i].state = access_.session(i).status().state;
}

bool waits_in_collective(const Status& status) {
    return status.state == RunState::Running && status.progress.text().starts_with(kWaitsIn);
}

// --- orders ---

bool RankSteps::is_with_leader(std::size_t rank) const {
    if (rank == *leader_) return true;
    const Rank& each = ranks_[rank];
    if (each.state != RunState::Paused) return false;
    const auto& place = ranks_[*leader_].place;
    return !place || !each.place || *place == *each.place;
}

void RankSteps::step(std::size_t leader, StepKind kind) { run_to(leader, RunTarget::step(kind)); }

void RankSteps::run_to(std::size_t leader, const RunTarget& target) {
    leader_ = leader;
    is_free_ = false;
    std::vector<std::size_t> going;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (is_with_leader(i)) going.push_back(i);
    }
    ++turn_;
    for (Rank& each : ranks_) {
        each.standing.reset();
        each.is_sent = false;
    }
    // One that waits in a collective parks behind it.
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (ranks_[i].state == RunState::Running) access_.session(i).pause();
    }
    for (const std::size_t i : going) {
        ranks_[i].state = RunState::Running;
        ranks_[i].place.reset();
        access_.session(i).run_to(target);
    }
}

void RankSteps::begin(std::size_t leader, const std::function<void(std::size_t)>& run) {
    let_go();
    leader_ = leader;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        ranks_[i].state = RunState::Running;
        ranks_[i].place.reset();
        run(i);
    }
}

std::optional<std::size_t> RankSteps::parked_leader(std::size_t wanted) const {
    if (ranks_[wanted].state == RunState::Paused) return wanted;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (ranks_[i].state == RunState::Paused) return i;
    }
    return std::nullopt;
}

void RankSteps::go_on(const std::function<void(std::size_t)>& run) {
    let_go();
    is_free_ = true;
    // While one is parked this is the run of all: one that has come to its end waits for the others'.
    const bool is_under_way =
        std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& each) { return each.state == RunState::Paused; });
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        Rank& each = ranks_[i];
        const bool is_parked = each.state == RunState::Paused;
        if (each.state == RunState::Running || (is_under_way && !is_parked)) continue;
        each.state = RunState::Running;
        each.place.reset();
        if (is_parked)
            access_.session(i).resume();
        else
            run(i);
    }
}

void RankSteps::pause(std::size_t leader) {
    let_go();
    leader_ = leader;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (ranks_[i].state != RunState::Paused) access_.session(i).pause();
    }
}

void RankSteps::let_go() {
    leader_.reset();
    is_free_ = false;
    ++turn_;
    for (Rank& each : ranks_) {
        each.standing.reset();
        each.is_sent = false;
    }
}

// --- what the ranks say ---

void RankSteps::take_status(std::size_t rank, const Status& status) {
    Rank& each = ranks_[rank];
    const RunState before = std::exchange(each.state, status.state);
    each.waits = waits_in_collective(status);
    if (status.state != RunState::Paused) {
        each.is_asked = false;
        if (before == RunState::Paused) each.place.reset();
        // A leader that has run to its end, or failed, leads no longer: the others go on to theirs.
        const bool is_over = status.state != RunState::Running && status.state != RunState::Opening;
        if (is_over && leader_ == rank) let_go();
        return;
    }
    if (before == RunState::Paused && each.place) return;
    if (is_free_) {
        is_free_ = false;
        leader_ = rank;
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            if (i != rank && ranks_[i].state == RunState::Running) access_.session(i).pause();
        }
    }
    each.standing.reset();
    ask_place(rank);
}

void RankSteps::ask_place(std::size_t rank) {
    Rank& each = ranks_[rank];
    if (each.is_asked) return;
    each.is_asked = true;
    const bool compares = leader_ && rank != *leader_ && ranks_[*leader_].place;
    MeetRankQuery query;
    if (compares) query = {*ranks_[*leader_].place, access_.name(*leader_)};
    access_.session(rank).ask(
        "rank place", std::move(query),
        [this, rank, compares, turn = turn_, post = access_.post, alive = std::weak_ptr<int>(alive_)](MetRank met) {
            post([this, rank, compares, turn, alive, met = std::move(met)] {
                if (alive.expired()) return;
                ranks_[rank].is_asked = false;
                if (!met.error.empty()) return;
                take_answer(rank, turn, met.place, compares ? std::optional(met.standing) : std::nullopt);
            });
        });
}

void RankSteps::take_answer(std::size_t rank, std::size_t turn, const RankPlace& place,
                            std::optional<RankStanding> standing) {
    Rank& each = ranks_[rank];
    if (each.state != RunState::Paused) return;
    const bool is_new = each.place != place;
    each.place = place;
    if (turn != turn_ || !leader_) {
        if (leader_ && rank != *leader_) compare(rank);
        if (!leader_ || rank != *leader_) return;
    }
    if (rank == *leader_) {
        if (is_new) ++turn_;
        return move_others();
    }
    if (!standing) return compare(rank);
    each.standing = standing;
    if (*standing != RankStanding::Behind || each.is_sent) return;
    each.is_sent = true;
    each.state = RunState::Running;
    each.place.reset();
    access_.session(rank).resume();
}

void RankSteps::move_others() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        ranks_[i].is_sent = false;
        if (i != *leader_) compare(i);
    }
}

void RankSteps::compare(std::size_t rank) {
    if (ranks_[rank].state == RunState::Paused && ranks_[*leader_].place) ask_place(rank);
}

// --- what is shown ---

bool RankSteps::is_settled() const {
    if (is_free_) return false;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        const Rank& each = ranks_[i];
        if (each.is_asked) return false;
        if (each.state == RunState::Opening || (each.state == RunState::Running && !each.waits)) return false;
        const bool is_to_be_known = leader_ && i != *leader_ && each.state == RunState::Paused;
        if (is_to_be_known && (!each.standing || (*each.standing == RankStanding::Behind && !each.is_sent)))
            return false;
        if (each.state == RunState::Paused && !each.place) return false;
    }
    return true;
}

std::string RankSteps::standing_text(std::size_t rank) const {
    const Rank& each = ranks_[rank];
    if (!leader_ || rank == *leader_ || !each.standing || *each.standing == RankStanding::Here) return {};
    const auto& place = ranks_[*leader_].place;
    if (!place || !each.place) return {};
    return concat(*each.standing == RankStanding::Ahead ? "ahead of " : "not where ", access_.name(*leader_),
                  *each.standing == RankStanding::Ahead ? "" : " is", ", which is ", place_text(*place));
}

}  // namespace loupe::session
