// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model sources: .py files that build a model, opened like any model file.

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/formats/format_registry.h"
#include "core/python/choose_model.h"
#include "core/python/language/evaluator.h"

namespace loupe::python {

// A source that failed while it ran, in Python's own words.
class SourceFailed final : public Error {
  public:
    SourceFailed(std::string message, ErrorContext context, std::string traceback)
        : Error(ErrorKind::File, std::move(message), std::move(context)), traceback_(std::move(traceback)) {}
    const std::string& traceback() const { return traceback_; }

  private:
    std::string traceback_;
};

// Runs the file, and takes its model (choose_model); `example_inputs` (a tuple) and `loss` are taken from there too.
// Without such a class there is no model: the program has just run. What it prints goes to runtime::print_text.
// Throws Error (Compile) for text that is no Python, Error (File) with the line for an uncaught exception,
// and ModelNeeded when it is not clear which class, or with what arguments, is the model. build: the expression that
// makes the model instead, with the names of the module: "Net(10, width=64)". permissions: what it may do with files
// beside what every source may (FileSandbox); notices of that go to give_notice().
ModelFile open_model_source(const std::string& path, const std::string& build = {},
                            const FilePermissions& permissions = {});
// The same for a text; what it imports is looked for beside its file name.
ModelFile open_model_source(const std::shared_ptr<const ir::Source>& source, const std::string& build = {},
                            const FilePermissions& permissions = {});

// What a source was that has run as a program.
struct SourceRun {
    std::vector<std::shared_ptr<const ir::Source>> sources;  // the file, and those that it imported beside it
    Ptr<RefCounted> owner;                                   // of the program's objects
};
// Runs the file as Python does, with the block of `if __name__ == "__main__":`. Throws as open_model_source; out is
// filled then, too.
void run_source(const std::string& path, const FilePermissions& permissions, SourceRun& out);

// The two halves of it: an evaluator for a model source, and the model of one that has run, by the names of its main
// module.
Ptr<Evaluator> evaluator_of_source(const FilePermissions& permissions, const ModuleTable& modules);
ModelFile model_of(const Ptr<Evaluator>& evaluator, const NamespacePtr& names, const std::string& build);

}  // namespace loupe::python
