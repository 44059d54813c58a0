// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/check.h"

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::cuda {
namespace {

bool breaks_context(cudaError_t status) {
    switch (status) {
        case cudaErrorIllegalAddress:
        case cudaErrorAssert:
        case cudaErrorMisalignedAddress:
        case cudaErrorIllegalInstruction:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorHardwareStackError:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorECCUncorrectable:
            return true;
        default:
            return false;
    }
}

}  // namespace

void check(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw Error(ErrorKind::Run,
                concat("CUDA error: ", cudaGetErrorString(status), " (", doing, ")",
                       breaks_context(status) ? ": the device takes no more work in this process" : ""));
}

// The kernels' launches; loops/launch.h.
void check_launch(const char* what) { check(cudaGetLastError(), what); }

}  // namespace loupe::cuda
