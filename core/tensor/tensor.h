// SPDX-License-Identifier: Apache-2.0
#pragma once
// A dense array: a counted handle to (storage, offset, sizes, strides, dtype, device, autograd data).
// Functions here do not record for autograd; the operators do.

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/ref_counted.h"
#include "core/tensor/device.h"
#include "core/tensor/scalar.h"
#include "core/tensor/scalar_type.h"
#include "core/tensor/storage.h"

namespace loupe {

// Sizes, strides and lists of dimensions.
using Dims = boost::container::small_vector<std::int64_t, 5>;
using IntSpan = std::span<const std::int64_t>;

// Autograd's data of a tensor; defined in core/autograd.
class AutogradData {
  public:
    virtual ~AutogradData() = default;
};

// The coordinates and values of a sparse tensor; core/tensor/sparse.h.
struct SparseParts;

class TensorImpl final : public RefCounted {
  public:
    Ptr<Storage> storage;
    std::int64_t offset = 0;  // in elements
    std::int64_t numel = 0;
    Dims sizes;
    Dims strides;  // in elements
    ScalarType dtype = ScalarType::Float32;
    bool contiguous = true;
    // A Python number wrapped in a 0-dimensional tensor; type promotion treats it as a number.
    bool wrapped_number = false;
    std::unique_ptr<AutogradData> autograd;
    // Null for dense tensors. A sparse tensor has sizes and no elements of its own; operators check for it before they
    // run.
    std::shared_ptr<const SparseParts> sparse;

    void set_sizes_strides(IntSpan new_sizes, IntSpan new_strides);
};

class Tensor {
  public:
    Tensor() = default;
    explicit Tensor(Ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

    bool defined() const { return impl_ != nullptr; }
    explicit operator bool() const { return defined(); }
    TensorImpl* impl() const { return impl_.get(); }
    // Transfers the counted reference to the caller.
    TensorImpl* release() noexcept { return impl_.detach(); }
    // The same object, not merely equal elements.
    bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

    std::int64_t dim() const { return static_cast<std::int64_t>(impl_->sizes.size()); }
    IntSpan sizes() const { return {impl_->sizes.data(), impl_->sizes.size()}; }
    IntSpan strides() const { return {impl_->strides.data(), impl_->strides.size()}; }
    // A negative d counts from the end; throws Error (Run) when it is out of range.
    std::int64_t size(std::int64_t d) const;
    std::int64_t stride(std::int64_t d) const;
    std::int64_t numel() const { return impl_->numel; }
    std::int64_t storage_offset() const { return impl_->offset; }
    ScalarType dtype() const { return impl_->dtype; }
    Device device() const { return impl_->storage->device(); }
    std::int64_t element_size() const { return loupe::element_size(impl_->dtype); }
    std::size_t bytes() const { return static_cast<std::size_t>(numel() * element_size()); }
    const Ptr<Storage>& storage() const { return impl_->storage; }
    std::uint32_t version() const { return impl_->storage->version(); }

    bool is_sparse() const { return impl_->sparse != nullptr; }
    bool is_contiguous() const { return impl_->contiguous; }
    // Dense in the order N, H, W, C (4-d) or N, D, H, W, C (5-d).
    bool is_channels_last() const;
    // No two indices share an element, and no element between them is unused.
    bool is_non_overlapping_and_dense() const;

    // May the host read the elements?
    bool is_host_memory() const { return impl_->storage->is_host_memory(); }
    // The first element, for the host: throws Error (Internal) where only the device may read. Not checked against the
    // dtype.
    void* raw_data() const { return static_cast<std::byte*>(impl_->storage->data()) + impl_->offset * element_size(); }
    template <typename T>
    T* data() const {
        return static_cast<T*>(raw_data());
    }
    // Where the first element is, for kernels of the device and to compare places.
    void* address() const {
        return static_cast<std::byte*>(impl_->storage->address()) + impl_->offset * element_size();
    }

    // Another tensor on the same storage. Throws Error (Run) when an index would leave the storage.
    Tensor view_as_strided(IntSpan sizes, IntSpan strides, std::int64_t offset) const;
    // A new handle to the same elements, without autograd data.
    Tensor shallow_copy() const;
    // Makes this tensor a view of the same elements as `other` (for in-place metadata changes and set_data). Keeps
    // autograd data.
    void set_metadata_from(const Tensor& other) const;

  private:
    Ptr<TensorImpl> impl_;
};

using TensorList = std::vector<Tensor>;

// Uninitialised, contiguous. Throws Error (Run) for negative or overflowing sizes.
Tensor empty(IntSpan sizes, ScalarType dtype, Device device = {});
Tensor empty_strided(IntSpan sizes, IntSpan strides, ScalarType dtype, Device device = {});
// Same sizes; same strides when the other is non-overlapping and dense (torch.preserve_format).
Tensor empty_like(const Tensor& other);
Tensor empty_like(const Tensor& other, ScalarType dtype);
// Memory set to zero.
Tensor zeros(IntSpan sizes, ScalarType dtype = ScalarType::Float32, Device device = {});
// A 0-dimensional CPU tensor.
Tensor scalar_tensor(const Scalar& value, ScalarType dtype);
// A number beside tensors, as PyTorch's wrapped numbers.
Tensor wrapped_number(const Scalar& value);
// CPU tensor with a copy of the elements; sizes default to one dimension.
template <typename T>
Tensor tensor_of(std::span<const T> values, IntSpan sizes) {
    Tensor out = empty(sizes, scalar_type_of<T>);
    std::copy(values.begin(), values.end(), out.data<T>());
    return out;
}
template <typename T>
Tensor tensor_of(std::initializer_list<T> values, std::initializer_list<std::int64_t> sizes) {
    return tensor_of(std::span<const T>(values.begin(), values.size()), IntSpan(sizes.begin(), sizes.size()));
}
// The one element, brought from its device; throws Error (Run) when there is not exactly one.
Scalar item(const Tensor& t);

// Row-major strides.
Dims contiguous_strides(IntSpan sizes);
// Product of the sizes; throws Error (Run) when negative or over 2^62.
std::int64_t checked_numel(IntSpan sizes);
// numpy's rule; throws Error (Run) with both shapes.
Dims broadcast_shapes(IntSpan a, IntSpan b);
// 0 <= d < max(ndim, 1) from a possibly negative one; throws Error (Run) with PyTorch's message.
std::int64_t wrap_dim(std::int64_t d, std::int64_t ndim);

std::string shape_text(IntSpan sizes);       // "1x64x56x56"; "scalar" without dimensions
std::string shape_list_text(IntSpan sizes);  // "[1, 64, 56, 56]", as in PyTorch's messages
std::string describe(const Tensor& t);       // "float32 1x64x56x56", "undefined"
inline IntSpan span_of(const Dims& dims) { return {dims.data(), dims.size()}; }
inline Dims to_dims(IntSpan span) { return Dims(span.begin(), span.end()); }

}  // namespace loupe
