// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::python {

class PythonModule;

// _torch_cuda, of which torch/cuda.py is made: what a plugin's devices answer, and PyTorch's errors where there is
// none.
void fill_cuda(PythonModule& module);

}  // namespace loupe::python
