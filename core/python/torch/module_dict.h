// SPDX-License-Identifier: Apache-2.0
#pragma once
// What PyTorch keeps in the __dict__ of a module.

#include "core/nn/module.h"
#include "core/python/language/object.h"

namespace loupe::python {

// What takes a hook away again: the hooks that it is among, by number, and its number.
class PickledHandle final : public PythonObject {
  public:
    explicit PickledHandle(IValue hooks_and_id) : state(std::move(hooks_and_id)) {}
    const IValue state;
    std::string type_name() const override { return "RemovableHandle"; }
};

// module.__dict__ as PyTorch has it: training, _parameters, ..., _modules, then other attributes.
IValue module_dict(nn::Module& module);
// One entry of it: "_parameters", "_buffers", "_modules", ...; nullopt for names that are none of PyTorch's own.
std::optional<IValue> module_dict_entry(nn::Module& module, std::string_view name);
// Names in it that are no attributes of the program's own.
bool is_module_internal(std::string_view name);

}  // namespace loupe::python
