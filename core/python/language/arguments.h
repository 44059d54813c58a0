// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading the arguments of a function written in C++.

#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/python/language/operations.h"

namespace loupe::python {

// Arguments in the order of their parameters' names. A parameter "x" is required, "x=" is not; names behind "*" can
// only be given by name; those before "/" only by position.
//
//     const BoundArguments given(arguments, "split", {"self", "/", "sep=", "maxsplit="});
//
// Throws TypeError with Python's messages.
class BoundArguments {
  public:
    BoundArguments(const CallArguments& arguments, std::string_view function,
                   std::initializer_list<std::string_view> parameters);
    bool has(std::size_t index) const { return given_[index]; }
    const IValue& operator[](std::size_t index) const { return values_[index]; }
    // The value, or the default when it was not given.
    IValue value_or(std::size_t index, IValue otherwise) const;
    std::int64_t int_or(std::size_t index, std::int64_t otherwise) const;
    bool truth_or(std::size_t index, bool otherwise) const;

  private:
    std::vector<IValue> values_;
    std::vector<bool> given_;
};

// Throws TypeError unless there are between `least` and `most` positional arguments and no keywords.
void check_positional(const CallArguments& arguments, std::string_view function, std::size_t least, std::size_t most);

}  // namespace loupe::python
