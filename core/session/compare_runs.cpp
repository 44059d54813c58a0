// SPDX-License-Identifier: Apache-2.0
#include "core/session/compare_runs.h"

#include <algorithm>

namespace loupe::session {
namespace {

bool are_same(const Value& was, const Value& is) {
    if (was.shape != is.shape || was.dtype != is.dtype) return false;
    if (!was.statistics || !is.statistics) return true;
    return was.statistics->nan_count == is.statistics->nan_count &&
           was.statistics->inf_count == is.statistics->inf_count && was.statistics->finite == is.statistics->finite;
}

bool are_same(const Recording& before, const Recording& now, EventId id) {
    const Event& a = before.event(id);
    const Event& b = now.event(id);
    if (a.op != b.op || a.scope != b.scope || a.outputs.size() != b.outputs.size()) return false;
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        if (!are_same(before.value(a.outputs[i]), now.value(b.outputs[i]))) return false;
    }
    return true;
}

}  // namespace

RunComparison compare_runs(const Recording& before, const Recording& now, EventId end) {
    RunComparison out;
    out.count = static_cast<EventId>(std::min(before.event_count(), now.event_count()));
    if (end != 0) out.count = std::min(out.count, end - 1);
    for (EventId id = 1; id <= out.count && out.other == 0; ++id) {
        if (!are_same(before, now, id)) out.other = id;
    }
    return out;
}

}  // namespace loupe::session
