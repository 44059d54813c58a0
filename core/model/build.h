// SPDX-License-Identifier: Apache-2.0
#pragma once
// Building a model from layers: what there is, what fits where, and its source.

#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/recipes.h"

namespace loupe::session {

struct LayerInfo {
    std::string name;    // "Conv2d"
    std::string family;  // "conv": the last part of its Python module
    std::string summary;
    std::vector<RecipeInfo::Argument> arguments;
};
// Layers of torch.nn that take one value and give one, by family.
std::vector<LayerInfo> list_layers();

// One after the other, as nn.Sequential holds them.
struct BuildRequest {
    std::vector<std::string> layers;  // "Conv2d(1, 16, 3)", "Sequential(ReLU(), Dropout(0.1))"
    std::string input;                // "1x1x8x8", "1x16:int64"
};
auto fields(Like<BuildRequest> auto& it) { return std::tie(it.layers, it.input); }
struct BuildStep {
    std::string output;   // "1x16x6x6 float32"; empty when it failed, or nothing reached it
    std::string error;    // the layer's own message
    std::string expects;  // "16 channels in dimension 1", where the layer says so
    // An argument that would make it fit, and with which value: {"in_features", "128"}.
    std::optional<std::pair<std::string, std::string>> mend;
    std::int64_t parameters = 0;
    std::int64_t bytes = 0;  // of what it gives
};
auto fields(Like<BuildStep> auto& it) {
    return std::tie(it.output, it.error, it.expects, it.mend, it.parameters, it.bytes);
}
struct BuildCheck {
    std::vector<BuildStep> steps;  // one a layer
    std::string error;             // of the input
    std::int64_t parameters = 0;
};
auto fields(Like<BuildCheck> auto& it) { return std::tie(it.steps, it.error, it.parameters); }

// A call of the layer with the arguments that must be given, chosen to fit what comes in: "Linear(128, 64)".
std::string suggest_layer(const LayerInfo& layer, const std::string& input);

// A model source with the layers in one nn.Sequential, and example inputs.
std::string build_source(const BuildRequest& request);
// The other way; nullopt when the model of the source is not one nn.Sequential of calls of layers.
std::optional<BuildRequest> read_build(const std::string& source);

// Models to begin with; those that are no Sequential have their source alone.
struct BuildTemplate {
    std::string name;  // "Small CNN"
    std::string summary;
    std::string source;
};
std::vector<BuildTemplate> list_templates();

}  // namespace loupe::session
