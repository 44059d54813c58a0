// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a plugin is: a shared library that exports one C function,
//
//     extern "C" const loupe::PluginTable* loupe_plugin();
//
// plugins/example is the smallest useful one.

#include <cstdint>
#include <string_view>

#include "core/dispatch/registry.h"
#include "core/tensor/device_interface.h"

namespace loupe {

// Raised whenever a class that plugins see changes.
inline constexpr std::uint32_t kPluginInterface = 3;

// What a plugin may add to.
struct PluginRegistries {
    // A kernel before those that the operator has. Throws Error (Plugin) for an operator that does not exist.
    void (*add_kernel)(std::string_view operator_name, DeviceType device, KernelCandidate candidate) = nullptr;
    // Operators of the plugin's own. The records must live as long as the process.
    void (*add_family)(const OperatorFamily& family) = nullptr;
    // A type of device that is not the CPU. It must live as long as the process. Throws Error (Plugin) when another
    // plugin gave one.
    void (*add_device)(DeviceType type, DeviceInterface& device) = nullptr;
};

struct PluginTable {
    std::uint32_t interface_version = kPluginInterface;
    const char* name = "";
    const char* description = "";  // one sentence
    const char* needs = "";        // "oneDNN 2.6"; empty: nothing
    // Called once, at start. May throw Error (Plugin) with the reason why it cannot work on this machine.
    void (*register_all)(const PluginRegistries& registries) = nullptr;
};

using PluginEntry = const PluginTable* (*)();
inline constexpr const char* kPluginEntryName = "loupe_plugin";

}  // namespace loupe

#define LOUPE_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
