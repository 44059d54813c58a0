// SPDX-License-Identifier: Apache-2.0
// Operators on Python's numbers, strings, lists and dictionaries, and questions about tensors.

#include "core/ops/numbers/family.h"

namespace loupe {

OperatorFamily numbers_family() {
    using namespace numbers;
    static const auto records = joined_records({LOUPE_NUMBERS_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"numbers", records};
}

}  // namespace loupe
