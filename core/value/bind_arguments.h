// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Python call's arguments in the order of a schema.

#include "core/value/callable.h"
#include "core/value/schema.h"

namespace loupe {

// Can a value be given for the argument: as it is, or by a conversion that PyTorch's argument parser makes (an int for
// float, one int for int[2], a tuple for a list, None for what is optional)? Returns the converted value.
std::optional<IValue> convert_argument(const Argument& argument, const IValue& value);

// All of the schema's arguments, defaults filled in and conversions made. Throws Error (Run) with Python's messages:
// "linear() missing 1 required positional argument: 'weight'", "linear() got an unexpected keyword argument 'b'",
// "linear(): argument 'input' (position 1) must be Tensor, not int".
std::vector<IValue> bind_arguments(const FunctionSchema& schema, CallArguments arguments);

}  // namespace loupe
