// SPDX-License-Identifier: Apache-2.0
#pragma once
// Running nodes on fake tensors, which have metadata and no elements, to infer metadata of results.

#include <optional>
#include <vector>

#include "core/dispatch/stand_in.h"
#include "core/ir/graph.h"

namespace loupe::passes {

// Kernels return results of the right shape, dtype and layout, with unspecified elements. All fakes share one memory:
// reading and writing it is safe and has no meaning.
class FakeKernels final : public OperatorStandIn {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override;
};

// A fake of a type with dtype and all sizes (symbols are no sizes); undefined for others.
Tensor fake_tensor(IntSpan sizes, ScalarType dtype, IntSpan strides = {});
// Contiguous where the type has no strides.
Tensor fake_of(const TensorType& type);

// The results of a node that is no control flow, with the fakes as inputs; nullopt when it cannot be run like that: it
// has effects, calls, or its results depend on elements. Errors of the operator are thrown.
std::optional<std::vector<IValue>> run_on_fakes(const ir::Node* node, const std::vector<IValue>& inputs);

}  // namespace loupe::passes
