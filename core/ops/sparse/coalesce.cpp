// SPDX-License-Identifier: Apache-2.0
#include "core/ops/sparse/coalesce.h"

#include <algorithm>
#include <numeric>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/tensor/device_copy.h"

namespace loupe {

Tensor index_tensor(const std::vector<std::int64_t>& values) {
    const Dims sizes{static_cast<std::int64_t>(values.size())};
    return tensor_of(std::span<const std::int64_t>(values), span_of(sizes));
}

std::vector<std::int64_t> flat_indices(const CoordinateParts& parts, IntSpan sizes) {
    const Tensor indices = on_host(fn::contiguous(parts.indices, 0));
    const auto entries = static_cast<std::size_t>(parts.entries());
    const auto* from = indices.data<std::int64_t>();
    std::vector<std::int64_t> out(entries, 0);
    for (std::int64_t d = 0; d < parts.sparse_dim(); ++d) {
        const std::int64_t size = sizes[static_cast<std::size_t>(d)];
        for (std::size_t i = 0; i < entries; ++i) {
            const std::int64_t index = from[static_cast<std::size_t>(d) * entries + i];
            if (index < 0 || index >= size) {
                throw Error(ErrorKind::Run, concat("size is inconsistent with indices: for dim ", d, ", size is ", size,
                                                   " but found index ", index));
            }
            out[i] = out[i] * size + index;
        }
    }
    return out;
}

Tensor flat_places(const CoordinateParts& parts, IntSpan sizes) {
    const Device device = parts.values.device();
    if (device.is_cpu() || parts.entries() == 0) return on_device(index_tensor(flat_indices(parts, sizes)), device);
    const Tensor indices = on_device(parts.indices, device);
    Tensor flat = fn::zeros_like(fn::select(indices, 0, 0));
    for (std::int64_t d = 0; d < parts.sparse_dim(); ++d) {
        const Tensor row = fn::select(indices, 0, d);
        const std::int64_t size = sizes[static_cast<std::size_t>(d)];
        const std::int64_t least = item(fn::amin(row, Dims{}, false)).to_int(),
                           most = item(fn::amax(row, Dims{}, false)).to_int();
        if (least < 0 || most >= size) {
            throw Error(ErrorKind::Run, concat("size is inconsistent with indices: for dim ", d, ", size is ", size,
                                               " but found index ", least < 0 ? least : most));
        }
        flat = fn::add(fn::mul_scalar(flat, Scalar(size)), row, Scalar(1));
    }
    return flat;
}

void add_into(const Tensor& out, const Tensor& sparse, const Scalar& alpha) {
    const CoordinateParts& parts = coordinate_parts(sparse);
    if (!std::ranges::equal(out.sizes(), sparse.sizes())) {
        throw Error(ErrorKind::Run,
                    concat("add: expected 'self' and 'other' to have same size, but self has size ",
                           shape_list_text(out.sizes()), " while other has size ", shape_list_text(sparse.sizes()),
                           " (FYI: dense-sparse addition does not currently support broadcasting)"));
    }
    static const OperatorHandle<> index_add_("aten::index_add_");
    Dims rows{-1};
    for (std::int64_t d = parts.sparse_dim(); d < sparse.dim(); ++d) rows.push_back(sparse.size(d));
    const Tensor values = on_device(fn::to_dtype(parts.values, static_cast<std::int64_t>(out.dtype())), out.device());
    const Tensor places = on_device(flat_places(parts, sparse.sizes()), out.device());
    if (out.is_contiguous()) {
        index_add_(fn::view(out, rows), 0, places, values, alpha);
    } else {
        const Tensor copy = fn::contiguous(out, 0);
        index_add_(fn::view(copy, rows), 0, places, values, alpha);
        fn::copy_(out, copy, false);
    }
    out.storage()->bump_version();
}

// On another device: each place once in order, which of its entries was the first, and the sums of their values.
Tensor coalesced_there(const CoordinateParts& parts, IntSpan tensor_sizes) {
    static const OperatorHandle<fn::ThreeTensors> unique("aten::_unique2");
    static const OperatorHandle<> reduce("aten::scatter_reduce.two");
    const Tensor flat = flat_places(parts, tensor_sizes);
    const auto [places, group, counts] = unique(flat, true, true, false);
    const Tensor numbers =
        fn::arange(Scalar(flat.numel()), static_cast<std::int64_t>(ScalarType::Int64), IValue(), flat.device());
    const Tensor firsts = reduce(fn::full_like(places, Scalar(flat.numel())), 0, group, numbers, "amin", true);
    Dims sizes = to_dims(parts.values.sizes());
    sizes[0] = places.numel();
    const Tensor sums = fn::index_add(fn::new_zeros(parts.values, sizes), 0, group, parts.values, Scalar(1));
    const Tensor indices = on_device(parts.indices, flat.device());
    return make_sparse(fn::index_select(indices, 1, firsts), sums, tensor_sizes, true);
}

Tensor coalesced(const Tensor& t) {
    const CoordinateParts& parts = coordinate_parts(t);
    if (parts.is_coalesced) return t;
    const GradModeScope no_grad(false);
    if (!parts.values.device().is_cpu() && parts.entries() > 0) return coalesced_there(parts, t.sizes());
    const std::vector<std::int64_t> flat = flat_indices(parts, t.sizes());
    std::vector<std::size_t> order(flat.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return flat[i]; });
    std::vector<std::int64_t> firsts, places(flat.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (k == 0 || flat[order[k]] != flat[order[k - 1]]) firsts.push_back(static_cast<std::int64_t>(order[k]));
        places[order[k]] = static_cast<std::int64_t>(firsts.size()) - 1;
    }
    Dims sizes = to_dims(parts.values.sizes());
    sizes[0] = static_cast<std::int64_t>(firsts.size());
    const Tensor sums =
        fn::index_add(fn::new_zeros(parts.values, sizes), 0, index_tensor(places), parts.values, Scalar(1));
    return make_sparse(fn::index_select(parts.indices, 1, index_tensor(firsts)), sums, t.sizes(), true);
}

Tensor coordinate_to_dense(const Tensor& t) {
    if (!is_coordinate(t)) throw Error(ErrorKind::Run, "to_dense() takes sparse tensors");
    const GradModeScope no_grad(false);
    const Tensor out = zeros(t.sizes(), t.dtype(), coordinate_parts(t).values.device());
    add_into(out, t, Scalar(1));
    return out;
}

}  // namespace loupe
