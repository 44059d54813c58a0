// SPDX-License-Identifier: Apache-2.0
#include "core/ops/special/family.h"

#include <vector>

namespace loupe {

OperatorFamily special_family() {
    static const auto records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto& file : {special::unary_records(), special::pair_records(), special::polynomial_records(),
                                 special::alias_records()}) {
            for (const OperatorRecord& record : file) all.push_back(&record);
        }
        return all;
    }();
    return {"special", records};
}

}  // namespace loupe
