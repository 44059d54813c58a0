// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests of NVIDIA's libraries on the simulated GPU share.

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

namespace loupe::test {

inline constexpr Device kGpu{DeviceType::Cuda, 0};

inline Tensor drawn(std::initializer_list<std::int64_t> sizes, ScalarType dtype = ScalarType::Float32) {
    static Random random(17);
    return random_tensor(random, sizes, dtype);
}
inline Tensor there(const Tensor& t) { return t.defined() ? on_device(t, kGpu) : t; }
inline TensorList there(const TensorList& tensors) {
    TensorList all;
    for (const Tensor& t : tensors) all.push_back(there(t));
    return all;
}
// Largest difference; 1e9 where sizes differ.
inline double distance(const Tensor& a, const Tensor& b) {
    if (a.defined() != b.defined()) return 1e9;
    if (!a.defined()) return 0;
    const auto wide = [](const Tensor& t) {
        const Tensor host = on_host(t);
        return is_complex(host.dtype())
                   ? fn::view_as_real(fn::to_dtype(host, static_cast<std::int64_t>(ScalarType::Complex128)))
                   : fn::to_dtype(host, static_cast<std::int64_t>(ScalarType::Float64));
    };
    const Tensor x = wide(a), y = wide(b);
    if (!std::ranges::equal(x.sizes(), y.sizes())) return 1e9;
    if (x.numel() == 0) return 0;
    const double largest = item(fn::amax(fn::abs(fn::sub(x, y, Scalar(1))), Dims{}, false)).to_double();
    return largest == largest ? largest : 1e9;
}
// The same, of the largest number there is to be.
inline double relative_distance(const Tensor& found, const Tensor& wanted) {
    if (!wanted.defined() || wanted.numel() == 0) return distance(found, wanted);
    const Tensor nothing = zeros(wanted.sizes(), wanted.dtype());
    return distance(found, wanted) / (1e-30 + distance(wanted, nothing));
}
template <typename Call>
std::string failure_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.message();
    }
    return "nothing failed";
}
// How the choice of a kernel is told: "cudnn: declined, ...", then who runs.
inline std::string first_choice(const char* op, const std::vector<IValue>& arguments) {
    return explain_kernel_choice(*find_operator(op), arguments).front();
}

}  // namespace loupe::test
