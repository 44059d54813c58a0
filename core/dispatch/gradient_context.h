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
    Tensor argument(ArgumentPlace place) const;
    Tensor result(std::size_t i = 0) const;
    bool is_argument_defined(ArgumentPlace place) const;  // a tensor argument that was not None
    // A non-tensor argument.
    const IValue& value(ArgumentPlace place) const;
    // Metadata of a tensor argument, saved or not.
    IntSpan sizes(ArgumentPlace place) const;
    IntSpan strides(ArgumentPlace place) const;
    std::int64_t storage_offset(ArgumentPlace place) const;
    ScalarType dtype(ArgumentPlace place) const;
    // How many tensors a list argument had, and the sizes of each.
    std::size_t list_size(ArgumentPlace place) const;
    IntSpan sizes(ArgumentPlace place, std::size_t element) const;
    // Tensors of a saved list argument.
    TensorList arguments_of_list(ArgumentPlace place) const;

    // Is the gradient of the argument (of any element, for a list) wanted?
    bool needs(ArgumentPlace place) const;
    // Sets the gradient of an argument. A gradient in a broadcast shape is summed down to the argument's, one in
    // another dtype is cast to it (a real argument takes the real part): derivatives need not.
    void set_grad(ArgumentPlace place, Tensor grad);
    void set_grad(ArgumentPlace place, std::size_t element, Tensor grad);
    // set_grad(place, make()) if it is wanted: context.grad("self", [&] { return mul(g, other); });
    template <typename Make>
    void grad(ArgumentPlace place, Make&& make) {
        if (const std::size_t i = at(place); needs(i)) set_grad(i, std::forward<Make>(make)());
    }

  private:
    std::size_t at(ArgumentPlace argument) const;

    OperatorNode& node_;
    const TensorList& grads_;
    TensorList& grad_inputs_;
};

}  // namespace loupe
