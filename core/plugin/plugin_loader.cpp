// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/plugin_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/plugin/plugin.h"
#include "core/session/queries/list.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

void add_kernel(std::string_view operator_name, DeviceType device, KernelCandidate candidate) {
    if (!register_kernel(operator_name, device, std::move(candidate))) {
        throw Error(ErrorKind::Plugin, concat("gives a kernel for ", operator_name, ", which does not exist"));
    }
}

void add_device(DeviceType type, DeviceInterface& device) {
    if (type == DeviceType::Cpu || device_interface(type) != nullptr)
        throw Error(ErrorKind::Plugin, concat("gives the device ", device_type_name(type), ", which is there"));
    set_device_interface(type, &device);
}

void register_table(const PluginTable* table, PluginStatus& status) {
    if (table == nullptr) throw Error(ErrorKind::Plugin, "gives no table");
    if (table->interface_version != kPluginInterface) {
        throw Error(ErrorKind::Plugin, concat("was built for plugin interface ", table->interface_version,
                                              ", this program has ", kPluginInterface));
    }
    status.name = table->name;
    status.description = table->description;
    status.needs = table->needs;
    table->register_all({add_kernel, [](const OperatorFamily& family) { register_family(family); }, add_device,
                         session::add_query, session::add_table});
}

// dlerror names the file first; the list does too.
std::string reason_of_dlerror(const fs::path& file) {
    std::string text = dlerror();
    const std::string prefix = file.string() + ": ";
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
    return text;
}

PluginStatus load(const fs::path& file) {
    PluginStatus status;
    status.file = file;
    status.name = file.stem().string();
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        status.reason = reason_of_dlerror(file);
        return status;
    }
    try {
        const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, kPluginEntryName));
        if (entry == nullptr) throw Error(ErrorKind::Plugin, concat("exports no ", kPluginEntryName, "()"));
        register_table(entry(), status);
        status.loaded = true;
    } catch (const Error& error) {
        status.reason = error.message();
    } catch (const std::exception& error) {
        status.reason = error.what();
    }
    // Stays open even when it failed: it may have registered something before.
    return status;
}

}  // namespace

std::vector<PluginStatus> load_plugins_from(const fs::path& folder) {
    static std::mutex mutex;
    static std::map<fs::path, PluginStatus> known;
    const std::lock_guard lock(mutex);
    std::error_code failure;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
        if (entry.path().extension() == ".so") files.push_back(fs::weakly_canonical(entry.path(), failure));
    }
    std::sort(files.begin(), files.end());
    std::vector<PluginStatus> list;
    for (const fs::path& file : files) {
        auto found = known.find(file);
        if (found == known.end()) found = known.emplace(file, load(file)).first;
        list.push_back(found->second);
    }
    return list;
}

std::vector<fs::path> plugin_folders() {
    std::vector<fs::path> folders;
    std::error_code failure;
    const fs::path program = fs::read_symlink("/proc/self/exe", failure);
    if (!failure) folders.push_back(program.parent_path().parent_path() / "lib" / "plugins");
    if (const char* path = std::getenv("LOUPE_PLUGIN_PATH"); path != nullptr) {
        for (const std::string_view folder : split(path, ':')) {
            if (!folder.empty()) folders.emplace_back(folder);
        }
    }
    return folders;
}

namespace {

std::vector<PluginStatus> load_all_plugins() {
    std::vector<PluginStatus> list;
    for (const fs::path& folder : plugin_folders()) {
        for (PluginStatus& status : load_plugins_from(folder)) list.push_back(std::move(status));
    }
    return list;
}

// No program has to install it: they all link this library.
[[maybe_unused]] const bool is_installed = [] {
    set_plugin_loader(load_all_plugins);
    return true;
}();

}  // namespace

}  // namespace loupe
