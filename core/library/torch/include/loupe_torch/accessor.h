// SPDX-License-Identifier: Apache-2.0
#pragma once
// at::TensorAccessor: elements of a CPU tensor by their indices, without checks.

#include <cstddef>
#include <cstdint>

#include <loupe_torch/array_ref.h>

namespace at {

// One dimension is taken by each operator[]; the last gives the element. sizes and strides are the tensor's.
template <typename T, std::size_t N>
class TensorAccessor {
  public:
    TensorAccessor(T* data, const std::int64_t* sizes, const std::int64_t* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}

    decltype(auto) operator[](std::int64_t index) const {
        T* const there = data_ + index * strides_[0];
        if constexpr (N == 1)
            return static_cast<T&>(*there);
        else
            return TensorAccessor<T, N - 1>(there, sizes_ + 1, strides_ + 1);
    }
    std::int64_t size(std::int64_t dim) const { return sizes_[dim]; }
    std::int64_t stride(std::int64_t dim) const { return strides_[dim]; }
    c10::IntArrayRef sizes() const { return {sizes_, N}; }
    c10::IntArrayRef strides() const { return {strides_, N}; }
    T* data() const { return data_; }

  private:
    T* data_;
    const std::int64_t* sizes_;
    const std::int64_t* strides_;
};

// The same by commas: accessor(i, j).
template <typename T, std::size_t N>
class PackedTensorAccessor : public TensorAccessor<T, N> {
  public:
    using TensorAccessor<T, N>::TensorAccessor;
};
template <typename T, std::size_t N>
using PackedTensorAccessor32 = PackedTensorAccessor<T, N>;
template <typename T, std::size_t N>
using PackedTensorAccessor64 = PackedTensorAccessor<T, N>;

}  // namespace at
