// SPDX-License-Identifier: Apache-2.0
#pragma once
// For kernels over whole blocks of memory: tensors in a supported layout, and results copied back into the caller's
// layout. Not recorded.

#include <string>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/tensor.h"

namespace loupe {

[[noreturn]] inline void fail_run(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

template <typename... Parts>
void require(bool condition, const Parts&... parts) {
    if (!condition) fail_run(concat(parts...));
}

// Copies elements of one dtype between two CPU tensors of the same shape.
void copy_strided(const Tensor& to, const Tensor& from);
// t itself when it is contiguous, else a contiguous copy. Undefined stays undefined.
Tensor packed(const Tensor& t);
// The same as packed(t), converted to the dtype.
Tensor packed_as(const Tensor& t, ScalarType dtype);
// out = from, converted to out's dtype, through any strides.
void convert_into(const Tensor& out, const Tensor& from);
// A view of t in a larger shape, zero strides where it repeats. Throws PyTorch's "The expanded size of the tensor ...".
Tensor expanded(const Tensor& t, IntSpan sizes);
// Contiguous memory to compute `out` in: out itself, or a buffer that put_back copies into it.
Tensor buffer_for(const Tensor& out);
inline void put_back(const Tensor& out, const Tensor& buffer) {
    if (!out.is_same(buffer)) copy_strided(out, buffer);
}
void fill_zero(const Tensor& contiguous);

}  // namespace loupe
