// SPDX-License-Identifier: Apache-2.0
// A cublasLt that computes on the stub's streams, or has no way to compute anything, as tests say.
#include "plugins/cuda/products/lt_library.h"

#include "plugins/cuda/device.h"
#include "tests/plugins/cuda/stub/lt_stand_in.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

namespace loupe::cuda {
namespace {

class StubLt final : public LtLibrary {
  public:
    bool multiply(const LtProduct& product) override {
        if (stub_gpu::called("cublasLtMatmul", static_cast<int>(product.epilogue)) != 0) return false;
        stub_gpu::launch(stream_of(Device{DeviceType::Cuda, 0}), [product] { stub_gpu::LtStandIn(product).compute(); });
        return true;
    }
};

}  // namespace

LtLibrary& lt_library(Device) {
    static StubLt library;
    return library;
}

}  // namespace loupe::cuda
