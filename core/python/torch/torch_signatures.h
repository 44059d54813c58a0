// SPDX-License-Identifier: Apache-2.0
#pragma once
// The signatures that PyTorch's Python argument parser tries for a name, made from the operator records: torch.sum,
// Tensor.sum. An out= overload is one with the overload that it writes for.

#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/registry.h"

namespace loupe::python {

enum class ParameterKind : std::uint8_t {
    Tensor,
    Number,
    Int,
    Float,
    Complex,
    Bool,
    String,
    Dtype,
    Layout,
    MemoryFormat,
    Device,
    Generator,
    TensorList,
    OptionalTensorList,
    IntList,
    FloatList,
    NumberList,
    BoolList,
    Any,
};

struct Parameter {
    std::string name;
    ParameterKind kind = ParameterKind::Any;
    std::int64_t list_size = 0;  // of int[2]
    bool is_symbolic = false;    // SymInt, in messages
    bool takes_none = false;
    bool has_default = false;
    bool is_keyword_only = false;
    bool takes_numbers = false;  // a number where a tensor is expected, in arithmetic
    int argument = -1;           // of the schema; -1: out, or what only Python knows (requires_grad)
};

struct Signature {
    const Operator* op = nullptr;
    const Operator* out_op = nullptr;  // the same with out=; null when there is none
    std::size_t out_count = 0;
    int self_argument = -1;    // of a method: where self goes
    bool has_options = false;  // dtype, layout, device, pin_memory, and requires_grad behind them
    std::vector<Parameter> parameters;
    std::size_t most_positional = 0;
    std::size_t fewest = 0;
    std::string sort_text;  // PyTorch orders signatures by it

    // "(Tensor input, *, torch.dtype dtype)", as its messages show it.
    std::string str() const;
};

// What messages call it: "tuple of ints".
std::string_view parameter_type_name(const Parameter& parameter);

struct SignatureSet {
    std::string name;
    bool is_method = false;
    std::vector<Signature> signatures;  // in the order in which they are tried
    // PyTorch still takes an older order of arguments too, which is why it words what does not fit as for several.
    bool has_older_form = false;
};

// name: without "aten::" ("sum", "linalg_norm"). Null when no operator that Python sees has it. The sets live as long
// as the process.
const SignatureSet* find_signatures(std::string_view name, bool is_method);

}  // namespace loupe::python
