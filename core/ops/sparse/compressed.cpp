// SPDX-License-Identifier: Apache-2.0
#include "core/ops/sparse/compressed.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/sparse/coalesce.h"

namespace loupe {
namespace {

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

// [batches, rows, columns] of a compressed tensor.
struct Extent {
    std::int64_t batches = 1, rows = 0, columns = 0;
};
Extent extent_of(IntSpan sizes, std::int64_t batch_dim) {
    const auto b = static_cast<std::size_t>(batch_dim);
    Extent extent{1, sizes[b], sizes[b + 1]};
    for (std::size_t d = 0; d < b; ++d) extent.batches *= sizes[d];
    return extent;
}

Tensor as_int64(const Tensor& t) {
    return fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Int64)), 0);
}

// The sizes of the dense dimensions, after `first`.
Dims with_dense(std::initializer_list<std::int64_t> first, IntSpan dense) {
    Dims sizes(first);
    sizes.insert(sizes.end(), dense.begin(), dense.end());
    return sizes;
}
IntSpan dense_sizes(const Tensor& t) {
    return t.sizes().last(static_cast<std::size_t>(compressed_parts(t).dense_dim()));
}

}  // namespace

Tensor element_places(const Tensor& t) {
    const CompressedParts& parts = compressed_parts(t);
    const Extent extent = extent_of(t.sizes(), parts.batch_dim());
    const bool by_rows = compresses_rows(parts.layout);
    const std::int64_t height = parts.block(0), width = parts.block(1), entries = parts.entries();
    const Tensor compressed = as_int64(parts.compressed), plain = as_int64(parts.plain);
    const std::int64_t count = compressed.size(-1) - 1;
    std::vector<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(extent.batches * entries * height * width));
    for (std::int64_t batch = 0; batch < extent.batches; ++batch) {
        const auto* ends = compressed.data<std::int64_t>() + batch * (count + 1);
        const auto* others = plain.data<std::int64_t>() + batch * entries;
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t k = ends[i]; k < ends[i + 1]; ++k) {
                const std::int64_t row = (by_rows ? i : others[k]) * height, column = (by_rows ? others[k] : i) * width;
                for (std::int64_t y = 0; y < height; ++y) {
                    for (std::int64_t x = 0; x < width; ++x)
                        places.push_back((batch * extent.rows + row + y) * extent.columns + column + x);
                }
            }
        }
    }
    return index_tensor(places);
}

Tensor element_values(const Tensor& t) {
    return fn::reshape(compressed_parts(t).values, with_dense({-1}, dense_sizes(t)));
}

Tensor compressed_to_dense(const Tensor& t) {
    const CompressedParts& parts = compressed_parts(t);
    const Extent extent = extent_of(t.sizes(), parts.batch_dim());
    const std::int64_t all = extent.batches * extent.rows * extent.columns;
    const Tensor out = fn::new_zeros(parts.values, with_dense({all}, dense_sizes(t)));
    if (parts.values.numel() == 0) return fn::reshape(out, to_dims(t.sizes()));
    return fn::reshape(fn::index_add(out, 0, element_places(t), element_values(t), Scalar(1)), to_dims(t.sizes()));
}

Tensor compressed_to_coordinate(const Tensor& t) {
    const CompressedParts& parts = compressed_parts(t);
    const Tensor places = element_places(t);
    const auto* flat = places.data<std::int64_t>();
    const std::int64_t sparse_dim = parts.batch_dim() + 2, n = places.numel();
    const Dims index_sizes{sparse_dim, n};
    const Tensor indices = empty(span_of(index_sizes), ScalarType::Int64);
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t rest = flat[i];
        for (std::int64_t d = sparse_dim; d-- > 0;) {
            const std::int64_t size = t.sizes()[static_cast<std::size_t>(d)];
            indices.data<std::int64_t>()[d * n + i] = rest % size;
            rest /= size;
        }
    }
    const bool is_in_order = std::is_sorted(flat, flat + n);
    return coalesced(make_sparse(indices, element_values(t), t.sizes(), is_in_order));
}

