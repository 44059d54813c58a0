// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators with kernels of their own on a device, a file a family. Each checks nothing that the record's metadata has
// checked, describes the tensors and gives the work to a loop (plugins/cuda/loops).

#include "core/plugin/plugin.h"
#include "plugins/cuda/loops/host.h"

namespace loupe::cuda {

// Where a family's kernels go.
struct Registration {
    const PluginRegistries& registries;
    DeviceType type;
    const char* backend;

    void add(std::string_view name, KernelFunction kernel, AcceptFunction accepts = takes) const {
        registries.add_kernel(name, type, {backend, kernel, accepts});
    }
};

// float16, bfloat16, float32 and float64.
bool is_computed(ScalarType dtype);
bool takes_computed(const IValue& value, std::string* why);
// Accepts calls of which these arguments, where they are defined, are of such a dtype.
template <std::size_t... kTensors>
bool takes_floating(Arguments arguments, std::string* why) {
    return takes(arguments, why) && (takes_computed(arguments[kTensors], why) && ...);
}

void register_arranging(const Registration& to);
void register_attention(const Registration& to);
void register_softmax(const Registration& to);
void register_layer_norm(const Registration& to);
void register_channel_norms(const Registration& to);
void register_pooling(const Registration& to);
void register_recurrent(const Registration& to);
void register_losses(const Registration& to);
void register_indexing(const Registration& to);
void register_scatters(const Registration& to);
void register_scans(const Registration& to);
void register_sorting(const Registration& to);
void register_selection(const Registration& to);
void register_sampling(const Registration& to);
void register_distances(const Registration& to);
void register_counting(const Registration& to);
void register_ctc(const Registration& to);
void register_linear_ends(const Registration& to);
void register_convolution_relu(const Registration& to);
void register_composed(const Registration& to);
void register_margins(const Registration& to);
void register_random(const Registration& to);
void register_own_products(const Registration& to);
void register_solving(const Registration& to);
void register_packed_weights(const Registration& to);
void register_factoring(const Registration& to);
void register_segments(const Registration& to);
void register_sequences(const Registration& to);
void register_exchanges(const Registration& to);
void register_spaced(const Registration& to);
void register_unpooling(const Registration& to);
// All of them.
void register_operators(const PluginRegistries& registries, DeviceType type, const char* backend);

}  // namespace loupe::cuda
