// SPDX-License-Identifier: Apache-2.0
// Views: other shapes, orders and parts of the same elements.

#include "core/ops/view/family.h"

#include <vector>

namespace loupe {

OperatorFamily view_family() {
    static const std::vector<const OperatorRecord*> records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto list :
             {views::reshape_records(), views::dimension_records(), views::expand_records(), views::slice_records(),
              views::diagonal_records(), views::strided_records(), views::split_records(), views::detach_records(),
              views::scatter_view_records(), views::view_copy_records()}) {
            for (const OperatorRecord& record : list) all.push_back(&record);
        }
        return all;
    }();
    return {"view", records};
}

}  // namespace loupe
