// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/read_trace.h"

#include "core/formats/profiler/trace_reader.h"
#include "core/record/recording_file.h"
#include "core/session/query_record.h"
#include "core/study/profile_of_recording.h"

namespace loupe::session {
namespace {

ProfileTrace trace_of(const std::string& path, const QueryContext& context) {
    if (!path.empty() && is_recording(path)) {
        const RecordingFile file(path);
        ProfileTrace trace = profile_of_recording(*file.recording(), file.recording()->event_count());
        trace.path = path;
        return trace;
    }
    if (!path.empty()) return read_profile_trace(MappedFile::open(path));
    const auto recording = context.recording();
    if (recording == nullptr) throw Error(ErrorKind::Usage, "nothing has run yet");
    return profile_of_recording(*recording, recording->event_count());
}

TraceAnswer read_trace_answer(const ReadTraceQuery& query, QueryContext& context) {
    const auto studied = std::make_shared<StudiedTrace>();
    studied->trace = trace_of(query.path, context);
    studied->totals = operator_totals(studied->trace);
    studied->flame = flame_graph(studied->trace);
    return {.trace = studied, .error = {}};
}

}  // namespace

const QueryRecord& ReadTraceQuery::record() {
    static constexpr QueryRecord kRecord = query_record<ReadTraceQuery, read_trace_answer>({.name = "read trace"});
    return kRecord;
}

}  // namespace loupe::session
