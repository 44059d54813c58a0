// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_function.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"

namespace loupe::python {
namespace {

class FunctionNode;

// ctx.
class ContextObject final : public Instance {
  public:
    explicit ContextObject(ClassPtr cls) : Instance(std::move(cls)) {}

    TensorList to_save;              // until forward has ended
    std::vector<SavedTensor> saved;  // afterwards
    Node* node = nullptr;            // owns this; null when nothing is recorded
    TensorList not_differentiable;
    TensorList dirty;
    bool materializes = true;
    std::vector<IValue> needs;

    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name == "saved_tensors" || name == "saved_variables") return saved_tensors();
        if (name == "needs_input_grad") return make_tuple(needs);
        return Instance::find_attribute(name);
    }

  private:
    IValue saved_tensors() const {
        std::vector<IValue> out;
        if (node == nullptr) {
            for (const Tensor& tensor : to_save) out.push_back(tensor.defined() ? IValue(tensor) : IValue());
        }
        for (const SavedTensor& tensor : saved) {
            if (!tensor.defined())
                out.emplace_back();
            else
                out.emplace_back(with_python_errors([&] { return tensor.unpack(Ptr<Node>(node)); }));
        }
        return make_tuple(std::move(out));
    }
};

class FunctionNode final : public Node {
  public:
    FunctionNode(IValue function, std::string function_name, Ptr<ContextObject> context,
                 std::vector<bool> tensor_inputs)
        : function_(std::move(function)),
          name_(std::move(function_name)),
          context_(std::move(context)),
          is_tensor_(std::move(tensor_inputs)) {
        context_->node = this;
    }
    ~FunctionNode() override { context_->node = nullptr; }

    std::string name() const override { return name_; }
    void release_saved() override {
        released_ = !context_->saved.empty();
        context_->saved.clear();
    }

    TensorList apply(TensorList grads) override {
        if (released_) {
            throw Error(
                ErrorKind::Run,
                "Trying to backward through the graph a second time (or directly access saved tensors after they "
                "have already been freed). Saved intermediate values of the graph are freed when you call .backward() "
                "or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second "
                "time or if you need to access saved tensors after calling backward.");
        }
        std::vector<IValue> arguments{IValue::other(context_)};
        for (std::size_t i = 0; i < grads.size(); ++i) {
            if (!grads[i].defined() && context_->materializes) {
                const GradientShape& shape = outputs()[i];
                grads[i] = zeros(span_of(shape.sizes), shape.dtype);
            }
            arguments.push_back(grads[i].defined() ? IValue(grads[i]) : IValue());
        }
        const IValue result = call(get_attribute(function_, "backward"), std::move(arguments));
        return gradients_from(result.is_tuple() ? result.to_tuple().elements : std::vector<IValue>{result});
    }

  private:
    TensorList gradients_from(std::vector<IValue> results) const {
        // None behind the last one may be too many.
        while (results.size() > is_tensor_.size() && results.back().is_none()) results.pop_back();
        if (results.size() != is_tensor_.size()) {
            throw_error("RuntimeError",
                        concat("function ", name_, " returned an incorrect number of gradients (expected ",
                               is_tensor_.size(), ", got ", results.size(), ")"));
        }
        TensorList out;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (is_tensor_[i]) {
                if (!results[i].is_none() && !results[i].is_tensor()) {
                    throw_type_error(concat("expected Variable or None (got ", type_name(results[i]), ")"));
                }
                out.push_back(results[i].to_tensor());
            } else if (!results[i].is_none()) {
                throw_error("RuntimeError",
                            concat("function ", name_, " returned a gradient different from None at position ", i + 1,
                                   ", but the corresponding forward input was not a Variable"));
            }
        }
        return out;
    }

    IValue function_;
    std::string name_;
    Ptr<ContextObject> context_;
    std::vector<bool> is_tensor_;
    bool released_ = false;
};

bool holds(const TensorList& list, const Tensor& tensor) {
    return std::any_of(list.begin(), list.end(), [&](const Tensor& each) { return each.is_same(tensor); });
}

ContextObject& context_self(const CallArguments& arguments) {
    if (!arguments.positional.empty()) {
        if (auto* self = object_as<ContextObject>(arguments.positional[0])) return *self;
    }
    throw_type_error("expected the ctx of a torch.autograd.Function");
}

TensorList tensors_behind_self(const CallArguments& arguments) {
    return tensors_of(make_tuple({arguments.positional.begin() + 1, arguments.positional.end()}));
}

