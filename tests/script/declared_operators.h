// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::script {

// Declares those of PyTorch's operators in operators.txt that the engine lacks, without kernels: enough to compile
// calls.
void declare_operators();

}  // namespace loupe::script
