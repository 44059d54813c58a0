// SPDX-License-Identifier: Apache-2.0
#include "core/ops/pointwise/family.h"

#include <vector>

namespace loupe {

OperatorFamily pointwise_family() {
    static const auto records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto& file :
             {pointwise::arithmetic_records(), pointwise::division_records(), pointwise::power_records(),
              pointwise::unary_math_records(), pointwise::rounding_records(), pointwise::binary_math_records(),
              pointwise::comparison_records(), pointwise::bitwise_records(), pointwise::selection_records(),
              pointwise::ternary_records(), pointwise::activation_records(), pointwise::activation_gradient_records(),
              pointwise::gelu_with_slope_records(), pointwise::gated_records(), pointwise::copy_records(),
              pointwise::conversion_records(), pointwise::complex_records(), pointwise::composite_records()}) {
            for (const OperatorRecord& record : file) all.push_back(&record);
        }
        return all;
    }();
    return {"pointwise", records};
}

}  // namespace loupe
