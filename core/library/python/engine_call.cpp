// SPDX-License-Identifier: Apache-2.0
#include "core/library/python/engine_call.h"

#include <string>

#include "core/dispatch/plugin_list.h"
#include "core/python/language/operations.h"
#include "core/python/make_evaluator.h"

namespace loupe::bindings {
namespace {

void write(const char* stream, std::string_view text) {
    const py::gil_scoped_acquire held;
    py::module_::import("sys").attr(stream).attr("write")(py::str(text.data(), text.size()));
}

}  // namespace

python::Evaluator& evaluator() {
    static python::Evaluator* const only = [] {
        plugins();
        python::EvaluatorOptions options;
        options.output = [](std::string_view text) { write("stdout", text); };
        options.error_output = [](std::string_view text) { write("stderr", text); };
        // The program's own calls, not those of a file that it opened: it may do what its user may.
        options.permissions = {{"/"}, {"/"}};
        Ptr<python::Evaluator> made = python::make_evaluator(std::move(options));
        // Objects of both sides may refer to each other until the very end.
        return made.detach();
    }();
    return *only;
}

std::recursive_mutex& engine_mutex() {
    static auto* const mutex = new std::recursive_mutex;
    return *mutex;
}

std::optional<IValue> find_builtin(std::string_view name) {
    static const auto* const module = new IValue(evaluator().import_module("builtins"));
    return python::find_attribute(*module, name);
}

}  // namespace loupe::bindings
