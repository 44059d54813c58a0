// SPDX-License-Identifier: Apache-2.0
#include "core/ops/sparse/sparse.h"

#include <algorithm>
#include <numeric>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/ops/sparse/coalesce.h"
#include "core/ops/sparse/compressed.h"
#include "core/ops/sparse/other_forms.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

const CoordinateParts& parts_of(const Tensor& t) { return coordinate_parts(t); }

Tensor with_values(const Tensor& t, const Tensor& values) {
    return make_sparse(parts_of(t).indices, values, t.sizes(), parts_of(t).is_coalesced);
}

Tensor empty_like_sparse(const Tensor& t) {
    const CoordinateParts& parts = parts_of(t);
    Dims value_sizes = to_dims(parts.values.sizes());
    value_sizes[0] = 0;
    const Dims index_sizes{parts.sparse_dim(), 0};
    return make_sparse(zeros(span_of(index_sizes), ScalarType::Int64),
                       empty(span_of(value_sizes), t.dtype(), t.device()), t.sizes(), true);
}

Tensor add_sparse(const Tensor& a, const Tensor& b, const Scalar& alpha) {
    if (!std::ranges::equal(a.sizes(), b.sizes())) {
        throw Error(ErrorKind::Run, concat("add: expected sizes of 'self' and 'other' to match, but ",
                                           shape_list_text(a.sizes()), " != ", shape_list_text(b.sizes())));
    }
    if (parts_of(a).entries() == 0) return with_values(b, fn::mul_scalar(parts_of(b).values, alpha));
    if (parts_of(b).entries() == 0) return with_values(a, parts_of(a).values);
    // Merged as if both were in order, as PyTorch does: heads with the same index become one entry.
    const CoordinateParts &x = parts_of(a), &y = parts_of(b);
    const std::vector<std::int64_t> left = flat_indices(x, a.sizes()), right = flat_indices(y, b.sizes());
    std::vector<std::int64_t> of_left(left.size()), of_right(right.size());
    std::int64_t count = 0;
    for (std::size_t i = 0, k = 0; i < left.size() || k < right.size(); ++count) {
        const bool takes_left = i < left.size() && (k >= right.size() || left[i] <= right[k]);
        const bool takes_right = k < right.size() && (i >= left.size() || right[k] <= left[i]);
        const std::int64_t at = count;
        if (takes_left) of_left[i++] = at;
        if (takes_right) of_right[k++] = at;
    }
    Dims value_sizes = to_dims(x.values.sizes());
    value_sizes[0] = count;
    const Dims index_sizes{x.sparse_dim(), count};
    const Tensor added = fn::to_dtype(y.values, static_cast<std::int64_t>(a.dtype()));
    const Tensor first =
        fn::index_add(fn::new_zeros(x.values, value_sizes), 0, index_tensor(of_left), x.values, Scalar(1));
    const Tensor values = fn::index_add(first, 0, index_tensor(of_right), added, alpha);
    const Tensor indices = fn::index_copy(
        fn::index_copy(zeros(span_of(index_sizes), ScalarType::Int64), 1, index_tensor(of_left), x.indices), 1,
        index_tensor(of_right), y.indices);
    return make_sparse(indices, values, a.sizes(), x.is_coalesced && y.is_coalesced);
}

void take_over(const Tensor& t, const Tensor& from) { set_sparse_parts(t, from.impl()->sparse); }

struct Call {
    const Operator& op;
    std::span<const IValue> arguments;
    Tensor tensor(std::size_t i) const { return arguments[i].to_tensor(); }
    bool is_sparse(std::size_t i) const { return arguments[i].is_tensor() && is_coordinate(tensor(i)); }
    bool is_in_place() const {
        return op.variant == OperatorVariant::InPlace || std::string_view(op.schema.name).ends_with('_');
    }
    // The result, or self with its parts.
    Tensor result(const Tensor& made) const {
        if (!is_in_place()) return made;
        take_over(tensor(0), made);
        return tensor(0);
    }
};

