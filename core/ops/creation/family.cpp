// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "core/ops/creation/creation.h"

namespace loupe {

OperatorFamily creation_family() {
    static const auto records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto& file : {creation::filled_records(), creation::like_records(), creation::range_records(),
                                 creation::triangle_records(), creation::literal_records()}) {
            for (const OperatorRecord& record : file) all.push_back(&record);
        }
        return all;
    }();
    return {"creation", records};
}

}  // namespace loupe
