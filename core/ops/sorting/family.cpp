// SPDX-License-Identifier: Apache-2.0
// Sorting and selection.

#include "core/ops/sorting/family.h"

#include <vector>

namespace loupe {

OperatorFamily sorting_family() {
    static const std::vector<const OperatorRecord*> records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto list : {sorting::sort_records(), sorting::selection_records(), sorting::unique_records()}) {
            for (const OperatorRecord& record : list) all.push_back(&record);
        }
        return all;
    }();
    return {"sorting", records};
}

}  // namespace loupe