// op on the values alone, the others' arguments as they are: x * 2, -x, x.to(dtype).
Tensor on_values(const Call& call) {
    const Tensor self = call.tensor(0);
    std::vector<IValue> arguments(call.arguments.begin(), call.arguments.end());
    const Tensor values = parts_of(self).values;
    arguments[0] = call.is_in_place() ? IValue(fn::clone(values, IValue())) : IValue(values);
    std::vector<IValue> results(call.op.result_count());
    call_operator(call.op, arguments, results.data());
    const Tensor made = with_values(self, results[0].to_tensor());
    made.impl()->dtype = parts_of(made).values.dtype();
    return call.result(made);
}
// The same, for coalesced tensors: norms, powers.
Tensor on_coalesced(const Call& call) {
    if (call.is_in_place()) refuse_sparse(call.op);
    std::vector<IValue> arguments(call.arguments.begin(), call.arguments.end());
    arguments[0] = coalesced(call.tensor(0));
    return on_values({call.op, arguments});
}

Tensor add(const Call& call) {
    const Scalar alpha = call.arguments[2].to_scalar();
    if (call.is_sparse(0)) {
        if (!call.is_sparse(1))
            throw Error(ErrorKind::Run, "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
        return call.result(add_sparse(call.tensor(0), call.tensor(1), alpha));
    }
    const Tensor out = call.is_in_place() ? call.tensor(0) : fn::clone(call.tensor(0), IValue());
    add_into(out, call.tensor(1), alpha);
    return out;
}
Tensor sub(const Call& call) {
    const Scalar alpha = Scalar(-call.arguments[2].to_scalar().to_double());
    const std::vector<IValue> arguments{call.arguments[0], call.arguments[1], alpha};
    return add({call.op, arguments});
}

// By a number, or a tensor of one element.
Tensor scaled(const Call& call) {
    if (!call.is_sparse(0)) {
        if (call.op.schema.name.find("mul") == std::string::npos || call.is_in_place()) refuse_sparse(call.op);
        const std::vector<IValue> swapped{call.arguments[1], call.arguments[0]};
        return scaled({call.op, swapped});
    }
    if (call.arguments[1].is_tensor() && (call.is_sparse(1) || call.tensor(1).numel() != 1)) refuse_sparse(call.op);
    std::vector<IValue> arguments(call.arguments.begin(), call.arguments.end());
    if (arguments[1].is_tensor()) arguments[1] = fn::reshape(call.tensor(1), Dims{});
    return on_values({call.op, arguments});
}

Tensor norm_of(const Call& call) {
    std::vector<IValue> arguments(call.arguments.begin(), call.arguments.end());
    arguments[0] = parts_of(coalesced(call.tensor(0))).values;
    std::vector<IValue> results(call.op.result_count());
    call_operator(call.op, arguments, results.data());
    return results[0].to_tensor();
}

Tensor copied(const Call& call) {
    if (!call.is_sparse(0) || !call.is_sparse(1)) refuse_sparse(call.op);
    return call.result(with_values(call.tensor(1), fn::to_dtype(parts_of(call.tensor(1)).values,
                                                                static_cast<std::int64_t>(call.tensor(0).dtype()))));
}
Tensor cloned(const Call& call) {
    const CoordinateParts& parts = parts_of(call.tensor(0));
    return make_sparse(fn::clone(parts.indices, IValue()), fn::clone(parts.values, IValue()), call.tensor(0).sizes(),
                       parts.is_coalesced);
}
Tensor same(const Call& call) { return call.tensor(0).shallow_copy(); }
Tensor itself(const Call& call) { return call.tensor(0); }
Tensor empty_like_self(const Call& call) { return empty_like_sparse(call.tensor(0)); }
// Every dimension has indices afterwards, as in PyTorch.
Tensor emptied(const Call& call) {
    const Tensor self = call.tensor(0);
    const Dims index_sizes{self.dim(), 0}, value_sizes{0};
    const Tensor indices = zeros(span_of(index_sizes), ScalarType::Int64),
                 values = empty(span_of(value_sizes), self.dtype(), self.device());
    return call.result(make_sparse(indices, values, self.sizes()));
}

using Function = Tensor (*)(const Call& call);
template <Function kFunction>
void run(FormRule rule, const Operator& op, Arguments arguments, IValue* results) {
    if (!run_on_other_form(rule, op, arguments, results)) results[0] = kFunction({op, arguments});
}
Tensor no_product(const Call& call) { refuse_sparse(call.op); }

}  // namespace

