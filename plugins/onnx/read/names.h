// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names in a file, as names here.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/exported/module_tree.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {

// "/b/ln/Add_output_0": "b_ln_Add_output_0"; empty when nothing is left.
std::string value_name(std::string_view name);
// "", "ai.onnx": "onnx"; "com.microsoft": "com_microsoft".
std::string namespace_of(std::string_view domain);
// Of an entry of metadata; null when there is none.
const std::string* metadata(const google::protobuf::RepeatedPtrField<proto::StringStringEntryProto>& entries,
                            std::string_view key);
// "['', 'b', 'b.ln']", a Python list of strings. Empty for other text.
std::vector<std::string> python_strings(std::string_view text);

// The modules that a node is called in, outermost first: from the exporter's metadata, else from the node's name
// ("/layer1/layer1.0/conv1/Conv").
std::vector<exported::ModuleCall> module_calls(const proto::NodeProto& node);

}  // namespace loupe::onnx
