// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/gradients.h"

#include "core/model/program.h"
#include "core/record/gradients.h"
#include "core/record/recorder.h"
#include "core/record/recording_file.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::vector<GradientRow> gradients_answer(const GradientsQuery&, QueryContext& context) {
    const bool is_read = context.recorder() == nullptr && context.recording_file() != nullptr;
    if (context.program() && !is_read) return gradient_rows(context.program()->module(), context.recorder());
    return context.recording_file() != nullptr ? context.recording_file()->gradients() : std::vector<GradientRow>();
}

}  // namespace

const QueryRecord& GradientsQuery::record() {
    static constexpr QueryRecord kRecord = query_record<GradientsQuery, gradients_answer>({.name = "gradients"});
    return kRecord;
}

}  // namespace loupe::session
