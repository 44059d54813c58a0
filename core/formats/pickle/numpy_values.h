// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's numbers and arrays in pickles, as training programs leave them in checkpoints.

#include <optional>

#include "core/formats/pickle/pickle_reader.h"
#include "core/value/ivalue.h"

namespace loupe {

// Is the pickle a known call of numpy?
bool is_numpy_call(const PickleNode& node);
// A number, or an array as a tensor. Throws Error (File) when damaged, Error (Unsupported) for unsupported element
// types.
IValue build_numpy(const PickleNode& node);
// Bytes, also those that Python 3 wrote as text in protocol 2; nullopt for other values.
std::optional<std::string> pickled_bytes(const PickleNode& node);

}  // namespace loupe
