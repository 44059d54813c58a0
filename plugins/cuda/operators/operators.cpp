// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {

bool is_computed(ScalarType dtype) {
    return dtype == ScalarType::Float32 || dtype == ScalarType::Float64 || dtype == ScalarType::Float16 ||
           dtype == ScalarType::BFloat16;
}

bool takes_computed(const IValue& value, std::string* why) {
    if (!value.is_tensor() || !value.to_tensor().defined() || is_computed(value.to_tensor().dtype())) return true;
    if (why != nullptr) *why = std::string(dtype_name(value.to_tensor().dtype())) + " input";
    return false;
}

void register_operators(const PluginRegistries& registries, DeviceType type, const char* backend) {
    constexpr void (*kFamilies[])(const Registration&) = {register_arranging,     register_attention,
                                                          register_softmax,       register_layer_norm,
                                                          register_channel_norms, register_pooling,
                                                          register_recurrent,     register_losses,
                                                          register_indexing,      register_scatters,
                                                          register_scans,         register_sorting,
                                                          register_random,        register_selection,
                                                          register_sampling,      register_distances,
                                                          register_counting,      register_ctc,
                                                          register_linear_ends,   register_convolution_relu,
                                                          register_composed,      register_margins,
                                                          register_own_products,  register_solving,
                                                          register_factoring,     register_packed_weights,
                                                          register_segments,      register_sequences,
                                                          register_exchanges,     register_spaced,
                                                          register_unpooling};
    for (const auto family : kFamilies) family({registries, type, backend});
}

}  // namespace loupe::cuda
