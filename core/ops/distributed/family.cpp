// SPDX-License-Identifier: Apache-2.0
// Collectives as operators.

#include "core/ops/distributed/family.h"

namespace loupe {

OperatorFamily distributed_family() {
    using namespace distributed_ops;
    install_sharded_rules();
    static const auto records = joined_records({LOUPE_DISTRIBUTED_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"distributed", records};
}

}  // namespace loupe
