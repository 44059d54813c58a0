// SPDX-License-Identifier: Apache-2.0
// Chains of pointwise operators become groups, which a fuser compiles to one loop; without one the interpreter runs the
// operators of the group.
#include <algorithm>
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

const std::unordered_set<Symbol>& pointwise() {
    static const std::unordered_set<Symbol> kKinds = [] {
        std::unordered_set<Symbol> kinds;
        for (const char* name :
             {"add", "sub", "rsub", "mul", "div", "eq", "ne", "ge", "gt", "le", "lt", "pow", "clamp", "clamp_min", "clamp_max", "lerp",
              "log10", "log", "log2", "log1p", "exp", "expm1", "erf", "erfc", "cos", "sin", "tan", "acos", "asin", "cosh", "sinh", "atan",
              "atan2", "tanh", "sqrt", "rsqrt", "abs", "floor", "ceil", "round", "trunc", "frac", "fmod", "remainder", "relu", "relu6",
              "leaky_relu", "gelu", "silu", "sigmoid", "hardtanh", "hardswish", "hardsigmoid", "softplus", "mish", "elu", "neg",
              "reciprocal", "threshold", "addcmul", "addcdiv", "where", "type_as", "to", "lgamma", "max", "min", "maximum", "minimum",
              "__and__", "__or__", "__xor__", "sigmoid_backward", "tanh_backward", "threshold_backward",
              "gelu_backward", "silu_backward", "mish_backward", "hardtanh_backward", "leaky_relu_backward", "elu_backward",
              "hardsigmoid_backward", "hardswish_backward", "softplus_backward", "masked_fill", "logical_and", "logical_or", "logical_xor",
              "logical_not", "square", "sign", "bitwise_and", "bitwise_or", "bitwise_not", "isnan", "exp2"}) {
            kinds.insert(Symbol::intern(std::string("aten::") + name));
        }
        return kinds;
    }();
    return kKinds;
}

bool is_on_cpu_or_unknown(const Node* node) {
    return std::all_of(node->inputs().begin(), node->inputs().end(), [](const Value* value) {
        const auto* type = value->type()->as<TensorType>();
        return type == nullptr || !type->device || type->device->type == DeviceType::Cpu;
    });
}

}  // namespace

// Only tensors and numbers in, one tensor out; reductions share names with some.
bool is_pointwise(const Node* node) {
    if (!pointwise().contains(node->kind()) || node->op() == nullptr || node->outputs().size() != 1) return false;
    if (node->output()->type()->kind() != TypeKind::Tensor) return false;
    const std::string& kind = node->kind().str();
    const bool is_extremum = kind == "aten::max" || kind == "aten::min";
    if (is_extremum && !(node->inputs().size() == 2 && node->input(1)->type()->kind() == TypeKind::Tensor)) return false;
    // A cast by dtype alone: aten::to.dtype(Tensor, dtype, non_blocking, copy, memory_format).
    if (kind == "aten::to") return node->is("aten::to.dtype") && ir::is_none_constant(node->input(4)) && constant_int(node->input(1)).has_value();
    return std::none_of(node->inputs().begin(), node->inputs().end(), [](const Value* v) { return v->type()->kind() == TypeKind::List; });
}

const Pass kFuseTensorExprs{"FuseTensorExprs", "Chains of pointwise operators become groups that are computed in one go.",
                            [](Graph& graph, const PassContext&) {
                                Grouping grouping;
                                grouping.kind = Symbol::intern("prim::TensorExprGroup");
                                grouping.pass = "FuseTensorExprs";
                                grouping.is_member = [](const Node* node) { return is_pointwise(node) && is_on_cpu_or_unknown(node); };
                                form_groups(graph, graph.block(), grouping);
                            }};

}  // namespace loupe::passes
