// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an answer must be beyond its types, where those who show it count on that: as many elements as rows and columns
// say, trees that are trees. For answers of another process, which may lie. Each throws Error (File).

namespace loupe::session {

struct AttentionMap;
struct Explanation;
struct MemoryPlanReport;
struct ModelInfo;
struct OpenedGraphs;
struct PassBisect;
struct PassTrace;
struct PinnedReference;
struct QueryTable;
struct RunDifferences;
struct RunTokensAnswer;
struct StudyResult;
struct TensorComparison;
struct TensorSlice;

void check_answer(const AttentionMap& answer);
void check_answer(const Explanation& answer);
void check_answer(const MemoryPlanReport& answer);
void check_answer(const OpenedGraphs& answer);
void check_answer(const PassBisect& answer);
void check_answer(const PassTrace& answer);
void check_answer(const PinnedReference& answer);
void check_answer(const QueryTable& answer);
void check_answer(const RunDifferences& answer);
void check_answer(const RunTokensAnswer& answer);
void check_answer(const StudyResult& answer);
void check_answer(const TensorComparison& answer);
void check_answer(const TensorSlice& answer);

// What was opened, which nobody asked for.
void check_model(const ModelInfo& model);

}  // namespace loupe::session
