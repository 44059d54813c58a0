// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "core/ops/reduction/reduction.h"

namespace loupe {

OperatorFamily reduction_family() {
    static const auto records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto& file : {reduction::sum_records(), reduction::extremum_records(), reduction::moment_records(),
                                 reduction::norm_records(), reduction::scan_records()}) {
            for (const OperatorRecord& record : file) all.push_back(&record);
        }
        return all;
    }();
    return {"reduction", records};
}

}  // namespace loupe
