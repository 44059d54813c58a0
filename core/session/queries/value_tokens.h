// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the places of a value's axes stand for, where that is the tokens of the run.

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/recording.h"
#include "core/session/query.h"

namespace loupe::session {

struct AxisTokens {
    std::vector<std::string> names;  // one a place; empty where the axis stands for no tokens
};
auto fields(Like<AxisTokens> auto& it) { return std::tie(it.names); }

struct ValueTokens {
    std::string error;
    std::vector<AxisTokens> axes;  // one a dimension; empty where none stands for tokens
};
auto fields(Like<ValueTokens> auto& it) { return std::tie(it.error, it.axes); }

struct ValueTokensQuery {
    using Answer = ValueTokens;
    static const QueryRecord& record();

    ValueId value = 0;
};
auto fields(Like<ValueTokensQuery> auto& it) { return std::tie(it.value); }

}  // namespace loupe::session
