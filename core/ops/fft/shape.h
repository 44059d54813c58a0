// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the transforms share: dtypes, lengths, normalisation, and handles of the primitives.

#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::fft {

inline const OperatorHandle<> real_to_complex_op("aten::_fft_r2c");
inline const OperatorHandle<> complex_to_real_op("aten::_fft_c2r");
inline const OperatorHandle<> complex_to_complex_op("aten::_fft_c2c");

// As PyTorch numbers them.
enum class Norm : std::int64_t { None = 0, ByRootN = 1, ByN = 2 };

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

// "backward" (the default), "forward" or "ortho".
std::int64_t norm_of(const std::optional<std::string_view>& name, bool forward);
// Integers become float32; with `complex`, real numbers complex. Throws for the 16-bit types.
Tensor promoted(const Tensor& self, bool complex);
// Cut, or filled up with zeros, to the sizes along dims.
Tensor resized(const Tensor& self, IntSpan dims, IntSpan sizes);
void require_points(std::int64_t n);

struct Axes {
    Dims dims;
    Dims sizes;
};
// From the optional arguments `s` and `dim` of the n-dimensional transforms.
Axes axes_of(const Tensor& self, const std::optional<Dims>& sizes, const std::optional<Dims>& dims);

}  // namespace loupe::fft
