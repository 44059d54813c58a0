// SPDX-License-Identifier: Apache-2.0
#pragma once
// prim::StaticSubgraph: a part of a graph that depends on input shapes only. It runs as a program for
// its inputs' shapes (see static_program.h), rebuilt for others.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/interpreter/code.h"
#include "core/runtime/planned/static_program.h"

namespace loupe::runtime {

class StaticGroup : public RefCounted {
  public:
    explicit StaticGroup(Ptr<const Code> code);
    ~StaticGroup() override;

    // The graph's outputs. The first run with inputs of certain shapes is the interpreter's, which fills the caches;
    // the second is captured; later ones are the program's, which from its third on does not allocate.
    void run(std::span<const IValue> inputs, IValue* outputs);

    // Makes a program for these inputs and tunes its kernels. Returns the chosen backends; empty when there is no
    // program.
    std::vector<std::string> tune(std::span<const IValue> inputs);
    // Sets the backends by step of programs made from now on, for inputs with this signature_text().
    void prefer(std::string signature, std::vector<std::string> backends);

    const Code& code() const;
    // Of the inputs that ran last; null while there is none.
    const StaticProgram* program() const;
    // Why the last inputs have none, and will have none; empty while they may.
    const std::string& refusal() const;
    const ir::Node* refused_at() const;  // in code().graph(); null when it is no node's fault
    std::size_t program_count() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

// Sizes, strides, dtypes and numbers: "float32 [1, 3] [3, 1]; 2".
std::string signature_text(std::span<const IValue> inputs);

// Attributes of the node may hold tuned backends: "signature", a string, and "backends", strings.
void run_static_subgraph(const StructuralCall& call);
// The groups of the code that have run, in the graph's order.
struct StaticGroupPlace {
    const ir::Node* node = nullptr;
    Ptr<const StaticGroup> group;
};
std::vector<StaticGroupPlace> static_groups(const Code& code);

}  // namespace loupe::runtime
