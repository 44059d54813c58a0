// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables of lite interpreter FlatBuffers, as PyTorch's mobile_bytecode.fbs lays them out.

#include <array>
#include <cstdint>

namespace loupe::lite {

// Fields of tables, by their index in the schema.
namespace module_field {
enum : std::size_t {
    version,
    extra_files,
    methods,
    state,
    values,
    storage_count,
    storages,
    object_types,
    sources,
    source_constants,
    operator_version
};
}
namespace function_field {
enum : std::size_t { name, instructions, operators, constants, types, registers, schema, debug, class_type };
}
namespace tensor_field {
enum : std::size_t { storage, dtype, offset, sizes, strides, requires_grad, quantized };
}

// The tags of the union of values.
enum class Tag : std::uint8_t {
    None,
    Int,
    Bool,
    Double,
    Complex,
    Tensor,
    String,
    List,
    Tuple,
    Dict,
    Object,
    IntList,
    DoubleList,
    BoolList,
    Device,
    Enum,
    Function
};

namespace object_field {
enum : std::size_t { type, state, attributes, set_state };
}

// TypeType.CLASS_WITH_FIELD and CLASS_WITH_SETSTATE.
inline constexpr std::uint8_t kWithFields = 1;
inline constexpr std::uint8_t kWithSetState = 3;

// By number, as in torch/csrc/jit/runtime/instruction.h.
inline constexpr std::array<const char*, 50> kInstructions = {"OP",
                                                              "OPN",
                                                              "LOAD",
                                                              "MOVE",
                                                              "STOREN",
                                                              "STORE",
                                                              "DROP",
                                                              "DROPR",
                                                              "LOADC",
                                                              "JF",
                                                              "JMP",
                                                              "LOOP",
                                                              "RET",
                                                              "WAIT",
                                                              "CALL",
                                                              "GUARD",
                                                              "TYPECHECK",
                                                              "FAIL_GUARD",
                                                              "PROFILE_OP",
                                                              "TAIL_CALL",
                                                              "INTERFACE_CALL",
                                                              "GET_ATTR",
                                                              "SET_ATTR",
                                                              "LIST_UNPACK",
                                                              "TUPLE_CONSTRUCT",
                                                              "NAMED_TUPLE_CONSTRUCT",
                                                              "LIST_CONSTRUCT",
                                                              "DICT_CONSTRUCT",
                                                              "CREATE_OBJECT",
                                                              "ISINSTANCE",
                                                              "TUPLE_SLICE",
                                                              "TUPLE_INDEX",
                                                              "RAISE_EXCEPTION",
                                                              "DICT_INDEX",
                                                              "UNCHECKED_CAST",
                                                              "__IS__",
                                                              "UN_INITIALIZED",
                                                              "__ISNOT__",
                                                              "FORMAT",
                                                              "DEVICE",
                                                              "DTYPE",
                                                              "DIM",
                                                              "__NOT__",
                                                              "TO_LIST",
                                                              "NUM_TO_TENSOR",
                                                              "IS_CUDA",
                                                              "FORK",
                                                              "WARN",
                                                              "ENTER",
                                                              "EXIT"};

}  // namespace loupe::lite
