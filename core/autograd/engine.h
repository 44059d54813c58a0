// SPDX-License-Identifier: Apache-2.0
#pragma once
// The backward pass.

#include "core/autograd/node.h"
#include "core/tensor/tensor.h"

namespace loupe {

struct BackwardOptions {
    bool retain_graph = false;
    bool create_graph = false;    // implies retain_graph unless the caller sets it
    bool detect_anomaly = false;  // names the forward operator that made the first NaN
};

// torch.autograd.backward: accumulates into the leaves. gradients: one per root, undefined means ones for a root with
// one element ("grad can be implicitly created only for scalar outputs"). Throws Error (Run).
void backward(const TensorList& roots, const TensorList& gradients = {}, const BackwardOptions& options = {});

// The same with inputs=: only these accumulate, of which one that is no leaf retains its gradient. Throws Error (Run),
// also where one requires no gradient.
void backward_into(const TensorList& roots, const TensorList& inputs, const TensorList& gradients = {},
                   const BackwardOptions& options = {});

// torch.autograd.grad: one gradient per input, undefined where unused when allow_unused, else an error.
TensorList gradients_of(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs = {},
                        const BackwardOptions& options = {}, bool allow_unused = false);

// Arithmetic that the engine needs; the operators, which are built on the engine, register it.
struct GradientArithmetic {
    Tensor (*add)(const Tensor& a, const Tensor& b) = nullptr;         // recorded when grad mode is on
    void (*add_in_place)(const Tensor& a, const Tensor& b) = nullptr;  // a += b, not recorded
    Tensor (*sum_to)(const Tensor& t, IntSpan sizes) = nullptr;        // undoes a broadcast
    Tensor (*cast)(const Tensor& t, ScalarType dtype) = nullptr;
    Tensor (*to_device)(const Tensor& t, Device device) = nullptr;  // recorded when grad mode is on
    Tensor (*ones_like)(const Tensor& t) = nullptr;
    Tensor (*clone)(const Tensor& t) = nullptr;
    void (*copy)(const Tensor& to, const Tensor& from) = nullptr;  // to = from with conversion, not recorded
    bool (*has_nan)(const Tensor& t) = nullptr;
    // The same elements with these strides (a recorded copy where they differ).
    Tensor (*restride)(const Tensor& t, IntSpan strides) = nullptr;
    Tensor (*as_strided)(const Tensor& t, IntSpan sizes, IntSpan strides, std::int64_t offset) = nullptr;
    // A copy of t in which the region holds src; aten::as_strided_scatter.
    Tensor (*as_strided_scatter)(const Tensor& t, const Tensor& src, IntSpan sizes, IntSpan strides,
                                 std::int64_t offset) = nullptr;
    Tensor (*zeros)(IntSpan sizes, const GradientShape& like) = nullptr;
};
void set_gradient_arithmetic(const GradientArithmetic& arithmetic);
const GradientArithmetic& gradient_arithmetic();

}  // namespace loupe
