// SPDX-License-Identifier: Apache-2.0
// Sorting and selection.

#include "core/ops/sorting/family.h"

namespace loupe {

OperatorFamily sorting_family() {
    using namespace sorting;
    static const auto records = joined_records({LOUPE_SORTING_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"sorting", records};
}

}  // namespace loupe
