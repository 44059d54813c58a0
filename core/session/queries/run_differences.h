// SPDX-License-Identifier: Apache-2.0
#pragma once
// The run that is shown against a pinned reference, whole; or one of its tensors.

#include "core/session/query.h"
#include "core/study/reference.h"

namespace loupe::session {

struct RunDifferencesQuery {
    using Answer = RunDifferences;
    static const QueryRecord& record();

    int reference = 0;
    CompareOptions options = {};
};
auto fields(Like<RunDifferencesQuery> auto& it) { return std::tie(it.reference, it.options); }

struct TensorComparisonQuery {
    using Answer = TensorComparison;
    static const QueryRecord& record();

    int reference = 0;
    TensorRequest request = {};
    CompareOptions options = {};
};
auto fields(Like<TensorComparisonQuery> auto& it) { return std::tie(it.reference, it.request, it.options); }

// A tensor that an event of the reference made, alone: for one that no tensor of the run is aligned with.
struct ReferenceTensorQuery {
    using Answer = TensorComparison;  // without a difference
    static const QueryRecord& record();

    int reference = 0;
    EventId event = 0;  // of the reference
    int output = 0;
    TensorRequest request = {};  // what is shown of it; its value and name say nothing
};
auto fields(Like<ReferenceTensorQuery> auto& it) { return std::tie(it.reference, it.event, it.output, it.request); }

}  // namespace loupe::session
