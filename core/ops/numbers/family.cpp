// SPDX-License-Identifier: Apache-2.0
// Operators on Python's numbers, strings, lists and dictionaries, and questions about tensors.

#include "core/ops/numbers/family.h"

#include <vector>

namespace loupe {

OperatorFamily numbers_family() {
    static const std::vector<const OperatorRecord*> records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto list : {numbers::arithmetic_records(), numbers::comparison_records(), numbers::math_records(),
                                numbers::conversion_records(), numbers::list_records(), numbers::dict_records(),
                                numbers::string_records(), numbers::string_test_records(), numbers::format_records(),
                                numbers::tensor_fact_records(), numbers::setting_records()}) {
            for (const OperatorRecord& record : list) all.push_back(&record);
        }
        return all;
    }();
    return {"numbers", records};
}

}  // namespace loupe
