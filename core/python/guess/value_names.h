// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that an argument of a model may have, by what the field calls it: "num_heads" is a small whole number that
// divides "dim".

#include <string>
#include <string_view>
#include <vector>

#include "core/python/guess/parameter_facts.h"

namespace loupe::python {

// How the names that values are made of are written where the expression stands: "nn", "torch".
struct ValueNames {
    std::string nn = "nn";
    std::string torch = "torch";
    std::string name_space;  // of types.SimpleNamespace
};

// The text of an annotation without quotes, Optional, and `| None`.
std::string plain_annotation(std::string_view annotation);

// Expressions, the likeliest first. Empty where neither the annotation nor the facts nor the name says anything.
std::vector<std::string> values_by_annotation(const std::string& annotation, const std::string& name,
                                              const ParameterFacts& facts, const ValueNames& names);
std::vector<std::string> values_by_use(const std::string& name, const ParameterFacts& facts, const ValueNames& names);
std::vector<std::string> values_by_name(const std::string& name, const ParameterFacts& facts, const ValueNames& names);
// What is left to try.
std::vector<std::string> any_values(const ParameterFacts& facts, const ValueNames& names);

// Is it a name of an object with settings: config, args, cfg?
bool is_settings_name(std::string_view name);

}  // namespace loupe::python
