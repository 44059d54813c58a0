// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/pin_reference.h"

#include "core/session/query_record.h"
#include "core/session/references.h"

namespace loupe::session {
namespace {

PinnedReference pin_reference_answer(const PinReferenceQuery& query, QueryContext&) {
    return current_references().pin(query.source);
}

void carry_pin_reference(const PinReferenceQuery&, const Error& error, PinnedReference& answer) {
    answer.error = error.what();
    answer.error_kind = error_kind_name(error.kind());
}

std::string unpin(const UnpinReferenceQuery& query, QueryContext&) {
    current_references().unpin(query.id);
    return {};
}

}  // namespace

const QueryRecord& PinReferenceQuery::record() {
    static constexpr QueryRecord kRecord = query_record<PinReferenceQuery, pin_reference_answer, carry_pin_reference>(
        {.name = "pin reference", .not_while = NotWhile::Parked});
    return kRecord;
}

const QueryRecord& UnpinReferenceQuery::record() {
    static constexpr QueryRecord kRecord = query_record<UnpinReferenceQuery, unpin>({.name = "unpin reference"});
    return kRecord;
}

}  // namespace loupe::session