ClassPtr context_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("FunctionCtx", "torch.autograd.function", std::vector<ClassPtr>{});
        out->set_builtin(nullptr);
        out->define("save_for_backward", [](CallArguments arguments) -> IValue {
            context_self(arguments).to_save = tensors_behind_self(arguments);
            return {};
        });
        out->define("mark_non_differentiable", [](CallArguments arguments) -> IValue {
            context_self(arguments).not_differentiable = tensors_behind_self(arguments);
            return {};
        });
        out->define("mark_dirty", [](CallArguments arguments) -> IValue {
            context_self(arguments).dirty = tensors_behind_self(arguments);
            return {};
        });
        out->define("set_materialize_grads", [](CallArguments arguments) -> IValue {
            context_self(arguments).materializes = truth(arguments.positional.at(1));
            return {};
        });
        return ClassPtr(out);
    }();
    return cls;
}

// One output of forward as an output of the node.
IValue recorded(const IValue& output, const Ptr<FunctionNode>& node, const ContextObject& context,
                const TensorList& inputs) {
    if (!output.is_tensor()) return output;
    const Tensor tensor = output.to_tensor();
    if (!is_differentiable(tensor.dtype()) || holds(context.not_differentiable, tensor)) return output;
    if (holds(context.dirty, tensor)) {
        rebase_history(tensor, node);
        return output;
    }
    const bool is_shared = holds(inputs, tensor) || !is_leaf(tensor);
    const Tensor out = is_shared ? tensor.shallow_copy() : tensor;
    set_history(out, node);
    return out;
}

void save(ContextObject& context, const TensorList& outputs) {
    for (const Tensor& tensor : context.to_save) {
        context.saved.push_back(tensor.defined() ? SavedTensor(tensor, holds(outputs, tensor)) : SavedTensor());
    }
    context.to_save.clear();
}

IValue run_forward(const IValue& cls, const Ptr<ContextObject>& context, const std::vector<IValue>& inputs) {
    std::vector<IValue> arguments{IValue::other(context)};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    const GradModeScope no_grad(false);
    return call(get_attribute(cls, "forward"), std::move(arguments));
}

IValue apply(CallArguments arguments) {
    const IValue cls = arguments.positional.at(0);
    if (!arguments.keywords.empty()) throw_type_error("apply() takes no keyword arguments");
    const std::vector<IValue> inputs(arguments.positional.begin() + 1, arguments.positional.end());
    const auto context = make_ptr<ContextObject>(context_class());
    std::vector<Edge> edges;
    std::vector<bool> is_tensor;
    TensorList tensors;
    bool is_recorded = false;
    for (const IValue& input : inputs) {
        is_tensor.push_back(input.is_tensor());
        const bool needs = input.is_tensor() && requires_grad(input.to_tensor());
        context->needs.emplace_back(needs);
        is_recorded = is_recorded || needs;
        if (!input.is_tensor()) continue;
        tensors.push_back(input.to_tensor());
        edges.push_back(gradient_edge(tensors.back()));
    }
    const IValue result = run_forward(cls, context, inputs);
    if (!is_recorded || !GradMode::is_enabled()) return result;
    const auto* class_object = object_as<ClassObject>(cls);
    const std::string name = concat(class_object == nullptr ? "Function" : class_object->name(), "Backward");
    const auto node = make_ptr<FunctionNode>(cls, name, context, std::move(is_tensor));
    node->set_next_edges(std::move(edges));
    const bool is_tuple = result.is_tuple();
    std::vector<IValue> outputs = is_tuple ? result.to_tuple().elements : std::vector<IValue>{result};
    TensorList output_tensors;
    for (IValue& output : outputs) {
        const IValue made = recorded(output, node, *context, tensors);
        // What is saved is the tensor that the caller gets.
        for (Tensor& saved : context->to_save) {
            if (output.is_tensor() && saved.is_same(output.to_tensor())) saved = made.to_tensor();
        }
        if (made.is_tensor()) output_tensors.push_back(made.to_tensor());
        output = made;
    }
    std::erase_if(output_tensors, [&](const Tensor& tensor) { return grad_fn(tensor) != node; });
    save(*context, output_tensors);
    return is_tuple ? make_tuple(std::move(outputs)) : outputs[0];
}

}  // namespace

ClassPtr autograd_function_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("Function", "torch.autograd.function", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject&, CallArguments&) -> ClassObject::Made {
            throw_error("RuntimeError",
                        "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
                        "autograd function with static forward method. (Example: "
                        "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)");
        });
        out->define_class_method("apply", apply);
        return ClassPtr(out);
    }();
    return cls;
}

}  // namespace loupe::python
