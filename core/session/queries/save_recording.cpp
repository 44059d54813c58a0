// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/save_recording.h"

#include "core/model/program.h"
#include "core/record/recorder.h"
#include "core/record/recording_file.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

// A recording that lacks a value that did not come out the same again is still one.
Tensor saved_elements(QueryContext& context, ValueId id) {
    constexpr std::size_t kAhead = std::size_t{256} << 20;
    try {
        return context.elements(id, kAhead);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return {};
    }
}

std::string save_recording_answer(const SaveRecordingQuery& query, QueryContext& context) {
    if (context.recorder() == nullptr && context.program() && context.recording_file() != nullptr)
        return context.save_restored(query.file, query.attached);
    if (context.recorder() == nullptr)
        throw Error(ErrorKind::Usage, "nothing was recorded", {.hint = "run the model first"});
    save_recording(
        *context.program(), *context.ran_method(), *context.recorder(), context.ran(), query.file,
        [&](ValueId id) { return saved_elements(context, id); }, query.attached);
    return {};
}

}  // namespace

const QueryRecord& SaveRecordingQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<SaveRecordingQuery, save_recording_answer>({.name = "save recording"});
    return kRecord;
}

}  // namespace loupe::session
