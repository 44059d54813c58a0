// SPDX-License-Identifier: Apache-2.0
#pragma once
// Evaluators with everything that a program may use: the standard library, torch, torch.jit.

#include "core/python/language/evaluator.h"

namespace loupe::python {

Ptr<Evaluator> make_evaluator(EvaluatorOptions options = {});
// The same with other modules than those of all_modules(); the table lives as long as the evaluator.
Ptr<Evaluator> make_evaluator(EvaluatorOptions options, const ModuleTable& modules);
const ModuleTable& all_modules();

// What tensors, modules and devices do in programs; make_evaluator() does it too. Until then they are objects without
// attributes to the language.
void register_engine_types();

}  // namespace loupe::python
