// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Python call's arguments in the order of a schema.

#include "core/value/callable.h"
#include "core/value/schema.h"

namespace loupe {

// Does the value fit the argument, as it is or by a conversion of PyTorch's argument parser (an int for
// float, one int for int[2], a tuple for a list, None for an optional, text for a device, a tensor with one element
// for a number)? Returns the converted value. "Any" takes any value; a bool is no int and an int no bool.
std::optional<IValue> convert_argument(const Argument& argument, const IValue& value);

// All of the schema's arguments, defaults filled in and conversions made. A schema with "..." takes more positional
// arguments, which come last, and ignores keywords that it does not name. A dot in the schema's name
// ("Linear.__init__") makes it a method: the object, which is not among the arguments, counts in messages as Python
// counts it. Throws Error (Run) with Python's messages: "linear() missing 1 required positional argument: 'weight'",
// "linear() got an unexpected keyword argument 'b'", "linear(): argument 'input' (position 1) must be Tensor, not int".
std::vector<IValue> bind_arguments(const FunctionSchema& schema, CallArguments arguments);

// "int", "str", "list", "Tensor", "NoneType": type(value).__name__.
std::string python_type_name(const IValue& value);

}  // namespace loupe
