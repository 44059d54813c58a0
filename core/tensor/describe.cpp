// SPDX-License-Identifier: Apache-2.0
#include "core/base/strings.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/tensor.h"

namespace loupe {

std::string describe(const Tensor& t) {
    if (!t.defined()) return "undefined";
    return concat(shown_dtype(t), " ", shape_text(t.sizes()));
}

}  // namespace loupe
