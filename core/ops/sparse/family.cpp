// SPDX-License-Identifier: Apache-2.0
// Operators on sparse tensors.

#include "core/ops/sparse/family.h"

namespace loupe {

OperatorFamily sparse_family() {
    using namespace sparse_ops;
    static const auto records = joined_records({LOUPE_SPARSE_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"sparse", records};
}

}  // namespace loupe
