// SPDX-License-Identifier: Apache-2.0
// Chains of pointwise operators, and operators on rows (softmax, layer_norm, sums along the last dimensions), become
// groups, which a fuser compiles to one loop.
#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/profile.h"
#include "core/passes/subgraph_tools.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

constexpr const char* kPointwise[] = {"add",
                                      "sub",
                                      "rsub",
                                      "mul",
                                      "div",
                                      "eq",
                                      "ne",
                                      "ge",
                                      "gt",
                                      "le",
                                      "lt",
                                      "pow",
                                      "clamp",
                                      "clamp_min",
                                      "clamp_max",
                                      "lerp",
                                      "log10",
                                      "log",
                                      "log2",
                                      "log1p",
                                      "exp",
                                      "expm1",
                                      "erf",
                                      "erfc",
                                      "cos",
                                      "sin",
                                      "tan",
                                      "acos",
                                      "asin",
                                      "cosh",
                                      "sinh",
                                      "atan",
                                      "atan2",
                                      "tanh",
                                      "sqrt",
                                      "rsqrt",
                                      "abs",
                                      "floor",
                                      "ceil",
                                      "round",
                                      "trunc",
                                      "frac",
                                      "fmod",
                                      "remainder",
                                      "relu",
                                      "relu6",
                                      "leaky_relu",
                                      "gelu",
                                      "silu",
                                      "sigmoid",
                                      "hardtanh",
                                      "hardswish",
                                      "hardsigmoid",
                                      "softplus",
                                      "mish",
                                      "elu",
                                      "neg",
                                      "reciprocal",
                                      "threshold",
                                      "addcmul",
                                      "addcdiv",
                                      "where",
                                      "type_as",
                                      "to",
                                      "lgamma",
                                      "max",
                                      "min",
                                      "maximum",
                                      "minimum",
                                      "__and__",
                                      "__or__",
                                      "__xor__",
                                      "sigmoid_backward",
                                      "tanh_backward",
                                      "threshold_backward",
                                      "gelu_backward",
                                      "silu_backward",
                                      "mish_backward",
                                      "hardtanh_backward",
                                      "leaky_relu_backward",
                                      "elu_backward",
                                      "hardsigmoid_backward",
                                      "hardswish_backward",
                                      "softplus_backward",
                                      "masked_fill",
                                      "logical_and",
                                      "logical_or",
                                      "logical_xor",
                                      "logical_not",
                                      "square",
                                      "sign",
                                      "bitwise_and",
                                      "bitwise_or",
                                      "bitwise_not",
                                      "isnan",
                                      "exp2"};
// Operators that PyTorch does not fuse and our loops support.
constexpr const char* kFurtherPointwise[] = {"acosh",
                                             "arccos",
                                             "arccosh",
                                             "arcsin",
                                             "arcsinh",
                                             "arctan",
                                             "arctanh",
                                             "asinh",
                                             "atanh",
                                             "bitwise_left_shift",
                                             "bitwise_right_shift",
                                             "bitwise_xor",
                                             "__lshift__",
                                             "__rshift__",
                                             "celu",
                                             "conj_physical",
                                             "copysign",
                                             "digamma",
                                             "erfinv",
                                             "floor_divide",
                                             "fmax",
                                             "fmin",
                                             "gcd",
                                             "hardshrink",
                                             "hardshrink_backward",
                                             "hypot",
                                             "i0",
                                             "isfinite",
                                             "isinf",
                                             "isneginf",
                                             "isposinf",
                                             "lcm",
                                             "log_sigmoid",
                                             "logaddexp",
                                             "logaddexp2",
                                             "logit",
                                             "nan_to_num",
                                             "selu",
                                             "sgn",
                                             "signbit",
                                             "sinc",
                                             "softshrink",
                                             "softshrink_backward",
                                             "special_digamma",
                                             "special_erf",
                                             "special_exp2",
                                             "special_expit",
                                             "special_expm1",
                                             "special_log1p",
                                             "special_ndtr",
                                             "tanhshrink",
                                             "xlogy"};

std::unordered_set<Symbol> symbols_of(std::span<const char* const> names) {
    std::unordered_set<Symbol> kinds;
    for (const char* name : names) kinds.insert(Symbol::intern(std::string("aten::") + name));
    return kinds;
}
const std::unordered_set<Symbol>& pointwise() {
    static const std::unordered_set<Symbol> kKinds = symbols_of(kPointwise);
    return kKinds;
}
const std::unordered_set<Symbol>& further_pointwise() {
    static const std::unordered_set<Symbol> kKinds = symbols_of(kFurtherPointwise);
    return kKinds;
}

// Only tensors and numbers in, one tensor out.
bool has_form_of_pointwise(const Node* node) {
    if (node->op() == nullptr || node->outputs().size() != 1 || node->output()->type()->kind() != TypeKind::Tensor)
        return false;
    return std::none_of(node->inputs().begin(), node->inputs().end(),
                        [](const Value* v) { return v->type()->kind() == TypeKind::List; });
}

