// SPDX-License-Identifier: Apache-2.0
#include "core/formats/lite/lite_parts.h"

#include <chrono>

#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/ir/verify.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/value/type_parser.h"

namespace loupe {
namespace {

constexpr std::chrono::seconds kLongestRestore{5};

AttributeKind kind_of(const IValue& value) {
    if (value.is_object()) return AttributeKind::Module;
    if (!value.is_tensor() || !value.to_tensor().defined()) return AttributeKind::Attribute;
    return requires_grad(value.to_tensor()) ? AttributeKind::Parameter : AttributeKind::Buffer;
}

TypePtr type_of_attribute(const IValue& value) {
    if (value.is_tensor()) return types::tensor();
    return value.is_none() ? types::optional(types::tensor()) : type_of(value);
}

// "[NamedTuple, [[x, int],[y, float]]]" behind the name: "Tuple[int, float]".
std::string plain_type(std::string_view text) {
    const std::size_t at = text.find("[NamedTuple, [");
    if (at == std::string_view::npos) return std::string(text);
    std::vector<std::string> elements;
    std::string_view rest = text.substr(at + 14);
    for (std::size_t open = rest.find('['); open != std::string_view::npos && open <= 2; open = rest.find('[')) {
        const std::size_t comma = rest.find(", ", open + 1);
        std::size_t depth = 1;
        std::size_t end = open + 1;
        for (; end < rest.size() && depth > 0; ++end) {
            if (rest[end] == '[') ++depth;
            if (rest[end] == ']') --depth;
        }
        if (comma == std::string_view::npos || depth != 0 || comma + 2 > end - 1) break;
        elements.emplace_back(rest.substr(comma + 2, end - 1 - (comma + 2)));
        rest.remove_prefix(end);
    }
    return concat("Tuple[", join(elements, ", "), "]");
}

Ptr<ir::Graph> verified_graph(const BytecodeFunction& function) {
    const Ptr<ir::Graph> graph = graph_of(function);
    try {
        ir::verify(*graph);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Internal) throw;
        throw_file_error(concat("bytecode: ", error.message()));
    }
    return graph;
}

}  // namespace

TypePtr lite_type(std::string_view text, const ir::CompilationUnit& unit) {
    try {
        return parse_type(plain_type(text), [&](std::string_view name) { return unit.find_type(name); });
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Internal) throw;
        throw_file_error(concat("bad type ", quote_name(text)));
    }
}

nn::ModulePtr make_lite_module(ir::CompilationUnit& unit, const std::string& class_name) {
    const auto type = make_ptr<ClassType>(unit.mangle(class_name), true);
    unit.add_type(type);
    return make_ptr<nn::Module>(type);
}

void add_lite_attribute(nn::Module& module, const std::string& name, const IValue& value) {
    if (module.type()->find_attribute(name)) throw_file_error(concat("two values for ", quote_name(name)));
    module.set_slot(module.type()->add_attribute(name, type_of_attribute(value), kind_of(value)), value);
}

nn::ModulePtr restore_lite_module(ir::CompilationUnit& unit, const std::string& class_name, BytecodeFunction set_state,
                                  const IValue& state) {
    nn::ModulePtr module = make_lite_module(unit, class_name);
    const Ptr<ClassType>& type = module->type();
    if (set_state.schema.arguments.size() != 2) throw_file_error("__setstate__ does not take one state");
    set_state.schema.arguments[0].type = type;
    set_state.schema.name = "__setstate__";
    if (!is_instance(state, *set_state.schema.arguments[1].type))
        throw_file_error("__setstate__ takes another state than the file holds");
    set_state.restored = type;
    const auto function =
        make_ptr<ir::ScriptFunction>(concat(class_name, ".__setstate__"), verified_graph(set_state), set_state.schema);
    const DeadlineScope deadline(kLongestRestore);
    runtime::run_function(*function, {IValue(Ptr<Object>(module)), state});
    for (std::size_t slot = 0; slot < type->attributes().size(); ++slot) {
        const IValue value = slot < module->slot_count() ? module->slot(slot) : IValue();
        type->set_attribute_type(slot, type_of_attribute(value), kind_of(value));
    }
    return module;
}

bool is_of_inner_object(const std::string& qualified_name, const std::string& class_name) {
    const auto dot = qualified_name.rfind('.');
    const std::string_view name = std::string_view(qualified_name).substr(dot + 1);
    return (name == "__setstate__" || name == "__getstate__") && qualified_name.substr(0, dot) != class_name;
}

void add_lite_method(ir::CompilationUnit& unit, nn::Module& module, const std::string& qualified_name,
                     BytecodeFunction function) {
    FunctionSchema& schema = function.schema;
    const std::string name = qualified_name.substr(qualified_name.rfind('.') + 1);
    if (module.type()->find_method(name) != nullptr) throw_file_error(concat("two methods ", quote_name(name)));
    schema.name = name;
    if (schema.arguments.empty()) {
        schema.arguments.resize(2);
        schema.arguments[0].name = "self";
        schema.arguments[1].name = "input";
        schema.arguments[1].type = types::tensor();
    }
    schema.arguments[0].type = module.type();
    const Ptr<ir::Graph> graph = verified_graph(function);
    if (schema.returns.empty()) schema.returns.emplace_back().type = graph->outputs().at(0)->type();
    unit.add_method(*module.type(),
                    make_ptr<ir::ScriptFunction>(concat(module.type()->name(), ".", name), graph, schema));
}

}  // namespace loupe
