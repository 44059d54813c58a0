// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionSchema: an operator's or function's signature, in PyTorch's syntax.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/ivalue.h"
#include "core/value/type.h"

namespace loupe {

// "(a!)" on a Tensor: which alias set it is in, and whether it is written to.
struct AliasInfo {
    std::string set;        // "a"; "*" is the wildcard
    std::string set_after;  // of "(a -> *)"; the same as set otherwise
    bool is_write = false;
};

struct Argument {
    std::string name;
    TypePtr type;
    // "int[2]" takes one int for both.
    std::optional<std::int64_t> list_size;
    // The schema's spelling where the type does not determine it: "ScalarType?", "Layout", "int[2]"; empty otherwise.
    std::string type_text;
    std::optional<IValue> default_value;
    bool kwarg_only = false;
    std::optional<AliasInfo> alias;
    std::optional<AliasInfo> element_alias;  // "Tensor(a)[]": of the list's elements
};

struct FunctionSchema {
    std::string name;      // "aten::add"
    std::string overload;  // "Tensor", or empty
    std::vector<Argument> arguments;
    std::vector<Argument> returns;
    bool is_vararg = false;  // "..." after the arguments
    bool is_varret = false;

    std::string full_name() const { return overload.empty() ? name : name + "." + overload; }
    // As PyTorch prints it: "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor".
    std::string str() const;
    std::optional<std::size_t> find_argument(std::string_view argument) const;
    bool has_write() const;
};

// Throws Error (Internal) with the position when the text is no schema.
FunctionSchema parse_schema(std::string_view text);
// A type in schema, graph or annotation syntax: "Dict(str, Tensor)?", "Float(2, 3, strides=[3, 1])", "List[int]".
// resolve looks up dotted names ("__torch__.M"); without it they become classes without attributes.
// Throws Error (Internal) with the position when the text is no type.
using TypeResolver = std::function<TypePtr(std::string_view)>;
TypePtr parse_type(std::string_view text, const TypeResolver& resolve = nullptr);
// The type that the text begins with; removes it from the text.
TypePtr parse_type_prefix(std::string_view& text, const TypeResolver& resolve = nullptr);

// A callable with a schema. Script functions and methods, and C++ forwards, derive from it.
class Function : public RefCounted {
  public:
    virtual const std::string& qualified_name() const = 0;  // "__torch__.M.forward"
    std::string name() const;                               // "forward"
    virtual const FunctionSchema& schema() const = 0;
};

}  // namespace loupe
