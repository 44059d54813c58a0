// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::python {

class PythonModule;

// _device_graphs, of which torch/cuda/graphs.py and torch.accelerator.Graph are made.
void fill_device_graphs(PythonModule& module);

}  // namespace loupe::python
