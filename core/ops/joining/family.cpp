// SPDX-License-Identifier: Apache-2.0
// Joining, repeating, turning and padding.

#include "core/ops/joining/family.h"

namespace loupe {

OperatorFamily joining_family() {
    using namespace joining;
    static const auto records = joined_records({LOUPE_JOINING_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"joining", records};
}

}  // namespace loupe
