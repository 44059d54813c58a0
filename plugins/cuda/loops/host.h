// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the host side of kernels needs of the device that they are built for; the plugin of that device defines it.

#include <memory>
#include <string>

#include "core/dispatch/record.h"
#include "core/tensor/tensor.h"
#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Where work is given.
Queue queue_of(Device device);
// A place as kernels of the device see it.
void* address_on_device(void* place);
// A tensor's first element; null for an undefined tensor.
inline void* address_of(const Tensor& t) { return t.defined() ? address_on_device(t.address()) : nullptr; }
// Threads that a device runs at once; the numbers of PyTorch's generator hang on it.
std::int64_t resident_threads(Device device);
// Memory of the host that kernels write small results to, zeroed; `bytes` up to kHostRoom. It may be given up before
// they have.
inline constexpr std::size_t kHostRoom = 1024;
std::shared_ptr<void> host_room(Device device, std::size_t bytes);
// Waits for all work that was given.
void wait_for(const Queue& queue);
// Does the device take calls with these arguments at all?
bool takes(Arguments arguments, std::string* why);

// Where a kernel of this operator says what it found wrong (fault.h); `op` is kept.
Fault* fault_for(const Queue& queue, const char* op);
// After such a kernel. A device that works beside the host says it at the next call that waits for it, or here when
// launches are blocking.
void check_faults(const Queue& queue);
// Throws Error (Run) in PyTorch's words for a fault that was found, and forgets it.
void throw_fault(Fault& fault, const char* op);

}  // namespace loupe::cuda
