// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/explain.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/query_record.h"
#include "core/study/explain.h"
#include "core/study/named_value.h"

namespace loupe::session {
namespace {

Explanation explain_answer(const ExplainQuery& query, QueryContext& context) {
    const auto recording = context.recording();
    if (recording == nullptr) throw Error(ErrorKind::Usage, "nothing was recorded", {.hint = "run the model first"});
    const ExplainedRun run{*recording, [&](ValueId id) { return context.elements(id); }, context.ran().seed};
    ValueId value = query.value;
    Shape index = query.index;
    if (!query.name.empty()) {
        NamedElement named = parse_named_element(query.name);
        const auto found =
            find_value(*recording, parse_named_value(named.value), static_cast<EventId>(recording->event_count()));
        if (!found) throw Error(ErrorKind::Usage, concat("nothing recorded is called '", named.value, "'"));
        value = *found;
        index = std::move(named.index);
    }
    const bool is_whole =
        value != 0 && value <= recording->value_count() && index.empty() && !recording->value(value).shape.empty();
    if (is_whole) {
        if (const Tensor t = run.elements(value); t.defined() && t.numel() > 0) index = telling_index(t);
    }
    switch (query.way) {
        case ExplainQuery::Way::Step:
            return explain_element(run, value, index);
        case ExplainQuery::Way::ToInputs:
            return explain_to_inputs(run, value, index);
        case ExplainQuery::Way::Reach:
            return explain_reach(run, value, index);
    }
    __builtin_unreachable();
}

}  // namespace

const QueryRecord& ExplainQuery::record() {
    static constexpr QueryRecord kRecord = query_record<ExplainQuery, explain_answer>({.name = "explain"});
    return kRecord;
}

}  // namespace loupe::session