namespace {

// Blocks of a strided tensor in the order in which the layout lists them: [batches * compressed * plain, block...,
// dense...].
struct Blocks {
    Tensor all;
    Extent count;  // in blocks, rows and columns as the tensor has them
};
Blocks blocks_of(const Tensor& t, CompressedLayout layout, std::int64_t height, std::int64_t width,
                 std::int64_t batch_dim, IntSpan dense) {
    const Extent extent = extent_of(t.sizes(), batch_dim);
    const Extent count{extent.batches, extent.rows / height, extent.columns / width};
    const Tensor apart = fn::reshape(t, with_dense({count.batches, count.rows, height, count.columns, width}, dense));
    Dims order{0, 1, 3, 2, 4};
    if (!compresses_rows(layout)) std::swap(order[1], order[2]);
    for (std::int64_t d = 5; d < apart.dim(); ++d) order.push_back(d);
    const Tensor in_order = fn::permute(apart, order);
    const std::int64_t all = count.batches * count.rows * count.columns;
    return {
        fn::reshape(in_order, has_blocks(layout) ? with_dense({all, height, width}, dense) : with_dense({all}, dense)),
        count};
}

Tensor from_dense(const Tensor& t, CompressedLayout layout, const Dims& block, std::int64_t dense_dim) {
    const std::int64_t batch_dim = t.dim() - 2 - dense_dim;
    require(dense_dim >= 0 && batch_dim >= 0, "to_sparse_", layout_python_name(layout).substr(7),
            ": expected at least 2 dimensions beside the dense ones, got a tensor of ", t.dim());
    const std::int64_t height = has_blocks(layout) ? block[0] : 1, width = has_blocks(layout) ? block[1] : 1;
    const IntSpan dense = t.sizes().last(static_cast<std::size_t>(dense_dim));
    require(height > 0 && width > 0 && t.size(batch_dim) % height == 0 && t.size(batch_dim + 1) % width == 0,
            "dense_to_", layout_python_name(layout), ": tensor sparse size (", t.size(batch_dim), ",",
            t.size(batch_dim + 1), ") must be divisible by given blocksize (", height, ",", width, ")");
    const Blocks blocks = blocks_of(t, layout, height, width, batch_dim, dense);
    const Tensor flat = fn::reshape(fn::detach(blocks.all), Dims{blocks.all.size(0), -1});
    static const OperatorHandle<> any_dim("aten::any.dim");
    const Tensor is_used = flat.numel() == 0 ? fn::to_dtype(fn::new_zeros(flat, Dims{flat.size(0)}),
                                                            static_cast<std::int64_t>(ScalarType::Bool))
                                             : any_dim(fn::ne_scalar(flat, Scalar(0)), std::int64_t{1}, false);
    const Tensor places = fn::reshape(fn::nonzero(is_used), Dims{-1});
    const bool by_rows = compresses_rows(layout);
    const std::int64_t count = by_rows ? blocks.count.rows : blocks.count.columns,
                       across = by_rows ? blocks.count.columns : blocks.count.rows, batches = blocks.count.batches;
    const std::int64_t entries = batches == 0 ? 0 : places.numel() / batches;
    std::vector<std::int64_t> ends(static_cast<std::size_t>(batches * (count + 1)), 0), plain;
    for (std::int64_t i = 0; i < places.numel(); ++i) {
        const std::int64_t place = places.data<std::int64_t>()[i], batch = place / (count * across);
        ++ends[static_cast<std::size_t>(batch * (count + 1) + place / across % count + 1)];
        plain.push_back(place % across);
    }
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        auto* const from = ends.data() + batch * (count + 1);
        std::partial_sum(from, from + count + 1, from);
        require(from[count] == entries, "Expect the same number of specified elements per batch.");
    }
    const Dims batch_sizes(t.sizes().begin(), t.sizes().begin() + batch_dim);
    const auto shaped = [&](const Tensor& x, IntSpan own) {
        Dims sizes = batch_sizes;
        sizes.insert(sizes.end(), own.begin(), own.end());
        return fn::reshape(x, sizes);
    };
    const Dims ends_size{count + 1}, plain_size{entries};
    Dims value_sizes = to_dims(blocks.all.sizes());
    value_sizes[0] = entries;
    return make_compressed_unchecked(layout, shaped(index_tensor(ends), span_of(ends_size)),
                                     shaped(index_tensor(plain), span_of(plain_size)),
                                     shaped(fn::index_select(blocks.all, 0, places), span_of(value_sizes)), t.sizes());
}

