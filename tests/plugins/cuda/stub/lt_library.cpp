// SPDX-License-Identifier: Apache-2.0
// A cublasLt that has no way to compute anything: products go to cuBLAS. What it would be asked is in test_epilogues.
#include "plugins/cuda/products/lt_library.h"

namespace loupe::cuda {
namespace {

class NoWay final : public LtLibrary {
  public:
    bool multiply(const LtProduct&) override { return false; }
};

}  // namespace

LtLibrary& lt_library(Device) {
    static NoWay library;
    return library;
}

}  // namespace loupe::cuda
