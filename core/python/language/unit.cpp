// SPDX-License-Identifier: Apache-2.0
// A source becomes a unit: parsed, its names resolved, its constants made.
#include "core/python/language/big_integer.h"
#include "core/python/language/frame.h"
#include "core/python/language/thread_state.h"
#include "core/script/literals.h"
#include "core/script/parser.h"

namespace loupe::python {
namespace {

IValue constant_of(const script::Expr* e) {
    if (const auto* number = script::as<script::Number>(e)) {
        if (auto value = script::parse_number(number->text)) return *value;
        const auto whole = script::parse_whole_number(number->text);
        return integer_from_digits(whole->digits, whole->base, whole->is_negative);
    }
    return IValue(script::as<script::String>(e)->value);
}

}  // namespace

Unit::Unit(Evaluator* unit_owner, std::shared_ptr<const ir::Source> unit_source, std::string module_name,
           Ptr<ModuleNamespace> names)
    : owner(unit_owner), source(std::move(unit_source)), name(std::move(module_name)), globals(std::move(names)) {
    std::shared_ptr<const script::SyntaxTree> parsed;
    with_deep_stack([&] {
        parsed = script::parse_source(source, script::Dialect::Python);
        scopes = analyse_scopes(source, *parsed, *globals);
    });
    constants.reserve(parsed->constants.size());
    for (const script::Expr* e : parsed->constants) constants.push_back(constant_of(e));
    tree = std::move(parsed);
}

}  // namespace loupe::python
