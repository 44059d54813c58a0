// SPDX-License-Identifier: Apache-2.0
// Python's own operators and functions on sizes: "_operator.floordiv", "math.trunc", "torch.sym_max".
#include <algorithm>
#include <array>

#include "core/formats/archive/byte_reader.h"
#include "core/formats/exported/node_emitter.h"

namespace loupe::exported {
namespace {

struct PythonName {
    std::string_view python;
    std::string_view aten;
};
// By the last part of the name, which the modules of Python and torch share.
constexpr std::array kOperators = {PythonName{"add", "aten::add"},
                                   PythonName{"iadd", "aten::add"},
                                   PythonName{"sub", "aten::sub"},
                                   PythonName{"isub", "aten::sub"},
                                   PythonName{"mul", "aten::mul"},
                                   PythonName{"imul", "aten::mul"},
                                   PythonName{"truediv", "aten::div"},
                                   PythonName{"floordiv", "aten::floordiv"},
                                   PythonName{"mod", "aten::remainder"},
                                   PythonName{"neg", "aten::neg"},
                                   PythonName{"abs", "prim::abs"},
                                   PythonName{"lt", "aten::lt"},
                                   PythonName{"le", "aten::le"},
                                   PythonName{"gt", "aten::gt"},
                                   PythonName{"ge", "aten::ge"},
                                   PythonName{"eq", "aten::eq"},
                                   PythonName{"ne", "aten::ne"},
                                   PythonName{"and_", "aten::__and__"},
                                   PythonName{"or_", "aten::__or__"},
                                   PythonName{"xor", "aten::__xor__"},
                                   PythonName{"lshift", "aten::__lshift__"},
                                   PythonName{"rshift", "aten::__rshift__"},
                                   PythonName{"not_", "aten::__not__"},
                                   PythonName{"sym_not", "aten::__not__"},
                                   PythonName{"sym_max", "prim::max"},
                                   PythonName{"max", "prim::max"},
                                   PythonName{"sym_min", "prim::min"},
                                   PythonName{"min", "prim::min"},
                                   PythonName{"sym_float", "aten::Float"},
                                   PythonName{"sym_int", "aten::Int"},
                                   PythonName{"ceil", "aten::ceil"},
                                   PythonName{"floor", "aten::floor"},
                                   PythonName{"trunc", "aten::Int"},
                                   PythonName{"round", "aten::round"},
                                   PythonName{"sqrt", "aten::sqrt"},
                                   PythonName{"_sym_sqrt", "aten::sqrt"},
                                   PythonName{"log2", "aten::log2"},
                                   PythonName{"_sym_log2", "aten::log2"},
                                   PythonName{"getitem", "aten::__getitem__"}};

}  // namespace

ir::Value* NodeEmitter::sum_of(const std::vector<Given>& given, const Names& names) {
    ir::Value* sum = nullptr;
    for (const Given& each : given) {
        const auto [kind, value] = union_of(*each.argument, "argument of sym_sum");
        if (kind != "as_sym_ints") throw_file_error("sym_sum takes a list of sizes");
        for (const JsonValue& part : list_of(value, "argument of sym_sum")) {
            ir::Value* next = symbolic(part, names);
            sum = sum == nullptr ? next : call_by_types("aten::add", {sum, next});
        }
    }
    return sum != nullptr ? sum : graph_.insert_constant(IValue(0));
}

std::vector<ir::Value*> NodeEmitter::emit_python(std::string_view target, const JsonValue& node, Names& names) {
    const std::string_view name = target.substr(target.rfind('.') + 1);
    const std::vector<Given> given = inputs_of(node);
    if (name == "sym_sum") return {sum_of(given, names)};
    std::vector<ir::Value*> values;
    for (const Given& each : given) values.push_back(value_of(*each.argument, nullptr, names));
    if (name == "sym_ite" && values.size() == 3) {
        ir::Node* choice = graph_.create(ir::prim::If, {as_bool(values[0])}, 1);
        choice->add_block()->add_output(values[1]);
        choice->add_block()->add_output(values[2]);
        choice->output()->set_type(values[1]->type());
        return insert(choice);
    }
    if (name == "pow" && values.size() == 2) {
        const bool is_whole = values[0]->type()->kind() == TypeKind::Int && values[1]->type()->kind() == TypeKind::Int;
        if (const Operator* whole = find_operator("aten::pow.int_to_int"); is_whole && whole != nullptr)
            return call(*whole, values);
        return {call_by_types("aten::pow", values)};
    }
    if (name == "pos" && values.size() == 1) return values;
    const auto known = std::ranges::find(kOperators, name, &PythonName::python);
    if (known != kOperators.end()) {
        // A size that is whole already.
        const bool is_whole = values.size() == 1 && values[0]->type()->kind() == TypeKind::Int;
        if (is_whole && (known->aten == "aten::Int" || known->aten == "aten::ceil" || known->aten == "aten::floor"))
            return values;
        return {call_by_types(known->aten, std::move(values))};
    }
    std::string kind(target);
    if (const auto dot = kind.rfind('.'); dot != std::string::npos) kind.replace(dot, 1, "::");
    if (kind.starts_with('#')) kind.erase(0, 1);
    return emit_missing(kind.find("::") == std::string::npos ? concat("python::", kind) : kind, node, names);
}

}  // namespace loupe::exported
