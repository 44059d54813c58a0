// SPDX-License-Identifier: Apache-2.0
// Operators on nested tensors.

#include "core/ops/nested/family.h"

namespace loupe {

OperatorFamily nested_family() {
    using namespace nested_ops;
    install_rules();
    static const auto records = joined_records({LOUPE_NESTED_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"nested", records};
}

}  // namespace loupe
