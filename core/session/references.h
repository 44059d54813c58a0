// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs that are pinned to be compared with, across runs and models. Used on the engine thread alone.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/scoped_value.h"
#include "core/session/model_holder.h"
#include "core/session/run_recorder.h"
#include "core/session/run_repeater.h"
#include "core/session/settings.h"
#include "core/study/reference.h"
#include "core/study/run_differences.h"

namespace loupe::session {

class References {
  public:
    References(Settings& settings, ModelHolder& model, RunRecorder& recorder, RunRepeater& repeater,
               const CancelFlag& cancel)
        : settings_(settings), model_(model), recorder_(recorder), repeater_(repeater), cancel_(cancel) {}

    // Throws Error (Usage) where there is no such run, and what opening and running a model throw.
    PinnedReference pin(const ReferenceSource& source);
    // 0: all.
    void unpin(int id);

    // The run that is shown against a reference. Throws Error (Usage) when either is missing.
    RunDifferences compare(int id, const CompareOptions& options);
    // Of the run that is shown and of a reference. Throws Error (Usage) when either is missing.
    OpenedGraphs open_graphs(int id) const;
    // Of a pinned run. Throws Error (Usage) where there is none; undefined: they were not kept.
    Tensor elements(int id, ValueId value) const;
    // What an event of a pinned run made, without a difference. Throws Error (Usage) where there is none, or its
    // elements were not kept.
    TensorComparison tensor(int id, EventId event, int output, const TensorRequest& request) const;
    // A value or named tensor of the run that is shown. Throws Error (Usage) when it has no partner.
    TensorComparison compare_tensor(int id, const TensorRequest& request, const CompareOptions& options,
                                    const Tensor& own);

  private:
    const ComparedRun& find(int id) const;
    ComparedRun shown_run(std::string label) const;
    ComparedRun pin_shown();
    ComparedRun pin_file(const ReferenceSource& source);
    ComparedRun pin_variant(const ReferenceSource& source);
    std::shared_ptr<Program> takes_inputs(const std::shared_ptr<Program>& other);
    ComparedRun run_model(std::shared_ptr<Program> program, const ReferenceSource& source, std::string label);
    const RunAlignment& alignment(int id, const CompareOptions& options);
    std::optional<ValueId> partner_of(const RunAlignment& aligned, const ComparedRun& own, const ComparedRun& other,
                                      const TensorRequest& request) const;

    Settings& settings_;
    ModelHolder& model_;
    RunRecorder& recorder_;
    RunRepeater& repeater_;
    const CancelFlag& cancel_;

    std::map<int, ComparedRun> pinned_;
    int last_id_ = 0;
    std::map<std::string, int> runs_;  // pinned of each model, by title
    // The last alignment, and of what.
    struct Aligned {
        int id = 0;
        std::shared_ptr<const Recording> own;
        std::size_t events = 0;
        std::vector<AlignmentMend> mends;
        RunAlignment alignment;
    };
    Aligned aligned_;
};

// Those that queries of this thread ask while it lives.
class ReferencesScope final : ScopedValue<References*> {
  public:
    explicit ReferencesScope(References& references);
};
// Throws Error (Internal) outside of a scope.
References& current_references();

}  // namespace loupe::session
