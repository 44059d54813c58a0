// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks of gpu_check that have a file of their own.

namespace loupe::gpu {

// CUDA graphs: training steps of a small perceptron captured and replayed against eager ones, random numbers, what
// capture forbids; and their time. The number of what differs.
int check_graphs();

}  // namespace loupe::gpu
