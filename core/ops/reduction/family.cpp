// SPDX-License-Identifier: Apache-2.0
#include "core/ops/reduction/family.h"

namespace loupe {

OperatorFamily reduction_family() {
    using namespace reduction;
    static const auto records = joined_records({LOUPE_REDUCTION_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"reduction", records};
}

}  // namespace loupe
