// SPDX-License-Identifier: Apache-2.0
#pragma once
// A step length that satisfies the strong Wolfe conditions.

#include <functional>

#include "core/tensor/tensor.h"

namespace loupe::optim {

// A point on the line: its distance from the start, the loss, its gradient, and the slope along the line.
struct LinePoint {
    double distance = 0;
    double loss = 0;
    Tensor gradient;
    double slope = 0;
};
// Evaluates the line at that distance.
using LineFunction = std::function<LinePoint(double distance)>;

struct LineResult {
    LinePoint point;
    int evaluations = 0;
};

// direction_size: the greatest element of the direction, which bounds how short a bracket may become; as
// torch.optim.lbfgs searches (after minFunc).
LineResult strong_wolfe(const LineFunction& evaluate, const LinePoint& start, double first_distance,
                        double direction_size, double tolerance_change);

}  // namespace loupe::optim
