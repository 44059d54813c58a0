// SPDX-License-Identifier: Apache-2.0
// Operators on tensors of which each rank holds a part (DTensor): what is done to each element by itself runs on this
// rank's part, and some reductions give one number of each rank. All others refuse.

#include <algorithm>
#include <set>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/dispatch/sharded_calls.h"
#include "core/ops/distributed/family.h"
#include "core/tensor/sharded.h"

namespace loupe {

OperatorFamily pointwise_family();

namespace distributed_ops {
namespace {

// "add.Tensor", as PyTorch's errors have it.
std::string name_of(const Operator& op) {
    std::string out(std::string_view(op.full_name).substr(std::string_view(op.full_name).find(':') + 2));
    return out.find('.') == std::string::npos ? out + ".default" : out;
}
std::string function_of(const Operator& op) {
    const std::string name = name_of(op);
    return name.substr(0, name.find('.'));
}

// Of one tensor, whatever its parts stand for.
bool moves(const std::string& function) {
    static const std::set<std::string_view> all = {"detach",   "alias",      "clone",     "contiguous", "to",
                                                   "_to_copy", "zeros_like", "ones_like", "empty_like", "full_like",
                                                   "zero_",    "fill_",      "copy_",     "lift_fresh", "detach_"};
    return all.contains(function);
}

bool is_pointwise(const Operator& op) {
    static const std::set<const OperatorRecord*> records = [] {
        const auto family = pointwise_family().records;
        return std::set<const OperatorRecord*>(family.begin(), family.end());
    }();
    return records.contains(op.record);
}

const Tensor* first_sharded(Arguments arguments, Tensor& place) {
    for (const IValue& each : arguments) {
        if (!each.is_tensor() || !is_sharded(each.to_tensor())) continue;
        place = each.to_tensor();
        return &place;
    }
    return nullptr;
}

// The arguments with the parts of this rank. Throws Error where tensors do not lie in the same way.
std::vector<IValue> local_arguments(const Operator& op, Arguments arguments, const Tensor& like) {
    std::vector<IValue> local(arguments.begin(), arguments.end());
    for (IValue& each : local) {
        if (!each.is_tensor()) continue;
        const Tensor t = each.to_tensor();
        if (!t.defined()) continue;
        if (!is_sharded(t)) {
            if (t.dim() == 0) continue;
            throw Error(ErrorKind::Run, concat("aten.", name_of(op),
                                               " got mixed torch.Tensor and DTensor, need to convert all torch.Tensor "
                                               "to DTensor before calling distributed operators!"));
        }
        const bool is_alike =
            std::ranges::equal(t.sizes(), like.sizes()) && sharded_parts(t).spec->equals(*sharded_parts(like).spec);
        if (!is_alike) {
            throw Error(ErrorKind::Unsupported,
                        concat("aten.", name_of(op), " of DTensors of other shapes, meshes or placements is not here"),
                        {.hint = "call full_tensor() or to_local() first"});
        }
        each = local_or_itself(t);
    }
    return local;
}

void on_parts(const Operator& op, Arguments arguments, const Tensor& like, IValue* results) {
    const GradModeScope no_grad(false);
    call_operator(op, local_arguments(op, arguments, like), results);
    const bool is_in_place = op.variant == OperatorVariant::InPlace || std::string_view(op.schema.name).ends_with('_');
    for (std::size_t i = 0; i < op.result_count(); ++i) {
        if (!results[i].is_tensor()) continue;
        results[i] = is_in_place ? arguments[0] : IValue(with_local(like, results[i].to_tensor()));
    }
}

// Is the list of dimensions, None and an empty one too, all of them?
bool has_all_dimensions(const IValue& dims, const Tensor& t) {
    if (dims.is_none()) return true;
    std::set<std::int64_t> all;
    for (const IValue& each : dims.to_list().elements) all.insert(wrap_dim(each.to_int(), t.dim()));
    return all.empty() || static_cast<std::int64_t>(all.size()) == t.dim();
}

// How one number of each rank's part is joined; empty: not here.
std::string reduction_of(const Operator& op, Arguments arguments) {
    const std::string name = name_of(op);
    if (name == "sum.default") return "sum";
    if (name == "max.default") return "max";
    if (name == "min.default") return "min";
    // (self, ord, dim, keepdim, dtype); norm and its like are made of it.
    const bool is_norm = name == "linalg_vector_norm.default" &&
                         has_all_dimensions(arguments[2], arguments[0].to_tensor()) && !arguments[3].to_bool();
    return is_norm ? concat("norm:", python_repr(arguments[1].to_scalar().to_double())) : std::string();
}

bool run_rule(const Operator& op, Arguments arguments, IValue* results) {
    Tensor like;
    if (first_sharded(arguments, like) == nullptr) return false;
    const bool is_partial = sharded_parts(like).spec->is_partial();
    const std::string function = function_of(op);
    if (moves(function) || (is_pointwise(op) && !is_partial)) {
        on_parts(op, arguments, like, results);
        return true;
    }
    const std::string reduction = is_partial ? std::string() : reduction_of(op, arguments);
    const auto spec = reduction.empty() ? nullptr : sharded_parts(like).spec->with_partial(reduction);
    // A rank without elements has no greatest one.
    const bool has_none = like.numel() != 0 && sharded_parts(like).local.numel() == 0 && reduction.starts_with("m");
    if (spec == nullptr || has_none) return false;
    const GradModeScope no_grad(false);
    call_operator(op, local_arguments(op, arguments, like), results);
    results[0] = make_sharded(results[0].to_tensor(), spec, {});
    return true;
}

}  // namespace

void install_sharded_rules() { set_sharded_runner(run_rule); }

}  // namespace distributed_ops
}  // namespace loupe
