// SPDX-License-Identifier: Apache-2.0
// Picking elements by index or mask, and writing them.

#include "core/ops/indexing/family.h"

#include <vector>

namespace loupe {

OperatorFamily indexing_family() {
    static const std::vector<const OperatorRecord*> records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto list :
             {indexing::advanced_records(), indexing::index_dim_records(), indexing::gather_records(),
              indexing::masked_records(), indexing::take_records(), indexing::search_records(),
              indexing::index_reduce_records(), indexing::embedding_records(), indexing::embedding_bag_records()}) {
            for (const OperatorRecord& record : list) all.push_back(&record);
        }
        return all;
    }();
    return {"indexing", records};
}

}  // namespace loupe
