// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs Python source: model files, without Python. One evaluator is one program run: its main module and what that
// imports. Everything happens on the calling thread.
//
//     const auto evaluator = make_evaluator({.output = [](std::string_view text) { ... }});  //
//     core/python/make_evaluator.h const NamespacePtr names = evaluator->run_file("model.py"); const IValue model =
//     *names->find("model");

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file_sandbox.h"
#include "core/ir/source.h"
#include "core/python/language/file_notice.h"
#include "core/python/language/namespace.h"
#include "core/python/language/object.h"

namespace loupe::script {
struct Stmt;
}

namespace loupe::python {

class Frame;

// A statement that is about to run.
struct StatementPlace {
    const ir::SourceRange& range;  // of the statement's first line
    std::string_view function;     // "forward"; "<module>"
    std::size_t depth;             // calls of Python functions under way, 0 at module level
    const Frame& frame;
    const script::Stmt* statement;
};

// Called before each statement; may block and may throw Error (Cancelled).
class StatementHook {
  public:
    virtual ~StatementHook() = default;
    virtual void before_statement(const StatementPlace& place) = 0;
};

// The names that a program sees of this process's environment: HOME, USER, LANG.
std::vector<std::pair<std::string, std::string>> visible_environment();

struct EvaluatorOptions {
    std::function<void(std::string_view)> output = nullptr;        // of print; null: nowhere
    std::function<void(std::string_view)> error_output = nullptr;  // of sys.stderr and warnings; null: as output
    StatementHook* hook = nullptr;
    // Where `import layers` looks for layers.py besides the directory of the main file; empty: nowhere.
    std::vector<std::string> search_paths = {};
    std::string main_name = "__main__";  // what __name__ is
    bool postpones_main = false;         // the block of `if __name__ == "__main__":` waits for run_main
    FilePermissions permissions = {};    // beside what every source may do with files
    std::function<void(const FileNotice&)> notice = nullptr;
    // What the program sees as its environment. Other variables are not visible.
    std::vector<std::pair<std::string, std::string>> environment = visible_environment();
};

class Evaluator final : public RefCounted {
  public:
    // library: lives as long as the evaluator.
    Evaluator(const ModuleTable& library, EvaluatorOptions options);
    ~Evaluator() override;  // lets go of everything the program made, rings of references too

    // Runs a file or a text as the main module. Throws script::CompileError for text that is no Python, PythonError
    // (finished, with traceback()) for an uncaught exception, Error (Cancelled).
    NamespacePtr run_file(const std::string& path);
    NamespacePtr run_source(const std::shared_ptr<const ir::Source>& source);
    // What run_source left out of the main module.
    void run_main();
    // Its statements one by one, until one has made that true.
    void run_main(const std::function<bool()>& is_enough);
    // The value of an expression at the main module's level; name is what places in it are called.
    IValue evaluate(const std::string& expression, const std::string& name);
    // Calls a value of the program from outside, with errors as run_source gives them.
    IValue call(const IValue& callee, CallArguments arguments);
    // Runs any work on the program's values in this evaluator: prints go to its output, exceptions come out finished.
    IValue run(const std::function<IValue()>& work);

    // The module of that dotted name, made or run if it is not yet. Throws PythonError (ModuleNotFoundError).
    IValue import_module(std::string_view name);
    void write(std::string_view text) const;
    void write_error(std::string_view text) const;
    void set_hook(StatementHook* hook);
    StatementHook* hook() const;
    void set_output(std::function<void(std::string_view)> output);

    // The one that runs on this thread; null when none does.
    static Evaluator* current();

    class State;
    State& state() const { return *state_; }

  private:
    std::unique_ptr<State> state_;
};

}  // namespace loupe::python
