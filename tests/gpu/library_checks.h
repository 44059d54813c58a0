// SPDX-License-Identifier: Apache-2.0
#pragma once
// What NVIDIA's libraries are asked for, at sizes that they have kernels for: beyond the samples of operators, which
// are small.

namespace loupe::gpu {

// Prints a line a call: who runs it, and whether it differs from the CPU. Returns how many differ.
int check_libraries();

}  // namespace loupe::gpu
