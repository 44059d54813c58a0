// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model that is run from its source.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/source.h"
#include "core/nn/module.h"
#include "core/optim/optimizer.h"
#include "core/optim/scheduler.h"

namespace loupe {

// An argument of forward that a model is likely to take.
struct InputGuess {
    std::vector<std::int64_t> shape;
    ScalarType dtype = ScalarType::Float32;
    std::int64_t high = 10;              // whole numbers are below it
    std::optional<std::string> literal;  // of what is no tensor: as Python writes it
    std::vector<InputGuess> elements;    // of a list
    bool operator==(const InputGuess&) const = default;
};

// A model whose forward is evaluated from its source, statement by statement; graphs of it are traced.
class EagerModel : public RefCounted {
  public:
    // Calls the module, with its hooks. Throws Error (Run) with the source line.
    virtual IValue forward(std::vector<IValue> inputs) = 0;
    // Of forward, with self: names and defaults as the source has them.
    virtual const FunctionSchema& schema() const = 0;
    // The source's example inputs.
    virtual const std::optional<std::vector<IValue>>& example_inputs() const = 0;
    // What forward takes where the source gives no examples, held against runs of it; empty: nothing was found that
    // runs. Calls change what the model's calls change.
    virtual std::vector<InputGuess> guess_inputs() { return {}; }
    // The number of arguments of the source's loss: 1, the output; 2, the output and a target; 0 when it has none.
    virtual int loss_arguments() const = 0;
    // Throws Error (Run), also when there is no loss that takes so many.
    virtual IValue loss(std::vector<IValue> arguments) = 0;
    // Of a LightningModule: its training_step of a batch, inputs and target, and what configure_optimizers gives.
    virtual bool has_training_step() const { return false; }
    // Throws Error (Run) with the source line, also when what it gives holds no loss.
    virtual IValue training_step(std::vector<IValue> /*batch*/, std::int64_t /*index*/) {
        throw Error(ErrorKind::Unsupported, "this model has no training_step");
    }
    struct OwnOptimizer {
        Ptr<optim::Optimizer> optimizer;
        Ptr<optim::Scheduler> schedule;  // null: none
        bool is_every_step = false;      // of the schedule; else every epoch
    };
    virtual OwnOptimizer own_optimizer() {
        throw Error(ErrorKind::Usage, "the model's source has no configure_optimizers",
                    {.hint = "choose an optimizer"});
    }
    // As Python prints the model.
    virtual std::string repr() = 0;
    // The model compiled as by torch.jit.script, with the same tensors. Throws Error (Compile) with the place.
    struct Scripted {
        Ptr<ir::CompilationUnit> unit;
        nn::ModulePtr module;
    };
    virtual Scripted script() { throw Error(ErrorKind::Unsupported, "this model has no source that can be scripted"); }
    // A name that a statement assigned.
    struct Assigned {
        std::string name;  // "x", "self.hidden"
        IValue value;
        ir::SourceRange range;  // of the statement
    };
    // A statement that is about to run.
    struct Statement {
        const ir::SourceRange& range;
        std::size_t calls = 0;           // depth of active function calls
        std::string_view function = {};  // "Net.forward"
        bool is_first = false;           // of its function
        // Assigned by the previous statement of the same call; before the first one, the arguments.
        std::vector<Assigned> assigned = {};
    };
    // Notes which functions of the source are called on this thread, for plan_edit(), as long as what it gives lives.
    virtual Ptr<RefCounted> note_calls() { return nullptr; }
    // An edit of one of its sources while a run of which calls were noted is under way, or has failed.
    struct Edit {
        std::string why_not;               // one line: why the run cannot go on with it; empty: it can
        ir::SourceRange place;             // of why_not, in the edited text
        std::vector<std::string> changed;  // "Net.forward": what is other or new
        std::uint64_t from_event = 0;      // the first event of the live frame that begins again; 0: none does
        std::string function;              // of that frame
        ir::SourceRange takes_hold;        // that function, else the first change, in the edited text
        std::shared_ptr<const ir::Source> source;
        std::function<void()> apply;  // the edited text runs from the next call on; throws Error (Run)
    };
    // file: as ModelFile::sources calls it. Throws Error (Compile) for text that is no Python.
    virtual Edit plan_edit(const std::string& /*file*/, std::string /*text*/) {
        throw Error(ErrorKind::Unsupported, "this model is not run from a source");
    }
    // Called before every statement. Null: no listener.
    using StatementHook = std::function<void(Statement)>;
    virtual void set_statement_hook(StatementHook hook) = 0;
};

// The constructor of a class of a model source: its __init__, without self.
struct Constructor {
    struct Parameter {
        std::string name;
        std::string annotation;                    // as written; empty without one
        std::optional<std::string> default_value;  // as written
        bool is_keyword_only = false;
        std::string guess = {};  // a value to try, as an expression; empty: none is known, or it has a default
    };
    std::string class_name;
    std::string doc;        // of the class
    ir::SourceRange range;  // of __init__
    std::vector<Parameter> parameters;
    bool takes_rest = false;      // *args
    bool takes_keywords = false;  // **kwargs
};

}  // namespace loupe
