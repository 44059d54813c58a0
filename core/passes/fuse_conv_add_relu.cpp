// SPDX-License-Identifier: Apache-2.0
// PyTorch's pass of the name: on a GPU cuDNN adds the bias and another tensor and applies relu in the kernel of the
// convolution. Weights must be frozen, so that it is known that they are there.
#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// As scripts call it, or as traces do: inputs 3 to 5 are stride, padding and dilation.
bool is_plain_convolution(const Node* node) {
    for (const char* name : {"aten::conv1d", "aten::conv2d", "aten::conv3d"}) {
        if (node->is(name) && node->inputs().size() == 7) return node->input(4)->type()->kind() == TypeKind::List;
    }
    const bool is_general = node->is("aten::convolution") || node->is("aten::_convolution");
    return is_general && node->inputs().size() > 8 && constant_bool(node->input(6)) == false;
}
Value* groups_of(const Node* node) { return node->input(node->inputs().size() == 7 ? 6 : 8); }

// Frozen, on a device whose kernel of the fused operator is the library's.
bool is_on_such_device(const Value* weight, const char* fused) {
    const auto constant = constant_tensor(weight);
    if (!constant || constant->device().is_cpu() || !is_floating(constant->dtype())) return false;
    const auto& candidates =
        find_operator(fused, "")->kernels->candidates[static_cast<std::size_t>(constant->device().type)];
    return !candidates.empty();
}
bool is_frozen_bias(const Value* bias) { return ir::is_none_constant(bias) || constant_tensor(bias).has_value(); }

class Fusion {
  public:
    explicit Fusion(Graph& graph) : graph_(graph), aliases_(graph) {}

    bool changed() const { return changed_; }
    void visit(Node* node) {
        if (!node->is("aten::relu") || aliases_.has_writers(node)) return;
        Node* const before = inner(node->input(0), node);
        if (before == nullptr) return;
        if (is_plain_convolution(before)) return fuse(node, before, nullptr, nullptr);
        if (!before->is("aten::add.Tensor")) return;
        for (const std::size_t side : {0U, 1U}) {
            Node* const convolution = inner(before->input(side), node);
            Value* const other = before->input(1 - side);
            // alpha is the second summand's.
            const bool takes_alpha = side == 0 || constant_number(before->input(2)) == 1.0;
            if (convolution == nullptr || !is_plain_convolution(convolution) || !takes_alpha ||
                other->type()->kind() != TypeKind::Tensor)
                continue;
            return fuse(node, convolution, other, before->input(2));
        }
    }

  private:
    Node* inner(const Value* value, const Node* of) const {
        Node* const node = value->node();
        const bool is_alone = node->block() == of->block() && node->outputs().size() == 1 && value->uses().size() == 1;
        return is_alone && !aliases_.has_writers(node) ? node : nullptr;
    }

    void fuse(Node* relu, Node* convolution, Value* other, Value* alpha) {
        const char* const name = other != nullptr ? "aten::cudnn_convolution_add_relu" : "aten::cudnn_convolution_relu";
        if (!is_on_such_device(convolution->input(1), name) || !is_frozen_bias(convolution->input(2))) return;
        const ir::OriginScope origin(graph_, {relu, convolution}, "FuseFrozenConvAddRelu", name);
        const ir::InsertPointScope place(graph_, relu);
        std::vector<Value*> inputs{convolution->input(0), convolution->input(1)};
        if (other != nullptr) inputs.insert(inputs.end(), {other, alpha});
        for (const std::size_t i : {2U, 3U, 4U, 5U}) inputs.push_back(convolution->input(i));
        inputs.push_back(groups_of(convolution));
        Node* const made = graph_.create(Symbol::intern(name), inputs, 1);
        graph_.insert(made)->set_op(find_operator(name, ""));
        made->output()->set_type(relu->output()->type());
        relu->output()->replace_all_uses_with(made->output());
        relu->destroy();
        changed_ = true;
    }

    Graph& graph_;
    AliasAnalysis aliases_;
    bool changed_ = false;
};

}  // namespace

const Pass kFuseFrozenConvAddRelu{
    "FuseFrozenConvAddRelu",
    "A frozen convolution, what is added to it and relu become one call, on devices with a kernel of it.",
    [](Graph& graph, const PassContext&) {
        Fusion fusion(graph);
        for_each_node(graph.block(), [&](Node* node) { fusion.visit(node); });
        if (fusion.changed()) remove_dead_code(graph);
    }};

}  // namespace loupe::passes
