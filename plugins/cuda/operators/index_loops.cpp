// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/operators/index_loops.h"

#include <bit>

#include "core/tensor/device_copy.h"
#include "plugins/cuda/loops/ordering.h"
#include "plugins/cuda/operators/dense.h"

namespace loupe::cuda {

Tensor as_index(const Tensor& index, Device device) {
    const Tensor there = index.device() == device ? index : on_device(index, device);
    if (there.dtype() == ScalarType::Int64) return there;
    return dense(there, ScalarType::Int64);
}

Dims sizes_of(const Tensor& t) { return t.dim() == 0 ? Dims{1} : to_dims(t.sizes()); }
Dims strides_of(const Tensor& t) {
    const std::int64_t size = t.element_size();
    Dims strides;
    for (const std::int64_t stride : t.strides()) strides.push_back(stride * size);
    if (t.dim() == 0) strides.push_back(size);
    return strides;
}

void add_index(IndexLoop& loop, const Tensor& index, int first, std::int64_t limit, std::int64_t step, int dim) {
    IndexLoop::Index& added = loop.index[loop.indices++];
    added.values = static_cast<const std::int64_t*>(address_of(index));
    for (std::size_t d = 0; d < index.strides().size(); ++d)
        added.strides[static_cast<std::size_t>(first) + d] = index.strides()[d];
    added.limit = limit;
    added.step = step;
    added.dim = dim;
}

IndexLoop along_dim(const Tensor& indexed, std::int64_t dim, const Tensor& index, const Dims& other, Fault* fault) {
    const Dims own = strides_of(indexed), sizes = sizes_of(index);
    IndexLoop loop;
    loop.fault = fault;
    for (std::size_t d = 0; d < sizes.size(); ++d)
        loop.add_dim(sizes[d], static_cast<std::int64_t>(d) == dim ? 0 : own[d], other[d]);
    add_index(loop, index, 0, sizes_of(indexed)[static_cast<std::size_t>(dim)], own[static_cast<std::size_t>(dim)],
              static_cast<int>(dim));
    return loop;
}

IndexLoop slices_of(const Tensor& indexed, std::int64_t dim, const Tensor& index, const Dims& other, Fault* fault) {
    const Dims own = strides_of(indexed), sizes = sizes_of(indexed);
    IndexLoop loop;
    loop.fault = fault;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const bool is_along = static_cast<std::int64_t>(d) == dim;
        loop.add_dim(is_along ? index.numel() : sizes[d], is_along ? 0 : own[d], other[d]);
    }
    add_index(loop, index, static_cast<int>(dim), sizes[static_cast<std::size_t>(dim)],
              own[static_cast<std::size_t>(dim)], static_cast<int>(dim));
    return loop;
}

void gather_rows(const Tensor& indexed, const IndexLoop& rows, const RowColumns& beside, const Gathered& how,
                 const Tensor& other, const Queue& queue) {
    if (rows.count == 0 || beside.count == 0) return;
    // Of a complex number the parts are two columns.
    RowColumns columns = beside;
    const bool has_parts = is_complex(indexed.dtype());
    if (has_parts) columns.add_dim(2, indexed.element_size() / 2, other.element_size() / 2);
    // Offsets from the tensor's first element lie within its storage.
    const auto bits = static_cast<int>(std::bit_width(indexed.storage()->bytes() + 1));
    Gathered gathered = how;
    gathered.element = element_of(has_parts ? to_real_type(indexed.dtype()) : indexed.dtype());
    gathered.nothing = static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
    const Tensor work = empty(std::array{std::int64_t{4}, rows.count}, ScalarType::Int64, indexed.device());
    auto* const keys = static_cast<std::int64_t*>(address_of(work));
    std::int64_t* const order = keys + rows.count;
    run_index_keys(queue, rows, gathered.nothing, keys);
    auto* const room = order + rows.count;
    const Sorted<std::uint64_t> sorted =
        run_sort<std::uint64_t>(queue, {reinterpret_cast<std::uint64_t*>(keys), order}, rows.count, bits,
                                {reinterpret_cast<std::uint64_t*>(room), room + rows.count});
    run_gather_rows(queue, rows, columns, gathered, reinterpret_cast<const std::int64_t*>(sorted.keys), sorted.places,
                    address_of(indexed), address_of(other));
}

}  // namespace loupe::cuda
