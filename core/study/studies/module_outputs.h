// SPDX-License-Identifier: Apache-2.0
#pragma once
// What modules give while a model runs, by hooks of theirs.

#include <functional>
#include <string>
#include <vector>

#include "core/nn/module.h"
#include "core/study/studies/study_record.h"

namespace loupe::session {

// Hooks on modules for as long as it lives.
class ModuleHooks {
  public:
    // Called after a module's forward; what it returns takes the output's place.
    using Hook = std::function<std::optional<IValue>(const std::vector<IValue>& inputs, const IValue& output)>;

    ModuleHooks() = default;
    ModuleHooks(const ModuleHooks&) = delete;
    ModuleHooks& operator=(const ModuleHooks&) = delete;
    ~ModuleHooks();

    // Throws Error (Usage) for a path that is none.
    void add(const StudySubject& subject, const std::string& path, Hook hook);

  private:
    std::vector<RemovableHandle> handles_;
};

// The tensor that a module's output is, or the first in it; undefined: there is none.
Tensor main_tensor(const IValue& output);
// Runs the model on its inputs. Of no history.
IValue run_subject(const StudySubject& subject);
// The output of a module in such a run, its last call's. Throws Error: Usage for a path that is none, Run where it was
// not called or gives no tensor.
Tensor output_of(const StudySubject& subject, const std::string& path);

// Paths of all modules but the root.
std::vector<std::string> module_paths(const StudySubject& subject);
// Is there a parameter of four dimensions in it, or below it?
bool has_convolution(const ModelInfo& info, const ModuleInfo& module);

}  // namespace loupe::session
