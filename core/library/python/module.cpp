// SPDX-License-Identifier: Apache-2.0
// The extension module loupe._engine; loupe/__init__.py says what of it programs see.
#include "core/base/build_facts.h"
#include "core/library/python/convert.h"
#include "core/library/python/object.h"

PYBIND11_MODULE(_engine, module) {
    using namespace loupe::bindings;
    register_errors(module);
    define_object(module);
    define_tensor(module);
    define_recording(module);
    define_model(module);
    module.attr("__version__") = std::string(loupe::version());
}
