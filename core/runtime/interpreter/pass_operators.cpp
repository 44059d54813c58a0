// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/interpreter/pass_operators.h"

#include <algorithm>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::runtime {
namespace {

using ir::Symbol;

bool same_sizes(const TensorList& tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& t) {
        return t.dtype() == tensors[0].dtype() &&
               std::equal(t.sizes().begin(), t.sizes().end(), tensors[0].sizes().begin(), tensors[0].sizes().end());
    });
}

TensorList tensors_of(const StructuralCall& call, std::size_t from, std::size_t to) {
    TensorList tensors;
    for (std::size_t i = from; i < to; ++i) tensors.push_back(call.inputs[i].to_tensor());
    return tensors;
}

// Inputs: all left operands, then all right ones. The sum of the products.
void mm_tree_reduce(const StructuralCall& call) {
    const std::size_t count = call.instruction.input_count / 2;
    const TensorList left = tensors_of(call, 0, count);
    const TensorList right = tensors_of(call, count, 2 * count);
    const bool can_join = left[0].dim() == 2 && right[0].dim() == 2 && same_sizes(left) && same_sizes(right);
    if (can_join) {
        call.outputs[0] = fn::mm(fn::cat(left, 1), fn::cat(right, 0));
        return;
    }
    Tensor sum = fn::mm(left[0], right[0]);
    for (std::size_t i = 1; i < count; ++i) sum = fn::add(sum, fn::mm(left[i], right[i]));
    call.outputs[0] = sum;
}

// Inputs: the common operand, then the others. side 0: the common one is on the left.
void mm_batch_side(const StructuralCall& call) {
    static const Symbol kSide = Symbol::intern("side");
    const bool is_left = call.node.i(kSide) == 0;
    const Tensor common = call.inputs[0].to_tensor();
    const TensorList others = tensors_of(call, 1, call.instruction.input_count);
    const auto count = static_cast<std::int64_t>(others.size());
    if (others[0].dim() == 2 && same_sizes(others) && others[0].numel() > 0) {
        const std::int64_t dim = is_left ? 1 : 0;
        const Tensor joined = fn::cat(others, dim);
        const TensorList parts = fn::chunk(is_left ? fn::mm(common, joined) : fn::mm(joined, common), count, dim);
        std::copy(parts.begin(), parts.end(), call.outputs);
        return;
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
        call.outputs[i] = is_left ? fn::mm(common, others[i]) : fn::mm(others[i], common);
    }
}

void constant_chunk(const StructuralCall& call) {
    const TensorList parts =
        fn::chunk(call.inputs[0].to_tensor(), call.node.i(ir::attr::chunks), call.node.i(ir::attr::dim));
    const std::size_t expected = call.instruction.output_count;
    if (parts.size() != expected) {
        throw Error(ErrorKind::Run,
                    concat("Expected chunk to return exactly ", expected, " outputs, but got ", parts.size()));
    }
    std::copy(parts.begin(), parts.end(), call.outputs);
}

void fused_concat(const StructuralCall& call) {
    call.outputs[0] = fn::cat(tensors_of(call, 0, call.instruction.input_count), call.node.i(ir::attr::dim));
}

// ---- gradients: None means undefined

bool is_defined(const IValue& value) {
    if (!value.is_list()) return !value.is_none();
    const auto& elements = value.to_list().elements;
    return std::any_of(elements.begin(), elements.end(), is_defined);
}

std::ptrdiff_t count_defined(const StructuralCall& call) {
    return std::count_if(call.inputs, call.inputs + call.instruction.input_count, is_defined);
}

void any_nonzero(const StructuralCall& call) { call.outputs[0] = count_defined(call) > 0; }
void all_nonzero(const StructuralCall& call) { call.outputs[0] = count_defined(call) == call.instruction.input_count; }
void all_zero(const StructuralCall& call) { call.outputs[0] = count_defined(call) == 0; }
void autograd_zero(const StructuralCall& call) { call.outputs[0] = IValue(); }

