// SPDX-License-Identifier: Apache-2.0
#pragma once
// Register code of a graph, for the interpreter. Values have registers that are reused after their last use; the last
// use moves a value out, so that memory is freed as early as possible.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/function.h"
#include "core/ir/graph.h"

namespace loupe::runtime {

class Code;
class Interpreter;
struct Instruction;

// The source of an input: a register (copied, or moved out at its last use) or a constant.
class Operand {
  public:
    enum class Kind : std::uint32_t { Copy, Move, Constant };
    Operand(Kind kind, std::uint32_t index) : bits_(index << 2 | static_cast<std::uint32_t>(kind)) {}
    Kind kind() const { return static_cast<Kind>(bits_ & 3); }
    std::uint32_t index() const { return bits_ >> 2; }

  private:
    std::uint32_t bits_;
};

enum class OpCode : std::uint8_t {
    Operator,     // call_operator on the inputs
    Structural,   // a prim node: a C++ function on the inputs
    Assign,       // outputs from inputs, simultaneously
    Drop,         // empties the output registers
    Jump,         // to target
    JumpIfFalse,  // to target unless input 0
    LoopStart,   // inputs: max, condition, initial...; outputs: counter, max, index, carried...; target: after the loop
    LoopNext,    // inputs: condition, carried...; outputs as LoopStart; target: the body
    CallMethod,  // inputs: self, arguments...; target: call site
    CallFunction,  // inputs: arguments...; target: call site
    Enter,         // inputs: context manager; target: call site of __enter__
    Exit,          // inputs: context manager; target: call site of __exit__
    Fork,          // target: call site; its result becomes a ready future
    GetAttribute,  // inputs: object; target: attribute site
    SetAttribute,  // inputs: object, value; target: attribute site
    BailOut,       // inputs: a value, values that the rest reads; output: the value, if of the node's type
    Return,        // inputs: results
};

// The operands of a structural node: inputs may be moved from, outputs are to be set.
struct StructuralCall {
    const Instruction& instruction;
    const ir::Node& node;
    IValue* inputs;
    IValue* outputs;
    const Code* code;
};
using StructuralFunction = void (*)(const StructuralCall& call);

inline constexpr std::uint32_t kDiscard = 0xffffffff;

struct Instruction {
    OpCode code = OpCode::Jump;
    bool is_observed = false;  // observers are notified of it
    std::uint16_t input_count = 0;
    std::uint16_t output_count = 0;
    std::uint32_t inputs = 0;   // first in Code::operands
    std::uint32_t outputs = 0;  // first in Code::registers; a register, or kDiscard
    std::uint32_t target = 0;
    const ir::Node* node = nullptr;
    union {
        const Operator* op = nullptr;
        StructuralFunction structural;
    };
};

// A call: the callee is looked up when the object's class is another than last time.
struct CallSite {
    std::string name;                    // of the method
    std::string relative_scope;          // of the callee's module relative to the caller's: "layer1.0"
    const Function* function = nullptr;  // the callee: static for CallFunction, else cached from the last call
    Ptr<const Code> forked;              // of Fork
    const Code* code = nullptr;          // the last callee's code; owned by the function, since it may be this code
    const ClassType* type = nullptr;     // for which they are valid
};

struct AttributeSite {
    std::string name;
    const ClassType* type = nullptr;  // for which slot is valid
    std::size_t slot = 0;
};

class Code : public RefCounted {
  public:
    // Throws Error (Unsupported) for a node that is neither an operator that the engine has nor a known prim.
    static Ptr<const Code> make(Ptr<const ir::Graph> graph, std::string function_name);

    const ir::Graph& graph() const { return *graph_; }
    // The qualified name of the function; empty for a graph without one.
    const std::string& function_name() const { return function_name_; }
    std::size_t input_count() const { return graph_->inputs().size(); }
    std::size_t output_count() const { return graph_->outputs().size(); }
    // One line per instruction, for tests and display.
    std::string str() const;

    // For the interpreter. The graph's inputs are registers 0, 1, ...
    std::vector<Instruction> instructions;
    std::vector<Operand> operands;
    std::vector<std::uint32_t> registers;
    std::vector<IValue> constants;
    std::uint32_t register_count = 0;
    std::uint32_t window_size = 0;  // most inputs and outputs of one instruction
    // Filled while running; a model is run by one thread at a time.
    mutable std::vector<CallSite> call_sites;
    mutable std::vector<AttributeSite> attribute_sites;
    // State of a node with a subgraph between runs.
    mutable std::unordered_map<const ir::Node*, Ptr<RefCounted>> group_states;

  private:
    Code(Ptr<const ir::Graph> graph, std::string function_name)
        : graph_(std::move(graph)), function_name_(std::move(function_name)) {}

    Ptr<const ir::Graph> graph_;
    std::string function_name_;
};

// The code of a function, built at the first call and owned by it.
const Code& code_of(const ir::ScriptFunction& function);

}  // namespace loupe::runtime
