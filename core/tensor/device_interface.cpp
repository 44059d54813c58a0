// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/device_interface.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {

bool detail::other_devices = false;

namespace {

std::array<DeviceInterface*, kDeviceTypes>& interfaces() {
    static std::array<DeviceInterface*, kDeviceTypes> table{};
    return table;
}

// As for PyTorch: programs that say nothing may be run with TF32 all the same.
bool is_forced() {
    const char* const set = std::getenv("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE");
    return set != nullptr && std::string_view(set) == "1";
}

struct Math {
    std::mutex mutex;
    DeviceMathSettings settings{.products_in_tf32 = is_forced()};
};
Math& math() {
    static Math own;
    return own;
}

// Under way in this process.
std::atomic<int>& captures() {
    static std::atomic<int> count = 0;
    return count;
}

}  // namespace

DeviceInterface* device_interface(DeviceType type) { return interfaces()[static_cast<std::size_t>(type)]; }

void set_device_interface(DeviceType type, DeviceInterface* device) {
    interfaces()[static_cast<std::size_t>(type)] = device;
    detail::other_devices = detail::other_devices || device != nullptr;
    if (device != nullptr) device->set_math(device_math());
}

void set_device_math(const DeviceMathSettings& settings) {
    const std::lock_guard lock(math().mutex);
    math().settings = settings;
    for (DeviceInterface* const each : interfaces()) {
        if (each != nullptr) each->set_math(settings);
    }
}
DeviceMathSettings device_math() {
    const std::lock_guard lock(math().mutex);
    return math().settings;
}

void count_captures(int change) { captures() += change; }

bool is_capturing(Device device) {
    if (captures() == 0 || device.is_cpu()) return false;
    DeviceInterface* const devices = device_interface(device.type);
    const DeviceGraphs* const graphs = devices == nullptr ? nullptr : devices->graphs();
    return graphs != nullptr && graphs->is_capturing(device);
}

void refuse_in_capture(Device device, const std::string& doing) {
    if (is_capturing(device))
        throw Error(ErrorKind::Run,
                    concat("CUDA error: operation not permitted when stream is capturing (", doing, ")"));
}

void synchronize_devices() {
    for (std::size_t type = 0; type < kDeviceTypes; ++type) {
        DeviceInterface* const devices = interfaces()[type];
        for (int i = 0; devices != nullptr && i < devices->count(); ++i)
            devices->synchronize(Device{static_cast<DeviceType>(type), static_cast<std::int8_t>(i)});
    }
}

bool any_device_lost() {
    for (std::size_t type = 0; type < kDeviceTypes; ++type) {
        const DeviceInterface* const devices = interfaces()[type];
        for (int i = 0; devices != nullptr && i < devices->count(); ++i) {
            if (!devices->why_lost(Device{static_cast<DeviceType>(type), static_cast<std::int8_t>(i)}).empty())
                return true;
        }
    }
    return false;
}

std::string_view device_type_name(DeviceType type) {
    switch (type) {
        case DeviceType::Cpu:
            return "cpu";
        case DeviceType::Cuda:
            return "cuda";
        case DeviceType::PrivateUse1:
            break;
    }
    const DeviceInterface* const device = device_interface(type);
    return device == nullptr ? "privateuseone" : device->name();
}

}  // namespace loupe
