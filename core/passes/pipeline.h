// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pipelines as data: passes in sequence, groups repeated until nothing changes, and other pipelines by name.
// Text form: "Inline, DCE, fixpoint(FoldConvBatchnorm, DCE), @cleanup".

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/pass.h"

namespace loupe::passes {

struct Step {
    enum class Kind { Pass, Fixpoint, Pipeline };
    Kind kind = Kind::Pass;
    std::string name;         // of a pass or pipeline
    std::vector<Step> steps;  // of a fixpoint
};

struct Pipeline {
    std::string name;
    std::string summary;
    std::vector<Step> steps;
};

// Throws Error (Usage) when the text is no pipeline or names a pass or pipeline that does not exist.
std::vector<Step> parse_steps(std::string_view text);
std::string steps_text(std::span<const Step> steps);

// "inline", "compile", "cleanup", "optimize", "specialize", "autodiff", "profile", "profiled", "profiled_no_grad",
// "freeze", "optimize_for_inference" and "mobile" after PyTorch's; "inference" and "train" out of those.
std::span<const Pipeline> named_pipelines();
const Pipeline* find_pipeline(std::string_view name);  // null when there is none
// A named pipeline's steps, or the text parsed as steps. Throws Error (Usage).
Pipeline pipeline_of(std::string_view name_or_text);

}  // namespace loupe::passes
