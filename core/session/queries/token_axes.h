// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which axes of the shown run's values stand for tokens; see token_axes.h of core/study.

#include <string>
#include <vector>

#include "core/record/recording.h"
#include "core/session/query.h"

namespace loupe::session {

struct TokenAxisOfValue {
    ValueId value = 0;
    int axis = 0;
};
auto fields(Like<TokenAxisOfValue> auto& it) { return std::tie(it.value, it.axis); }

struct TokenAxesAnswer {
    std::string error;
    std::vector<TokenAxisOfValue> axes;  // by value
};
auto fields(Like<TokenAxesAnswer> auto& it) { return std::tie(it.error, it.axes); }

struct TokenAxesQuery {
    using Answer = TokenAxesAnswer;
    static const QueryRecord& record();
};
auto fields(Like<TokenAxesQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
