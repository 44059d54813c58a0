// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of at:: and torch::. Operators are generated from the engine's: functions.inc.

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <loupe_torch/tensor.h>

namespace at {

#include <loupe_torch/functions.inc>

// The caller's memory, not copied; deleter(data) is called when no tensor views it any more.
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const std::function<void(void*)>& deleter,
                 const TensorOptions& options = {});

// What losses take as a number.
namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}

void set_num_threads(int count);
int get_num_threads();
inline void init_num_threads() {}
inline caffe2::TypeMeta get_default_dtype() { return c10::kFloat; }
inline Tensor var(const Tensor& self, int dim) { return self.var(dim); }
inline Tensor std(const Tensor& self, int dim) { return self.std(dim); }
inline std::int64_t numel(const Tensor& tensor) { return tensor.numel(); }
inline bool is_floating_point(const Tensor& tensor) { return tensor.is_floating_point(); }
inline bool is_complex(const Tensor& tensor) { return tensor.is_complex(); }
inline std::int64_t size(const Tensor& tensor, std::int64_t dim) { return tensor.size(dim); }

}  // namespace at

namespace torch {
using namespace at;
using at::Tensor;
using at::TensorList;
using c10::Device;
using c10::DeviceType;
using c10::Layout;
using c10::MemoryFormat;
using c10::ScalarType;
using c10::TensorOptions;
using Dtype = c10::ScalarType;
inline constexpr auto kU8 = c10::kByte;
inline constexpr auto kUInt8 = c10::kByte;
inline constexpr auto kI8 = c10::kChar;
inline constexpr auto kInt8 = c10::kChar;
inline constexpr auto kI16 = c10::kShort;
inline constexpr auto kInt16 = c10::kShort;
inline constexpr auto kI32 = c10::kInt;
inline constexpr auto kInt32 = c10::kInt;
inline constexpr auto kI64 = c10::kLong;
inline constexpr auto kInt64 = c10::kLong;
inline constexpr auto kF16 = c10::kHalf;
inline constexpr auto kFloat16 = c10::kHalf;
inline constexpr auto kF32 = c10::kFloat;
inline constexpr auto kFloat32 = c10::kFloat;
inline constexpr auto kF64 = c10::kDouble;
inline constexpr auto kFloat64 = c10::kDouble;

namespace detail {

// The elements of torch::tensor(...): a number, nested lists, or a vector.
class TensorData {
  public:
    TensorData() : sizes_{0} {}
    template <typename T>
    requires requires { c10::CppTypeToScalarType<T>::value; }
    TensorData(T value) : dtype_(c10::CppTypeToScalarType<T>::value), numbers_{c10::Scalar(value)}, is_scalar_(true) {}
    TensorData(std::initializer_list<TensorData> list);
    template <typename T>
    requires requires { c10::CppTypeToScalarType<T>::value; }
    TensorData(c10::ArrayRef<T> list)
        : dtype_(c10::CppTypeToScalarType<T>::value),
          sizes_{static_cast<std::int64_t>(list.size())},
          numbers_(list.begin(), list.end()) {}
    template <typename T>
    requires(!std::same_as<T, bool> && requires { c10::CppTypeToScalarType<T>::value; })
        TensorData(const std::vector<T>& list)
        : TensorData(c10::ArrayRef<T>(list)) {}

    at::Tensor make(const c10::TensorOptions& options) const;

  private:
    c10::ScalarType dtype_ = c10::kFloat;
    std::vector<std::int64_t> sizes_;
    std::vector<c10::Scalar> numbers_;
    bool is_scalar_ = false;
};

}  // namespace detail

// torch.tensor: whole numbers are int64, others float, unless the options say more.
inline at::Tensor tensor(detail::TensorData data, const c10::TensorOptions& options = {}) { return data.make(options); }

namespace autograd {
using variable_list = std::vector<at::Tensor>;
variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   bool allow_unused = false);
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list& inputs = {});
using Variable = at::Tensor;
}  // namespace autograd

namespace cuda {
std::size_t device_count();
inline bool is_available() { return device_count() > 0; }
inline bool cudnn_is_available() { return is_available(); }
void synchronize(std::int64_t device_index = -1);
inline void manual_seed(std::uint64_t seed) { at::manual_seed(seed); }
inline void manual_seed_all(std::uint64_t seed) { at::manual_seed(seed); }
}  // namespace cuda

namespace mps {
inline bool is_available() { return false; }
inline std::size_t device_count() { return 0; }
}  // namespace mps
namespace xpu {
inline bool is_available() { return false; }
inline std::size_t device_count() { return 0; }
}  // namespace xpu

}  // namespace torch

namespace at {
using torch::tensor;
}
