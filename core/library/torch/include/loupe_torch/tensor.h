// SPDX-License-Identifier: Apache-2.0
#pragma once
// at::Tensor. Its operators are generated from the engine's: methods.inc.

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "core/tensor/tensor.h"

#include <loupe_torch/accessor.h>
#include <loupe_torch/array_ref.h>
#include <loupe_torch/generator.h>
#include <loupe_torch/indexing.h>
#include <loupe_torch/options.h>
#include <loupe_torch/scalar.h>

namespace c10 {
template <typename T>
class List;
}
namespace torch::autograd {
class Node;
}

namespace at {

class Tensor;
using TensorList = c10::ArrayRef<Tensor>;

class Tensor {
  public:
    Tensor() = default;
    explicit Tensor(loupe::Tensor engine) : engine_(std::move(engine)) {}
    Tensor(const Tensor&) = default;
    Tensor(Tensor&&) noexcept = default;
    Tensor& operator=(const Tensor& other) & noexcept = default;
    Tensor& operator=(Tensor&& other) & noexcept = default;
    // x[1] = 3: writes into what x[1] views.
    Tensor& operator=(const Tensor& other) &&;
    Tensor& operator=(Tensor&& other) &&;
    Tensor& operator=(const Scalar& value) &&;

    // The engine's handle of the same tensor, for its own interface: tensorloupe/tensorloupe.h.
    const loupe::Tensor& engine() const { return engine_; }

    // Which tensor it is, for maps by it.
    loupe::TensorImpl* unsafeGetTensorImpl() const { return engine_.impl(); }

    bool defined() const { return engine_.defined(); }
    void reset() { engine_ = {}; }
    bool is_same(const Tensor& other) const { return engine_.is_same(other.engine_); }
    std::size_t use_count() const;

    std::int64_t dim() const;
    std::int64_t ndimension() const { return dim(); }
    std::int64_t numel() const;
    std::int64_t size(std::int64_t dim) const;
    std::int64_t stride(std::int64_t dim) const;
    IntArrayRef sizes() const;
    IntArrayRef strides() const;
    std::int64_t storage_offset() const;
    std::size_t nbytes() const;
    std::int64_t element_size() const;
    std::int64_t itemsize() const { return element_size(); }
    bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    bool is_non_overlapping_and_dense() const;

    ScalarType scalar_type() const;
    caffe2::TypeMeta dtype() const { return scalar_type(); }
    Device device() const;
    Layout layout() const;
    TensorOptions options() const;
    bool is_cpu() const { return device().is_cpu(); }
    bool is_cuda() const { return device().is_cuda(); }
    bool is_sparse() const;
    bool is_quantized() const { return false; }
    bool is_meta() const { return false; }
    bool is_mps() const { return false; }
    bool is_xpu() const { return false; }
    bool has_names() const { return false; }
    bool is_view() const;
    bool is_floating_point() const;
    bool is_complex() const;
    bool is_leaf() const;
    std::int64_t get_device() const { return device().index(); }

    void* data_ptr() const;
    const void* const_data_ptr() const { return data_ptr(); }
    void* mutable_data_ptr() const { return data_ptr(); }
    // Throws c10::Error "expected scalar type Float but found Double".
    template <typename T>
    T* data_ptr() const {
        check_dtype(c10::CppTypeToScalarType<std::remove_const_t<T>>::value);
        return static_cast<T*>(data_ptr());
    }
    template <typename T>
    const T* const_data_ptr() const {
        return data_ptr<T>();
    }
    template <typename T>
    T* mutable_data_ptr() const {
        return data_ptr<T>();
    }
    template <typename T>
    T* data() const {
        return data_ptr<T>();
    }
    template <typename T, std::size_t N>
    TensorAccessor<T, N> accessor() const& {
        check_accessor(N);
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }
    template <typename T, std::size_t N>
    TensorAccessor<T, N> accessor() && = delete;
    template <typename T, std::size_t N>
    PackedTensorAccessor<T, N> packed_accessor32() const& {
        check_accessor(N);
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }
    template <typename T, std::size_t N>
    PackedTensorAccessor<T, N> packed_accessor64() const& {
        return packed_accessor32<T, N>();
    }

