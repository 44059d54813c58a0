// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far a tensor is from another, in the measures that comparisons of runs show.

#include <cstdint>
#include <string>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

struct Tolerance {
    double rtol = 0;
    double atol = 0;
};
auto fields(Like<Tolerance> auto& it) { return std::tie(it.rtol, it.atol); }

// torch.testing.assert_close's defaults; of two dtypes the greater of each.
Tolerance tolerance_of(ScalarType a, ScalarType b);

// Of tensors of one shape; element pairs that are equal, both NaN, or the same infinity do not differ.
struct Difference {
    std::int64_t count = 0;       // element pairs
    std::int64_t beyond = 0;      // pairs with |actual - expected| > atol + rtol |expected|
    std::int64_t not_finite = 0;  // pairs where only one is finite, or NaN and infinities differ
    double max_abs = 0;           // infinity where not_finite is not 0
    double max_rel = 0;           // to |expected|; the absolute difference where expected is 0
    double max_ulp = -1;          // representable numbers between, of the coarser dtype; -1: not of floating dtypes
    double cosine = 1;            // of the finite pairs; 1 where both are zero, 0 where one is
    double snr_db = 0;            // 10 log10(sum expected^2 / sum difference^2); infinity: no difference
    std::int64_t worst = -1;      // row-major index of the pair with max_abs; -1: none differs
    double worst_actual = 0;      // complex ones by magnitude
    double worst_expected = 0;
    bool is_close() const { return beyond == 0; }
    bool is_same() const { return worst < 0; }
};
auto fields(Like<Difference> auto& it) {
    return std::tie(it.count, it.beyond, it.not_finite, it.max_abs, it.max_rel, it.max_ulp, it.cosine, it.snr_db,
                    it.worst, it.worst_actual, it.worst_expected);
}

// Any two dtypes and devices; both of one shape.
Difference measure_difference(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance);

// "max abs 3.1e-02, relative 4.0e-01, 21.4 dB"; "equal" when nothing differs.
Said difference_text(const Difference& difference);

}  // namespace loupe::session
