// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pins a run to be compared with, and takes it away again. It stays across runs and models until then.

#include <string>

#include "core/session/query.h"
#include "core/study/reference.h"

namespace loupe::session {

struct PinReferenceQuery {
    using Answer = PinnedReference;
    static const QueryRecord& record();

    ReferenceSource source = {};
};
auto fields(Like<PinReferenceQuery> auto& it) { return std::tie(it.source); }

struct UnpinReferenceQuery {
    using Answer = std::string;  // empty, or the error
    static const QueryRecord& record();

    int id = 0;  // 0: all
};
auto fields(Like<UnpinReferenceQuery> auto& it) { return std::tie(it.id); }

}  // namespace loupe::session
