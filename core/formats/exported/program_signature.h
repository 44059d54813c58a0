// SPDX-License-Identifier: Apache-2.0
#pragma once
// What goes into a program's graph and comes out of it: its signature.

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/exported/program_json.h"

namespace loupe::exported {

struct InputSpec {
    enum class Kind { User, Fixed, Parameter, Buffer, Constant, Object, Token };
    Kind kind = Kind::User;
    std::string name;                  // the value's name in the graph
    std::string target = {};           // of a parameter, buffer or constant: its path
    bool is_persistent = true;         // of a buffer
    const JsonValue* value = nullptr;  // of a user's input and of a fixed one: the serialized argument
};

struct OutputSpec {
    enum class Kind { User, BufferMutation, ParameterMutation, InputMutation, Gradient, Token };
    Kind kind = Kind::User;
    const JsonValue* value = nullptr;  // of a user's output: the serialized argument
    std::string name = {};             // of others: the value's name in the graph
    std::string target = {};           // what is written: a path, or an input's name
};

// Throw Error (File).
std::vector<InputSpec> read_input_specs(const JsonValue& signature);
std::vector<OutputSpec> read_output_specs(const JsonValue& signature);

}  // namespace loupe::exported