bool is_on_cpu_or_unknown(const Node* node) {
    return std::all_of(node->inputs().begin(), node->inputs().end(), [](const Value* value) {
        const auto* type = value->type()->as<TensorType>();
        return type == nullptr || !type->device || type->device->type == DeviceType::Cpu;
    });
}

}  // namespace

// Reductions share names with some.
bool is_pointwise(const Node* node) {
    if (!pointwise().contains(node->kind()) || !has_form_of_pointwise(node)) return false;
    const std::string& kind = node->kind().str();
    const bool is_extremum = kind == "aten::max" || kind == "aten::min";
    if (is_extremum && !(node->inputs().size() == 2 && node->input(1)->type()->kind() == TypeKind::Tensor))
        return false;
    // A cast by dtype only: aten::to.dtype(Tensor, dtype, non_blocking, copy, memory_format).
    if (kind == "aten::to")
        return node->is("aten::to.dtype") && ir::is_none_constant(node->input(4)) &&
               constant_int(node->input(1)).has_value();
    return true;
}

namespace {

// Reductions and other operators on rows, by the argument with a row's dimensions; null:
// always the last ones.
const std::unordered_map<std::string, const char*>& row_operators() {
    static const std::unordered_map<std::string, const char*> kArguments{{"aten::softmax.int", "dim"},
                                                                         {"aten::log_softmax.int", "dim"},
                                                                         {"aten::_softmax", "dim"},
                                                                         {"aten::_log_softmax", "dim"},
                                                                         {"aten::_softmax_backward_data", "dim"},
                                                                         {"aten::_log_softmax_backward_data", "dim"},
                                                                         {"aten::layer_norm", nullptr},
                                                                         {"aten::native_layer_norm", nullptr},
                                                                         {"aten::native_layer_norm_backward", nullptr},
                                                                         {"aten::sum.dim_IntList", "dim"},
                                                                         {"aten::mean.dim", "dim"},
                                                                         {"aten::amax", "dim"},
                                                                         {"aten::amin", "dim"},
                                                                         {"aten::var.dim", "dim"},
                                                                         {"aten::std.dim", "dim"},
                                                                         {"aten::argmax", "dim"},
                                                                         {"aten::argmin", "dim"},
                                                                         {"aten::any.dim", "dim"},
                                                                         {"aten::all.dim", "dim"}};
    return kArguments;
}

// Are these all the last dimensions of the tensor, and not all there are?
bool are_last(std::vector<std::int64_t> dims, const Value* tensor) {
    const auto* type = tensor->type()->as<TensorType>();
    const bool knows_rank = type != nullptr && type->sizes.has_value();
    const std::int64_t rank = knows_rank ? static_cast<std::int64_t>(type->sizes->size()) : 0;
    for (std::int64_t& dim : dims) {
        if (dim >= 0 && knows_rank) dim -= rank;
        if (dim >= 0) return false;
    }
    std::sort(dims.begin(), dims.end());
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] != static_cast<std::int64_t>(i) - static_cast<std::int64_t>(dims.size())) return false;
    }
    return !dims.empty() && (!knows_rank || static_cast<std::int64_t>(dims.size()) < rank);
}

bool is_row_operator(const Node* node) {
    if (node->op() == nullptr) return false;
    const auto found = row_operators().find(node->op()->full_name);
    if (found == row_operators().end()) return false;
    // Constants that are no tensors are copied into the group.
    const bool has_constants = std::all_of(node->inputs().begin(), node->inputs().end(), [](const Value* v) {
        return v->type()->kind() == TypeKind::Tensor || v->node()->kind() == ir::prim::Constant;
    });
    if (!has_constants) return false;
    if (found->second == nullptr) return true;
    const std::optional<IValue> dim = constant_input(node, found->second);
    if (!dim || dim->is_none()) return false;
    if (dim->is_int()) return are_last({dim->to_int()}, node->input(0));
    const Dims dims = dim->to_ints();
    return are_last({dims.begin(), dims.end()}, node->input(0));
}

}  // namespace

const Pass kFuseTensorExprs{
    "FuseTensorExprs", "Pointwise operators and reductions of rows become groups that are computed in one go.",
    [](Graph& graph, const PassContext&) {
        Grouping grouping;
        grouping.kind = Symbol::intern("prim::TensorExprGroup");
        grouping.pass = "FuseTensorExprs";
        grouping.is_member = [](const Node* node) {
            const bool is_further = further_pointwise().contains(node->kind()) && has_form_of_pointwise(node);
            return (is_pointwise(node) || is_further || is_row_operator(node)) && is_on_cpu_or_unknown(node);
        };
        form_groups(graph, graph.block(), grouping);
    }};

}  // namespace loupe::passes
