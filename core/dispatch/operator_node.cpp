// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/operator_node.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/gradient_context.h"

namespace loupe {
namespace {

bool has_bit(std::uint64_t bits, std::size_t i) { return (bits >> i & 1) != 0; }

}  // namespace

OperatorNode::OperatorNode(const Operator& op, std::span<const IValue> arguments) : op_(op) {
    std::vector<Edge> edges;
    values_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const IValue& value = arguments[i];
        if (has_bit(op.tensor_arguments, i)) {
            const Tensor t = value.to_tensor();
            TensorArgument argument;
            argument.index = static_cast<std::int8_t>(i);
            argument.edge = static_cast<std::uint32_t>(edges.size());
            if (t.defined()) {
                argument.defined = true;
                argument.dtype = t.dtype();
                argument.sizes = to_dims(t.sizes());
                argument.strides = to_dims(t.strides());
                argument.offset = t.storage_offset();
            }
            edges.push_back(gradient_edge(t));
            tensors_.push_back(std::move(argument));
        } else if (has_bit(op.list_arguments, i)) {
            ListArgument argument;
            argument.index = static_cast<std::int8_t>(i);
            argument.edge = static_cast<std::uint32_t>(edges.size());
            for (const Tensor& t : value.to_tensors()) {
                GradientShape shape;
                if (t.defined()) shape = {to_dims(t.sizes()), t.dtype(), t.device(), true};
                argument.elements.push_back(std::move(shape));
                edges.push_back(gradient_edge(t));
            }
            lists_.push_back(std::move(argument));
        } else {
            values_[i] = value;
        }
    }
    set_next_edges(std::move(edges));
    for (const SavedPlace& rule : op.saves) {
        if (rule.is_result) continue;
        if (rule.if_needed >= 0 && !needs_argument(static_cast<std::size_t>(rule.if_needed))) continue;
        save_argument(rule, arguments[static_cast<std::size_t>(rule.index)]);
    }
}

void OperatorNode::save_argument(const SavedPlace& rule, const IValue& value) {
    Saved entry{rule, {}, {}};
    if (has_bit(op_.list_arguments, static_cast<std::size_t>(rule.index))) {
        for (const Tensor& t : value.to_tensors()) entry.list.emplace_back(t, false);
    } else {
        Tensor t = value.to_tensor();
        // The in-place form overwrites what the derivative wants to see.
        if (t.defined() && has_bit(op_.written_arguments, static_cast<std::size_t>(rule.index))) {
            t = gradient_arithmetic().clone(t);
        }
        entry.tensor = SavedTensor(t, false);
    }
    saved_.push_back(std::move(entry));
}

void OperatorNode::save_results(std::span<const IValue> results) {
    for (const SavedPlace& rule : op_.saves) {
        if (!rule.is_result) continue;
        if (rule.if_needed >= 0 && !needs_argument(static_cast<std::size_t>(rule.if_needed))) continue;
        saved_.push_back({rule, SavedTensor(results[static_cast<std::size_t>(rule.index)].to_tensor(), true), {}});
    }
}

TensorList OperatorNode::apply(TensorList grads) {
    if (released_) {
        throw Error(ErrorKind::Run,
                    "Trying to backward through the graph a second time (or directly access saved tensors after they "
                    "have already been freed). Saved intermediate values of the graph are freed when you call "
                    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
                    "graph a second time or if you need to access saved tensors after calling backward.");
    }
    if (!op_.record->derivative) {
        throw Error(ErrorKind::Run, concat("derivative for ", op_.schema.name, " is not implemented"));
    }
    TensorList grad_inputs(next_edges().size());
    grads.resize(std::max(grads.size(), outputs().size()));
    GradientContext context(*this, grads, grad_inputs);
    op_.record->derivative.backward(context);
    return grad_inputs;
}

void OperatorNode::release_saved() {
    released_ = !op_.saves.empty();
    for (Saved& entry : saved_) {
        entry.tensor.reset();
        entry.list.clear();
    }
}

TensorList OperatorNode::saved_tensors() const {
    TensorList all;
    for (const Saved& entry : saved_) {
        if (entry.tensor.peek().defined()) all.push_back(entry.tensor.peek());
        for (const SavedTensor& t : entry.list) {
            if (t.peek().defined()) all.push_back(t.peek());
        }
    }
    return all;
}

bool OperatorNode::reads_history() const {
    const auto has_history = [](const Saved& entry, const Tensor& t) {
        if (!t.defined()) return false;
        // A saved result is a handle without its history.
        return entry.rule.is_result ? is_differentiable(t.dtype()) : requires_grad(t);
    };
    return std::any_of(saved_.begin(), saved_.end(), [&](const Saved& entry) {
        if (has_history(entry, entry.tensor.peek())) return true;
        return std::any_of(entry.list.begin(), entry.list.end(),
                           [&](const SavedTensor& t) { return has_history(entry, t.peek()); });
    });
}