void autograd_add(const StructuralCall& call) {
    const bool has_first = !call.inputs[0].is_none();
    const bool has_both = has_first && !call.inputs[1].is_none();
    if (has_both)
        call.outputs[0] = fn::add(call.inputs[0].to_tensor(), call.inputs[1].to_tensor());
    else
        call.outputs[0] = std::move(call.inputs[has_first ? 0 : 1]);
}

// ---- the profiling executor's records and checks

void profile(const StructuralCall& call) {
    if (call.instruction.output_count > 0) call.outputs[0] = std::move(call.inputs[0]);
}

bool has_sizes(IntSpan actual, const std::vector<std::optional<std::int64_t>>& wanted) {
    if (actual.size() != wanted.size()) return false;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (wanted[i] && *wanted[i] >= 0 && *wanted[i] != actual[i]) return false;  // below 0 it is a symbol
    }
    return true;
}

// Strides of sizes of 1, or of empty tensors, do not matter.
bool has_strides(const Tensor& tensor, const std::vector<std::optional<std::int64_t>>& wanted) {
    if (tensor.strides().size() != wanted.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] && tensor.sizes()[i] > 1 && *wanted[i] != tensor.strides()[i]) return false;
    }
    return true;
}

bool requires_grad_now(const Tensor& tensor) { return GradMode::is_enabled() && requires_grad(tensor); }

}  // namespace

bool is_of_type(const IValue& value, const TensorType& type) {
    if (!value.is_tensor() || !value.to_tensor().defined()) return type.undefined;
    const Tensor tensor = value.to_tensor();
    if (type.undefined || (type.dtype && *type.dtype != tensor.dtype()) ||
        (type.device && !(*type.device == tensor.device())))
        return false;
    if (type.requires_grad && *type.requires_grad != requires_grad_now(tensor)) return false;
    if (type.sizes && !has_sizes(tensor.sizes(), *type.sizes)) return false;
    return !type.strides || tensor.numel() == 0 || has_strides(tensor, *type.strides);
}

namespace {

// Inputs are passed through; the last output is whether all are of their types.
void check_types(const StructuralCall& call) {
    const auto& types = call.node.tys(ir::attr::types);
    const std::size_t count = call.instruction.input_count;
    bool all_are = types.size() == count;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* type = all_are ? types[i]->as<TensorType>() : nullptr;
        all_are = all_are && (type == nullptr || is_of_type(call.inputs[i], *type));
        call.outputs[i] = std::move(call.inputs[i]);
    }
    call.outputs[count] = all_are;
}

void guard(const StructuralCall& call) {
    const auto* type = call.node.output()->type()->as<TensorType>();
    if (type != nullptr && !is_of_type(call.inputs[0], *type)) {
        const Tensor got = call.inputs[0].is_tensor() ? call.inputs[0].to_tensor() : Tensor();
        throw Error(ErrorKind::Run,
                    concat("the graph was made for ", call.node.output()->type()->str(), " but got ",
                           got.defined() ? describe(got) : "no tensor"),
                    {.hint = "run the passes again for these inputs"});
    }
    call.outputs[0] = std::move(call.inputs[0]);
}

}  // namespace

StructuralFunction find_pass_operator(Symbol kind) {
    static const std::unordered_map<Symbol, StructuralFunction> kFunctions = {
        {Symbol::intern("prim::MMTreeReduce"), mm_tree_reduce},
        {Symbol::intern("prim::MMBatchSide"), mm_batch_side},
        {ir::prim::ConstantChunk, constant_chunk},
        {Symbol::intern("prim::FusedConcat"), fused_concat},
        {Symbol::intern("prim::AutogradAnyNonZero"), any_nonzero},
        {Symbol::intern("prim::AutogradAllNonZero"), all_nonzero},
        {Symbol::intern("prim::AutogradAllZero"), all_zero},
        {Symbol::intern("prim::AutogradZero"), autograd_zero},
        {Symbol::intern("prim::AutogradAdd"), autograd_add},
        {ir::prim::profile, profile},
        {ir::prim::Guard, guard},
        {Symbol::intern("prim::TypeCheck"), check_types},
        {Symbol::intern("prim::RequiresGradCheck"), check_types},
    };
    const auto found = kFunctions.find(kind);
    return found == kFunctions.end() ? nullptr : found->second;
}

}  // namespace loupe::runtime
