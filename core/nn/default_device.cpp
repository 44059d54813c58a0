// SPDX-License-Identifier: Apache-2.0
#include "core/nn/default_device.h"

namespace loupe::nn {
namespace {

thread_local Device device_of_thread;

}  // namespace

Device default_device() { return device_of_thread; }
void set_default_device(Device device) { device_of_thread = device; }

}  // namespace loupe::nn
