// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_layers.h"

#include "core/base/strings.h"
#include "core/value/schema.h"
#include "core/value/type.h"

namespace loupe::python {
namespace {

// What the schema calls Any is a tensor where nothing else is said.
std::string parameter_text(const Argument& parameter) {
    std::string out = parameter.name;
    if (parameter.type->kind() != TypeKind::Any) out += concat(": ", parameter.type->annotation_str());
    if (parameter.default_value) out += concat(" = ", python_repr(*parameter.default_value));
    return out;
}

std::string argument_text(const nn::LayerCall::Argument& argument) {
    using Kind = nn::LayerCall::Argument::Kind;
    std::string value(argument.text);
    if (argument.kind == Kind::Attribute) value = "self." + value;
    if (argument.kind == Kind::Text) value = concat("'", value, "'");
    if (argument.as_float) value = concat("float(", value, ")");
    return argument.keyword.empty() ? value : concat(argument.keyword, "=", value);
}

}  // namespace

std::string forward_source(const nn::LayerRecord& record) {
    std::string parameters = "self";
    for (const Argument& parameter : nn::forward_schema(record).arguments)
        parameters += ", " + parameter_text(parameter);
    const nn::LayerCall call = nn::call_of(record);
    std::string arguments;
    for (const nn::LayerCall::Argument& argument : call.arguments)
        arguments += (arguments.empty() ? "" : ", ") + argument_text(argument);
    return concat("def forward(", parameters, "):\n    return ", call.is_of_torch ? "torch." : "F.", call.function, "(",
                  arguments, ")\n");
}

}  // namespace loupe::python
