// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests of devices run on the one for tests, or on that which LOUPE_TEST_DEVICE names ("cuda:0"), with the plugins of
// LOUPE_TEST_PLUGINS, a folder or a file.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device.h"
#include "core/tensor/device_interface.h"

namespace loupe::testing {

inline std::string device_under_test(const std::string& otherwise) {
    const char* named = std::getenv("LOUPE_TEST_DEVICE");
    return named == nullptr ? otherwise : named;
}

// Where the project's files lie; LOUPE_TEST_SOURCE on another machine than that which built the test.
inline std::string source_folder() {
    const char* named = std::getenv("LOUPE_TEST_SOURCE");
    return named == nullptr ? LOUPE_SOURCE_DIR : named;
}

// Throws Error (Plugin) when the device is not there then.
inline void load_device_under_test(const std::filesystem::path& otherwise) {
    const char* named = std::getenv("LOUPE_TEST_PLUGINS");
    const std::filesystem::path plugins = named == nullptr ? otherwise : std::filesystem::path(named);
    if (std::filesystem::is_directory(plugins))
        load_plugins_from(plugins);
    else
        load_plugin(plugins, true);
    const std::string device = device_under_test("test");
    if (device_interface(parse_device(device).type) == nullptr)
        throw Error(ErrorKind::Plugin, "no plugin brings the device " + device);
}

}  // namespace loupe::testing
