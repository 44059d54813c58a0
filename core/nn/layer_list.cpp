// SPDX-License-Identifier: Apache-2.0
// All layers, and those by name.
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/nn/layer.h"
#include "core/nn/layers/families.h"

namespace loupe::nn {

std::span<const LayerRecord* const> layer_records() {
    static const std::vector<const LayerRecord*> all = [] {
        std::vector<const LayerRecord*> out;
        for (const auto family : layer_families()) {
            for (const LayerRecord& record : family) out.push_back(&record);
        }
        return out;
    }();
    return all;
}

const LayerRecord* find_layer(std::string_view name) {
    static const std::unordered_map<std::string_view, const LayerRecord*> by_name = [] {
        std::unordered_map<std::string_view, const LayerRecord*> out;
        for (const LayerRecord* record : layer_records()) out.emplace(record->name, record);
        return out;
    }();
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

}  // namespace loupe::nn
