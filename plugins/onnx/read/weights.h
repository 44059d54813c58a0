// SPDX-License-Identifier: Apache-2.0
#pragma once
// Initializers as parameters and buffers of modules, under the file's names.

#include <map>
#include <string>

#include "core/formats/exported/module_tree.h"
#include "core/ir/graph.h"
#include "plugins/onnx/proto/onnx.pb.h"
#include "plugins/onnx/proto/tensors.h"

namespace loupe::onnx {

class Weights {
  public:
    // Takes the graph's initializers. Throws Error (File, Unsupported).
    Weights(proto::GraphProto& graph, ExternalFiles& files, exported::ModuleTree& modules);

    bool has(const std::string& name) const { return paths_.contains(name) || constants_.contains(name); }
    // Reads of modules and tensors, each once, at the graph's insertion point.
    void read_all(ir::Graph& graph, std::map<std::string, ir::Value*>& values) const;

  private:
    std::map<std::string, std::string> paths_;  // of tensors by name
    // Shapes, axes and single numbers that no module holds, and tensors of strings.
    std::map<std::string, IValue> constants_;
};

}  // namespace loupe::onnx
