// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::cuda {

// The calling thread's device; -1 before the first.
int current_device();
// What current_device.h's functions say when they have chosen another.
void note_current_device(int number);

}  // namespace loupe::cuda
