// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run of a graph as a list of kernels. For inputs of equal shapes and equal numbers the list is the same unless an
// operator reads elements: then the run is refused.

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/runtime/fuse/fuser.h"
#include "core/runtime/interpreter/code.h"

namespace loupe::runtime {

// A storage of tensors of the run.
struct CapturedBuffer {
    enum class Kind : std::uint8_t { Input, Constant, Made };
    Kind kind = Kind::Made;
    std::size_t bytes = 0;
    Ptr<Storage> storage;  // that of the capture
    bool depends_on_inputs = false;
    bool is_written = false;  // in place, after its creation
};

struct CapturedTensor {
    Tensor tensor;
    std::size_t buffer = 0;
};

struct CapturedStep {
    const Operator* op = nullptr;  // null for a fused group
    Ptr<FusedGroup> group;
    Ptr<const RefCounted> group_plan;
    std::vector<IValue> arguments;
    std::vector<IValue> results;
    const ir::Node* node = nullptr;  // of the graph
    bool writes = false;             // some argument, in place
    bool depends_on_inputs = false;

    std::string name() const;  // "aten::convolution", "prim::TensorExprGroup"
};

// An attribute that was read: the capture is valid while it is unchanged.
struct AttributeGuard {
    Ptr<Object> object;
    std::size_t slot = 0;
    IValue value;
};

struct Capture {
    std::vector<CapturedBuffer> buffers;
    std::vector<CapturedTensor> tensors;
    std::unordered_map<const TensorImpl*, std::size_t> places;  // in tensors
    std::vector<CapturedStep> steps;
    std::vector<Tensor> inputs;  // all tensors inside the inputs, in order
    std::vector<IValue> outputs;
    std::vector<AttributeGuard> guards;
    std::string refusal;  // why it is no capture; empty when it is
    const ir::Node* refused_at = nullptr;
};

enum class CaptureElements : std::uint8_t {
    Real,  // kernels run; the capture's outputs are the run's
    Fake,  // shapes only: tensors that depend on the inputs have unspecified elements, and almost no memory
};

// Runs the code without recording for autograd. Throws the operators' errors.
Capture capture_run(const Code& code, std::span<const IValue> inputs, CaptureElements elements);

}  // namespace loupe::runtime
