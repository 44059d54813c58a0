// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/script/sugared_value.h"

namespace loupe::script {
namespace {

using Table = std::unordered_map<std::string_view, SugaredPtr>;

struct Overloaded {
    std::string_view name;
    std::string_view method;
    std::string_view op;
};

void add_casts(Table& table) {
    const auto cast = [&](std::string_view name, std::string method, const TypePtr& type, std::string_view op) {
        table[name] = make_ptr<MagicMethod>(std::move(method), make_ptr<CastValue>(type, ir::Symbol::intern(op)));
    };
    cast("float", "__float__", types::floating(), "aten::Float");
    cast("int", "__int__", types::integer(), "aten::Int");
    cast("bool", "__bool__", types::boolean(), "aten::Bool");
    cast("str", "__str__", types::string(), "aten::str");
    table["_to_tensor"] = make_ptr<CastValue>(types::tensor(), ir::Symbol::intern("prim::NumToTensor"));
}

void add_operators(Table& table) {
    constexpr std::array kOverloaded = {
        Overloaded{"len", "__len__", "aten::len"},
        Overloaded{"hex", "__hex__", "aten::hex"},
        Overloaded{"oct", "__oct__", "aten::oct"},
        Overloaded{"round", "__round__", "aten::round"},
    };
    for (const Overloaded& entry : kOverloaded) {
        const auto op = make_ptr<BuiltinValue>(ir::Symbol::intern(entry.op));
        table[entry.name] = make_ptr<MagicMethod>(std::string(entry.method), op);
    }
    constexpr std::array<std::string_view, 10> kAten = {"hash", "all", "any", "divmod", "sum",
                                                        "ord",  "chr", "bin", "pow",    "sorted"};
    for (const std::string_view name : kAten) {
        table[name] = make_ptr<BuiltinValue>(ir::Symbol::intern(concat("aten::", name)));
    }
    table["complex"] = make_ptr<BuiltinValue>(ir::Symbol::intern("aten::Complex"));
    constexpr std::array<std::string_view, 5> kPrim = {"id", "min", "max", "abs", "rangelist"};
    for (const std::string_view name : kPrim) {
        table[name] = make_ptr<BuiltinValue>(ir::Symbol::intern(concat("prim::", name)));
    }
}

void add_forms(Table& table) {
    table["print"] = make_ptr<PrintValue>();
    table["tuple"] = make_ptr<SpecialForm>(Form::TupleConstruct);
    table["getattr"] = make_ptr<SpecialForm>(Form::GetAttr);
    table["hasattr"] = make_ptr<SpecialForm>(Form::HasAttr);
    table["isinstance"] = make_ptr<SpecialForm>(Form::IsInstance);
    table["list"] = make_ptr<SpecialForm>(Form::List);
    table["dict"] = make_ptr<SpecialForm>(Form::Dict);
    table["range"] = make_ptr<SpecialForm>(Form::Range);
    table["zip"] = make_ptr<SpecialForm>(Form::Zip);
    table["enumerate"] = make_ptr<SpecialForm>(Form::Enumerate);
}

void add_exceptions(Table& table) {
    table["AssertionError"] = make_ptr<ExceptionClass>("");
    constexpr std::array<std::string_view, 13> kNames = {
        "Exception",     "ValueError",     "RuntimeError",        "TypeError",       "KeyError",
        "IndexError",    "AttributeError", "NotImplementedError", "ArithmeticError", "ZeroDivisionError",
        "OverflowError", "StopIteration",  "LookupError"};
    for (const std::string_view name : kNames) table[name] = make_ptr<ExceptionClass>(concat("builtins.", name));
}

}  // namespace

SugaredPtr python_builtin(std::string_view name) {
    static const Table* const table = [] {
        auto* made = new Table();
        add_casts(*made);
        add_operators(*made);
        add_forms(*made);
        add_exceptions(*made);
        return made;
    }();
    const auto found = table->find(name);
    return found != table->end() ? found->second : nullptr;
}

}  // namespace loupe::script
