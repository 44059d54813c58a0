// SPDX-License-Identifier: Apache-2.0
#pragma once
// TypeProto as types.

#include <optional>
#include <string>

#include "core/formats/exported/symbols.h"
#include "core/value/type.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {

// A tensor without shape facts, a list or an optional of them; strings are lists of str. Any when it is not known.
TypePtr type_of(const proto::TypeProto& type);
// The same with a tensor's dtype and the sizes that the file fixes.
TypePtr refined_type_of(const proto::TypeProto& type);
// What the file demands of an input's sizes: numbers and symbols. nullopt where it says nothing.
std::optional<exported::InputRule> input_rule(const std::string& name, const proto::TypeProto& type);

}  // namespace loupe::onnx
