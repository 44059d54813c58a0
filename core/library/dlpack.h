// SPDX-License-Identifier: Apache-2.0
#pragma once
// DLPack 1.0: the structures in which arrays of all frameworks are passed on, https://dmlc.github.io/dlpack.

#include <cstdint>
#include <optional>

#include "core/tensor/device.h"
#include "core/tensor/scalar_type.h"

namespace loupe::dlpack {

struct DeviceField {
    std::int32_t type;  // 1 the CPU, 2 CUDA, 12 another device
    std::int32_t id;
};
struct TypeField {
    std::uint8_t code;  // 0 signed, 1 unsigned, 2 floating, 4 bfloat16, 5 complex, 6 bool; 255: none
    std::uint8_t bits;
    std::uint16_t lanes;
};
// DLTensor.
struct Array {
    void* data;
    DeviceField device;
    std::int32_t ndim;
    TypeField dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements; null: row-major
    std::uint64_t byte_offset;
};
// DLManagedTensor, in capsules called "dltensor".
struct Managed {
    Array array;
    void* context;
    void (*deleter)(Managed* self);
};
// DLManagedTensorVersioned, in capsules called "dltensor_versioned".
struct ManagedVersioned {
    std::uint32_t major;
    std::uint32_t minor;
    void* context;
    void (*deleter)(ManagedVersioned* self);
    std::uint64_t flags;
    Array array;
};
inline constexpr std::uint64_t kReadOnly = 1;

DeviceField field_of(Device device);
TypeField field_of(ScalarType dtype);
// nullopt for what the engine has no dtype for.
std::optional<ScalarType> dtype_of(TypeField field);

}  // namespace loupe::dlpack
