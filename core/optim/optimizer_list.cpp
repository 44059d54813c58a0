// SPDX-License-Identifier: Apache-2.0
#include "core/optim/optimizer_list.h"

#include <algorithm>

#include "core/base/record_list.h"

namespace loupe::optim {

std::span<const OptimizerRecord* const> optimizer_records() {
    static const auto all = records_of_files<OptimizerRecord>(
        {adadelta_records(), adagrad_records(), adam_records(), adamax_records(), asgd_records(), lbfgs_records(),
         nadam_records(), radam_records(), rmsprop_records(), rprop_records(), sgd_records(), sparse_adam_records()});
    return all;
}

const OptimizerRecord* find_optimizer(std::string_view name) {
    const auto all = optimizer_records();
    const auto found = std::ranges::find(all, name, [](const OptimizerRecord* record) { return record->name; });
    return found == all.end() ? nullptr : *found;
}

}  // namespace loupe::optim