    // The one element. Throws c10::Error when there is not exactly one.
    Scalar item() const;
    template <typename T>
    T item() const {
        return item().template to<T>();
    }

    Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    Tensor cpu() const { return to(Device(DeviceType::CPU)); }
    Tensor cuda() const { return to(Device(DeviceType::CUDA)); }
    Tensor toType(ScalarType dtype) const { return to(dtype); }
    Tensor operator[](std::int64_t index) const;
    Tensor operator[](const Scalar& index) const { return (*this)[index.toLong()]; }
    Tensor operator[](const Tensor& index) const { return (*this)[index.item()]; }
    Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
    Tensor index(std::initializer_list<indexing::TensorIndex> indices) const {
        return index(ArrayRef<indexing::TensorIndex>(indices));
    }
    Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& value);
    Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value);
    Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& value) {
        return index_put_(ArrayRef<indexing::TensorIndex>(indices), value);
    }
    Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value) {
        return index_put_(ArrayRef<indexing::TensorIndex>(indices), value);
    }

    bool requires_grad() const;
    const Tensor& set_requires_grad(bool value) const;
    Tensor& requires_grad_(bool value = true) const;
    // Undefined when there is none; assigned to, the other replaces it.
    const Tensor& grad() const;
    Tensor& mutable_grad() const;
    // The node that made it; null for leaves.
    std::shared_ptr<torch::autograd::Node> grad_fn() const;
    void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                  bool create_graph = false, std::optional<TensorList> inputs = std::nullopt) const;
    void retain_grad() const;
    Tensor tensor_data() const;
    Tensor variable_data() const { return tensor_data(); }
    Tensor data() const { return tensor_data(); }
    void set_data(const Tensor& other) const;
    std::int64_t _version() const;
    // hook: gets the gradient; what it returns replaces it.
    template <typename Hook>
    unsigned register_hook(Hook&& hook) const {
        if constexpr (std::is_void_v<std::invoke_result_t<Hook, Tensor>>)
            return add_hook([hook](const Tensor& gradient) {
                hook(gradient);
                return Tensor();
            });
        else
            return add_hook(std::forward<Hook>(hook));
    }
    std::string toString() const;
    void print() const;

    Tensor operator~() const { return bitwise_not(); }
    Tensor operator-() const { return neg(); }
    Tensor& operator+=(const Tensor& other) { return add_(other); }
    Tensor& operator+=(const Scalar& other) { return add_(other); }
    Tensor& operator-=(const Tensor& other) { return sub_(other); }
    Tensor& operator-=(const Scalar& other) { return sub_(other); }
    Tensor& operator*=(const Tensor& other) { return mul_(other); }
    Tensor& operator*=(const Scalar& other) { return mul_(other); }
    Tensor& operator/=(const Tensor& other) { return div_(other); }
    Tensor& operator/=(const Scalar& other) { return div_(other); }
    Tensor& operator&=(const Tensor& other) { return bitwise_and_(other); }
    Tensor& operator|=(const Tensor& other) { return bitwise_or_(other); }
    Tensor& operator^=(const Tensor& other) { return bitwise_xor_(other); }

    // Not the overload that takes `unbiased`, which a number would fit better.
    Tensor var(int dim) const { return var(IntArrayRef{dim}); }
    Tensor std(int dim) const { return std(IntArrayRef{dim}); }
#include <loupe_torch/methods.inc>

  private:
    void check_dtype(ScalarType wanted) const;
    void check_accessor(std::size_t dims) const;
    unsigned add_hook(std::function<Tensor(const Tensor&)> hook) const;

    loupe::Tensor engine_;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

#define LOUPE_TORCH_OPERATORS(X) \
    X(+, add)                    \
    X(-, sub)                    \
    X(*, mul)                    \
    X(/, div)                    \
    X(%, remainder)              \
    X(&, bitwise_and)            \
    X(|, bitwise_or)             \
    X(^, bitwise_xor)            \
    X(<, lt)                     \
    X(<=, le)                    \
    X(>, gt)                     \
    X(>=, ge)                    \
    X(==, eq)                    \
    X(!=, ne)
#define LOUPE_TORCH_OPERATOR(sign, name)                                                \
    inline Tensor operator sign(const Tensor& a, const Tensor& b) { return a.name(b); } \
    inline Tensor operator sign(const Tensor& a, const Scalar& b) { return a.name(b); }
LOUPE_TORCH_OPERATORS(LOUPE_TORCH_OPERATOR)
#undef LOUPE_TORCH_OPERATOR
#undef LOUPE_TORCH_OPERATORS
Tensor operator+(const Scalar& a, const Tensor& b);
Tensor operator-(const Scalar& a, const Tensor& b);
Tensor operator*(const Scalar& a, const Tensor& b);
Tensor operator/(const Scalar& a, const Tensor& b);
inline Tensor operator<(const Scalar& a, const Tensor& b) { return b.gt(a); }
inline Tensor operator<=(const Scalar& a, const Tensor& b) { return b.ge(a); }
inline Tensor operator>(const Scalar& a, const Tensor& b) { return b.lt(a); }
inline Tensor operator>=(const Scalar& a, const Tensor& b) { return b.le(a); }
inline Tensor operator==(const Scalar& a, const Tensor& b) { return b.eq(a); }
inline Tensor operator!=(const Scalar& a, const Tensor& b) { return b.ne(a); }

}  // namespace at
