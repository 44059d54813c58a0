// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/family.h"

namespace loupe {

OperatorFamily nn_family() {
    using namespace nn_ops;
    static const auto records = joined_records({LOUPE_NN_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"nn", records};
}

}  // namespace loupe
