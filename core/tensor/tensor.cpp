// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/ragged_size.h"

namespace loupe {
namespace {

__extension__ typedef __int128 Wide;  // no product of two 64-bit values overflows it

std::vector<std::string> size_texts(IntSpan sizes) {
    std::vector<std::string> out;
    for (const std::int64_t size : sizes) out.push_back(size_text(size));
    return out;
}

bool dense_in_order(const TensorImpl& t, std::span<const int> fastest_first) {
    std::int64_t expected = 1;
    for (const int d : fastest_first) {
        const auto index = static_cast<std::size_t>(d);
        if (t.sizes[index] == 1) continue;
        if (t.strides[index] != expected) return false;
        expected *= t.sizes[index];
    }
    return true;
}

bool rows_are_contiguous(IntSpan sizes, IntSpan strides) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return true;
    std::int64_t expected = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        if (sizes[d] == 1) continue;
        if (strides[d] != expected) return false;
        expected *= sizes[d];
    }
    return true;
}

Ptr<TensorImpl> make_impl(Ptr<Storage> storage, IntSpan sizes, IntSpan strides, std::int64_t offset, ScalarType dtype) {
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = std::move(storage);
    impl->offset = offset;
    impl->dtype = dtype;
    impl->set_sizes_strides(sizes, strides);
    return impl;
}

// Is dimension a outside dimension b in memory by the strides? 0: ambiguous.
int outer_first(IntSpan sizes, IntSpan strides, std::size_t a, std::size_t b) {
    if (strides[a] == 0 || strides[b] == 0) return 0;
    if (strides[a] != strides[b]) return strides[a] > strides[b] ? 1 : -1;
    return sizes[a] > sizes[b] ? 1 : 0;
}

// Dense strides in the order of the given ones. Expanded dimensions (stride 0) leave the order open, so this is no
// strict weak order: an insertion sort that stops at the first unambiguous pair, as in PyTorch's TensorIterator.
Dims gapless_strides(IntSpan sizes, IntSpan strides) {
    std::vector<std::size_t> order(sizes.size());  // fastest first
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    for (std::size_t i = 1; i < order.size(); ++i) {
        std::size_t moving = i;
        for (std::size_t j = i; j-- > 0;) {
            const int outer = outer_first(sizes, strides, order[j], order[moving]);
            if (outer < 0) break;
            if (outer == 0) continue;
            std::swap(order[j], order[moving]);
            moving = j;
        }
    }
    Dims out(sizes.size());
    std::int64_t stride = 1;
    for (const auto d : order) {
        out[d] = stride;
        __builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[d], 1), &stride);  // only of no elements
    }
    return out;
}

std::size_t byte_size(std::int64_t numel, ScalarType dtype) {
    return static_cast<std::size_t>(numel) * static_cast<std::size_t>(element_size(dtype));
}

std::size_t place_of(std::int64_t d, std::int64_t ndim) {
    if (ndim == 0) throw Error(ErrorKind::Run, concat("Dimension specified as ", d, " but tensor has no dimensions"));
    return static_cast<std::size_t>(wrap_dim(d, ndim));
}

}  // namespace

void TensorImpl::set_sizes_strides(IntSpan new_sizes, IntSpan new_strides) {
    numel = 1;
    for (const auto size : new_sizes) __builtin_mul_overflow(numel, size, &numel);  // only of no elements
    contiguous = rows_are_contiguous(new_sizes, new_strides);
    sizes.assign(new_sizes.begin(), new_sizes.end());
    strides.assign(new_strides.begin(), new_strides.end());
}

std::int64_t Tensor::size(std::int64_t d) const { return impl_->sizes[place_of(d, dim())]; }
std::int64_t Tensor::stride(std::int64_t d) const { return impl_->strides[place_of(d, dim())]; }

bool Tensor::is_channels_last() const {
    constexpr std::array kOrder4{1, 3, 2, 0};
    constexpr std::array kOrder5{1, 4, 3, 2, 0};
    if (dim() == 4) return dense_in_order(*impl_, kOrder4);
    if (dim() == 5) return dense_in_order(*impl_, kOrder5);
    return false;
}

bool Tensor::is_non_overlapping_and_dense() const {
    if (impl_->contiguous) return true;
    boost::container::small_vector<std::size_t, 5> order;
    for (std::size_t d = 0; d < impl_->sizes.size(); ++d) {
        if (impl_->sizes[d] != 1) order.push_back(d);
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return impl_->strides[a] < impl_->strides[b]; });
    std::int64_t expected = 1;
    for (const auto d : order) {
        if (impl_->strides[d] != expected) return false;
        expected *= impl_->sizes[d];
    }
    return true;
}

Tensor Tensor::view_as_strided(IntSpan sizes, IntSpan strides, std::int64_t offset) const {
    if (sizes.size() != strides.size()) throw Error(ErrorKind::Run, "mismatch in length of strides and shape");
    // The furthest elements must lie inside the storage, computed without overflow.
    Wide last = offset;
    Wide first = offset;
    bool is_empty = false;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 0) is_empty = true;
        const Wide reach = (static_cast<Wide>(sizes[d]) - 1) * strides[d];
        // Clamped, so that more such dimensions do not overflow.
        constexpr Wide kFar = Wide{1} << 80;
        if (reach > 0)
            last = std::min(last + reach, kFar);
        else
            first = std::max(first + reach, -kFar);
    }
    const Wide needed = (last + 1) * element_size();
    const Wide available = static_cast<Wide>(impl_->storage->bytes());
    if (offset < 0 || (!is_empty && (first < 0 || needed > available))) {
        const Wide most = std::numeric_limits<std::int64_t>::max();
        throw Error(ErrorKind::Run,
                    concat("setStorage: sizes ", shape_list_text(sizes), ", strides ", shape_list_text(strides),
                           ", storage offset ", offset, ", and itemsize ", element_size(),
                           " requiring a storage size of ", static_cast<std::int64_t>(std::min(needed, most)),
                           " are out of bounds for storage of size ", impl_->storage->bytes()));
    }
    checked_numel(sizes);
    return Tensor(make_impl(impl_->storage, sizes, strides, offset, impl_->dtype));
}

