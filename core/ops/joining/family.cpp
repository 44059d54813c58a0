// SPDX-License-Identifier: Apache-2.0
// Joining, repeating, turning and padding.

#include "core/ops/joining/family.h"

#include <vector>

namespace loupe {

OperatorFamily joining_family() {
    static const std::vector<const OperatorRecord*> records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto list : {joining::cat_records(), joining::stack_records(), joining::repeat_records(),
                                joining::flip_records(), joining::constant_pad_records(), joining::mirror_pad_records(),
                                joining::pad_records(), joining::grid_records(), joining::shuffle_records()}) {
            for (const OperatorRecord& record : list) all.push_back(&record);
        }
        return all;
    }();
    return {"joining", records};
}

}  // namespace loupe
