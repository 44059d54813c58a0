// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a command line gives a run, for a method of the model that is open: its inputs, the model's own where none are
// given, and what backward starts from.

#include <string>
#include <vector>

#include "core/record/given_run.h"
#include "core/session/query.h"

namespace loupe::session {

struct GivenRunValues {
    std::string error;  // not empty: nothing else is valid
    std::string error_kind;
    std::string method;
    std::vector<InputSpec> inputs;
    BackwardFrom backward_from;
};
auto fields(Like<GivenRunValues> auto& it) {
    return std::tie(it.error, it.error_kind, it.method, it.inputs, it.backward_from);
}

struct GivenRunQuery {
    using Answer = GivenRunValues;
    static const QueryRecord& record();

    std::string method = {};  // empty: the model's default
    GivenRun given = {};
};
auto fields(Like<GivenRunQuery> auto& it) { return std::tie(it.method, it.given); }

}  // namespace loupe::session
