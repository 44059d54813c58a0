// SPDX-License-Identifier: Apache-2.0
#include "core/ops/pointwise/family.h"

namespace loupe {

OperatorFamily pointwise_family() {
    using namespace pointwise;
    static const auto records = joined_records({LOUPE_POINTWISE_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"pointwise", records};
}

}  // namespace loupe
