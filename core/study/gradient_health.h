// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is wrong with a model's gradients: one finding for one cause. Scale is judged against other layers, and by
// itself only where backward started from a loss.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/record/gradient_row.h"
#include "core/record/recording.h"

namespace loupe::session {

struct GradientFinding {
    enum class Kind : std::uint8_t {
        NotFinite,  // NaN or Inf
        Exploding,
        Vanishing,
        NoGradient,  // zero in every element
        Unused,      // nothing in the run used the parameter
        NotJudged,   // what is missing for a judgement
    };
    Kind kind = Kind::NotJudged;
    Said text;
    std::vector<int> rows;  // of those given, the worst first
    std::string module;     // where the cause is
    EventId event = 0;      // the cause; 0: unknown
};

// The worst first. recording: the run that made the gradients; null: causes are not looked for, and scale is not
// judged. A norm over 1000 of all gradients together, or of a weight's 100 times the weight's own, explodes; so does a
// weight with 10,000 times the median of all weights' gradients by root mean square. One with a hundred thousandth of
// it vanishes, and all do whose mean magnitude is under 1e-7 in every layer. So do four layers and more, one behind the
// other, whose gradients fall from each to the one before it, to a ten thousandth in all; they explode that rise so.
std::vector<GradientFinding> judge_gradients(const std::vector<GradientRow>& rows, const Recording* recording);

// A step of a training whose gradients were looked at.
struct StepGradients {
    std::int64_t step = 0;
    std::vector<GradientRow> rows;
    std::vector<std::string> silent;  // modules that gave nothing but zeros
};
// Of rows that are the same in every step: "fc1.weight is all zero in 3 of 4 steps looked at, first seen at step 111
// (not yet at step 1)". is_loss: as in BackwardStart.
std::vector<GradientFinding> judge_steps(const std::vector<StepGradients>& steps, bool is_loss);

}  // namespace loupe::session
