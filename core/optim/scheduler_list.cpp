// SPDX-License-Identifier: Apache-2.0
#include "core/optim/scheduler_list.h"

#include <algorithm>

namespace loupe::optim {

std::span<const SchedulerRecord* const> scheduler_records() {
    static const SchedulerRecord* const kAll[] = {&kLambdaLR,
                                                  &kMultiplicativeLR,
                                                  &kStepLR,
                                                  &kMultiStepLR,
                                                  &kConstantLR,
                                                  &kLinearLR,
                                                  &kExponentialLR,
                                                  &kPolynomialLR,
                                                  &kCosineAnnealingLR,
                                                  &kCosineAnnealingWarmRestarts,
                                                  &kCyclicLR,
                                                  &kOneCycleLR,
                                                  &kReduceLROnPlateau,
                                                  &kSequentialLR,
                                                  &kChainedScheduler};
    return kAll;
}

const SchedulerRecord* find_scheduler(std::string_view name) {
    const auto all = scheduler_records();
    const auto found = std::ranges::find(all, name, [](const SchedulerRecord* record) { return record->name; });
    return found == all.end() ? nullptr : *found;
}

}  // namespace loupe::optim
