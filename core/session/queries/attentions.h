// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the shown run attends; see attention.h.

#include <string>
#include <vector>

#include "core/session/query.h"
#include "core/study/attention.h"

namespace loupe::session {

struct Attentions {
    std::string error;
    std::vector<AttentionSite> sites;
};
auto fields(Like<Attentions> auto& it) { return std::tie(it.error, it.sites); }

struct AttentionsQuery {
    using Answer = Attentions;
    static const QueryRecord& record();
};
auto fields(Like<AttentionsQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
