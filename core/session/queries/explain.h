// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an element of a recorded value comes from, and what it reaches; see explain.h of the study room.

#include <string>

#include "core/session/query.h"
#include "core/study/explanation.h"

namespace loupe::session {

struct ExplainQuery {
    using Answer = Explanation;
    static const QueryRecord& record();

    enum class Way : std::uint8_t {
        Step,      // the operator that made it
        ToInputs,  // all the way back
        Reach,     // forward
    };
    Way way = Way::Step;
    ValueId value = 0;
    Shape index = {};       // empty: of a value with dimensions its first NaN or Inf, else its greatest element
    std::string name = {};  // instead of both: "fc.out[0, 3]"
};
constexpr ExplainQuery::Way last_of(ExplainQuery::Way) { return ExplainQuery::Way::Reach; }
auto fields(Like<ExplainQuery> auto& it) { return std::tie(it.way, it.value, it.index, it.name); }

}  // namespace loupe::session
