// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/compile.h"

#include "core/model/error_text.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

CompileReport compile_answer(const CompileQuery& query, QueryContext& context) {
    return context.compile(query.request);
}

void carry_compile(const CompileQuery& query, const Error& error, CompileReport& report) {
    report.mode = query.request.mode;
    report.method = query.request.method;
    report.error = headline_of(error);
    report.details = details_of(error);
    report.error_source = place_of(error);
}

}  // namespace

const QueryRecord& CompileQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<CompileQuery, compile_answer, carry_compile>({.name = "compile", .not_while = NotWhile::Parked});
    return kRecord;
}

}  // namespace loupe::session
