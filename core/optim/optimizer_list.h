// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every optimiser, one record per file.

#include "core/optim/optimizer.h"

namespace loupe::optim {

extern const OptimizerRecord kAdadelta, kAdagrad, kAdam, kAdamW, kAdamax, kAsgd, kLbfgs, kNAdam, kRAdam, kRmsProp,
    kRprop, kSgd, kSparseAdam;

}  // namespace loupe::optim
