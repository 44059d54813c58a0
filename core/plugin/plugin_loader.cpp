// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/plugin_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/format_registry.h"
#include "core/plugin/plugin.h"
#include "core/plugin/plugin_state.h"
#include "core/runtime/fuse/fuser_backends.h"
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

void add_format(FormatReader reader) {
    auto& formats = FormatRegistry::instance();
    const auto& known = formats.readers();
    if (std::any_of(known.begin(), known.end(), [&](const FormatReader& each) { return each.name == reader.name; }))
        throw Error(ErrorKind::Plugin, concat("gives the format '", reader.name, "', which is there"));
    formats.add(std::move(reader));
}

void add_writer(FormatWriter writer) {
    FormatRegistry& formats = FormatRegistry::instance();
    for (const std::string& extension : writer.extensions) {
        if (formats.writer_for("file" + extension) != nullptr)
            throw Error(ErrorKind::Plugin, concat("writes ", extension, ", for which there is a writer"));
    }
    formats.add(std::move(writer));
}

void add_fuser(runtime::FuserBackend backend) {
    for (const runtime::FuserBackend& each : runtime::fusers()) {
        if (each.name == backend.name)
            throw Error(ErrorKind::Plugin, concat("gives the fuser '", backend.name, "', which is there"));
    }
    runtime::add_fuser(std::move(backend));
}

void register_table(const PluginTable* table, PluginStatus& status) {
    if (table == nullptr) throw Error(ErrorKind::Plugin, "gives no table");
    if (table->interface_version != kPluginInterface) {
        throw Error(ErrorKind::Plugin, concat("was built for plugin interface ", table->interface_version,
                                              ", this program has ", kPluginInterface, ": build it again"));
    }
    status.name = table->name;
    status.description = table->description;
    status.needs = table->needs;
    table->register_all({.add_kernel = add_kernel,
                         .add_family = [](const OperatorFamily& family) { register_family(family); },
                         .add_device = add_device,
                         .add_format = add_format,
                         .add_writer = add_writer,
                         .add_pass = passes::register_pass,
                         .add_fuser = add_fuser,
                         .add_query = session::add_query,
                         .add_table = session::add_table,
                         .add_study = session::add_study,
                         .add_backend = distributed::add_backend,
                         .add_device_transport = distributed::add_device_transport});
}

// dlerror names the file first; the list does too.
std::string reason_of_dlerror(const fs::path& file) {
    std::string text = dlerror();
    const std::string prefix = file.string() + ": ";
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
    return text;
}

}  // namespace

PluginStatus load_plugin(const fs::path& file, bool is_trial) {
    PluginStatus status;
    status.file = file;
    status.name = file.stem().string();
    if (std::optional<std::string> why = why_switched_off(plugin_name_of(file))) {
        status.name = plugin_name_of(file);
        status.is_off = true;
        status.reason = concat("switched off", why->empty() ? "" : ": ", *why);
        return status;
    }
    std::optional<PluginCrashGuard> guard;
    if (!is_trial) guard.emplace(file);
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

namespace {

std::vector<fs::path> files_in(const fs::path& folder) {
    std::error_code failure;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
        if (entry.path().extension() == ".so") files.push_back(fs::weakly_canonical(entry.path(), failure));
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

std::vector<PluginStatus> load_plugins_from(const fs::path& folder) {
    static std::mutex mutex;
    static std::map<fs::path, PluginStatus> known;
    const std::lock_guard lock(mutex);
    std::vector<PluginStatus> list;
    for (const fs::path& file : files_in(folder)) {
        auto found = known.find(file);
        if (found == known.end()) found = known.emplace(file, load_plugin(file)).first;
        list.push_back(found->second);
    }
    return list;
}

std::vector<fs::path> plugin_files() {
    std::vector<fs::path> all;
    for (const fs::path& folder : plugin_folders()) {
        const std::vector<fs::path> files = files_in(folder);
        all.insert(all.end(), files.begin(), files.end());
    }
    return all;
}

std::vector<fs::path> plugin_folders() {
    std::vector<fs::path> folders;
    std::error_code failure;
    // Of the engine's own library: the program that loads it may lie anywhere.
    static constexpr char kHere = 0;
    Dl_info engine{};
    if (dladdr(&kHere, &engine) != 0 && engine.dli_fname != nullptr) {
        const fs::path library = fs::canonical(engine.dli_fname, failure);
        if (!failure) folders.push_back(library.parent_path() / "plugins");
    }
    if (const char* path = std::getenv("LOUPE_PLUGIN_PATH"); path != nullptr) {
        for (const std::string_view folder : split(path, ':')) {
            if (!folder.empty()) folders.emplace_back(folder);
        }
    }
    if (fs::path installed = user_plugin_folder(); !installed.empty()) folders.push_back(std::move(installed));
    return folders;
}

const std::vector<PluginStatus>& plugins() {
    static const std::vector<PluginStatus> all = [] {
        std::vector<PluginStatus> list;
        for (const fs::path& folder : plugin_folders()) {
            for (PluginStatus& status : load_plugins_from(folder)) list.push_back(std::move(status));
        }
        return list;
    }();
    return all;
}

std::string plugin_absence(std::string_view name) {
    for (const PluginStatus& plugin : plugins()) {
        if (!plugin.loaded && plugin.file.stem() == concat("loupe_", name))
            return concat("does not load: ", plugin.reason);
    }
    return "is not there";
}

}  // namespace loupe
