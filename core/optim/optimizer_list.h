// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every optimiser: a file gives its records by one function, which is a line here and in optimizer_list.cpp.

#include <span>

#include "core/optim/optimizer.h"

namespace loupe::optim {

std::span<const OptimizerRecord> adadelta_records();
std::span<const OptimizerRecord> adagrad_records();
std::span<const OptimizerRecord> adam_records();
std::span<const OptimizerRecord> adamax_records();
std::span<const OptimizerRecord> asgd_records();
std::span<const OptimizerRecord> lbfgs_records();
std::span<const OptimizerRecord> nadam_records();
std::span<const OptimizerRecord> radam_records();
std::span<const OptimizerRecord> rmsprop_records();
std::span<const OptimizerRecord> rprop_records();
std::span<const OptimizerRecord> sgd_records();
std::span<const OptimizerRecord> sparse_adam_records();

}  // namespace loupe::optim
