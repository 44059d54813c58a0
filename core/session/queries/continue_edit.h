// SPDX-License-Identifier: Apache-2.0
#pragma once
// Edit and continue: the run that is parked, or has failed, goes on with edited sources from the start of the frame
// where nothing before it changed. It is a new run; see source_edits.h.

#include "core/session/continued_edit.h"
#include "core/session/query.h"

namespace loupe::session {

struct ContinueEditQuery {
    using Answer = ContinuedEdit;
    static const QueryRecord& record();

    EditRequest edit = {};
};
auto fields(Like<ContinueEditQuery> auto& it) { return std::tie(it.edit); }

}  // namespace loupe::session
