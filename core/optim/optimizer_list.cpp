// SPDX-License-Identifier: Apache-2.0
#include "core/optim/optimizer_list.h"

#include <algorithm>

namespace loupe::optim {

std::span<const OptimizerRecord* const> optimizer_records() {
    static const OptimizerRecord* const kAll[] = {&kAdadelta, &kAdagrad, &kAdam,      &kAdamW, &kAdamax,
                                                  &kAsgd,     &kLbfgs,   &kNAdam,     &kRAdam, &kRmsProp,
                                                  &kRprop,    &kSgd,     &kSparseAdam};
    return kAll;
}

const OptimizerRecord* find_optimizer(std::string_view name) {
    const auto all = optimizer_records();
    const auto found = std::ranges::find(all, name, [](const OptimizerRecord* record) { return record->name; });
    return found == all.end() ? nullptr : *found;
}

}  // namespace loupe::optim
