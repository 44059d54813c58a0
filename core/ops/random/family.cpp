// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/family.h"

#include <vector>

namespace loupe {

OperatorFamily random_family() {
    static const auto records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto& file : {drawing::filling_records(), drawing::making_records(), drawing::dropout_records(),
                                 drawing::counting_records(), drawing::distribution_records()}) {
            for (const OperatorRecord& record : file) all.push_back(&record);
        }
        return all;
    }();
    return {"random", records};
}

}  // namespace loupe
