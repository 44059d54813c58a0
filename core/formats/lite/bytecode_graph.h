// SPDX-License-Identifier: Apache-2.0
#pragma once
// Decompiles a function of the lite interpreter's bytecode to a graph, by abstract interpretation of stack and
// registers.
// Jumps come from if and loops.

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
    std::int64_t argument_count = -1;  // -1: by the schema or the instruction
};
struct BytecodeFunction {
    std::vector<BytecodeInstruction> instructions;
    std::vector<BytecodeOperator> operators;
    std::vector<IValue> constants;
    std::vector<TypePtr> types;
    FunctionSchema schema;
    std::vector<LitePlace> places;  // of the instructions; empty when the file has none
    // Of a __setstate__: the class gets the attributes that it sets, named by their index.
    Ptr<ClassType> restored;
};

// Throws Error (File) for unstructured code, Error (Unsupported) for unknown instructions.
Ptr<ir::Graph> graph_of(const BytecodeFunction& function);

}  // namespace loupe
