// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "core/base/strings.h"
#include "core/plugin/plugin_state.h"
#include "core/plugin/user_plugins.h"
#include "core/session/catalogue.h"

namespace loupe::cli {
namespace {

using session::PluginInfo;

const char* state_of(const PluginInfo& plugin) {
    if (plugin.loaded) return "loaded";
    return plugin.is_off ? "off" : "not loaded";
}

void print_json() {
    nlohmann::json all = nlohmann::json::array();
    for (const PluginInfo& plugin : session::list_plugins()) {
        all.push_back({{"name", plugin_name_of(plugin.file)},
                       {"state", state_of(plugin)},
                       {"description", plugin.description},
                       {"needs", plugin.needs},
                       {"file", plugin.file},
                       {"reason", plugin.reason}});
    }
    std::printf("%s\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void print_list() {
    std::size_t width = 0;
    for (const PluginInfo& plugin : session::list_plugins())
        width = std::max(width, plugin_name_of(plugin.file).size());
    for (const PluginInfo& plugin : session::list_plugins()) {
        const std::string& what = plugin.loaded ? plugin.description : plugin.reason;
        std::printf("%-*s  %-10s  %s\n", static_cast<int>(width), plugin_name_of(plugin.file).c_str(), state_of(plugin),
                    what.c_str());
        if (std::filesystem::path(plugin.file).parent_path() == user_plugin_folder())
            std::printf("%*s  %s\n", static_cast<int>(width), "", plugin.file.c_str());
    }
}

void check_is_plugin(const std::string& name) {
    for (const PluginInfo& plugin : session::list_plugins()) {
        if (plugin_name_of(plugin.file) == name) return;
    }
    throw Error(ErrorKind::Usage, concat(name, ": no plugin of that name; tensorloupe-cli plugins lists them"));
}

}  // namespace

int run_plugins(const PluginsArguments& arguments) {
    using Act = PluginsArguments::Act;
    switch (arguments.act) {
        case Act::List:
            if (arguments.json)
                print_json();
            else
                print_list();
            break;
        case Act::Install:
            std::printf("installed %s\n", install_plugin(arguments.of).c_str());
            break;
        case Act::Remove:
            uninstall_plugin(arguments.of);
            break;
        case Act::Disable:
            check_is_plugin(arguments.of);
            switch_off(arguments.of, "");
            break;
        case Act::Enable:
            check_is_plugin(arguments.of);
            switch_on(arguments.of);
            break;
    }
    return 0;
}

}  // namespace loupe::cli
