// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run of a graph as the list of kernels that it came down to. For inputs of the same shapes, and with the same numbers
// beside them, the list is always the same unless something reads elements: then the run says so and is no capture.

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/runtime/interpreter/code.h"
#include "core/runtime/fuse/fuser.h"

namespace loupe::runtime {

// A piece of memory that tensors of the run lie in.
struct CapturedBuffer {
    enum class Kind : std::uint8_t { Input, Constant, Made };
    Kind kind = Kind::Made;
    std::size_t bytes = 0;
    Ptr<Storage> storage;          // that of the capture
    bool depends_on_inputs = false;
    bool is_written = false;       // in place, after it was made
};

struct CapturedTensor {
    Tensor tensor;
    std::size_t buffer = 0;
};

struct CapturedStep {
    const Operator* op = nullptr;    // null for a fused group
    Ptr<FusedGroup> group;
    Ptr<const RefCounted> group_plan;
    std::vector<IValue> arguments;
    std::vector<IValue> results;
    const ir::Node* node = nullptr;  // of the graph
    bool writes = false;             // some argument, in place
    bool depends_on_inputs = false;

    std::string name() const;        // "aten::convolution", "prim::TensorExprGroup"
};

// An attribute that was read: while it is the same the capture holds.
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
    std::vector<Tensor> inputs;       // all tensors inside the inputs, in order
    std::vector<IValue> outputs;
    std::vector<AttributeGuard> guards;
    std::string refusal;              // why it is no capture; empty when it is
    const ir::Node* refused_at = nullptr;
};

enum class CaptureElements : std::uint8_t {
    Real,  // kernels run; the capture's outputs are the run's
    Fake,  // shapes alone: what depends on the inputs has no particular elements, and no memory to speak of
};

// Runs the code without recording for autograd. Throws what the operators throw.
Capture capture_run(const Code& code, std::span<const IValue> inputs, CaptureElements elements);

}  // namespace loupe::runtime
