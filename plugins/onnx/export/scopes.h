// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which module a node belongs to, as PyTorch's exporter writes it beside each node.

#include <map>
#include <memory>
#include <string>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "plugins/onnx/export/onnx_graph.h"

namespace loupe::onnx_export {

class Scopes {
  public:
    explicit Scopes(nn::ModulePtr module) : module_(std::move(module)) {}

    // "namespace", "pkg.torch.onnx.class_hierarchy", "pkg.torch.onnx.name_scopes" and, where the source's line is
    // known, "pkg.torch.onnx.stack_trace".
    std::shared_ptr<const Metadata> metadata_of(const ir::Node& node);

  private:
    const std::string& class_of(const std::string& path);

    nn::ModulePtr module_;
    std::map<std::string, std::string> classes_;
};

}  // namespace loupe::onnx_export
