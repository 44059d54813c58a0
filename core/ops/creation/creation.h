// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the records of this family share.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/kernels/elementwise.h"

namespace loupe::creation {

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

// The arguments that most of these operators end with: dtype, layout, device, pin_memory, from index `first` on.
struct Options {
    ScalarType dtype;
    Device device;
};
Options options_of(Arguments arguments, std::size_t first, ScalarType default_dtype, Device default_device = {});
// The dtype of a tensor made from a Python number: float32, int64, bool, complex64.
ScalarType default_dtype_of(const Scalar& value);

}  // namespace loupe::creation
