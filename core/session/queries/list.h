// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every query there is.

#include <span>

#include "core/session/queries/attached_text.h"
#include "core/session/queries/attention_map.h"
#include "core/session/queries/attentions.h"
#include "core/session/queries/build_check.h"
#include "core/session/queries/change_value.h"
#include "core/session/queries/compile.h"
#include "core/session/queries/continue_edit.h"
#include "core/session/queries/data_summary.h"
#include "core/session/queries/explain.h"
#include "core/session/queries/file_bytes.h"
#include "core/session/queries/forecast.h"
#include "core/session/queries/fused_groups.h"
#include "core/session/queries/given_run.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/graph_sizes.h"
#include "core/session/queries/keep_written.h"
#include "core/session/queries/line_values.h"
#include "core/session/queries/list_folder.h"
#include "core/session/queries/load_weights.h"
#include "core/session/queries/meet_rank.h"
#include "core/session/queries/memory_plan.h"
#include "core/session/queries/next_tokens.h"
#include "core/session/queries/opened_graphs.h"
#include "core/session/queries/operator_times.h"
#include "core/session/queries/pass_bisect.h"
#include "core/session/queries/pass_check.h"
#include "core/session/queries/pass_trace.h"
#include "core/session/queries/pin_reference.h"
#include "core/session/queries/read_snapshot.h"
#include "core/session/queries/read_trace.h"
#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/restore_run.h"
#include "core/session/queries/restore_training.h"
#include "core/session/queries/run_differences.h"
#include "core/session/queries/run_tokens.h"
#include "core/session/queries/saliency.h"
#include "core/session/queries/save_checkpoint.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/save_tensor.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/studies.h"
#include "core/session/queries/table.h"
#include "core/session/queries/tables.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/token_axes.h"
#include "core/session/queries/tokenize.h"
#include "core/session/queries/trace_check.h"
#include "core/session/queries/train_mode.h"
#include "core/session/queries/training_checkpoint.h"
#include "core/session/queries/value_tokens.h"
#include "core/session/queries/watch.h"
#include "core/session/queries/watched_programs.h"
#include "core/session/queries/what_if.h"

namespace loupe::session {

template <typename... Queries>
struct QueryTypes {};

// clang-format off
using AllQueries = QueryTypes<
    AttachedTextQuery,
    AttentionMapQuery,
    AttentionsQuery,
    BuildCheckQuery,
    ChangeValueQuery,
    CompileQuery,
    ContinueEditQuery,
    DataSummaryQuery,
    ExplainQuery,
    ForecastQuery,
    FusedGroupsQuery,
    GivenRunQuery,
    GradientsQuery,
    GraphSizesQuery,
    KeepWrittenQuery,
    LineValuesQuery,
    ListFolderQuery,
    LoadWeightsQuery,
    LookAtFileQuery,
    MeetRankQuery,
    MemoryPlanQuery,
    NextTokensQuery,
    OpenedGraphsQuery,
    OperatorTimesQuery,
    OwnFileQuery,
    PassBisectQuery,
    PassCheckQuery,
    PassTraceQuery,
    PinReferenceQuery,
    ReadFileQuery,
    ReadSnapshotQuery,
    ReadTraceQuery,
    ReferenceTensorQuery,
    RemoveOwnFileQuery,
    ResetParametersQuery,
    RestoreRunQuery,
    RestoreTrainingQuery,
    RunDifferencesQuery,
    RunTokensQuery,
    SaliencyQuery,
    SaveCheckpointQuery,
    SaveRecordingQuery,
    SaveTensorQuery,
    SaveWeightsQuery,
    StudiesQuery,
    StudyQuery,
    TableQuery,
    TablesQuery,
    TensorComparisonQuery,
    TensorQuery,
    TokenAxesQuery,
    TokenizeQuery,
    TraceCheckQuery,
    TrainModeQuery,
    TrainingCheckpointQuery,
    UnpinReferenceQuery,
    ValueTokensQuery,
    WatchQuery,
    WatchedProgramsQuery,
    WhatIfQuery,
    WriteFileQuery>;
// clang-format on

// By name.
std::span<const QueryRecord* const> query_list();
// Of those and of plugins. Null: there is none of that name.
const QueryRecord* find_query(std::string_view name);
// Of a plugin; it must live as long as the process. Throws Error (Plugin) when there is one of that name.
void add_query(const QueryRecord& record);

}  // namespace loupe::session
