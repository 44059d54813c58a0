// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::python {

class PythonModule;

// _devices, of which torch/cuda.py and torch/_streams.py are made.
void fill_devices(PythonModule& module);

}  // namespace loupe::python
