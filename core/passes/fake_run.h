// SPDX-License-Identifier: Apache-2.0
#pragma once
// Running nodes on tensors that have a shape and no elements: what comes out is known without computing it.

#include <optional>
#include <vector>

#include "core/ir/graph.h"
#include "core/dispatch/stand_in.h"

namespace loupe::passes {

// Kernels give results in the right shape, dtype and layout, and no particular elements. The elements lie in memory that
// all share: reading and writing it is safe and means nothing.
class FakeKernels final : public OperatorStandIn {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override;
};

// A tensor of a type that says dtype and all sizes (symbols are no sizes); undefined for others.
Tensor fake_tensor(IntSpan sizes, ScalarType dtype, IntSpan strides = {});
// Contiguous where the type has no strides.
Tensor fake_of(const TensorType& type);

// The results of a node that is no control flow, with the fakes as inputs; nullopt when it cannot be run like that: it
// has effects, calls, or its results depend on elements. Errors of the operator are thrown.
std::optional<std::vector<IValue>> run_on_fakes(const ir::Node* node, const std::vector<IValue>& inputs);

}  // namespace loupe::passes
