// SPDX-License-Identifier: Apache-2.0
// Infers shapes of every tensor from those of the inputs. Unknown sizes get symbols: SS(-2) in print, a negative size
// in the type. Operators infer results from metadata, so the graph is run with fakes of two (or, without symbols, one)
// choices of sizes: a size that is the same in both is a number, one that equals a symbol's is that symbol, any other
// is a new one.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/passes/fake_run.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

constexpr std::size_t kChoices = 2;
// The value of a symbol in a fake run; large enough for windows of pooling, without common factors.
constexpr std::array<std::int64_t, 16> kSizes = {97,  101, 103, 107, 109, 113, 127, 131,
                                                 137, 139, 149, 151, 157, 163, 167, 173};

using Choices = std::array<std::int64_t, kChoices>;
using Known = std::array<std::optional<IValue>, kChoices>;

bool holds_tensor(const IValue& value) { return value.is_tensor() && value.to_tensor().defined(); }

class Propagation {
  public:
    Propagation(Graph& graph, const Ptr<Object>& module) : graph_(graph), module_(module) {}

    void run() {
        for (Value* input : graph_.inputs()) take_input(input);
        const bool takes_module =
            module_ != nullptr && !graph_.inputs().empty() && graph_.inputs()[0]->type()->kind() == TypeKind::Class;
        if (takes_module) known_[graph_.inputs()[0]] = {IValue(module_), IValue(module_)};
        visit_block(*graph_.block());
    }

  private:
    // ---- symbols

    Choices choices_of(std::int64_t size) {
        if (size >= 0) return {size, size};
        const auto [place, is_new] = symbols_.try_emplace(size, Choices{});
        if (is_new) {
            const std::size_t n = next_choice_++;
            place->second = {kSizes[n % kSizes.size()], kSizes[(n + kSizes.size() / 2) % kSizes.size()]};
            names_.try_emplace(place->second, size);
            lowest_ = std::min(lowest_, size);
        }
        return place->second;
    }
    std::int64_t size_of(const Choices& sizes) {
        if (sizes[0] == sizes[1]) return sizes[0];
        const auto [place, is_new] = names_.try_emplace(sizes, lowest_ - 1);
        if (is_new) {
            --lowest_;
            symbols_[lowest_] = sizes;
        }
        return place->second;
    }

    // ---- values

    void take_input(Value* value) {
        const auto* type = value->type()->as<TensorType>();
        if (type == nullptr || !type->dtype || !type->sizes) return;
        if (type->device && type->device->type != DeviceType::Cpu) return;
        std::array<Dims, kChoices> sizes;
        for (const auto& each : *type->sizes) {
            // An unknown size is a symbol from here on.
            const Choices chosen = choices_of(each ? *each : std::min<std::int64_t>(lowest_, -1) - 1);
            for (std::size_t c = 0; c < kChoices; ++c) sizes[c].push_back(chosen[c]);
        }
        Known known;
        for (std::size_t c = 0; c < kChoices; ++c) {
            // Strides count where every size is a number.
            const Tensor whole = fake_of(*type);
            known[c] = IValue(whole.defined() ? whole : fake_tensor(span_of(sizes[c]), *type->dtype));
        }
        remember(value, known);
    }

    const Known* known(const Value* value) {
        const auto found = known_.find(value);
        if (found != known_.end()) return &found->second;
        const auto constant = ir::constant_of(value);
        if (!constant) return nullptr;
        return &known_.try_emplace(value, Known{constant, constant}).first->second;
    }

    void remember(Value* value, const Known& values) {
        known_[value] = values;
        if (holds_tensor(*values[0]) && holds_tensor(*values[1]))
            set_type(value, {values[0]->to_tensor(), values[1]->to_tensor()});
    }

    void set_type(Value* value, const std::array<Tensor, kChoices>& fakes) {
        if (value->type()->kind() != TypeKind::Tensor || value->node()->kind() == prim::Constant) return;
        if (fakes[0].dim() != fakes[1].dim() || fakes[0].dtype() != fakes[1].dtype()) return;
        const auto* before = value->type()->as<TensorType>();
        auto type = make_ptr<TensorType>();
        type->dtype = fakes[0].dtype();
        type->device = fakes[0].device();
        type->requires_grad = before->requires_grad;
        type->sizes.emplace();
        bool is_static = true;
        std::vector<std::optional<std::int64_t>> strides;
        for (std::size_t d = 0; d < fakes[0].sizes().size(); ++d) {
            type->sizes->push_back(size_of({fakes[0].sizes()[d], fakes[1].sizes()[d]}));
            is_static = is_static && *type->sizes->back() >= 0;
            strides.push_back(fakes[0].strides()[d]);
        }
        if (is_static) type->strides = std::move(strides);
        value->set_type(std::move(type));
    }

    // ---- nodes

    void visit_block(const Block& block) {
        for (Node* node : block.nodes()) {
            if (node->kind() == prim::Constant) continue;
            if (node->kind() == prim::If)
                visit_if(node);
            else if (node->kind() == prim::Loop)
                visit_loop(node);
            else if (node->kind() == prim::GetAttr)
                visit_attribute(node);
            else if (node->block_count() > 0)
                visit_block(*node->block_at(0));
            else
                visit_plain(node);
        }
    }

