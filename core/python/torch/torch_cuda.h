// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::python {

class PythonModule;

// torch.cuda, but for torch.cuda.amp: what a plugin's devices answer, and PyTorch's errors where there is none.
void fill_cuda(PythonModule& module);

}  // namespace loupe::python
