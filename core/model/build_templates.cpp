// SPDX-License-Identifier: Apache-2.0
#include "core/model/build_templates.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/build.h"

namespace loupe::session {
namespace {

std::string source_of(std::string_view name) {
    const auto all = python::build_templates_in_python();
    const auto found = std::ranges::find(all, name, &python::ModuleRecord::name);
    if (found == all.end()) throw Error(ErrorKind::Internal, concat("no template ", name));
    return std::string(found->source);
}

}  // namespace

std::vector<BuildTemplate> list_templates() {
    return {{"MLP", "linear layers with ReLU between them", source_of("mlp")},
            {"Small CNN", "two convolutions, then a mean over the picture", source_of("small_cnn")},
            {"ResNet", "residual blocks", source_of("resnet")},
            {"Autoencoder", "down to eight numbers and back; its target is its input", source_of("autoencoder")},
            {"LSTM", "a bidirectional LSTM over tokens", source_of("lstm")},
            {"GPT", "a decoder of two blocks", source_of("gpt")}};
}

}  // namespace loupe::session
