// SPDX-License-Identifier: Apache-2.0
#include "core/study/compare.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/study/difference.h"

namespace loupe::session {

TensorDifference compare_tensors(const Tensor& actual, const Tensor& expected, double rtol, double atol) {
    TensorDifference out;
    const auto a = actual.sizes();
    const auto b = expected.sizes();
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
        out.is_equal = false;
        out.why = concat("shape ", loupe::shape_text(a), ", expected ", loupe::shape_text(b));
        return out;
    }
    const Difference found = measure_difference(actual, expected, {rtol, atol});
    out.is_equal = found.is_close();
    out.max_abs = found.max_abs;
    out.max_rel = found.max_rel;
    return out;
}

}  // namespace loupe::session
