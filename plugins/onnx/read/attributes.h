// SPDX-License-Identifier: Apache-2.0
#pragma once
// A node's attributes as values.

#include <map>
#include <optional>
#include <string>

#include "core/value/ivalue.h"
#include "plugins/onnx/proto/onnx.pb.h"
#include "plugins/onnx/proto/tensors.h"

namespace loupe::onnx {

// Attributes of the function call that nodes of the function refer to.
using CallAttributes = std::map<std::string, const proto::AttributeProto*>;

// The attribute, or what the call gives for it; null when the call gives nothing.
const proto::AttributeProto* resolved(const proto::AttributeProto& attribute, const CallAttributes& call);
// What kind of value it has, also where an old file does not say.
proto::AttributeProto::AttributeType kind_of(const proto::AttributeProto& attribute);
// As a value of the type that an operator takes. Throws Error (File) for another kind.
IValue attribute_value(const proto::AttributeProto& attribute, const TypePtr& formal, const std::string& node,
                       ExternalFiles& files);
// By its own kind: for operators that are not known. None for graphs and types.
IValue plain_value(const proto::AttributeProto& attribute, ExternalFiles& files);
// The strings of a tensor of strings.
IValue string_list(const proto::TensorProto& tensor);

}  // namespace loupe::onnx
