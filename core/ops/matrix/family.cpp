// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/family.h"

namespace loupe {

OperatorFamily matrix_family() {
    using namespace matrix;
    static const auto records = joined_records({LOUPE_MATRIX_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"matrix", records};
}

}  // namespace loupe
