// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/libraries.h"

#include <cublas_v2.h>
#include <cudnn.h>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/convolution/convolution.h"
#ifdef LOUPE_NCCL
#include "plugins/cuda/nccl/nccl.h"
#endif
#include "plugins/cuda/norm/batch_norm.h"
#include "plugins/cuda/pool/pooling.h"
#include "plugins/cuda/products/products.h"
#include "plugins/cuda/rnn/rnn.h"

namespace {

// Their functions keep their meaning within a major version only.
void require_version(const char* library, int found, int needed) {
    if (found == needed) return;
    throw loupe::Error(loupe::ErrorKind::Plugin,
                       loupe::concat(library, " ", found, " was found, the plugin needs ", library, " ", needed));
}

}  // namespace

LOUPE_PLUGIN_EXPORT void loupe_cuda_require_versions() {
    int cublas = 0;
    cublasGetProperty(MAJOR_VERSION, &cublas);
    require_version("cuBLAS", cublas, CUBLAS_VER_MAJOR);
    constexpr std::size_t kMajor = 10000;  // since version 9; before it 1000
    const std::size_t cudnn = cudnnGetVersion();
    require_version("cuDNN", static_cast<int>(cudnn < kMajor ? cudnn / 1000 : cudnn / kMajor), CUDNN_MAJOR);
}

LOUPE_PLUGIN_EXPORT void loupe_cuda_register(const loupe::PluginRegistries& registries) {
    loupe::cuda::register_convolution(registries);
    loupe::cuda::register_batch_norm(registries);
    loupe::cuda::register_pooling_library(registries);
    loupe::cuda::register_rnn(registries);
    loupe::cuda::register_products(registries);
    loupe::cuda::register_layers(registries);
#ifdef LOUPE_NCCL
    loupe::cuda::register_nccl(registries);
#endif
}
