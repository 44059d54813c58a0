// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/device_graphs.h"

#include <atomic>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/device_interface.h"

namespace loupe {
namespace {

std::atomic<int>& under_way() {
    static std::atomic<int> count = 0;
    return count;
}
std::atomic<std::int64_t>& last_pool() {
    static std::atomic<std::int64_t> last = 0;
    return last;
}

}  // namespace

MemoryPoolId new_graph_pool() { return {++last_pool(), 0}; }
MemoryPoolId new_pool_handle() { return {0, ++last_pool()}; }

void count_captures(int change) { under_way() += change; }

bool is_capturing(Device device) {
    if (under_way() == 0 || device.is_cpu()) return false;
    DeviceInterface* const devices = device_interface(device.type);
    const DeviceGraphs* const graphs = devices == nullptr ? nullptr : devices->graphs();
    return graphs != nullptr && graphs->is_capturing(device);
}

void refuse_in_capture(Device device, const std::string& doing) {
    if (is_capturing(device))
        throw Error(ErrorKind::Run,
                    concat("CUDA error: operation not permitted when stream is capturing (", doing, ")"));
}

}  // namespace loupe
