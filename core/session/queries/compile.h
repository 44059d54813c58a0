// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiles a method on the inputs as they are and says what came of it: also to SessionListener::on_compiled.

#include "core/session/query.h"
#include "core/study/compilation.h"

namespace loupe::session {

struct CompileQuery {
    using Answer = CompileReport;
    static const QueryRecord& record();

    CompileRequest request = {};
};
auto fields(Like<CompileQuery> auto& it) { return std::tie(it.request); }

}  // namespace loupe::session
