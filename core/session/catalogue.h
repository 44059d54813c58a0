// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the program knows, without a model: passes, pipelines, plugins.

#include <string>
#include <vector>

namespace loupe::session {

struct PassInfo {
    std::string name;
    std::string summary;
};
std::vector<PassInfo> list_passes();
std::vector<std::string> list_pipelines();

// Of model files and recordings that are read, for file dialogues: ".pt", ".onnx", ".py"; sorted.
std::vector<std::string> list_extensions();

struct PluginInfo {
    std::string name;
    std::string file;
    std::string description;
    std::string needs;  // "oneDNN 2.6"; empty: nothing
    bool loaded = false;
    bool is_off = false;  // switched off
    std::string reason;   // why it is not loaded
};
std::vector<PluginInfo> list_plugins();

}  // namespace loupe::session
