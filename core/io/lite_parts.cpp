// SPDX-License-Identifier: Apache-2.0
#include "core/io/lite_parts.h"

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/io/byte_reader.h"
#include "core/ir/verify.h"
#include "core/value/type_parser.h"

namespace loupe {
namespace {

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

void add_lite_method(ir::CompilationUnit& unit, nn::Module& module, const std::string& qualified_name, BytecodeFunction function) {
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
    const Ptr<ir::Graph> graph = graph_of(function);
    try {
        ir::verify(*graph);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Internal) throw;
        throw_file_error(concat("bytecode: ", error.message()));
    }
    if (schema.returns.empty()) schema.returns.emplace_back().type = graph->outputs().at(0)->type();
    unit.add_method(*module.type(), make_ptr<ir::ScriptFunction>(concat(module.type()->name(), ".", name), graph, schema));
}

}  // namespace loupe
