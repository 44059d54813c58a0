// SPDX-License-Identifier: Apache-2.0
// Frozen convolutions are fastest, and pass images on without reordering, in channels-last layout. Images are converted
// once where they enter a network of convolutions and once where they leave it; operators between preserve the layout.
// Only strides change: operators that read them (view) are outside.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/alias_analysis.h"
#include "core/passes/fold_constants.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

constexpr std::int64_t kContiguous = 0;
constexpr std::int64_t kChannelsLast = 2;
// With fewer convolutions the conversion does not pay off.
constexpr std::size_t kFewestConvolutions = 3;

// As scripts call it, or as traces do.
bool is_conv2d(const Node* node) {
    static const Symbol kPlain = Symbol::intern("aten::conv2d"), kGeneral = Symbol::intern("aten::convolution"),
                        kTraced = Symbol::intern("aten::_convolution");
    if (node->kind() == kPlain) return node->inputs().size() == 7;
    if (node->kind() != kGeneral && node->kind() != kTraced) return false;
    return node->inputs().size() > 8 && constant_bool(node->input(6)) == false;  // not transposed
}
bool is_frozen_conv2d(const Node* node) {
    if (!is_conv2d(node)) return false;
    const auto weight = constant_tensor(node->input(1));
    return weight && weight->dim() == 4 && weight->dtype() == ScalarType::Float32 &&
           weight->device().type == DeviceType::Cpu;
}

const std::unordered_set<Symbol>& symbols_of(std::initializer_list<const char*> names) {
    auto* all = new std::unordered_set<Symbol>;
    for (const char* name : names) all->insert(Symbol::intern(name));
    return *all;
}

// The result has the input's order of dimensions.
bool keeps_order(Symbol kind) {
    static const auto& kKinds = symbols_of({"aten::relu",
                                            "aten::relu6",
                                            "aten::sigmoid",
                                            "aten::tanh",
                                            "aten::hardswish",
                                            "aten::hardsigmoid",
                                            "aten::hardtanh",
                                            "aten::silu",
                                            "aten::gelu",
                                            "aten::elu",
                                            "aten::leaky_relu",
                                            "aten::mish",
                                            "aten::clamp",
                                            "aten::batch_norm",
                                            "aten::max_pool2d",
                                            "aten::avg_pool2d",
                                            "aten::adaptive_avg_pool2d",
                                            "aten::add",
                                            "aten::sub",
                                            "aten::mul",
                                            "aten::div"});
    return kKinds.contains(kind);
}

bool reads_shape(Symbol kind) {
    static const auto& kKinds = symbols_of({"aten::size", "aten::dim", "aten::numel", "aten::len", "prim::dtype",
                                            "prim::device", "aten::is_floating_point"});
    return kKinds.contains(kind);
}

class Conversion {
  public:
    explicit Conversion(Graph& graph) : graph_(graph), aliases_(graph) {}

    void run(Block* block) {
        for (Node* node : block->nodes()) {
            for (std::size_t i = 0; i < node->block_count(); ++i) run(node->block_at(i));
        }
        const auto nodes = block->nodes();
        const auto convolutions = std::count_if(nodes.begin(), nodes.end(), is_frozen_conv2d);
        if (static_cast<std::size_t>(convolutions) < kFewestConvolutions || is_converted(block)) return;
        std::vector<Node*> all;
        for (Node* node : nodes) all.push_back(node);
        for (Node* node : all) visit(node);
        for (Value* value : order_) turn_back(value);
    }

  private:
    // It was there before.
    static bool is_converted(const Block* block) {
        const auto nodes = block->nodes();
        return std::any_of(nodes.begin(), nodes.end(), [](const Node* node) {
            return node->kind().str() == "aten::contiguous" && constant_int(node->input(1)) == kChannelsLast;
        });
    }

    void visit(Node* node) {
        // Written tensors are not copied: RemoveTensorMutation runs first.
        if (aliases_.has_writers(node)) return;
        if (is_frozen_conv2d(node)) {
            if (!turned_.contains(node->input(0))) node->replace_input(0, turned_in(node->input(0)));
            add(node->output());
        } else if (keeps_order(node->kind()) && turned_.contains(node->input(0))) {
            add(node->output());
        } else if (node->is("aten::cat") && constant_int(node->input(1)) == 1 && joins_turned(node->input(0))) {
            add(node->output());
        }
    }

    bool joins_turned(const Value* list) const {
        if (list->node()->kind() != prim::ListConstruct || list->uses().size() != 1) return false;
        const auto& parts = list->node()->inputs();
        return !parts.empty() &&
               std::all_of(parts.begin(), parts.end(), [this](const Value* part) { return turned_.contains(part); });
    }

    void add(Value* value) {
        turned_.insert(value);
        order_.push_back(value);
    }

    // The channels-last image, converted once at its definition.
    Value* turned_in(Value* value) {
        auto& turned = entries_[value];
        if (turned != nullptr) return turned;
        Node* after = value->node()->kind() == prim::Param ? value->node()->block()->param_node() : value->node();
        turned = make_contiguous(value, kChannelsLast, after->next());
        return turned;
    }

    Value* make_contiguous(Value* value, std::int64_t format, Node* place) {
        const ir::OriginScope origin(graph_, {value->node()}, "ConvertFrozenOpsToMKLDNN", "reorder");
        Value* constant = graph_.create_constant(IValue(format))->insert_before(place)->output();
        Node* node = graph_.create(Symbol::intern("aten::contiguous"), {value, constant})->insert_before(place);
        node->output()->set_type(value->type());
        return node->output();
    }

    bool stays_inside(const ir::Use& use) const {
        const Node* user = use.user;
        if (reads_shape(user->kind()) || (is_frozen_conv2d(user) && use.offset == 0)) return true;
        if (user->kind() == prim::ListConstruct) {
            return user->output()->uses().size() == 1 && !user->output()->uses()[0].user->outputs().empty() &&
                   turned_.contains(user->output()->uses()[0].user->output());
        }
        return keeps_order(user->kind()) && turned_.contains(user->output());
    }

    // For uses that read strides or are outside.
    void turn_back(Value* value) {
        std::vector<ir::Use> outside;
        for (const ir::Use& use : value->uses()) {
            if (!stays_inside(use)) outside.push_back(use);
        }
        if (outside.empty()) return;
        Value* back = make_contiguous(value, kContiguous, value->node()->next());
        for (const ir::Use& use : outside) use.user->replace_input(use.offset, back);
    }

    Graph& graph_;
    AliasAnalysis aliases_;
    std::unordered_set<const Value*> turned_;
    std::vector<Value*> order_;
    std::unordered_map<const Value*, Value*> entries_;
};

}  // namespace

const Pass kConvertFrozenOpsToMKLDNN{
    "ConvertFrozenOpsToMKLDNN",
    "Networks of frozen convolutions work on images with channels last, turned where they enter and leave.",
    [](Graph& graph, const PassContext&) { Conversion(graph).run(graph.block()); }};

}  // namespace loupe::passes
