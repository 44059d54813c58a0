// SPDX-License-Identifier: Apache-2.0
// Operators that are mostly written with others.

#include "core/ops/composed/family.h"

#include <vector>

namespace loupe {

OperatorFamily composed_family() {
    static const std::vector<const OperatorRecord*> records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto list :
             {composed::difference_records(), composed::statistics_records(), composed::comparison_records(),
              composed::resize_records(), composed::histogram_records(), composed::quantile_records(),
              composed::segment_records(), composed::other_name_records(), composed::older_name_records(),
              composed::made_into_records(), composed::foreach_records(), composed::gradient_call_records(),
              composed::interpolate_records(), composed::less_known_records(), composed::autograd_call_records(),
              composed::internal_call_records()}) {
            for (const OperatorRecord& record : list) all.push_back(&record);
        }
        return all;
    }();
    return {"composed", records};
}

}  // namespace loupe