Tensor Tensor::shallow_copy() const {
    Tensor copy(make_impl(impl_->storage, {}, {}, impl_->offset, impl_->dtype));
    copy.impl_->sizes = impl_->sizes;
    copy.impl_->strides = impl_->strides;
    copy.impl_->numel = impl_->numel;
    copy.impl_->contiguous = impl_->contiguous;
    copy.impl_->wrapped_number = impl_->wrapped_number;
    copy.impl_->sparse = impl_->sparse;
    return copy;
}

void Tensor::set_metadata_from(const Tensor& other) const {
    const Ptr<TensorImpl> source = other.impl_;
    impl_->storage = source->storage;
    impl_->offset = source->offset;
    impl_->dtype = source->dtype;
    impl_->sparse = source->sparse;
    const Dims sizes = source->sizes;
    const Dims strides = source->strides;
    impl_->set_sizes_strides(span_of(sizes), span_of(strides));
}

Tensor empty(IntSpan sizes, ScalarType dtype, Device device) {
    const std::int64_t numel = checked_numel(sizes);
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = Storage::allocate(byte_size(numel, dtype), device);
    impl->dtype = dtype;
    impl->numel = numel;
    impl->sizes.assign(sizes.begin(), sizes.end());
    impl->strides.resize(sizes.size(), boost::container::default_init);
    std::int64_t stride = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        impl->strides[d] = stride;
        __builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[d], 1), &stride);  // only of no elements
    }
    return Tensor(std::move(impl));
}

Tensor empty_strided(IntSpan sizes, IntSpan strides, ScalarType dtype, Device device) {
    const std::int64_t numel = checked_numel(sizes);
    Wide last = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (strides[d] < 0)
            throw Error(ErrorKind::Run, concat("negative strides are not supported: ", shape_list_text(strides)));
        last += static_cast<Wide>(sizes[d] - 1) * strides[d];
    }
    if (last > (std::int64_t{1} << 58)) throw Error(ErrorKind::Run, "storage size overflows");
    const std::int64_t needed = numel == 0 ? 0 : static_cast<std::int64_t>(last) + 1;
    return Tensor(make_impl(Storage::allocate(byte_size(needed, dtype), device), sizes, strides, 0, dtype));
}

Tensor empty_like(const Tensor& other) { return empty_like(other, other.dtype()); }

Tensor empty_like(const Tensor& other, ScalarType dtype) {
    if (other.is_non_overlapping_and_dense()) {
        return empty_strided(other.sizes(), other.strides(), dtype, other.device());
    }
    const Dims strides = gapless_strides(other.sizes(), other.strides());
    return empty_strided(other.sizes(), span_of(strides), dtype, other.device());
}

Dims contiguous_strides(IntSpan sizes) {
    Dims strides(sizes.size());
    std::int64_t stride = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        strides[d] = stride;
        __builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[d], 1), &stride);  // only of no elements
    }
    return strides;
}

std::int64_t checked_numel(IntSpan sizes) {
    std::int64_t numel = 1;
    bool overflow = false;
    bool is_empty = false;
    for (const auto size : sizes) {
        if (size < 0) {
            throw Error(ErrorKind::Run,
                        concat("Trying to create tensor with negative dimension ", size, ": ", shape_list_text(sizes)));
        }
        if (size == 0)
            is_empty = true;
        else
            overflow |= __builtin_mul_overflow(numel, size, &numel);
    }
    if (is_empty) return 0;
    if (overflow || numel > (std::int64_t{1} << 58)) {
        throw Error(ErrorKind::Run,
                    concat("out of memory: a tensor of shape ", shape_list_text(sizes), " is too large"));
    }
    return numel;
}

Dims broadcast_shapes(IntSpan a, IntSpan b) {
    const std::size_t rank = std::max(a.size(), b.size());
    Dims out(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) {
            throw Error(ErrorKind::Run, concat("The size of tensor a (", x, ") must match the size of tensor b (", y,
                                               ") at non-singleton dimension ", rank - 1 - i));
        }
        out[rank - 1 - i] = x == 1 ? y : x;
    }
    return out;
}

std::int64_t wrap_dim(std::int64_t d, std::int64_t ndim) {
    const std::int64_t range = std::max<std::int64_t>(ndim, 1);
    if (d < -range || d >= range) {
        throw Error(ErrorKind::Run, concat("Dimension out of range (expected to be in range of [", -range, ", ",
                                           range - 1, "], but got ", d, ")"));
    }
    return d < 0 ? d + range : d;
}

std::string shape_text(IntSpan sizes) { return sizes.empty() ? "scalar" : join(size_texts(sizes), "x"); }
std::string shape_list_text(IntSpan sizes) { return concat("[", join(size_texts(sizes), ", "), "]"); }

}  // namespace loupe
