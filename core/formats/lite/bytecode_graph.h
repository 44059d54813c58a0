// SPDX-License-Identifier: Apache-2.0
#pragma once
// The graph behind a function of the lite interpreter's bytecode. Jumps come from if and loops, stack and registers hold
// what nodes made: the stack is followed without running anything.

#include <string>
#include <vector>

#include "core/formats/lite/lite_bytecode.h"
#include "core/ir/graph.h"

namespace loupe {

struct BytecodeInstruction {
    std::string name;  // "OP", "STOREN"
    std::int64_t x = 0;
    std::int64_t n = 0;
};
struct BytecodeOperator {
    std::string name;  // "aten::add"
    std::string overload;
    std::int64_t argument_count = -1;  // -1: as many as the schema has, or the instruction says
};
struct BytecodeFunction {
    std::vector<BytecodeInstruction> instructions;
    std::vector<BytecodeOperator> operators;
    std::vector<IValue> constants;
    std::vector<TypePtr> types;
    FunctionSchema schema;
    std::vector<LitePlace> places;  // of the instructions; empty when the file does not say
    // Of a __setstate__: the class gets the attributes that it sets, named by their place.
    Ptr<ClassType> restored;
};

// Throws Error (File) for code that no structured program gives, Error (Unsupported) for instructions that are not known.
Ptr<ir::Graph> graph_of(const BytecodeFunction& function);

}  // namespace loupe
