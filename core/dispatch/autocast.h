// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mixed precision: while it is on, operators that gain by it get their tensors in a lower precision, those that need it
// in float32, by PyTorch's lists; torch.autocast. One setting a thread.
//
//     const AutocastScope mixed(DeviceType::Cpu);   // matmul, conv, linear in bfloat16 until the end of the block

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/registry.h"

namespace loupe {

struct AutocastSettings {
    struct OfDevice {
        bool enabled = false;
        ScalarType dtype = ScalarType::BFloat16;
    };
    std::array<OfDevice, kDeviceTypes> devices = {};
    // Keeps the casts of leaves that require grad (weights) until the outermost scope ends.
    bool cache_enabled = true;

    AutocastSettings();
    bool operator==(const AutocastSettings&) const = default;
};
inline bool operator==(const AutocastSettings::OfDevice& a, const AutocastSettings::OfDevice& b) {
    return a.enabled == b.enabled && a.dtype == b.dtype;
}

const AutocastSettings& autocast_settings();
// For checkpoints, which run again what ran under other settings.
void set_autocast_settings(const AutocastSettings& settings);
void clear_autocast_cache();

// The lower precision that a device's autocast has by default; float16 on CUDA, bfloat16 on the CPU.
ScalarType default_autocast_dtype(DeviceType device);
// What a dtype that the device's autocast does not support says, in PyTorch's words; empty for one that it supports.
std::string autocast_dtype_warning(DeviceType device, ScalarType dtype);

class AutocastScope {
  public:
    explicit AutocastScope(DeviceType device, bool enabled = true, std::optional<ScalarType> dtype = {},
                           std::optional<bool> cache = {});
    explicit AutocastScope(const AutocastSettings& settings);
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;
    ~AutocastScope();

  private:
    AutocastSettings before_;
};

// What autocast does with an operator on a device; as its record says.
Autocast autocast_of(const Operator& op, DeviceType device);

namespace detail {
extern constinit thread_local bool autocast_on;
// The arguments cast as the policy says. False when nothing is to be done.
bool autocast_arguments(const Operator& op, std::span<const IValue> arguments, std::vector<IValue>& cast);
// Gives the results of a call whose arguments were cast the dtype that the policy wants; arguments: before the cast.
void autocast_results(const Operator& op, std::span<const IValue> arguments, IValue* results);
// Operators inside of one that has been cast are left alone.
class AutocastOff {
  public:
    AutocastOff() : before_(autocast_on) { autocast_on = false; }
    AutocastOff(const AutocastOff&) = delete;
    AutocastOff& operator=(const AutocastOff&) = delete;
    ~AutocastOff() { autocast_on = before_; }

  private:
    bool before_;
};
}  // namespace detail

}  // namespace loupe
