// SPDX-License-Identifier: Apache-2.0
#pragma once
// What carries memory of a device between ranks without a copy on the host, as NCCL does. It stands beside the backend
// that ranks agree over: that one carries ids of its communicators, messages between two ranks, and what it does not
// take.

#include <memory>
#include <string>

#include "core/distributed/backend.h"

namespace loupe::distributed {

class DeviceTransport {
  public:
    virtual ~DeviceTransport() = default;
    virtual const char* name() const = 0;  // "nccl"
    virtual DeviceType device() const = 0;
    // Does it carry such elements, reduced so?
    virtual bool takes(ScalarType dtype, Reduction reduction) const = 0;
    // Of a communicator: made by one of its ranks, and given to all. No longer than kMostIdBytes. Throws Error (Run).
    virtual std::string new_id() = 0;
    // All its ranks call it together. Transfers are started by one thread, in the same order by all ranks, each behind
    // the one before; they wait for Transfer::ready on the device. Throws Error (Run).
    virtual std::unique_ptr<Communicator> join(const std::string& id, int rank, int size, Device device) = 0;

    static constexpr std::size_t kMostIdBytes = 255;
};

// Of plugins; it must live as long as the process. Throws Error (Plugin) when there is one of that device.
void add_device_transport(DeviceTransport& transport);
// Null: none.
DeviceTransport* device_transport(DeviceType type);

}  // namespace loupe::distributed
