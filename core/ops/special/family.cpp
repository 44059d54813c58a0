// SPDX-License-Identifier: Apache-2.0
#include "core/ops/special/family.h"

namespace loupe {

OperatorFamily special_family() {
    using namespace special;
    static const auto records = joined_records({LOUPE_SPECIAL_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"special", records};
}

}  // namespace loupe