std::size_t OperatorNode::saved_bytes() const {
    std::size_t bytes = 0;
    for (const Tensor& t : saved_tensors()) bytes += t.bytes();
    return bytes;
}

bool OperatorNode::needs_argument(std::size_t index) const {
    for (const TensorArgument& argument : tensors_) {
        if (static_cast<std::size_t>(argument.index) == index) return should_compute(argument.edge);
    }
    for (const ListArgument& argument : lists_) {
        if (static_cast<std::size_t>(argument.index) != index) continue;
        for (std::size_t k = 0; k < argument.elements.size(); ++k) {
            if (should_compute(argument.edge + k)) return true;
        }
    }
    return false;
}

const OperatorNode::TensorArgument& OperatorNode::tensor_argument(std::size_t index) const {
    for (const TensorArgument& argument : tensors_) {
        if (static_cast<std::size_t>(argument.index) == index) return argument;
    }
    throw Error(ErrorKind::Internal, concat("argument ", index, " of ", op_.full_name, " is no tensor"));
}

const OperatorNode::ListArgument& OperatorNode::list_argument(std::size_t index) const {
    for (const ListArgument& argument : lists_) {
        if (static_cast<std::size_t>(argument.index) == index) return argument;
    }
    throw Error(ErrorKind::Internal, concat("argument ", index, " of ", op_.full_name, " is no tensor list"));
}

const OperatorNode::Saved& OperatorNode::saved(std::size_t index, bool is_result) const {
    for (const Saved& entry : saved_) {
        if (static_cast<std::size_t>(entry.rule.index) == index && entry.rule.is_result == is_result) return entry;
    }
    throw Error(ErrorKind::Internal, concat(is_result ? "result " : "argument ", index, " of ", op_.full_name,
                                            " was not saved for backward"));
}

Tensor GradientContext::grad_output_or_zeros(std::size_t i) const {
    if (grads_[i].defined()) return grads_[i];
    const GradientShape& shape = node_.outputs()[i];
    return gradient_arithmetic().zeros(span_of(shape.sizes), shape);
}

std::size_t GradientContext::at(ArgumentPlace argument) const { return node_.op_.place_of(argument); }

Tensor GradientContext::argument(ArgumentPlace place) const {
    return node_.saved(at(place), false).tensor.unpack(Ptr<Node>(&node_));
}
Tensor GradientContext::result(std::size_t i) const { return node_.saved(i, true).tensor.unpack(Ptr<Node>(&node_)); }
bool GradientContext::is_argument_defined(ArgumentPlace place) const {
    return node_.tensor_argument(at(place)).defined;
}
const IValue& GradientContext::value(ArgumentPlace place) const { return node_.values_[at(place)]; }
IntSpan GradientContext::sizes(ArgumentPlace place) const { return span_of(node_.tensor_argument(at(place)).sizes); }
IntSpan GradientContext::strides(ArgumentPlace place) const {
    return span_of(node_.tensor_argument(at(place)).strides);
}
std::int64_t GradientContext::storage_offset(ArgumentPlace place) const {
    return node_.tensor_argument(at(place)).offset;
}
ScalarType GradientContext::dtype(ArgumentPlace place) const { return node_.tensor_argument(at(place)).dtype; }
std::size_t GradientContext::list_size(ArgumentPlace place) const {
    return node_.list_argument(at(place)).elements.size();
}
IntSpan GradientContext::sizes(ArgumentPlace place, std::size_t element) const {
    return span_of(node_.list_argument(at(place)).elements[element].sizes);
}

TensorList GradientContext::arguments_of_list(ArgumentPlace place) const {
    TensorList all;
    for (const SavedTensor& t : node_.saved(at(place), false).list) all.push_back(t.unpack(Ptr<Node>(&node_)));
    return all;
}

bool GradientContext::needs(ArgumentPlace place) const { return node_.needs_argument(at(place)); }

void GradientContext::set_grad(ArgumentPlace place, Tensor grad) {
    const auto& argument = node_.tensor_argument(at(place));
    if (!grad.defined()) return;
    const auto sizes = grad.sizes();
    if (!std::equal(sizes.begin(), sizes.end(), argument.sizes.begin(), argument.sizes.end())) {
        grad = gradient_arithmetic().sum_to(grad, span_of(argument.sizes));
    }
    if (grad.dtype() != argument.dtype) grad = gradient_arithmetic().cast(grad, argument.dtype);
    grad_inputs_[argument.edge] = std::move(grad);
}

void GradientContext::set_grad(ArgumentPlace place, std::size_t element, Tensor grad) {
    const auto& argument = node_.list_argument(at(place));
    if (!grad.defined()) return;
    const ScalarType dtype = argument.elements[element].dtype;
    if (grad.dtype() != dtype) grad = gradient_arithmetic().cast(grad, dtype);
    grad_inputs_[argument.edge + element] = std::move(grad);
}

}  // namespace loupe
