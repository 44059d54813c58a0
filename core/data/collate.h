// SPDX-License-Identifier: Apache-2.0
#pragma once
// Samples to a batch: torch.utils.data.default_collate.

#include <functional>
#include <optional>
#include <vector>

#include "core/value/ivalue.h"

namespace loupe::data {

using Collate = std::function<IValue(std::vector<IValue> samples)>;

// Collates values that IValue's own types lack (objects, bytes, mappings), for a batch whose first sample is `other`.
// nullopt: unknown there too.
using CollateOther = std::function<std::optional<IValue>(const std::vector<IValue>& samples)>;
// "<class 'NoneType'>" of a value, for the error.
using ClassText = std::function<std::string(const IValue& value)>;

// Tensors are stacked, [N, ...]; numbers become a tensor (float64, int64, bool), texts a list, dicts a dict by the
// first sample's keys, named tuples stay such, tuples and lists a list by position. Throws Error (Run) for tensors or
// lists of different sizes, ArgumentError (TypeError, KeyError) for what has no batch, with PyTorch's messages.
IValue default_collate(const std::vector<IValue>& samples, const CollateOther& other = nullptr,
                       const ClassText& class_text = nullptr);
// torch.utils.data.default_convert: converts a sample of a loader without batches. Tuples become lists.
IValue default_convert(const IValue& sample);

}  // namespace loupe::data
