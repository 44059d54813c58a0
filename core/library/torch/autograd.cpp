// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/autograd.h>

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/library/torch/call.h"

using namespace loupe::torch_api;

namespace torch::autograd {
namespace {

bool holds(const variable_list& list, const at::Tensor& tensor) {
    return std::any_of(list.begin(), list.end(), [&](const at::Tensor& each) { return each.is_same(tensor); });
}

}  // namespace

std::vector<Node::Edge> Node::next_edges() const {
    std::vector<Edge> edges;
    for (const loupe::Edge& each : engine_->next_edges())
        edges.push_back({each.node == nullptr ? nullptr : std::make_shared<Node>(each.node), each.input});
    return edges;
}

variable_list AutogradContext::get_saved_variables() const {
    TORCH_CHECK(!is_freed_,
                "Trying to backward through the graph a second time (or directly access saved tensors after they have "
                "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time "
                "or if you need to access saved tensors after calling backward.");
    if (node_ == nullptr) return to_save_;
    return translated([&] {
        variable_list out;
        for (const loupe::SavedTensor& each : saved_)
            out.push_back(each.defined() ? at::Tensor(each.unpack(loupe::Ptr<loupe::Node>(node_))) : at::Tensor());
        return out;
    });
}
bool AutogradContext::needs_input_grad(std::size_t index) const {
    return node_ != nullptr && node_->should_compute(index);
}

class FunctionCall::FunctionNode final : public loupe::Node {
  public:
    FunctionNode(const FunctionCall& call)
        : name_(call.name_), backward_(call.backward_), context_(call.context_), is_tensor_(call.is_tensor_) {
        context_->node_ = this;
    }
    ~FunctionNode() override { context_->node_ = nullptr; }
    std::string name() const override { return name_; }
    void release_saved() override {
        context_->is_freed_ = !context_->saved_.empty();
        context_->saved_.clear();
    }
    loupe::TensorList apply(loupe::TensorList gradients) override {
        variable_list given;
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            at::Tensor gradient(gradients[i]);
            const loupe::GradientShape& shape = outputs()[i];
            if (!gradient.defined() && context_->materializes_)
                gradient = at::zeros(c10::IntArrayRef(shape.sizes.data(), shape.sizes.size()),
                                     c10::TensorOptions(torch_dtype(shape.dtype)).device(torch_device(shape.device)));
            given.push_back(std::move(gradient));
        }
        return of_tensors(backward_(context_.get(), std::move(given)));
    }

  private:
    loupe::TensorList of_tensors(variable_list results) const {
        // Undefined ones behind the last may be too many.
        while (results.size() > is_tensor_.size() && !results.back().defined()) results.pop_back();
        TORCH_CHECK(results.size() == is_tensor_.size(), "function ", name_,
                    " returned an incorrect number of gradients (expected ", is_tensor_.size(), ", got ",
                    results.size(), ")");
        loupe::TensorList out;
        for (std::size_t i = 0; i < results.size(); ++i) {
            TORCH_CHECK(is_tensor_[i] || !results[i].defined(), "function ", name_,
                        " returned a gradient different that is defined at position ", i + 1,
                        ", std the corresponding forward input was not a Variable");
            if (is_tensor_[i]) out.push_back(results[i].engine());
        }
        return out;
    }

    std::string name_;
    Backward backward_;
    std::shared_ptr<AutogradContext> context_;
    std::vector<bool> is_tensor_;
};

FunctionCall::FunctionCall(std::string name, Backward backward)
    : name_(std::move(name)), backward_(std::move(backward)), context_(std::make_shared<AutogradContext>()) {}

at::Tensor FunctionCall::recorded_one(const at::Tensor& output, const loupe::Ptr<loupe::Node>& node) const {
    const loupe::Tensor& tensor = output.engine();
    if (!loupe::is_differentiable(tensor.dtype()) || holds(context_->not_differentiable_, output)) {
        // It has its place among the gradients.
        node->add_output(tensor);
        return output;
    }
    if (holds(context_->dirty_, output)) {
        loupe::rebase_history(tensor, node);
        return output;
    }
    // A tensor of its own where it has a history, or is an input.
    at::Tensor out = holds(inputs_, output) || !output.is_leaf() ? at::Tensor(tensor.shallow_copy()) : output;
    loupe::set_history(out.engine(), node);
    return out;
}

variable_list FunctionCall::recorded(variable_list outputs) {
    const bool is_recorded =
        loupe::GradMode::is_enabled() && std::any_of(inputs_.begin(), inputs_.end(), [](const at::Tensor& tensor) {
            return tensor.defined() && tensor.requires_grad();
        });
    if (!is_recorded) return outputs;
    return translated([&] {
        const auto node = loupe::make_ptr<FunctionNode>(*this);
        std::vector<loupe::Edge> edges;
        for (const at::Tensor& input : inputs_)
            edges.push_back(input.defined() ? loupe::gradient_edge(input.engine()) : loupe::Edge());
        node->set_next_edges(std::move(edges));
        variable_list of_node;
        for (at::Tensor& output : outputs) {
            const at::Tensor made = output.defined() ? recorded_one(output, node) : output;
            // What is saved is the tensor that the caller gets.
            for (at::Tensor& saved : context_->to_save_)
                if (saved.defined() && saved.is_same(output)) saved = made;
            if (made.defined() && loupe::grad_fn(made.engine()) == node) of_node.push_back(made);
            output = made;
        }
        for (const at::Tensor& each : context_->to_save_)
            context_->saved_.push_back(each.defined() ? loupe::SavedTensor(each.engine(), holds(of_node, each))
                                                      : loupe::SavedTensor());
        context_->to_save_.clear();
        return outputs;
    });
}

std::string node_name(const std::type_info& function) {
    const std::string name = function.name();
    // CppNode<Mine> of namespace torch::autograd.
    return loupe::concat("N5torch8autograd7CppNodeI", name, "EE");
}

}  // namespace torch::autograd
