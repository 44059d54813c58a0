// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layer class of torch.nn is one record: what it is built from, what it computes, how it prints. The object is a
// Module like any other. A record also serves as base class: of other records ("_ConvNd") and of a model source's own
// classes.
//
//     const ModulePtr conv = make_layer("Conv2d", {3, 16, 3}, {{"bias", false}});
//     const IValue y = conv->call({x});

#include <span>
#include <string>
#include <string_view>

#include "core/nn/module.h"
#include "core/ops/record.h"
#include "core/value/callable.h"

namespace loupe::nn {

struct LayerRecord {
    std::string_view name;               // "Conv2d"
    std::string_view base;               // "_ConvNd", or "Module"
    std::string_view module;             // the Python module that defines it: "torch.nn.modules.conv"
    std::string_view summary;            // one sentence
    // The constructor in schema syntax: "Conv2d(int in_channels, int out_channels, int[2] kernel_size, ...)". Containers,
    // which take any number of modules, have "...".
    std::string_view constructor;
    // Does what __init__ does: attributes, parameters (with PyTorch's initial values for the seed), children.
    void (*init)(Module& self, Arguments arguments);
    // "forward(Tensor input, int[]? output_size=None) -> Tensor"; empty for layers without a forward.
    std::string_view forward_schema = {};
    IValue (*forward)(Module& self, Arguments arguments) = nullptr;
    // What stands between the brackets when it is printed; null: nothing.
    std::string (*extra_repr)(const Module& self) = nullptr;
    // Null where the class has none.
    void (*reset_parameters)(Module& self) = nullptr;
};

// Families export one array each; this lists them all.
std::span<const LayerRecord* const> layer_records();
// Null for a name that is no layer's.
const LayerRecord* find_layer(std::string_view name);
// Is it the record of that name, or derived from it?
bool is_derived(const LayerRecord& record, std::string_view base);

// Makes one. Throws Error (Run) with Python's messages for arguments that do not fit the constructor, and what __init__
// throws.
ModulePtr make_layer(std::string_view name, std::vector<IValue> arguments = {},
                     std::vector<std::pair<std::string, IValue>> keywords = {});

}  // namespace loupe::nn
