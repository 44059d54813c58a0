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
#include "core/distributed/backend.h"
#include "core/distributed/device_transport.h"
#include "core/formats/format_reader.h"
#include "core/formats/format_writer.h"
#include "core/passes/pass.h"
#include "core/runtime/fuse/fused_kernel.h"
#include "core/session/query.h"
#include "core/session/table_record.h"
#include "core/study/studies/study_record.h"
#include "core/tensor/device_interface.h"
#include "plugin_interface.h"  // kPluginInterface, a digest of the headers that plugins see; see interface.cmake

namespace loupe {

// What a plugin may add to.
struct PluginRegistries {
    // A kernel before those that the operator has. Throws Error (Plugin) for an operator that does not exist.
    void (*add_kernel)(std::string_view operator_name, DeviceType device, KernelCandidate candidate) = nullptr;
    // Operators of the plugin's own. The records must live as long as the process.
    void (*add_family)(const OperatorFamily& family) = nullptr;
    // A type of device that is not the CPU, with its allocator, copies, events and generators. Its optimisers are the
    // engine's, which call its kernels. It must live as long as the process. Throws Error (Plugin) when another plugin
    // gave one.
    void (*add_device)(DeviceType type, DeviceInterface& device) = nullptr;
    // A reader of model files, asked before those that exist. Throws Error (Plugin) when there is one of that name.
    void (*add_format)(FormatReader reader) = nullptr;
    // A writer of model files. Throws Error (Plugin) when there is one for an extension of its.
    void (*add_writer)(FormatWriter writer) = nullptr;
    // A pass, to be named in pipelines. It must live as long as the process. Throws Error (Usage) likewise.
    void (*add_pass)(const passes::Pass& pass) = nullptr;
    // A compiler of fusion groups, tried before those that exist. Throws Error (Plugin) likewise.
    void (*add_fuser)(runtime::FuserBackend backend) = nullptr;
    // A question of the plugin's own, to be asked by its name in bytes (Session::ask_bytes); see query_record.h. Throws
    // Error (Plugin) when there is one of that name.
    void (*add_query)(const session::QueryRecord& record) = nullptr;
    // A table that it makes of what is open, and a panel that shows it: View > Tables. Likewise.
    void (*add_table)(const session::TableRecord& record) = nullptr;
    // A study of models: its results are drawn by the panel Studies, and by `tensorloupe-cli study`. Likewise.
    void (*add_study)(const session::StudyRecord& record) = nullptr;
    // What carries bytes between the ranks of a program. Likewise.
    void (*add_backend)(distributed::Backend& backend) = nullptr;
    // What carries memory of a device between them. Throws Error (Plugin) when that device has one.
    void (*add_device_transport)(distributed::DeviceTransport& transport) = nullptr;
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
