// SPDX-License-Identifier: Apache-2.0
// Tensors made of numbers, and numbers of tensors, on any device.

#include <complex>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_graphs.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/tensor.h"

namespace loupe {

Tensor zeros(IntSpan sizes, ScalarType dtype, Device device) {
    Tensor out = empty(sizes, dtype, device);
    if (out.is_host_memory()) {
        std::memset(out.raw_data(), 0, out.bytes());
        return out;
    }
    if (device_interface(device.type)->zero(out.address(), device, static_cast<std::size_t>(out.bytes()))) return out;
    return on_device(zeros(sizes, dtype), device);
}

Tensor scalar_tensor(const Scalar& value, ScalarType dtype) {
    Tensor out = empty({}, dtype);
    visit_any_dtype(dtype, [&]<typename T>(std::type_identity<T>) { *out.data<T>() = value.to<T>(); });
    return out;
}

Tensor wrapped_number(const Scalar& value) {
    Tensor out = scalar_tensor(value, value.dtype());
    out.impl()->wrapped_number = true;
    return out;
}

Scalar item(const Tensor& t) {
    if (t.numel() != 1) {
        throw Error(ErrorKind::Run, concat("a Tensor with ", t.numel(), " elements cannot be converted to Scalar"));
    }
    refuse_in_capture(t.device(), "reading a number");
    if (!t.is_host_memory()) return item(on_host(t));
    return visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) -> Scalar {
        const T value = *t.data<T>();
        if constexpr (std::is_same_v<T, bool>) {
            return {value};
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            if (value >> 63 != 0)
                throw Error(ErrorKind::Run, "value cannot be converted to type int64_t without overflow");
            return {static_cast<std::int64_t>(value)};
        } else if constexpr (std::is_integral_v<T>) {
            return {static_cast<std::int64_t>(value)};
        } else if constexpr (is_complex(scalar_type_of<T>)) {
            return {std::complex<double>(value)};
        } else {
            return {static_cast<double>(value)};
        }
    });
}

}  // namespace loupe
