// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is wrong with a model's gradients, in words.

#include <QString>
#include <vector>

#include "core/session/requests.h"

namespace loupe::views {

struct GradientFinding {
    enum class Kind { NotANumber, Infinite, Exploding, Vanishing, AllZero, Unused };
    Kind kind = Kind::Unused;
    int row = -1;       // of the rows given
    QString text;
};

// The worst first. Vanishing and exploding follow the usual rules of thumb: a mean |gradient| under 1e-7, a norm over
// 1000, or over 1 and a hundred times that of the weights.
std::vector<GradientFinding> findTroubles(const std::vector<session::GradientRow>& rows);

// A step of a training that was looked at, and its gradients.
struct StepGradients {
    std::int64_t step = 0;
    std::vector<session::GradientRow> rows;
};
// "fc1.weight is vanishing in 12 of 40 steps, first at step 7": the worst first, of rows that are the same in every step.
std::vector<GradientFinding> troublesOverSteps(const std::vector<StepGradients>& steps);

}  // namespace loupe::views
