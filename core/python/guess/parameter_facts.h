// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a class does with an argument of its constructor, as far as its text shows.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/language/frame.h"

namespace loupe::python {

struct ParameterFacts {
    std::map<std::string, ParameterFacts> attributes;  // that are read of it; of a dict its keys
    std::vector<std::string> choices;                  // texts that it is compared with, as literals
    std::vector<std::string> classes;                  // of isinstance(it, ...)
    std::string fallback;                              // of an attribute: what getattr or get() gives instead
    bool has_keys = false;                             // it is indexed by texts
    bool is_iterated = false;
    std::size_t element_arity = 0;  // of `for a, b in it`
    std::size_t arity = 0;          // of `a, b = it`, and of the largest index that it is read at
    bool is_called = false;
    bool is_called_with_sizes = false;  // called where the layers are made
    bool is_module = false;             // called with what forward gets
    bool is_number = false;             // counted or calculated with
};

// function: the constructor; parameter: a name of its parameters. methods: the other functions of the class, where
// the argument may be read as an attribute of self.
ParameterFacts facts_of_parameter(const FunctionObject& constructor, std::string_view parameter,
                                  const std::vector<const FunctionObject*>& methods);

// What a method reads of a value under a name: also of forward's arguments.
void add_uses(ParameterFacts& facts, script::Body body, std::string_view source, std::string_view name,
              bool is_constructor);

}  // namespace loupe::python
