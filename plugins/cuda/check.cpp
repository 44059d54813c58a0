// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/check.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/device_number.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {
namespace {

struct Lost {
    std::atomic<bool> is_any = false;
    std::mutex mutex;
    std::map<int, std::string> devices;
};
Lost& lost() {
    static auto* const all = new Lost;
    return *all;
}

}  // namespace

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
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorContained:
            return true;
        default:
            return false;
    }
}

std::string why_lost(int device) {
    if (!lost().is_any) return {};
    const std::lock_guard lock(lost().mutex);
    const auto found = lost().devices.find(device);
    return found == lost().devices.end() ? std::string() : found->second;
}

void check(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    const std::string what = concat("CUDA error: ", cudaGetErrorString(status));
    if (!breaks_context(status)) throw Error(ErrorKind::Run, concat(what, " (", doing, ")"));
    {
        const std::lock_guard lock(lost().mutex);
        lost().devices.emplace(current_device(), what);
        lost().is_any = true;
    }
    // Kernels run beside the host: what fails is seen when somebody waits.
    throw Error(ErrorKind::Run, concat(what, " (", doing, "): the device takes no more work in this process"),
                {.hint = launches_block() ? "restart the engine, or run on the CPU"
                                          : "restart the engine, or run on the CPU; CUDA_LAUNCH_BLOCKING=1 in its "
                                            "environment names the kernel"});
}

bool launches_block() {
    static const bool blocks = [] {
        const char* const set = std::getenv("CUDA_LAUNCH_BLOCKING");
        return set != nullptr && std::string_view(set) != "0" && std::string_view(set) != "";
    }();
    return blocks;
}

// The kernels' launches; loops/launch.h.
void check_launch(const char* what) {
    check(cudaGetLastError(), what);
    // While a stream captures nothing may wait.
    if (launches_block() && !captures_any(current_device())) check(cudaDeviceSynchronize(), what);
}

}  // namespace loupe::cuda
