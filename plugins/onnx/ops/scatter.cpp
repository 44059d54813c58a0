// SPDX-License-Identifier: Apache-2.0
// Elements written to their indices.
#include "plugins/onnx/ops/indices.h"

namespace loupe::onnx {
namespace {

Tensor scattered(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& updates,
                 std::string_view reduction) {
    if (reduction == "none") return fn::scatter(x, dim, index, updates);
    if (reduction == "add") return fn::scatter_add(x, dim, index, updates);
    const char* name = reduction == "mul"   ? "prod"
                       : reduction == "max" ? "amax"
                       : reduction == "min" ? "amin"
                                            : nullptr;
    require(name != nullptr, "no reduction ", reduction);
    return call_one("aten::scatter_reduce.two", {x, dim, index, updates, name, true});
}

Tensor scatter_elements(const Tensor& x, const Tensor& indices, const Tensor& updates, std::int64_t axis,
                        std::string_view reduction) {
    const std::int64_t dim = wrap_dim(axis, x.dim());
    return scattered(x, dim, from_start(indices, x.size(dim)), updates, reduction);
}
Tensor scatter(const Tensor& x, const Tensor& indices, const Tensor& updates, std::int64_t axis) {
    return scatter_elements(x, indices, updates, axis, "none");
}

// Slices by tuples of indices, which become rows of a table.
Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates, std::string_view reduction) {
    const std::int64_t depth = indices.dim() > 0 ? indices.size(-1) : 0;
    require(depth > 0 && depth <= x.dim(), "indices ", describe(indices), " into ", describe(x));
    const IntSpan inner = x.sizes().first(static_cast<std::size_t>(depth));
    std::int64_t rows = 1;
    for (const std::int64_t n : inner) rows *= n;
    const std::int64_t width = rows == 0 ? 0 : x.numel() / rows;
    const std::int64_t tuples = indices.numel() / depth;
    const Tensor flat = flat_index(fn::reshape(cast(indices, ScalarType::Int64), Dims{tuples, depth}), inner);
    const Tensor table = fn::reshape(x, Dims{rows, width});
    const Tensor index = fn::expand(fn::reshape(flat, Dims{tuples, 1}), Dims{tuples, width});
    const Tensor by_row = fn::reshape(updates, Dims{tuples, width});
    return fn::reshape(scattered(table, 0, index, by_row, reduction), to_dims(x.sizes()));
}

// Batches of rows written into a cache, from a place of each batch on.
Tensor tensor_scatter(const Tensor& past, const Tensor& update, const Tensor& write_indices, std::int64_t axis,
                      std::string_view mode) {
    const std::int64_t dim = wrap_dim(axis, past.dim());
    require(dim > 0 && update.dim() == past.dim(), "the cache and its update have different dimensions");
    require(mode == "linear" || mode == "circular", "mode is linear or circular");
    const std::int64_t batch = past.size(0), room = past.size(dim), count = update.size(dim);
    const Dims starts =
        write_indices.defined() ? whole_numbers(write_indices) : Dims(static_cast<std::size_t>(batch), 0);
    require(static_cast<std::int64_t>(starts.size()) == batch, "write_indices has ", starts.size(), " numbers");
    std::vector<std::int64_t> places;
    for (const std::int64_t start : starts) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t at = mode == "circular" && room > 0 ? (start + i) % room : start + i;
            require(at >= 0 && at < room, "place ", at, " of ", room);
            places.push_back(at);
        }
    }
    Dims sizes(static_cast<std::size_t>(past.dim()), 1);
    sizes[0] = batch;
    sizes[static_cast<std::size_t>(dim)] = count;
    const Tensor index =
        fn::expand(tensor_of(std::span<const std::int64_t>(places), span_of(sizes)), to_dims(update.sizes()));
    return fn::scatter(past, dim, index, update);
}

constexpr OperatorRecord kRecords[] = {
    reading("onnx::Scatter(Tensor data, Tensor indices, Tensor updates, *, int axis=0) -> Tensor",
            "Elements written to their index along an axis.", boxed<scatter>),
    reading("onnx::ScatterElements(Tensor data, Tensor indices, Tensor updates, *, int axis=0, str "
            "reduction=\"none\") -> Tensor",
            "Elements written to their index along an axis.", boxed<scatter_elements>),
    reading("onnx::ScatterND(Tensor data, Tensor indices, Tensor updates, *, str reduction=\"none\") -> Tensor",
            "Slices written to tuples of indices.", boxed<scatter_nd>),
    reading("onnx::TensorScatter(Tensor past_cache, Tensor update, Tensor? write_indices=None, *, int axis=-2, str "
            "mode=\"linear\") -> Tensor",
            "Rows written into a cache.", boxed<tensor_scatter>),
};

}  // namespace

std::span<const OperatorRecord> scatter_records() { return kRecords; }

}  // namespace loupe::onnx
