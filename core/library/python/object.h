// SPDX-License-Identifier: Apache-2.0
#pragma once
// Classes of the Python module, one function each.

#include <pybind11/pybind11.h>

namespace loupe::bindings {

namespace py = pybind11;

void define_object(py::module_& module);     // Object
void define_tensor(py::module_& module);     // Tensor, from_dlpack, from_numpy
void define_model(py::module_& module);      // Model
void define_recording(py::module_& module);  // Recording, Event

}  // namespace loupe::bindings
