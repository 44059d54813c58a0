// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/attached_text.h"

#include "core/record/recording_file.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::string attached_text_answer(const AttachedTextQuery&, QueryContext& context) {
    const auto file = context.recording_file();
    return file == nullptr ? std::string() : file->attached();
}

}  // namespace

const QueryRecord& AttachedTextQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<AttachedTextQuery, attached_text_answer>({.name = "attached text"});
    return kRecord;
}

}  // namespace loupe::session
