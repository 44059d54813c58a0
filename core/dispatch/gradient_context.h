// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a derivative sees when it runs.

#include <utility>

#include "core/dispatch/record.h"

namespace loupe {

class OperatorNode;

class GradientContext {
  public:
    GradientContext(OperatorNode& node, const TensorList& grads, TensorList& grad_inputs)
        : node_(node), grads_(grads), grad_inputs_(grad_inputs) {}

    // Incoming gradient of result i; undefined when none arrived (only with several results).
    const Tensor& grad_output(std::size_t i = 0) const { return grads_[i]; }
    // The same, zeros in the result's shape where none arrived.
    Tensor grad_output_or_zeros(std::size_t i) const;
    // A saved argument or result, with its history (for double backward). It must be among the record's saves.
    Tensor argument(std::size_t i) const;
    Tensor result(std::size_t i = 0) const;
    bool is_argument_defined(std::size_t i) const;  // a tensor argument that was not None
    // A non-tensor argument.
    const IValue& value(std::size_t i) const;
    // Metadata of tensor argument i, saved or not.
    IntSpan sizes(std::size_t i) const;
    IntSpan strides(std::size_t i) const;
    std::int64_t storage_offset(std::size_t i) const;
    ScalarType dtype(std::size_t i) const;
    // How many tensors the list argument i had, and the sizes of each.
    std::size_t list_size(std::size_t i) const;
    IntSpan sizes(std::size_t i, std::size_t element) const;
    // Tensors of a saved list argument.
    TensorList arguments_of_list(std::size_t i) const;

    // Is the gradient of argument i (of any element, for a list) wanted?
    bool needs(std::size_t i) const;
    // Sets the gradient of argument i. A gradient in a broadcast shape is summed down to the argument's, one in
    // another dtype is cast to it (a real argument takes the real part): derivatives need not.
    void set_grad(std::size_t i, Tensor grad);
    void set_grad(std::size_t i, std::size_t element, Tensor grad);
    // set_grad(i, make()) if it is wanted: context.grad(0, [&] { return mul(g, other); });
    template <typename Make>
    void grad(std::size_t i, Make&& make) {
        if (needs(i)) set_grad(i, std::forward<Make>(make)());
    }

  private:
    OperatorNode& node_;
    const TensorList& grads_;
    TensorList& grad_inputs_;
};

}  // namespace loupe
