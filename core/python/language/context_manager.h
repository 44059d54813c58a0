// SPDX-License-Identifier: Apache-2.0
#pragma once
// Context managers of torch written in C++: what `with torch.autocast("cpu"):` enters.

#include <functional>
#include <memory>
#include <string>

#include "core/python/language/class.h"

namespace loupe::python {

// open() makes what lives from __enter__ to __exit__. It can be entered again, and decorates functions. entered: what
// `as` binds; by default the object itself.
IValue make_scope(const std::string& class_name, const std::string& module, std::function<std::shared_ptr<void>()> open,
                  std::function<IValue()> entered = nullptr);

// A class of such: what its arguments (without self) open, and what `as` binds.
struct ScopeParts {
    std::function<std::shared_ptr<void>()> open;
    std::function<IValue()> entered = nullptr;
};
ClassPtr make_scope_class(const std::string& class_name, const std::string& module, std::vector<ClassPtr> bases,
                          std::function<ScopeParts(CallArguments arguments)> init);

}  // namespace loupe::python
