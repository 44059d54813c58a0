// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/read/functions.h"

#include "core/base/strings.h"

namespace loupe::onnx {
namespace {

constexpr int kDeepest = 1000;  // functions and graphs inside each other; a message nests 100 graphs

std::string key_of(const std::string& domain, const std::string& name, const std::string& overload) {
    return concat(domain == "ai.onnx" ? "" : domain, "::", name, "::", overload);
}

class NodeCount {
  public:
    NodeCount(const Functions& functions, std::size_t most) : functions_(functions), most_(most) {}

    std::size_t of_nodes(const google::protobuf::RepeatedPtrField<proto::NodeProto>& nodes, int depth) {
        std::size_t sum = 0;
        for (const proto::NodeProto& node : nodes) {
            sum += 1 + of_call(node, depth);
            for (const proto::AttributeProto& attribute : node.attribute())
                if (attribute.has_g()) sum += of_nodes(attribute.g().node(), depth + 1);
            if (sum > most_) return most_ + 1;
        }
        return sum;
    }

  private:
    std::size_t of_call(const proto::NodeProto& node, int depth) {
        const proto::FunctionProto* function = functions_.called_by(node);
        if (function == nullptr || depth > kDeepest) return 0;
        if (counted_.emplace(function, 0).second) counted_[function] = of_nodes(function->node(), depth + 1);
        return counted_[function];
    }

    const Functions& functions_;
    std::size_t most_;
    std::map<const proto::FunctionProto*, std::size_t> counted_;  // 0: being counted
};

}  // namespace

Functions::Functions(const proto::ModelProto& model) {
    for (const proto::FunctionProto& function : model.functions())
        all_[key_of(function.domain(), function.name(), function.overload())] = &function;
}

const proto::FunctionProto* Functions::called_by(const proto::NodeProto& node) const {
    if (all_.empty()) return nullptr;
    const auto found = all_.find(key_of(node.domain(), node.op_type(), node.overload()));
    return found == all_.end() ? nullptr : found->second;
}

std::size_t Functions::count_nodes(const proto::GraphProto& graph, std::size_t most) const {
    return NodeCount(*this, most).of_nodes(graph.node(), 0);
}

}  // namespace loupe::onnx
