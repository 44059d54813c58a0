// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/meet_rank.h"

#include "core/base/error.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

MetRank meet_rank_answer(const MeetRankQuery& query, QueryContext& context) {
    RankMeeting* meeting = rank_meeting();
    if (context.status().state != RunState::Paused || meeting == nullptr || !meeting->place())
        throw Error(ErrorKind::Usage, "this rank is not parked");
    MetRank out;
    out.place = *meeting->place();
    if (query.whom.empty()) return out;
    out.standing = meeting->standing(query.place);
    if (out.standing == RankStanding::Behind) meeting->meet(query.place, query.whom);
    return out;
}

}  // namespace

const QueryRecord& MeetRankQuery::record() {
    static constexpr QueryRecord kRecord = query_record<MeetRankQuery, meet_rank_answer>({.name = "meet rank"});
    return kRecord;
}

}  // namespace loupe::session
