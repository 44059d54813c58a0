// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every scheduler's record.

#include "core/optim/scheduler.h"

namespace loupe::optim {

extern const SchedulerRecord kLambdaLR, kMultiplicativeLR, kStepLR, kMultiStepLR, kConstantLR, kLinearLR,
    kExponentialLR, kPolynomialLR;
extern const SchedulerRecord kCosineAnnealingLR, kCosineAnnealingWarmRestarts, kCyclicLR, kOneCycleLR;
extern const SchedulerRecord kReduceLROnPlateau, kSequentialLR, kChainedScheduler;

}  // namespace loupe::optim
