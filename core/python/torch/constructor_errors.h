// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors of binding a constructor's arguments: the engine calls it by the class's name, Python by its __init__.

#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/python/language/exception_names.h"

namespace loupe::python {

// Runs make(); what it throws as "Adam() ..." becomes "Adam.__init__() ...".
template <typename Make>
auto in_constructor(std::string_view name, Make&& make) {
    try {
        return std::forward<Make>(make)();
    } catch (const Error& error) {
        const std::string start = concat(name, "()");
        if (!error.message().starts_with(start)) throw;
        throw TypedError(exception_name(error),
                         concat(name, ".__init__()", std::string_view(error.message()).substr(start.size())));
    }
}

}  // namespace loupe::python
