// SPDX-License-Identifier: Apache-2.0
// Operators on quantised tensors, those that imitate quantisation, and products with quantised weights.

#include "core/ops/quantized/family.h"

namespace loupe {

OperatorFamily quantized_family() {
    using namespace quantized_ops;
    static const auto records = joined_records({LOUPE_QUANTIZED_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"quantized", records};
}

}  // namespace loupe
