// SPDX-License-Identifier: Apache-2.0
// Element by element on nested tensors of the strided layout: on the buffer, which keeps its structure.

#include <algorithm>

#include "core/ops/nested/strided.h"

namespace loupe::nested_ops {
namespace {

const OperatorHandle<> kReshape{"aten::reshape"};

void require_buffer(const Tensor& t) {
    if (!nested_parts(t).is_contiguous) fail("NestedTensor must be contiguous to get buffer.");
}

// The results with the structure of `like`; what gave its argument back gives the whole back.
void give(const Call& call, std::vector<IValue> made, const Tensor& like, IValue* results) {
    for (std::size_t i = 0; i < made.size(); ++i) {
        const Tensor out = made[i].to_tensor();
        const bool is_self = call.has_strided(0) && out.is_same(nested_values(call.tensor(0)));
        results[i] = is_self && call.function() != "detach" ? call.arguments[0] : IValue(with_nested_values(like, out));
    }
}

void on_any_buffer(const Call& call, IValue* results) {
    std::vector<IValue> changed = call.copied();
    changed[0] = nested_values(call.tensor(0));
    give(call, call.run(changed), call.tensor(0), results);
}
void on_buffer(const Call& call, IValue* results) {
    require_buffer(call.tensor(0));
    on_any_buffer(call, results);
}

void contiguous(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    results[0] = nested_parts(t).is_contiguous ? t : nested_of(constituents(t), t.dtype());
}

// "add", for add.Tensor and add_.Tensor alike.
std::string plain_name(const Call& call) {
    std::string out = call.function();
    if (out.ends_with('_')) out.pop_back();
    return out;
}
std::string which(bool self) { return self ? "nested" : "non-nested"; }

bool is_number(const Tensor& t) { return !t.is_sparse() && t.dim() == 0; }

// Two nested tensors of the same structure, or one and a number.
void binary(const Call& call, IValue* results) {
    std::vector<IValue> changed = call.copied();
    const bool first = call.has_strided(0), second = call.has_strided(1);
    const Tensor like = call.tensor(first ? 0 : 1);
    if (call.is_tensor(1) && first != second) {
        if (!is_number(call.tensor(first ? 1 : 0))) {
            fail(concat("Expected both self and other to be nested, but got a ", which(first), " self and ",
                        which(second), " other"));
        }
    } else if (call.is_tensor(1)) {
        const std::string name = plain_name(call);
        if (name == "eq") fail("eq does not support nested tensor as other value.");
        const NestedParts& a = nested_parts(call.tensor(0));
        const NestedParts& b = nested_parts(call.tensor(1));
        if (a.sizes != b.sizes) fail(concat(name, " does not support broadcasting when given a NestedTensor"));
        // Sums of other strides are made of row-major copies.
        const bool moves = (name == "add" || name == "sub") && !call.is_in_place();
        if (a.strides != b.strides || a.offsets != b.offsets || a.buffer.numel() != b.buffer.numel()) {
            if (!moves) fail(concat(name, " requires strides to match when given NestedTensors"));
            const Tensor left = nested_of(constituents(call.tensor(0)), like.dtype());
            const Tensor right = nested_of(constituents(call.tensor(1)), like.dtype());
            changed[0] = nested_values(left);
            changed[1] = nested_values(right);
            return give(call, call.run(changed), left, results);
        }
    }
    if (first) changed[0] = nested_values(call.tensor(0));
    if (second) changed[1] = nested_values(call.tensor(1));
    give(call, call.run(changed), like, results);
}

// Two nested tensors of the same sizes: copy_ and masked_fill.
void on_both_buffers(const Call& call, IValue* results) {
    const bool copies = call.function() == "copy_";
    const bool first = call.has_strided(0), second = call.has_strided(1);
    if (copies && !(first && second)) fail("get_nested_tensor_impl requires a NestedTensor.");
    if (!first || !second) {
        fail(concat("Expected both self and other to be nested, but got a ", which(first), " self and ", which(second),
                    " other"));
    }
    const NestedParts& a = nested_parts(call.tensor(0));
    const NestedParts& b = nested_parts(call.tensor(1));
    if (a.sizes != b.sizes || a.strides != b.strides || a.offsets != b.offsets) {
        fail(copies ? "copy_ only supports tensors that are the same size for Nested implementations"
                    : concat(call.function(), " does not support broadcasting when given a NestedTensor"));
    }
    std::vector<IValue> changed = call.copied();
    changed[0] = a.buffer;
    changed[1] = b.buffer;
    give(call, call.run(changed), call.tensor(0), results);
}

void where(const Call& call, IValue* results) {
    for (const auto& [place, name] : {std::pair(2, "other"), std::pair(1, "self"), std::pair(0, "condition")}) {
        if (!call.has_strided(static_cast<std::size_t>(place))) fail(concat(name, " must be nested"));
    }
    std::vector<IValue> changed = call.copied();
    const NestedParts& first = nested_parts(call.tensor(0));
    for (std::size_t i = 0; i < 3; ++i) {
        const NestedParts& parts = nested_parts(call.tensor(i));
        if (parts.sizes != first.sizes || parts.strides != first.strides || parts.offsets != first.offsets)
            fail("where does not support broadcasting when given a NestedTensor");
        changed[i] = parts.buffer;
    }
    give(call, call.run(changed), call.tensor(0), results);
}

// Of indices: each constituent's sizes and the width of the table.
void embedding(const Call& call, IValue* results) {
    if (!call.has_strided(1)) fail("get_nested_tensor_impl requires a NestedTensor.");
    const Tensor indices = call.tensor(1);
    require_buffer(indices);
    if (indices.dim() >= 3) fail("Expected indices.dim() < 3 to be true, but got false.");
    std::vector<IValue> changed = call.copied();
    changed[1] = nested_values(indices);
    std::vector<Dims> sizes = nested_parts(indices).sizes;
    for (Dims& each : sizes) each.push_back(call.tensor(0).size(1));
    results[0] = make_nested(kReshape(call.run(changed)[0].to_tensor(), Dims{-1}), std::move(sizes));
}

void is_same_size(const Call& call, IValue* results) {
    results[0] = call.has_strided(0) && call.has_strided(1) &&
                 nested_parts(call.tensor(0)).sizes == nested_parts(call.tensor(1)).sizes;
}
void values(const Call& call, IValue* results) { results[0] = nested_values(call.tensor(0)); }

}  // namespace

void add_strided_elementwise_rules(RuleTable& table) {
    for (const std::string_view name :
         {"abs",       "abs_",        "cos",          "sin",   "sqrt",  "tanh",     "tanh_",    "neg",
          "neg_",      "relu",        "relu_",        "gelu",  "gelu_", "silu",     "silu_",    "sgn",
          "sgn_",      "logical_not", "logical_not_", "isinf", "isnan", "isneginf", "isposinf", "zeros_like",
          "ones_like", "empty_like",  "randn_like",   "fill_", "zero_", "normal_",  "to",       "_to_copy"})
        table[name] = on_buffer;
    for (const std::string_view name : {"clone", "detach", "alias", "dropout", "dropout_", "native_dropout"})
        table[name] = on_any_buffer;
    for (const std::string_view name : {"add.Tensor", "add.Scalar", "add_.Tensor", "add_.Scalar", "sub.Tensor",
                                        "sub.Scalar", "mul.Tensor", "mul.Scalar", "mul_.Tensor", "mul_.Scalar",
                                        "div.Tensor", "div.Scalar", "eq.Tensor", "eq.Scalar", "ge.Scalar", "gt.Scalar"})
        table[name] = binary;
    table["copy_"] = on_both_buffers;
    table["masked_fill.Scalar"] = on_both_buffers;
    table["where.self"] = where;
    table["where.ScalarOther"] = where;
    table["where.ScalarSelf"] = where;
    table["contiguous"] = contiguous;
    table["embedding"] = embedding;
    table["is_same_size"] = is_same_size;
    table["values"] = values;
}

}  // namespace loupe::nested_ops