void on_sparse::values(const Operator& op, Arguments arguments, IValue* results) {
    run<on_values>(FormRule::Values, op, arguments, results);
}
void on_sparse::coalesced_values(const Operator& op, Arguments arguments, IValue* results) {
    run<on_coalesced>(FormRule::Values, op, arguments, results);
}
void on_sparse::add(const Operator& op, Arguments arguments, IValue* results) {
    run<loupe::add>(FormRule::Add, op, arguments, results);
}
void on_sparse::sub(const Operator& op, Arguments arguments, IValue* results) {
    run<loupe::sub>(FormRule::Sub, op, arguments, results);
}
void on_sparse::scale(const Operator& op, Arguments arguments, IValue* results) {
    run<scaled>(FormRule::Scale, op, arguments, results);
}
void on_sparse::norm(const Operator& op, Arguments arguments, IValue* results) {
    run<norm_of>(FormRule::Norm, op, arguments, results);
}
void on_sparse::copy(const Operator& op, Arguments arguments, IValue* results) {
    run<copied>(FormRule::Copy, op, arguments, results);
}
void on_sparse::clone(const Operator& op, Arguments arguments, IValue* results) {
    run<cloned>(FormRule::Clone, op, arguments, results);
}
void on_sparse::same(const Operator& op, Arguments arguments, IValue* results) {
    run<loupe::same>(FormRule::Same, op, arguments, results);
}
void on_sparse::itself(const Operator& op, Arguments arguments, IValue* results) {
    run<loupe::itself>(FormRule::Itself, op, arguments, results);
}
void on_sparse::empty_like(const Operator& op, Arguments arguments, IValue* results) {
    run<empty_like_self>(FormRule::EmptyLike, op, arguments, results);
}
void on_sparse::zero(const Operator& op, Arguments arguments, IValue* results) {
    run<emptied>(FormRule::Zero, op, arguments, results);
}
void on_sparse::mm(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::Mm, op, arguments, results);
}
void on_sparse::mv(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::Mv, op, arguments, results);
}
void on_sparse::addmm(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::Addmm, op, arguments, results);
}
void on_sparse::linear(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::Linear, op, arguments, results);
}
void on_sparse::embedding(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::Embedding, op, arguments, results);
}
void on_sparse::transpose(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::Transpose, op, arguments, results);
}
void on_sparse::rows(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::Rows, op, arguments, results);
}
void on_sparse::t(const Operator& op, Arguments arguments, IValue* results) {
    run<no_product>(FormRule::T, op, arguments, results);
}

Tensor to_dense(const Tensor& t) {
    if (!t.is_sparse()) return t;
    if (is_compressed(t)) return compressed_to_dense(t);
    return coordinate_to_dense(t);
}

Tensor elements_at(const Tensor& t, const Tensor& given_mask) {
    const Tensor mask = coalesced(given_mask);
    const CoordinateParts& parts = parts_of(mask);
    Dims rows{-1};
    for (std::int64_t d = parts.sparse_dim(); d < mask.dim(); ++d) rows.push_back(mask.size(d));
    const Tensor places = on_device(flat_places(parts, mask.sizes()), t.device());
    return make_sparse(parts.indices, fn::index_select(fn::reshape(t, rows), 0, places), mask.sizes(), true);
}

}  // namespace loupe