    // A parameter or buffer as a fake, so that its elements are not touched.
    void visit_attribute(Node* node) {
        const Known* object = known(node->input(0));
        if (object == nullptr || !(*object)[0]->is_object()) return;
        const IValue value = (*object)[0]->to_object()->attribute(node->s(ir::attr::name));
        if (!holds_tensor(value)) {
            if (value.is_object() || value.is_int() || value.is_double() || value.is_bool())
                known_[node->output()] = {value, value};
            return;
        }
        const Tensor tensor = value.to_tensor();
        if (tensor.device().type != DeviceType::Cpu || node->output()->type()->kind() != TypeKind::Tensor) return;
        const IValue fake(fake_tensor(tensor.sizes(), tensor.dtype(), tensor.strides()));
        remember(node->output(), {fake, fake});
        auto type = make_ptr<TensorType>();
        const auto* known_type = node->output()->type()->as<TensorType>();
        type->dtype = known_type->dtype;
        type->device = known_type->device;
        type->sizes = known_type->sizes;
        type->strides = known_type->strides;
        type->requires_grad = requires_grad(tensor);
        node->output()->set_type(std::move(type));
    }

    void visit_plain(Node* node) {
        std::array<std::vector<IValue>, kChoices> inputs;
        for (const Value* input : node->inputs()) {
            const Known* values = known(input);
            if (values == nullptr) return;
            for (std::size_t c = 0; c < kChoices; ++c) inputs[c].push_back(*(*values)[c]);
        }
        std::array<std::optional<std::vector<IValue>>, kChoices> results;
        for (std::size_t c = 0; c < kChoices; ++c) {
            // Without symbols both choices are one.
            const bool is_same = c > 0 && symbols_.empty();
            try {
                results[c] = is_same ? results[0] : run_on_fakes(node, inputs[c]);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::Cancelled) throw;
                return;  // it fails at run time, or with these sizes
            }
            if (!results[c] || results[c]->size() != node->outputs().size()) return;
        }
        for (std::size_t i = 0; i < node->outputs().size(); ++i)
            remember(node->output(i), {(*results[0])[i], (*results[1])[i]});
    }

    void visit_if(Node* node) {
        const Known* condition = known(node->input(0));
        const bool is_decided = condition != nullptr && (*condition)[0]->is_bool() && (*condition)[1]->is_bool() &&
                                (*condition)[0]->to_bool() == (*condition)[1]->to_bool();
        for (const std::size_t b : {0U, 1U}) visit_block(*node->block_at(b));
        for (std::size_t i = 0; i < node->outputs().size(); ++i) {
            const Known* then = known(node->block_at(0)->outputs()[i]);
            const Known* otherwise = known(node->block_at(1)->outputs()[i]);
            const Known* taken = is_decided && !(*condition)[0]->to_bool() ? otherwise : then;
            if (taken == nullptr) continue;
            if (then != nullptr && otherwise != nullptr && agree(*then, *otherwise))
                remember(node->output(i), Known(*taken));
            else if (is_decided)
                known_[node->output(i)] = Known(*taken);  // a type would not suit the other branch
        }
    }

    // The same metadata of tensors; other values are unknown then.
    static bool agree(const Known& a, const Known& b) {
        for (std::size_t c = 0; c < kChoices; ++c) {
            if (!holds_tensor(*a[c]) || !holds_tensor(*b[c])) return false;
            const Tensor x = a[c]->to_tensor();
            const Tensor y = b[c]->to_tensor();
            if (x.dtype() != y.dtype() ||
                !std::equal(x.sizes().begin(), x.sizes().end(), y.sizes().begin(), y.sizes().end()))
                return false;
            if (!std::equal(x.strides().begin(), x.strides().end(), y.strides().begin(), y.strides().end()))
                return false;
        }
        return true;
    }

    // Carried tensors keep their initial metadata when an iteration returns the same; else they are unknown.
    void visit_loop(Node* node) {
        Block* body = node->block_at(0);
        for (std::size_t i = 0; i < node->outputs().size(); ++i) {
            if (const Known* initial = known(node->input(i + 2)); initial != nullptr && holds_tensor(*(*initial)[0])) {
                remember(body->inputs()[i + 1], Known(*initial));
            }
        }
        bool is_stable = false;
        for (std::size_t round = 0; !is_stable && round <= node->outputs().size(); ++round) {
            visit_block(*body);
            is_stable = true;
            for (std::size_t i = 0; i < node->outputs().size(); ++i) {
                const Known* carried = known(body->inputs()[i + 1]);
                const Known* next = known(body->outputs()[i + 1]);
                if (carried == nullptr || (next != nullptr && agree(*carried, *next))) continue;
                forget(body);
                known_.erase(body->inputs()[i + 1]);
                body->inputs()[i + 1]->set_type(types::tensor());
                is_stable = false;
            }
        }
        for (std::size_t i = 0; i < node->outputs().size(); ++i) {
            if (const Known* carried = known(body->inputs()[i + 1])) remember(node->output(i), Known(*carried));
        }
    }

    void forget(Block* block) {
        for_each_node(block, [this](Node* node) {
            for (Value* output : node->outputs()) {
                if (node->kind() == prim::Constant) continue;
                known_.erase(output);
                if (output->type()->kind() == TypeKind::Tensor) output->set_type(types::tensor());
            }
        });
    }

    Graph& graph_;
    Ptr<Object> module_;
    std::unordered_map<const Value*, Known> known_;
    std::map<std::int64_t, Choices> symbols_;
    std::map<Choices, std::int64_t> names_;
    std::int64_t lowest_ = -1;  // of the symbols; PyTorch's first is SS(-2)
    std::size_t next_choice_ = 0;
};

void run(Graph& graph, const PassContext& context) {
    for (std::size_t i = 0; i < context.input_types.size() && i < graph.inputs().size(); ++i) {
        if (context.input_types[i] != nullptr) graph.inputs()[i]->set_type(context.input_types[i]);
    }
    const GradModeScope no_grad(false);
    Propagation(graph, context.module).run();
}

}  // namespace

const Pass kPropagateInputShapes{
    "PropagateInputShapes",
    "Types, sizes and strides of all tensors from those of the inputs, symbols for sizes that are not known.", run};

}  // namespace loupe::passes
