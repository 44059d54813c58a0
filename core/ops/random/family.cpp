// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/family.h"

namespace loupe {

OperatorFamily random_family() {
    using namespace drawing;
    static const auto records = joined_records({LOUPE_RANDOM_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"random", records};
}

}  // namespace loupe
