// SPDX-License-Identifier: Apache-2.0
// Operators that are mostly written with others.

#include "core/ops/composed/family.h"

namespace loupe {

OperatorFamily composed_family() {
    using namespace composed;
    static const auto records = joined_records({LOUPE_COMPOSED_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"composed", records};
}

}  // namespace loupe