// Of two sparse dimensions, without blocks; entries that are zero stay.
Tensor from_coordinate(const Tensor& t, CompressedLayout layout) {
    const Tensor ordered = coalesced(t);
    const CoordinateParts& parts = coordinate_parts(ordered);
    const std::int64_t n = parts.entries();
    const std::size_t own = compresses_rows(layout) ? 0 : 1;
    const Tensor indices = fn::contiguous(parts.indices, 0);
    const auto* compressed = indices.data<std::int64_t>() + static_cast<std::int64_t>(own) * n;
    const auto* plain = indices.data<std::int64_t>() + static_cast<std::int64_t>(1 - own) * n;
    std::vector<std::int64_t> order(static_cast<std::size_t>(n)), ends(static_cast<std::size_t>(t.sizes()[own]) + 1, 0),
        others;
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return compressed[i]; });
    for (const std::int64_t i : order) {
        ++ends[static_cast<std::size_t>(compressed[i]) + 1];
        others.push_back(plain[i]);
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    return make_compressed_unchecked(layout, index_tensor(ends), index_tensor(others),
                                     fn::index_select(parts.values, 0, index_tensor(order)), t.sizes());
}

// Rows and columns of a matrix of compressed entries, one each an element.
struct Places {
    Tensor rows, columns;
};
Places places_of(const Tensor& t) {
    const Tensor flat = element_places(t);
    std::vector<std::int64_t> rows, columns;
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
        rows.push_back(flat.data<std::int64_t>()[i] / t.size(-1));
        columns.push_back(flat.data<std::int64_t>()[i] % t.size(-1));
    }
    return {index_tensor(rows), index_tensor(columns)};
}

Tensor sparse_by_dense(const Tensor& a, const Tensor& b) {
    const Places places = places_of(a);
    const Tensor out = fn::new_zeros(b, Dims{a.size(0), b.size(1)});
    if (places.rows.numel() == 0) return out;
    const Tensor terms = fn::mul(fn::unsqueeze(element_values(a), 1), fn::index_select(b, 0, places.columns));
    return fn::index_add(out, 0, places.rows, terms, Scalar(1));
}

}  // namespace

Tensor to_compressed(const Tensor& t, CompressedLayout layout, const Dims& block, std::int64_t dense_dim) {
    require(!has_blocks(layout) || block.size() == 2, "to_sparse for ", layout_message_name(layout),
            " needs a blocksize of two elements");
    if (is_compressed(t)) {
        const CompressedParts& parts = compressed_parts(t);
        const bool same_block = !has_blocks(layout) || (parts.block(0) == block[0] && parts.block(1) == block[1]);
        if (parts.layout == layout && same_block) return t;
        if (has_blocks(layout) || parts.batch_dim() > 0)
            return from_dense(compressed_to_dense(t), layout, block, parts.dense_dim());
        return from_coordinate(compressed_to_coordinate(t), layout);
    }
    if (!is_coordinate(t)) return from_dense(t, layout, block, dense_dim);
    require(coordinate_parts(t).sparse_dim() == 2 && coordinate_parts(t).dense_dim() == t.dim() - 2,
            "conversion from Sparse to ", layout_message_name(layout),
            " for input tensors with sparse_dim()!=2 is not "
            "supported");
    return has_blocks(layout) ? from_dense(t.is_sparse() ? coordinate_to_dense(t) : t, layout, block, t.dim() - 2)
                              : from_coordinate(t, layout);
}

Tensor compressed_product(const Tensor& a, const Tensor& b) {
    require(a.dim() == 2 && b.dim() == 2, "compressed sparse products take matrices, got ", a.dim(), " and ", b.dim(),
            " dimensions");
    require(a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied (", a.size(0), "x", a.size(1), " and ",
            b.size(0), "x", b.size(1), ")");
    if (!is_compressed(a)) {
        const Tensor left = compressed_to_dense(b);
        return fn::mm(a, left);
    }
    return sparse_by_dense(a, is_compressed(b) ? compressed_to_dense(b) : b);
}

}  // namespace loupe
