// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the operators of neural networks.

#include <array>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/samples.h"

namespace loupe::nn_ops {

// Is t laid out N, H, W, C (or N, D, H, W, C) and not contiguous as well?
inline bool prefers_channels_last(const Tensor& t) { return !t.is_contiguous() && t.is_channels_last(); }
Dims channels_last_strides(IntSpan sizes);
// Metadata of a result in these sizes that follows the layout of `like`.
TensorMeta follow_layout(Dims sizes, const Tensor& like);

// An `int[n]` argument: one value is used for all. Throws "expected stride to be a single integer value or ...".
Dims expand_parameter(const Dims& values, std::size_t n, const char* name);

// The dtype that a kernel computes in: float64 for itself, float32 for the other floats, int64 for integers.
ScalarType compute_dtype(ScalarType dtype);
// Calls f(std::type_identity<T>{}) with float or double. Throws "\"name\" not implemented for 'Long'".
template <typename F>
void visit_floating(ScalarType dtype, const char* name, F&& f) {
    if (dtype == ScalarType::Float64)
        f(std::type_identity<double>{});
    else if (is_floating(dtype))
        f(std::type_identity<float>{});
    else
        fail_run(concat("\"", name, "\" not implemented for '", dtype_graph_name(dtype), "'"));
}

// Throws "Expected grad_output of size [2, 3], but got [3, 3]" for another shape.
void require_sizes(const Tensor& t, IntSpan sizes, const char* name);

// A list of bools as an argument (output_mask).
IValue bool_list(std::initializer_list<bool> values);

enum class Reduction : std::int64_t { None = 0, Mean = 1, Sum = 2 };

}  // namespace loupe::nn_ops
