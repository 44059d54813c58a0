// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model files that can be opened: one reader a format. Plugins add theirs.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/file_sandbox.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/source.h"
#include "core/nn/module.h"

namespace loupe {

// What of a TorchScript archive is neither code nor attributes, to write the model again.
struct ArchiveParts {
    std::int64_t version = 0;
    std::vector<IValue> constants;
    std::vector<std::pair<std::string, std::string>> records;  // debug records and extra files, by name
};

// A model whose forward is evaluated from its source, statement by statement; graphs of it are traced.
class EagerModel : public RefCounted {
  public:
    // Calls the module, with its hooks. Throws Error (Run) with the source line.
    virtual IValue forward(std::vector<IValue> inputs) = 0;
    // Of forward, with self: names and defaults as the source has them.
    virtual const FunctionSchema& schema() const = 0;
    // What the source offers to run it on.
    virtual const std::optional<std::vector<IValue>>& example_inputs() const = 0;
    // How many arguments the source's own loss takes: 1, the output; 2, the output and a target; 0 when it has none.
    virtual int loss_arguments() const = 0;
    // Throws Error (Run), also when there is no loss that takes so many.
    virtual IValue loss(std::vector<IValue> arguments) = 0;
    // As Python prints the model.
    virtual std::string repr() = 0;
    // The model compiled as torch.jit.script compiles it, with the same tensors. Throws Error (Compile) with the place.
    struct Scripted {
        Ptr<ir::CompilationUnit> unit;
        nn::ModulePtr module;
    };
    virtual Scripted script() { throw Error(ErrorKind::Unsupported, "this model has no source that can be scripted"); }
    // A name that a statement gave a value.
    struct Assigned {
        std::string name;  // "x", "self.hidden"
        IValue value;
        ir::SourceRange range;  // of the statement
    };
    // A statement that is about to run.
    struct Statement {
        const ir::SourceRange& range;
        std::size_t calls = 0;           // of functions under way
        std::string_view function = {};  // "Net.forward"
        bool is_first = false;           // of its function
        // By the statement before it in the same call; before the first one, the arguments.
        std::vector<Assigned> assigned = {};
    };
    // Is told before every statement. Null: nobody is.
    using StatementHook = std::function<void(Statement)>;
    virtual void set_statement_hook(StatementHook hook) = 0;
};

// What a class of a model source takes to build it: __init__ as it is written, without self.
struct Constructor {
    struct Parameter {
        std::string name;
        std::string annotation;                    // as written; empty without one
        std::optional<std::string> default_value;  // as written
        bool is_keyword_only = false;
    };
    std::string class_name;
    std::string doc;        // of the class
    ir::SourceRange range;  // of __init__
    std::vector<Parameter> parameters;
    bool takes_rest = false;      // *args
    bool takes_keywords = false;  // **kwargs
};

struct ModelFile {
    // Owns the functions and types that the module points to.
    Ptr<ir::CompilationUnit> unit;
    Ptr<RefCounted> owner = nullptr;     // what else its functions need: a program that they call
    nn::ModulePtr module;                // null: a source without a model, which has run
    Ptr<EagerModel> eager = nullptr;     // null: its methods are script
    std::string format;  // "TorchScript archive, version 3"
    // A function that was saved without a module: its module is a mere holder.
    bool is_function = false;
    // The program text in the file, by the names that source ranges use.
    std::vector<std::shared_ptr<const ir::Source>> sources;
    std::shared_ptr<const ArchiveParts> archive = nullptr;  // null: not from a TorchScript archive
    std::vector<Constructor> constructors = {};  // the model classes of a source, the likeliest first
    Ptr<FileSandbox> files = nullptr;            // of a source: what it may touch
};

struct FormatReader {
    std::string name;                     // "TorchScript archive"
    std::vector<std::string> extensions;  // ".pt": for file dialogues; what a file is, its contents say
    // Is the file of this format? Must not throw for other files.
    std::function<bool(const Ptr<MappedFile>&)> accepts;
    // Throws Error (File, Unsupported, Cancelled).
    std::function<ModelFile(const Ptr<MappedFile>&)> open;
};

class FormatRegistry {
  public:
    // With the engine's own readers.
    static FormatRegistry& instance();

    // Asked before those that were added earlier.
    void add(FormatReader reader) { readers_.insert(readers_.begin(), std::move(reader)); }
    const std::vector<FormatReader>& readers() const { return readers_; }

  private:
    FormatRegistry();

    std::vector<FormatReader> readers_;
};

// Opens a model by the first reader that accepts it. Throws Error: Usage when the file is missing, File when it is
// damaged or holds no model (the line says what it is), Unsupported when it needs what the engine lacks.
ModelFile open_model(const std::filesystem::path& path);
// Opens a file in a given way, with the errors of open_model.
ModelFile open_model_with(const std::filesystem::path& path, const std::function<ModelFile()>& open);

}  // namespace loupe
