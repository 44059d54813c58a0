// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_signature.h"

#include "core/formats/archive/byte_reader.h"

namespace loupe::exported {
namespace {

constexpr std::string_view kWhat = "signature";

std::string text_in(const JsonValue& object, const char* name) { return std::string(text_member(object, name, kWhat)); }

std::string argument_name(const JsonValue& spec) { return text_in(member(spec, "arg", kWhat), "name"); }

InputSpec read_user_input(const JsonValue& spec) {
    const JsonValue& argument = member(spec, "arg", kWhat);
    const auto [kind, value] = union_of(argument, kWhat);
    if (kind == "as_tensor" || kind == "as_custom_obj")
        return {InputSpec::Kind::User, text_in(value, "name"), {}, true, &argument};
    const JsonValue* name = kind.starts_with("as_sym_") ? find_member(value, "as_name", kWhat) : nullptr;
    if (name != nullptr) return {InputSpec::Kind::User, std::string(text_of(*name, kWhat)), {}, true, &argument};
    return {InputSpec::Kind::Fixed, {}, {}, true, &argument};
}

InputSpec read_input(const JsonValue& json) {
    const auto [kind, spec] = union_of(json, kWhat);
    if (kind == "user_input") return read_user_input(spec);
    if (kind == "constant_input")
        return {InputSpec::Kind::Fixed, text_in(spec, "name"), {}, true, &member(spec, "value", kWhat)};
    if (kind == "parameter") return {InputSpec::Kind::Parameter, argument_name(spec), text_in(spec, "parameter_name")};
    if (kind == "buffer") {
        const JsonValue* persistent = find_member(spec, "persistent", kWhat);
        return {InputSpec::Kind::Buffer, argument_name(spec), text_in(spec, "buffer_name"),
                persistent == nullptr || bool_of(*persistent, kWhat)};
    }
    if (kind == "tensor_constant")
        return {InputSpec::Kind::Constant, argument_name(spec), text_in(spec, "tensor_constant_name")};
    if (kind == "custom_obj") return {InputSpec::Kind::Object, argument_name(spec), text_in(spec, "custom_obj_name")};
    if (kind == "token") return {InputSpec::Kind::Token, argument_name(spec)};
    throw_file_error(concat("the program's signature has an input of an unknown kind: ", kind));
}

OutputSpec read_output(const JsonValue& json) {
    const auto [kind, spec_of_kind] = union_of(json, kWhat);
    const auto& spec = spec_of_kind;  // a lambda cannot name a part of a pair
    if (kind == "user_output") return {OutputSpec::Kind::User, &member(spec, "arg", kWhat)};
    const auto written = [&](OutputSpec::Kind of, const char* target) {
        return OutputSpec{of, nullptr, argument_name(spec), text_in(spec, target)};
    };
    if (kind == "buffer_mutation") return written(OutputSpec::Kind::BufferMutation, "buffer_name");
    if (kind == "parameter_mutation") return written(OutputSpec::Kind::ParameterMutation, "parameter_name");
    if (kind == "user_input_mutation") return written(OutputSpec::Kind::InputMutation, "user_input_name");
    if (kind == "gradient_to_parameter") return written(OutputSpec::Kind::Gradient, "parameter_name");
    if (kind == "gradient_to_user_input") return written(OutputSpec::Kind::Gradient, "user_input_name");
    if (kind == "loss_output") return {OutputSpec::Kind::User, nullptr, argument_name(spec)};
    if (kind == "token") return {OutputSpec::Kind::Token};
    throw_file_error(concat("the program's signature has an output of an unknown kind: ", kind));
}

}  // namespace

std::vector<InputSpec> read_input_specs(const JsonValue& signature) {
    std::vector<InputSpec> specs;
    for (const JsonValue& each : list_of(member(signature, "input_specs", kWhat), kWhat))
        specs.push_back(read_input(each));
    return specs;
}

std::vector<OutputSpec> read_output_specs(const JsonValue& signature) {
    std::vector<OutputSpec> specs;
    for (const JsonValue& each : list_of(member(signature, "output_specs", kWhat), kWhat))
        specs.push_back(read_output(each));
    return specs;
}

}  // namespace loupe::exported
