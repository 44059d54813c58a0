// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/passes/undo_exporter.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/graph_tools.h"
#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/passes/rewriter.h"

namespace loupe::onnx {
namespace {

constexpr const char* kName = "UndoExporter";

using Ids = std::vector<std::uint32_t>;

// The nodes before this pass that a node stands for.
void add_sources(const ir::Node* node, Ids& ids) {
    const ir::Provenance& from = node->provenance();
    if (from.pass != kName)
        ids.push_back(node->id());
    else
        ids.insert(ids.end(), from.nodes.begin(), from.nodes.end());
}

// What the nodes from first_new on were made of: the old node, and those before it that nothing new reads.
Ids sources_of(const ir::Node* old, const ir::Value* made, std::uint32_t first_new) {
    std::unordered_set<const ir::Value*> kept;
    std::unordered_set<const ir::Node*> seen{made->node()};
    std::vector<const ir::Node*> waiting{made->node()};
    const auto visit = [&](const ir::Node* node) {
        if (seen.insert(node).second) waiting.push_back(node);
    };
    while (!waiting.empty()) {
        const ir::Node* node = waiting.back();
        waiting.pop_back();
        for (const ir::Value* input : node->inputs()) {
            if (input->node()->id() >= first_new)
                visit(input->node());
            else
                kept.insert(input);
        }
    }
    Ids ids;
    waiting = {old};
    while (!waiting.empty()) {
        const ir::Node* node = waiting.back();
        waiting.pop_back();
        add_sources(node, ids);
        for (const ir::Value* input : node->inputs()) {
            const ir::Symbol kind = input->node()->kind();
            const bool is_source =
                kind == ir::prim::Constant || kind == ir::prim::GetAttr || input->node() == node->graph()->param_node();
            if (!is_source && !kept.contains(input)) visit(input->node());
        }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

class RuleBook {
  public:
    explicit RuleBook(std::initializer_list<std::span<const NamedRule>> lists) {
        for (const auto& list : lists) {
            for (const NamedRule& each : list) rules_.emplace(each.operator_name, each.rule);
        }
    }

    bool apply(ir::Graph& graph, const Rewriter& rewriter) const {
        bool changed = false;
        passes::for_each_node(graph.block(), [&](ir::Node* node) {
            if (node->op() == nullptr || node->outputs().size() != 1 || !node->output()->has_uses()) return;
            const auto found = rules_.find(node->op()->full_name);
            if (found == rules_.end()) return;
            const ir::OriginScope origin(graph, {node}, kName, std::string(found->first));
            const ir::InsertPointScope place(graph, node);
            const std::uint32_t first_new = graph.next_node_id();
            ir::Value* made = found->second(rewriter, node);
            if (made == nullptr) return;
            if (made->node()->id() >= first_new) {
                made->node()->set_provenance({sources_of(node, made, first_new), kName, std::string(found->first)});
                if (made->type()->kind() == node->output()->type()->kind()) made->set_type(node->output()->type());
            }
            node->output()->replace_all_uses_with(made);
            node->destroy();
            changed = true;
        });
        return changed;
    }

  private:
    std::unordered_map<std::string_view, Rule> rules_;
};

// The type of an input whose every size the file fixes; null for others.
TypePtr fixed_type(const TypePtr& declared) {
    const auto* tensor = declared->as<TensorType>();
    if (tensor == nullptr || !tensor->dtype || !tensor->sizes) return nullptr;
    std::int64_t step = 1;
    const auto fixed = make_ptr<TensorType>();
    fixed->dtype = tensor->dtype;
    fixed->sizes = tensor->sizes;
    fixed->device = Device{};
    fixed->requires_grad = false;
    fixed->strides.emplace(tensor->sizes->size());
    for (std::size_t i = tensor->sizes->size(); i-- > 0;) {
        const auto& size = (*tensor->sizes)[i];
        (*fixed->strides)[i] = step;
        if (!size || __builtin_mul_overflow(step, std::max<std::int64_t>(*size, 1), &step)) return nullptr;
    }
    return fixed;
}

// Sizes of all values, from those that the file fixes for the inputs: its own guards hold runs to them. False when the
// graph has sizes, or the file fixes none.
bool find_sizes(ir::Graph& graph, const passes::PassContext& context) {
    if (!context.module) return false;
    const Function* forward = context.module->type()->find_method("forward");
    if (forward == nullptr || forward->schema().arguments.size() != graph.inputs().size()) return false;
    passes::PassContext sized{.module = context.module};
    bool has_sizes = false;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const auto* own = graph.inputs()[i]->type()->as<TensorType>();
        if (own != nullptr && own->sizes) return false;
        sized.input_types.push_back(own != nullptr ? fixed_type(forward->schema().arguments[i].type) : nullptr);
        has_sizes = has_sizes || sized.input_types.back() != nullptr;
    }
    if (has_sizes) passes::find_pass("PropagateInputShapes")->run(graph, sized);
    return has_sizes;
}

// Shapes that the file fixes are numbers, and so is what is computed from them.
void fold_shapes(ir::Graph& graph, const passes::PassContext& context) {
    passes::for_each_node(graph.block(), [&](ir::Node* node) {
        if (node->op() == nullptr || node->op()->schema.name != "onnx::Shape") return;
        const auto* type = node->input(0)->type()->as<TensorType>();
        if (type == nullptr || !type->sizes) return;
        const auto rank = static_cast<std::int64_t>(type->sizes->size());
        const auto place = [&](const char* name, std::int64_t otherwise) {
            const std::int64_t at = Rewriter::whole_number(node, name).value_or(otherwise);
            return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
        };
        const std::int64_t first = place("start", 0), last = place("end", rank);
        Dims sizes;
        for (std::int64_t d = first; d < last; ++d) {
            const auto& size = (*type->sizes)[static_cast<std::size_t>(d)];
            if (!size || *size < 0) return;  // a symbol
            sizes.push_back(*size);
        }
        const ir::OriginScope origin(graph, {node}, kName, "a fixed shape");
        const ir::InsertPointScope before(graph, node);
        node->output()->replace_all_uses_with(graph.insert_constant(IValue(index_tensor(span_of(sizes)))));
        node->destroy();
    });
    passes::find_pass("ConstantPropagation")->run(graph, {.module = context.module});
}

void run(ir::Graph& graph, const passes::PassContext& context) {
    const bool are_sizes_ours = find_sizes(graph, context);
    if (are_sizes_ours) fold_shapes(graph, context);
    static const RuleBook sizes({size_rules()}), direct({direct_rules(), shape_rules()}), joining({joining_rules()});
    const Rewriter rewriter(graph, context.module);
    for (const RuleBook* rules : {&sizes, &direct}) {
        rules->apply(graph, rewriter);
        passes::remove_dead_code(graph);
    }
    while (joining.apply(graph, rewriter)) passes::remove_dead_code(graph);
    if (are_sizes_ours) passes::find_pass("EraseShapeInformation")->run(graph, {.module = context.module});
}

}  // namespace

const passes::Pass kUndoExporter{kName, "Operators of ONNX become those of PyTorch that they were exported from.", run};

}  // namespace loupe::onnx
