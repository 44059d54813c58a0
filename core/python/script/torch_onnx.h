// SPDX-License-Identifier: Apache-2.0
#pragma once
// What torch.onnx asks of the engine; its interface is core/python/script/torch/onnx.py.

#include "core/python/language/object.h"

namespace loupe::python {

// write(model, args, file, options): the model, traced on the arguments unless it is a script, by the writer of .onnx.
void fill_onnx_writer(PythonModule& module);

}  // namespace loupe::python
