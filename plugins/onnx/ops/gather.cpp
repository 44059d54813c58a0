// SPDX-License-Identifier: Apache-2.0
// Elements by their indices.
#include <algorithm>

#include "core/passes/fake_run.h"
#include "plugins/onnx/ops/indices.h"

namespace loupe::onnx {

Tensor from_start(const Tensor& indices, std::int64_t size) {
    const Tensor wide = cast(indices, ScalarType::Int64);
    if (wide.numel() == 0 || passes::is_fake(wide)) return wide;
    const std::int64_t least = item(fn::amin(fn::detach(wide), Dims(), false)).to_int();
    if (least >= 0) return wide;
    require(least >= -size, "index ", least, " of ", size, " elements");
    return fn::where(fn::lt_scalar(wide, Scalar(0)), fn::add_scalar(wide, Scalar(size)), wide);
}

Tensor flat_index(const Tensor& tuples, IntSpan sizes) {
    Tensor flat;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const Tensor each = from_start(fn::select(tuples, -1, static_cast<std::int64_t>(d)), sizes[d]);
        if (each.numel() > 0 && !passes::is_fake(each)) {
            const std::int64_t most = item(fn::amax(fn::detach(each), Dims(), false)).to_int();
            require(most < sizes[d], "index ", most, " of ", sizes[d], " elements");
        }
        flat = flat.defined() ? fn::add(fn::mul_scalar(flat, Scalar(sizes[d])), each) : each;
    }
    return flat;
}

namespace {

Tensor gather(const Tensor& x, const Tensor& indices, std::int64_t axis) {
    const std::int64_t dim = wrap_dim(axis, x.dim());
    require(is_integral(indices.dtype()), "indices are whole numbers, not ", describe(indices));
    const Tensor index = from_start(indices, x.size(dim));
    if (dim == 0 && x.dim() == 2 && is_floating(x.dtype()) && index.dim() > 0)
        return call_one("aten::embedding", {x, index});
    if (index.dim() == 0) return fn::select(x, dim, passes::is_fake(index) ? 0 : item(index).to_int());
    if (index.dim() == 1) return fn::index_select(x, dim, index);
    Dims sizes(x.sizes().begin(), x.sizes().begin() + dim);
    sizes.insert(sizes.end(), index.sizes().begin(), index.sizes().end());
    sizes.insert(sizes.end(), x.sizes().begin() + dim + 1, x.sizes().end());
    return fn::reshape(fn::index_select(x, dim, fn::reshape(index, Dims{-1})), sizes);
}

Tensor gather_elements(const Tensor& x, const Tensor& indices, std::int64_t axis) {
    const std::int64_t dim = wrap_dim(axis, x.dim());
    return fn::gather(x, dim, from_start(indices, x.size(dim)));
}

Tensor gather_nd(const Tensor& x, const Tensor& indices, std::int64_t batch_dims) {
    const std::int64_t depth = indices.dim() > 0 ? indices.size(-1) : 0;
    require(batch_dims >= 0 && batch_dims < indices.dim() && depth > 0 && batch_dims + depth <= x.dim(), "indices ",
            describe(indices), " into ", describe(x), " with ", batch_dims, " dimensions of batch");
    Dims sizes = to_dims(indices.sizes());
    sizes.pop_back();
    const auto rest = x.sizes().subspan(static_cast<std::size_t>(batch_dims + depth));
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    std::int64_t batch = 1;
    for (std::int64_t d = 0; d < batch_dims; ++d) {
        require(x.size(d) == indices.size(d), "batches of ", x.size(d), " and ", indices.size(d));
        batch *= x.size(d);
    }
    const IntSpan inner = x.sizes().subspan(static_cast<std::size_t>(batch_dims), static_cast<std::size_t>(depth));
    std::int64_t rows = 1;
    for (const std::int64_t n : inner) rows *= n;
    const std::int64_t tuples = indices.numel() / std::max<std::int64_t>(1, batch * depth);
    Tensor flat = flat_index(fn::reshape(cast(indices, ScalarType::Int64), Dims{batch, tuples, depth}), inner);
    if (batch > 1) {
        const Tensor first = fn::mul_scalar(fn::arange(Scalar(batch)), Scalar(rows));
        flat = fn::add(flat, fn::reshape(first, Dims{batch, 1}));
    }
    Dims table{batch * rows};
    table.insert(table.end(), rest.begin(), rest.end());
    const Tensor picked = fn::index_select(fn::reshape(x, table), 0, fn::reshape(flat, Dims{-1}));
    return fn::reshape(picked, sizes);
}

// Where the condition is true along an axis, or in all elements one behind another.
Tensor compress(const Tensor& x, const Tensor& condition, const std::optional<std::int64_t>& axis) {
    const Tensor from = axis ? x : fn::reshape(x, Dims{-1});
    const std::int64_t dim = axis ? wrap_dim(*axis, x.dim()) : 0;
    passes::require_elements(condition);
    const Tensor places = fn::reshape(fn::nonzero(fn::reshape(condition, Dims{-1})), Dims{-1});
    return fn::index_select(from, dim, places);
}

constexpr OperatorRecord kRecords[] = {
    reading("onnx::Gather(Tensor data, Tensor indices, *, int axis=0) -> Tensor", "Slices along an axis, by index.",
            boxed<gather>),
    reading("onnx::GatherElements(Tensor data, Tensor indices, *, int axis=0) -> Tensor",
            "Elements by their index along an axis.", boxed<gather_elements>),
    reading("onnx::GatherND(Tensor data, Tensor indices, *, int batch_dims=0) -> Tensor",
            "Slices by tuples of indices.", boxed<gather_nd>),
    reading("onnx::Compress(Tensor input, Tensor condition, *, int? axis=None) -> Tensor",
            "Slices where a condition is true.", boxed<compress>),
};

}  // namespace

std::span<const OperatorRecord> gather_records() { return kRecords; }

}  // namespace loupe::onnx
