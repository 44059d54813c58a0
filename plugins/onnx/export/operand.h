// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a value of the program is while it is written as ONNX: known, or a value of the ONNX graph.
//
// Sizes that differ between runs have two examples (choices): what comes out equal for both is a constant of the
// model, what does not is computed by its nodes.

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/dispatch/registry.h"
#include "core/value/ivalue.h"
#include "plugins/onnx/export/builder.h"

namespace loupe::onnx_export {

inline constexpr std::size_t kChoices = 2;

struct TensorState;
struct ListState;

struct Operand {
    enum class Kind : std::uint8_t { Constant, Number, Tensor, List, Tuple, Dict };

    Kind kind = Kind::Constant;
    IValue constant = {};   // Constant: anything that holds no tensor
    OnnxValue number = {};  // Number: without dimensions
    std::optional<std::array<IValue, kChoices>> choices = {};
    std::shared_ptr<TensorState> tensor = nullptr;
    std::shared_ptr<ListState> list = nullptr;  // List, Tuple, Dict: shared, as Python shares them

    bool is_none() const { return kind == Kind::Constant && constant.is_none(); }
    bool is_tensor() const { return kind == Kind::Tensor; }
    bool is_list() const { return kind == Kind::List || kind == Kind::Tuple; }
};
using Operands = std::vector<Operand>;

// A tensor of the program. Operators that write change it for all who hold it; ONNX's values are never written.
struct TensorState {
    OnnxValue value;
    std::optional<std::array<Dims, kChoices>> sizes = {};
    // The elements of a small one that was computed from sizes.
    std::optional<std::array<Tensor, kChoices>> elements = {};
    bool is_parameter = false;
    std::size_t depth = 0;  // of the graph in which it was made
    unsigned version = 0;   // counts writes

    // Of a view: how it is made from its base again after a write to that.
    std::shared_ptr<TensorState> base = nullptr;
    const Operator* op = nullptr;
    Operands arguments = {};
    std::size_t result = 0;
    std::optional<std::size_t> element = {};  // of a result that is a list
    unsigned base_version = 0;
};

struct ListState {
    Operands elements = {};
    std::vector<IValue> keys = {};  // of a dict
    TypePtr element_type = nullptr;
    // In a loop that appends, a list of tensors is a sequence of the ONNX graph.
    std::optional<OnnxValue> sequence = {};
    std::size_t depth = 0;
};

inline Operand constant_operand(IValue value) { return {.constant = std::move(value)}; }

}  // namespace loupe::onnx_export
