// SPDX-License-Identifier: Apache-2.0
#pragma once
// c10::TensorOptions: what a new tensor shall be.

#include <concepts>
#include <optional>
#include <ostream>
#include <type_traits>

#include <loupe_torch/types.h>

namespace c10 {

class TensorOptions {
  public:
    TensorOptions() = default;
    TensorOptions(ScalarType dtype) { dtype_.make(dtype); }
    TensorOptions(caffe2::TypeMeta dtype) { dtype_.make(dtype.toScalarType()); }
    TensorOptions(Layout layout) { layout_.make(layout); }
    TensorOptions(MemoryFormat format) { memory_format_.make(format); }
    template <typename T>
    requires std::convertible_to<T, Device> TensorOptions(T&& device) { device_.make(Device(std::forward<T>(device))); }

    TensorOptions dtype(std::optional<ScalarType> dtype) const { return with(&TensorOptions::dtype_, dtype); }
    TensorOptions dtype(ScalarType dtype) const { return this->dtype(std::optional(dtype)); }
    TensorOptions dtype(caffe2::TypeMeta dtype) const { return this->dtype(dtype.toScalarType()); }
    template <typename T>
    TensorOptions dtype() const {
        return dtype(CppTypeToScalarType<T>::value);
    }
    TensorOptions device(std::optional<Device> device) const { return with(&TensorOptions::device_, device); }
    TensorOptions device(DeviceType type, DeviceIndex index = -1) const { return device(Device(type, index)); }
    TensorOptions layout(std::optional<Layout> layout) const { return with(&TensorOptions::layout_, layout); }
    TensorOptions requires_grad(std::optional<bool> value) const { return with(&TensorOptions::requires_grad_, value); }
    TensorOptions pinned_memory(std::optional<bool> value) const { return with(&TensorOptions::pinned_memory_, value); }
    TensorOptions memory_format(std::optional<MemoryFormat> format) const {
        return with(&TensorOptions::memory_format_, format);
    }

    caffe2::TypeMeta dtype() const { return dtype_.value; }
    Device device() const { return device_.value; }
    Layout layout() const { return layout_.value; }
    bool requires_grad() const { return requires_grad_.is_made && requires_grad_.value; }
    bool pinned_memory() const { return pinned_memory_.is_made && pinned_memory_.value; }
    bool has_dtype() const { return dtype_.is_made; }
    bool has_device() const { return device_.is_made; }
    bool has_layout() const { return layout_.is_made; }
    bool has_pinned_memory() const { return pinned_memory_.is_made; }
    bool has_memory_format() const { return memory_format_.is_made; }
    bool has_requires_grad() const { return requires_grad_.is_made; }
    std::optional<ScalarType> dtype_opt() const { return dtype_.get(); }
    std::optional<Device> device_opt() const { return device_.get(); }
    std::optional<Layout> layout_opt() const { return layout_.get(); }
    std::optional<bool> pinned_memory_opt() const { return pinned_memory_.get(); }
    std::optional<MemoryFormat> memory_format_opt() const { return memory_format_.get(); }

  private:
    // Not std::optional: compilers warn of copies of its empty payload.
    template <typename T>
    struct Choice {
        T value;
        bool is_made = false;
        void make(const T& chosen) {
            value = chosen;
            is_made = true;
        }
        void make(const std::optional<T>& chosen) {
            is_made = chosen.has_value();
            if (chosen) value = *chosen;
        }
        std::optional<T> get() const { return is_made ? std::optional<T>(value) : std::nullopt; }
    };
    template <typename T>
    TensorOptions with(Choice<T> TensorOptions::*field, const std::optional<T>& chosen) const {
        TensorOptions other = *this;
        (other.*field).make(chosen);
        return other;
    }

    Choice<ScalarType> dtype_{ScalarType::Float};
    Choice<Device> device_{Device(DeviceType::CPU)};
    Choice<Layout> layout_{Layout::Strided};
    Choice<bool> requires_grad_{false};
    Choice<bool> pinned_memory_{false};
    Choice<MemoryFormat> memory_format_{MemoryFormat::Contiguous};
};

std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

inline TensorOptions dtype(ScalarType dtype) { return TensorOptions().dtype(dtype); }
inline TensorOptions dtype(caffe2::TypeMeta dtype) { return TensorOptions().dtype(dtype); }
template <typename T>
TensorOptions dtype() {
    return dtype(CppTypeToScalarType<T>::value);
}
inline TensorOptions layout(Layout layout) { return TensorOptions().layout(layout); }
inline TensorOptions device(Device device) { return TensorOptions().device(device); }
inline TensorOptions requires_grad(bool value = true) { return TensorOptions().requires_grad(value); }
inline TensorOptions memory_format(MemoryFormat format) { return TensorOptions().memory_format(format); }

}  // namespace c10

namespace at {
using c10::TensorOptions;
}
