// SPDX-License-Identifier: Apache-2.0
#pragma once
// How CPython calls the engine: one program of the engine's own Python language stands for the whole process, and one
// thread at a time is in it, without the interpreter's lock.

#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <pybind11/pybind11.h>

#include "core/python/language/evaluator.h"

namespace loupe::bindings {

namespace py = pybind11;

// Lives until the process ends.
python::Evaluator& evaluator();
std::recursive_mutex& engine_mutex();

// Runs work in the engine. It may touch no object of CPython; what it throws becomes a Python exception.
template <typename Work>
auto in_engine(Work&& work) {
    using Result = std::invoke_result_t<Work>;
    const py::gil_scoped_release released;
    const std::lock_guard lock(engine_mutex());
    if constexpr (std::is_void_v<Result>) {
        evaluator().run([&] {
            work();
            return IValue();
        });
    } else {
        std::optional<Result> result;
        evaluator().run([&] {
            result.emplace(work());
            return IValue();
        });
        return std::move(*result);
    }
}

// len, float, ValueError of the engine's Python; nullopt when it has none of that name. In the engine.
std::optional<IValue> find_builtin(std::string_view name);

}  // namespace loupe::bindings
