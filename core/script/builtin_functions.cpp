// SPDX-License-Identifier: Apache-2.0
#include "core/script/builtin_functions.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/base/strings.h"

namespace loupe::script {
namespace {

struct Definition {
    std::string_view name;
    std::string_view parameters;  // $ is replaced by each of the types
    std::string_view types;
    std::string_view result;
    std::string_view body;
};

constexpr std::array kDefinitions = {
    Definition{"aten::mul", "$ a, Tensor b", "float int complex", "Tensor", "  return b * a\n"},
    Definition{"aten::add", "$ a, Tensor b", "float int complex", "Tensor", "  return b + a\n"},
    Definition{"aten::ne", "$ a, Tensor b", "float int complex", "Tensor", "  return b != a\n"},
    Definition{"aten::eq", "$ a, Tensor b", "float int complex", "Tensor", "  return b == a\n"},
    Definition{"aten::sub", "$ a, Tensor b", "float int complex", "Tensor", "  return torch.neg(b) + a\n"},
    Definition{"aten::div", "$ a, Tensor b", "float int complex", "Tensor", "  return torch.reciprocal(b) * a\n"},
    Definition{"aten::lt", "$ a, Tensor b", "float int", "Tensor", "  return b > a\n"},
    Definition{"aten::le", "$ a, Tensor b", "float int", "Tensor", "  return b >= a\n"},
    Definition{"aten::gt", "$ a, Tensor b", "float int", "Tensor", "  return b < a\n"},
    Definition{"aten::ge", "$ a, Tensor b", "float int", "Tensor", "  return b <= a\n"},
    Definition{"aten::floordiv", "Tensor self, $ other", "Tensor Scalar", "Tensor",
               "  return torch.floor_divide(self, other)\n"},
    Definition{"aten::__contains__", "$ self, str key", "str", "bool", "  return self.find(key, 0, len(self)) != -1\n"},
    Definition{"aten::device", "$ type", "str", "Device", "  return torch.device(type)\n"},
    Definition{"aten::type", "Tensor self, $ dtype, bool non_blocking=False, bool copy=False", "int", "Tensor",
               "  return self.to(dtype, non_blocking, copy)\n"},
    Definition{"aten::_assert", "$ condition, str message", "bool", "NoneType", "  assert condition, message\n"},
    Definition{"prim::ndim", "$ a", "Tensor", "int", "  return a.dim()\n"},
    Definition{"prim::shape", "$ a", "Tensor", "int[]", "  return a.size()\n"},
    Definition{"prim::T", "$ a", "Tensor", "Tensor", "  return a.numpy_T()\n"},
    Definition{"prim::H", "$ a", "Tensor", "Tensor", "  return a.matrix_H()\n"},
};

using Table = std::unordered_map<ir::Symbol, std::vector<const BuiltinFunction*>>;

std::string replaced(std::string_view text, std::string_view type) {
    std::string out;
    for (const char c : text) {
        if (c == '$')
            out += type;
        else
            out += c;
    }
    return out;
}

Table make_table() {
    Table table;
    for (const Definition& definition : kDefinitions) {
        for (const std::string_view type : split(definition.types, ' ')) {
            const std::string schema =
                concat(definition.name, "(", replaced(definition.parameters, type), ") -> ", definition.result);
            // Never destroyed.
            table[ir::Symbol::intern(definition.name)].push_back(new BuiltinFunction(schema, definition.body));
        }
    }
    return table;
}

}  // namespace

std::span<const BuiltinFunction* const> builtin_functions_named(ir::Symbol name) {
    static const Table* const table = new Table(make_table());
    const auto found = table->find(name);
    if (found == table->end()) return {};
    return found->second;
}

}  // namespace loupe::script
