// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions of a file, by the names that nodes call them by.

#include <cstddef>
#include <map>
#include <string>

#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {

class Functions {
  public:
    explicit Functions(const proto::ModelProto& model);

    // Null where the node calls none.
    const proto::FunctionProto* called_by(const proto::NodeProto& node) const;
    // Nodes of the graph with those of what it calls, and of graphs inside; counts to `most` + 1 at most. A call of a
    // function by itself counts as one.
    std::size_t count_nodes(const proto::GraphProto& graph, std::size_t most) const;

  private:
    std::map<std::string, const proto::FunctionProto*> all_;
};

}  // namespace loupe::onnx
