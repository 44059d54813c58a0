// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX that arrange elements, with the sizes and places that other nodes compute for them.
#include <algorithm>
#include <limits>

#include "core/passes/graph_tools.h"
#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/passes/rewriter.h"

namespace loupe::onnx {
namespace {

using ir::Node;
using ir::Value;

Value* identity(const Rewriter&, Node* node) { return node->input(0); }

Value* reshaped(const Rewriter& r, Node* node) {
    auto sizes = sizes_in(r, node->named_input("shape"));
    if (!sizes) return nullptr;
    const bool keeps_zero = Rewriter::whole_number(node, "allowzero").value_or(0) != 0;
    for (std::size_t d = 0; d < sizes->size() && !keeps_zero; ++d) {
        // 0: as the input's.
        const auto number = passes::constant_int((*sizes)[d]);
        if (number == 0)
            (*sizes)[d] = r.call("aten::size.int", {node->input(0), r.constant(IValue(static_cast<std::int64_t>(d)))});
        else if (!number && r.size_of(node->input(0), static_cast<std::int64_t>(d)).value_or(0) == 0)
            return nullptr;  // a size that may be 0 means another
    }
    return r.call("aten::reshape", {node->input(0), r.number_list(*sizes)});
}

Value* expanded(const Rewriter& r, Node* node) {
    const auto sizes = sizes_in(r, node->named_input("shape"));
    const auto rank = r.rank_of(node->input(0));
    if (!sizes || !rank) return nullptr;
    Values out = *sizes;
    const auto count = static_cast<std::int64_t>(out.size());
    for (std::int64_t d = 0; d < count; ++d) {
        const auto i = static_cast<std::size_t>(d);
        const auto number = passes::constant_int(out[i]);
        const auto size = d + *rank >= count ? r.size_of(node->input(0), d - count) : std::optional<std::int64_t>(1);
        if (number == 1 && d + *rank >= count) out[i] = r.constant(IValue(std::int64_t{-1}));
        // Where it cannot be seen that a size is no 1, the two differ.
        if (!number && size != 1) return nullptr;
        if (number && *number != 1 && size != 1 && size != number) return nullptr;
    }
    if (*rank > count) return nullptr;
    return r.call("aten::expand", {node->input(0), r.number_list(out)});
}

Value* permuted(const Rewriter& r, Node* node) {
    auto order = r.whole_numbers(node, "perm");
    const auto rank = r.rank_of(node->input(0));
    if (!order) {
        if (!rank) return nullptr;
        order = all_axes(*rank);
        std::ranges::reverse(*order);
    }
    if (*order == Dims{1, 0}) return r.call("aten::t", {node->input(0)});
    Dims moved;
    for (std::size_t d = 0; d < order->size(); ++d) {
        if ((*order)[d] != static_cast<std::int64_t>(d)) moved.push_back(static_cast<std::int64_t>(d));
    }
    const bool is_swap = moved.size() == 2 && (*order)[static_cast<std::size_t>(moved[0])] == moved[1] &&
                         (*order)[static_cast<std::size_t>(moved[1])] == moved[0];
    if (!is_swap) return r.call("aten::permute", {node->input(0), r.numbers(*order)});
    // The last two are told from the end, as attention writes it.
    const auto count = static_cast<std::int64_t>(order->size());
    const std::int64_t shift = moved[1] == count - 1 ? count : 0;
    return r.call("aten::transpose.int",
                  {node->input(0), r.constant(IValue(moved[0] - shift)), r.constant(IValue(moved[1] - shift))});
}

Value* flattened(const Rewriter& r, Node* node) {
    const auto rank = r.rank_of(node->input(0));
    if (Rewriter::whole_number(node, "axis") != 1 || !rank || *rank < 2) return nullptr;
    return r.call("aten::flatten.using_ints", {node->input(0), r.constant(IValue(std::int64_t{1}))});
}

Value* joined(const Rewriter& r, Node* node) {
    return r.call("aten::cat", {node->input(0), node->named_input("axis")});
}

Value* with_ones(const Rewriter& r, Node* node) {
    auto axes = r.whole_numbers(node, "axes");
    const auto rank = r.rank_of(node->input(0));
    if (!axes || (!rank && axes->size() != 1)) return nullptr;
    if (axes->size() > 1) {
        *axes = wrapped_axes(*axes, *rank + static_cast<std::int64_t>(axes->size()));
        std::ranges::sort(*axes);
    }
    Value* out = node->input(0);
    for (const std::int64_t axis : *axes) out = r.call("aten::unsqueeze", {out, r.constant(IValue(axis))});
    return out;
}
Value* without_ones(const Rewriter& r, Node* node) {
    const auto axes = r.whole_numbers(node, "axes");
    if (!axes) return nullptr;
    if (axes->size() == 1) return r.call("aten::squeeze.dim", {node->input(0), r.constant(IValue((*axes)[0]))});
    return r.call("aten::squeeze.dims", {node->input(0), r.numbers(*axes)});
}

Value* cut(const Rewriter& r, Node* node) {
    const auto starts = r.whole_numbers(node, "starts"), ends = r.whole_numbers(node, "ends");
    const auto axes = r.whole_numbers(node, "axes"), steps = r.whole_numbers(node, "steps");
    if (!starts || !ends || starts->size() != ends->size()) return nullptr;
    const std::size_t count = starts->size();
    if ((axes && axes->size() != count) || (steps && steps->size() != count)) return nullptr;
    Value* out = node->input(0);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t step = steps ? (*steps)[i] : 1;
        if (step <= 0) return nullptr;
        const std::int64_t end = std::min((*ends)[i], std::numeric_limits<std::int64_t>::max());
        out = r.call("aten::slice.Tensor",
                     {out, r.constant(IValue(axes ? (*axes)[i] : static_cast<std::int64_t>(i))),
                      r.constant(IValue((*starts)[i])), r.constant(IValue(end)), r.constant(IValue(step))});
    }
    return count == 0 ? nullptr : out;
}

Value* gathered(const Rewriter& r, Node* node) {
    const auto axis = Rewriter::whole_number(node, "axis");
    if (!axis) return nullptr;
    const auto place = passes::constant_tensor(node->input(1));
    if (place && place->dim() == 0)
        return r.call("aten::select.int",
                      {node->input(0), r.constant(IValue(*axis)), r.constant(IValue(whole_number(*place)))});
    const auto table = r.tensor_of(node->input(0));
    const auto rank = r.rank_of(node->input(1));
    // Places from the end do not occur in a table of embeddings, and PyTorch refuses them.
    const bool is_table = *axis == 0 && table && table->dim() == 2 && is_floating(table->dtype());
    return is_table && !place && rank && *rank > 0 ? r.call("aten::embedding", {node->input(0), node->input(1)})
                                                   : nullptr;
}

// Which dimensions a reduction is over: an attribute, or an input since opset 18 (sums 13).
std::optional<Dims> axes_of(const Rewriter& r, const Node* node) {
    const auto axes = r.whole_numbers(node, "axes");
    return axes && !axes->empty() ? axes : std::nullopt;
}
Value* mean(const Rewriter& r, Node* node) {
    const auto axes = axes_of(r, node);
    const auto keeps = Rewriter::whole_number(node, "keepdims");
    const auto dtype = r.dtype_of(node->input(0));
    if (!axes || !keeps || !dtype || !is_floating(*dtype)) return nullptr;
    return r.call("aten::mean.dim", {node->input(0), r.numbers(*axes), r.constant(IValue(*keeps != 0))});
}
Value* sum(const Rewriter& r, Node* node) {
    const auto axes = axes_of(r, node);
    const auto keeps = Rewriter::whole_number(node, "keepdims");
    const auto dtype = r.dtype_of(node->input(0));
    if (!axes || !keeps || !dtype || !is_floating(*dtype)) return nullptr;
    return r.call("aten::sum.dim_IntList", {node->input(0), r.numbers(*axes), r.constant(IValue(*keeps != 0))});
}

constexpr NamedRule kSizeRules[] = {
    {"onnx::Reshape.v5", reshaped},
    {"onnx::Expand", expanded},
};
constexpr NamedRule kRules[] = {
    {"onnx::Identity", identity},
    {"onnx::Transpose", permuted},
    {"onnx::Flatten", flattened},
    {"onnx::Concat", joined},
    {"onnx::Unsqueeze", with_ones},
    {"onnx::Unsqueeze.v13", with_ones},
    {"onnx::Squeeze", without_ones},
    {"onnx::Squeeze.v13", without_ones},
    {"onnx::Slice", cut},
    {"onnx::Slice.v10", cut},
    {"onnx::Gather", gathered},
    {"onnx::ReduceMean", mean},
    {"onnx::ReduceMean.v18", mean},
    {"onnx::ReduceSum", sum},
    {"onnx::ReduceSum.v13", sum},
};

}  // namespace

std::span<const NamedRule> size_rules() { return kSizeRules; }
std::span<const NamedRule> shape_rules() { return kRules; }

}  // namespace loupe::onnx
