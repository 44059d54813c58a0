// SPDX-License-Identifier: Apache-2.0
#pragma once
// Running nodes on fake tensors, which have metadata and no elements, to infer metadata of results.

#include <memory>
#include <optional>
#include <vector>

#include "core/dispatch/interceptor.h"
#include "core/ir/graph.h"

namespace loupe::passes {

// Kernels return results of the right shape, dtype and layout, with unspecified elements. Large fakes share one memory:
// reading and writing it is safe and has no meaning. What is computed from small tensors that are no fakes alone
// (sizes, indices) is computed.
class FakeKernels final : public DispatchInterceptor {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override;
};

// For a whole run on fakes. Where an operator's shapes depend on elements of fakes, or a value of Python does, it
// throws Error (Run): from there on nothing is known. Does not write to tensors that are no fakes what was made of
// fakes.
class DryKernels final : public DispatchInterceptor {
  public:
    DryKernels();
    DryKernels(const DryKernels&) = delete;
    DryKernels& operator=(const DryKernels&) = delete;
    ~DryKernels() override;
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override;
    DispatchInterceptor* inside() override;

  private:
    class Inside;
    std::unique_ptr<Inside> inside_;
    FakeKernels fakes_;
};

// A fake of a type with dtype and all sizes (symbols are no sizes); undefined for others.
Tensor fake_tensor(IntSpan sizes, ScalarType dtype, IntSpan strides = {});
bool is_fake(const Tensor& tensor);
// For operators that read elements to find the shape of their results: ends run_on_fakes of a node with nullopt when
// the tensor is a fake.
void require_elements(const Tensor& tensor);
// Contiguous where the type has no strides.
Tensor fake_of(const TensorType& type);

// The results of a node that is no control flow, with the fakes as inputs; nullopt when it cannot be run like that: it
// has effects, calls, or its results depend on elements. Errors of the operator are thrown.
std::optional<std::vector<IValue>> run_on_fakes(const ir::Node* node, const std::vector<IValue>& inputs);
// The same of a call. What it writes is written to the fakes.
std::optional<std::vector<IValue>> run_on_fakes(const Operator& op, std::span<const IValue> inputs);

}  // namespace loupe::passes
