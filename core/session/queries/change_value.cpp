// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/change_value.h"

#include "core/base/error.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

ChangedValue change_value_answer(const ChangeValueQuery& query, QueryContext& context) {
    const auto recording = context.recording();
    if (recording == nullptr || query.change.value == 0 || query.change.value > recording->value_count())
        throw Error(ErrorKind::Usage, "this value is of a run that is gone");
    ChangedValue out;
    if (query.only_checks) {
        const Tensor t = context.elements(query.change.value);
        if (!t.defined()) throw Error(ErrorKind::Usage, "the elements of this value were not kept");
        if (query.change.formula != kUndo) changed_elements(t, query.change);
        return out;
    }
    out.event = context.change_value(query.change);
    const Event& event = context.recording()->event(out.event);
    if (!event.outputs.empty()) out.value = event.outputs.front();
    return out;
}

}  // namespace

const QueryRecord& ChangeValueQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<ChangeValueQuery, change_value_answer>({.name = "change value"});
    return kRecord;
}

}  // namespace loupe::session
