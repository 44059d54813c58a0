// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/device_number.h"

namespace loupe::cuda {
namespace {

thread_local int current = -1;

}  // namespace

int current_device() { return current; }
void note_current_device(int number) { current = number; }

}  // namespace loupe::cuda
