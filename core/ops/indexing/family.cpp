// SPDX-License-Identifier: Apache-2.0
// Picking elements by index or mask, and writing them.

#include "core/ops/indexing/family.h"

namespace loupe {

OperatorFamily indexing_family() {
    using namespace indexing;
    static const auto records = joined_records({LOUPE_INDEXING_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"indexing", records};
}

}  // namespace loupe
