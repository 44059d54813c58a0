// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element types, devices, layouts and memory formats under LibTorch's names.

#include <complex>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "core/tensor/device.h"
#include "core/tensor/scalar_type.h"

namespace c10 {

using Half = loupe::Half;
using BFloat16 = loupe::BFloat16;
template <typename T>
using complex = std::complex<T>;
using string_view = std::string_view;

// X(name, C++ type, number): the numbers are the engine's, which are PyTorch's.
#define LOUPE_TORCH_DTYPES(X)                  \
    X(Byte, std::uint8_t, 0)                   \
    X(Char, std::int8_t, 1)                    \
    X(Short, std::int16_t, 2)                  \
    X(Int, std::int32_t, 3)                    \
    X(Long, std::int64_t, 4)                   \
    X(Half, ::c10::Half, 5)                    \
    X(Float, float, 6)                         \
    X(Double, double, 7)                       \
    X(ComplexFloat, std::complex<float>, 9)    \
    X(ComplexDouble, std::complex<double>, 10) \
    X(Bool, bool, 11)                          \
    X(BFloat16, ::c10::BFloat16, 15)

enum class ScalarType : std::int8_t {
#define LOUPE_TORCH_DTYPE(name, type, number) name = number,
    LOUPE_TORCH_DTYPES(LOUPE_TORCH_DTYPE)
#undef LOUPE_TORCH_DTYPE
        ComplexHalf = 8,
    Float8_e5m2 = 23,
    Float8_e4m3fn = 24,
    UInt16 = 27,
    UInt32 = 28,
    UInt64 = 29,
    Undefined = 46,
};
#define LOUPE_TORCH_DTYPE(name, type, number) inline constexpr ScalarType k##name = ScalarType::name;
LOUPE_TORCH_DTYPES(LOUPE_TORCH_DTYPE)
#undef LOUPE_TORCH_DTYPE
inline constexpr ScalarType kComplexHalf = ScalarType::ComplexHalf;
inline constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;
inline constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
inline constexpr ScalarType kUInt16 = ScalarType::UInt16;
inline constexpr ScalarType kUInt32 = ScalarType::UInt32;
inline constexpr ScalarType kUInt64 = ScalarType::UInt64;

template <typename T>
struct CppTypeToScalarType;
#define LOUPE_TORCH_DTYPE(name, type, number)                 \
    template <>                                               \
    struct CppTypeToScalarType<type> {                        \
        static constexpr ScalarType value = ScalarType::name; \
    };
LOUPE_TORCH_DTYPES(LOUPE_TORCH_DTYPE)
#undef LOUPE_TORCH_DTYPE

const char* toString(ScalarType dtype);
std::ostream& operator<<(std::ostream& out, ScalarType dtype);
std::size_t elementSize(ScalarType dtype);
bool isFloatingType(ScalarType dtype);
bool isComplexType(ScalarType dtype);
bool isIntegralType(ScalarType dtype, bool include_bool = false);

// The engine has CPU, CUDA and those of plugins.
enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1, XPU = 12, MPS = 13, Meta = 14, PrivateUse1 = 20 };
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;
inline constexpr DeviceType kXPU = DeviceType::XPU;
inline constexpr DeviceType kMPS = DeviceType::MPS;
inline constexpr DeviceType kMeta = DeviceType::Meta;
using DeviceIndex = std::int8_t;
std::ostream& operator<<(std::ostream& out, DeviceType type);

class Device {
  public:
    using Type = DeviceType;
    // index -1: the type's current one.
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    // "cpu", "cuda:1". Throws c10::Error.
    Device(const std::string& text);

    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool has_index() const { return index_ != -1; }
    bool is_cpu() const { return type_ == DeviceType::CPU; }
    bool is_cuda() const { return type_ == DeviceType::CUDA; }
    bool is_mps() const { return type_ == DeviceType::MPS; }
    bool is_xpu() const { return type_ == DeviceType::XPU; }
    bool is_meta() const { return type_ == DeviceType::Meta; }
    std::string str() const;
    void set_index(DeviceIndex index) { index_ = index; }
    friend bool operator==(const Device&, const Device&) = default;

  private:
    DeviceType type_;
    DeviceIndex index_;
};
std::ostream& operator<<(std::ostream& out, const Device& device);

enum class Layout : std::int8_t { Strided = 0, Sparse = 1 };
inline constexpr Layout kStrided = Layout::Strided;
inline constexpr Layout kSparse = Layout::Sparse;
std::ostream& operator<<(std::ostream& out, Layout layout);

enum class MemoryFormat : std::int8_t { Contiguous = 0, Preserve = 1, ChannelsLast = 2, ChannelsLast3d = 3 };
std::ostream& operator<<(std::ostream& out, MemoryFormat format);

}  // namespace c10

namespace caffe2 {
// What tensor.dtype() gives: prints as the C++ type.
class TypeMeta {
  public:
    constexpr TypeMeta() = default;
    constexpr TypeMeta(c10::ScalarType dtype) : dtype_(dtype) {}
    template <typename T>
    static constexpr TypeMeta Make() {
        return TypeMeta(c10::CppTypeToScalarType<T>::value);
    }
    constexpr c10::ScalarType toScalarType() const { return dtype_; }
    std::size_t itemsize() const { return c10::elementSize(dtype_); }
    std::string_view name() const;
    friend constexpr bool operator==(const TypeMeta&, const TypeMeta&) = default;
    friend constexpr bool operator==(const TypeMeta& a, c10::ScalarType b) { return a.dtype_ == b; }

  private:
    c10::ScalarType dtype_ = c10::ScalarType::Undefined;
};
std::ostream& operator<<(std::ostream& out, const TypeMeta& type);
}  // namespace caffe2

namespace c10 {
inline ScalarType typeMetaToScalarType(const caffe2::TypeMeta& type) { return type.toScalarType(); }
inline caffe2::TypeMeta scalarTypeToTypeMeta(ScalarType dtype) { return dtype; }
}  // namespace c10

namespace at {
using namespace c10;
}  // namespace at

namespace loupe::torch_api {
// Between the two.
loupe::ScalarType engine_dtype(c10::ScalarType dtype);
c10::ScalarType torch_dtype(loupe::ScalarType dtype);
loupe::Device engine_device(const c10::Device& device);
c10::Device torch_device(loupe::Device device);
}  // namespace loupe::torch_api
