// SPDX-License-Identifier: Apache-2.0
// What scripts a program: its compiler, with the modules and the library that the compiled code uses.
#include "core/python/language/evaluator_state.h"
#include "core/python/script/script_library.h"
#include "core/python/script/script_modules.h"

namespace loupe::python {

ScriptCompiler::ScriptCompiler()
    : unit_(make_ptr<ir::CompilationUnit>()),
      modules_(std::make_unique<ScriptModules>(*this)),
      library_(make_ptr<ScriptLibrary>(*this)) {}
ScriptCompiler::~ScriptCompiler() = default;

ScriptCompiler& ScriptCompiler::current() {
    Evaluator* evaluator = Evaluator::current();
    if (evaluator == nullptr) throw_error("RuntimeError", "nothing can be scripted outside of a program");
    return evaluator->state().part<ScriptCompiler>();
}

void ScriptCompiler::note_traced(const nn::Module& module) {
    if (modules_->find_class(*module.type()) != nullptr || !traced_types_.insert(module.type().get()).second) return;
    for (const auto& [name, child] : module.children()) note_traced(*child);
}

}  // namespace loupe::python
