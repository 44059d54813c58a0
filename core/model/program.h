// SPDX-License-Identifier: Apache-2.0
#pragma once
// An opened model on the engine's side, and running it. The window's session and the command line use the same.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/format_registry.h"
#include "core/ir/function.h"
#include "core/model/graph_builder.h"
#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/model/weights.h"
#include "core/runtime/interpreter/code.h"
#include "core/runtime/trace/tracer.h"

namespace loupe::runtime {
class GraphedCall;
}

namespace loupe::session {

class Program {
  public:
    // weights: a checkpoint to load, strictly; empty: for a model source the one beside it, if there is one.
    // build: of a model source, the expression that makes the model. Throws what open_model, open_model_source and
    // load_state_dict throw.
    // permissions: what a model source may do with files beside its own; weights may be read.
    static std::shared_ptr<Program> open(const std::filesystem::path& path, const std::filesystem::path& weights = {},
                                         const std::string& build = {}, const FilePermissions& permissions = {});
    // A source that was opened before and has been edited: of the checkpoint beside it what fits is loaded, and
    // unfitting() says what does not.
    static std::shared_ptr<Program> open_edited(const std::filesystem::path& path, const std::string& build,
                                                const FilePermissions& permissions = {});
    const std::vector<WeightDifference>& unfitting() const { return unfitting_; }
    // The same; null for a model source without a model, which has run.
    static std::shared_ptr<Program> open_or_run(const std::filesystem::path& path,
                                                const std::filesystem::path& weights = {},
                                                const std::string& build = {}, const FilePermissions& permissions = {});
    explicit Program(ModelFile file) : file_(std::move(file)) {}

    const ModelFile& file() const { return file_; }
    // A file that the user chose beside the model: a source may read it.
    void permit_reading(const std::filesystem::path& file) const;
    nn::Module& module() const { return *file_.module; }
    const std::shared_ptr<const ModelInfo>& info() const { return info_; }
    // Is forward evaluated from source? Then graphs are traces.
    bool is_eager() const { return file_.eager != nullptr; }

    // Throws Error (Usage) with the names there are. Of a model that is evaluated: of the trace, which is made with its
    // example inputs unless trace_with gave others; throws what the model throws, and Error (Usage) without inputs.
    const ir::ScriptFunction& method(const std::string& name) const;
    const FunctionSchema& schema(const std::string& method) const;
    // Schemas, as far as calls tell, of the operators that its methods need and the engine lacks.
    std::vector<std::string> missing_operators() const;
    // "forward", or the only method there is.
    std::string default_method() const;

    // The module whose methods the graphs are: the model itself, or its trace.
    const nn::ModulePtr& script_module() const;
    // Moves parameters and buffers, of a program of graphs its other tensors and what its traces say of devices;
    // arguments are made there from now on. Throws Error (Run) without such a device.
    void to(Device device);
    Device device() const { return device_; }
    // One value an argument of the method, on the program's device. Throws Error (Usage).
    std::vector<IValue> make_arguments(const std::vector<InputSpec>& specs, const std::string& method) const;
    // example_inputs of the source as specs; else those that should fit. notes: as of guess_inputs.
    std::vector<InputSpec> default_inputs(const std::string& method, std::vector<std::string>* notes = nullptr) const;

    // A model source from now on runs as torch.jit.script compiles it, and its graphs are those; others are scripts
    // already. Throws Error (Compile) with the place.
    void script();
    // A model source from now on runs as a trace on these arguments: those that hold no tensors are no arguments any
    // more. Throws Error (Usage) for another model, and what running it throws.
    void trace(const std::vector<IValue>& arguments);
    // One of its sources is another text from now on, which its evaluator runs already: see EagerModel::plan_edit.
    // info() is new; the trace is made anew when it is asked for next.
    void take_source(const std::shared_ptr<const ir::Source>& source);
    // A model source that was scripted or traced runs from its source again.
    void evaluate();
    ModelForm form() const { return info_ ? info_->form : ModelForm::AsRead; }
    // What the model is evaluated from, or was before it was scripted or traced; null for other models.
    EagerModel* source() const {
        return file_.eager ? file_.eager.get() : evaluated_ ? evaluated_->eager.get() : nullptr;
    }

    // A checkpoint into the model as it is: see load_weights.h. info() is new when lazy layers got their shapes by it.
    WeightsReport load_weights(const std::filesystem::path& file, bool strict);

    // Traces on these from now on. True when that makes other graphs than before; info() is new then.
    bool trace_with(const std::vector<IValue>& arguments);
    // Null: not traced.
    const runtime::Trace* trace() const { return trace_ ? &*trace_ : nullptr; }
    // Runs the trace and the source on these; a line for everything that differs (see runtime::check_trace). Nothing of
    // the runs stays. Throws what running the source throws.
    std::vector<std::string> check_trace(const std::vector<IValue>& arguments) const;
    // Why it could not be; empty otherwise.
    const std::string& trace_failure() const { return trace_failure_; }

  private:
    void load(const std::filesystem::path& path, const std::filesystem::path& weights);
    void describe(const std::filesystem::path& path, const std::string& build);
    runtime::Trace untouching_trace(const std::vector<IValue>& arguments, const runtime::TraceOptions& options) const;
    runtime::Trace make_trace(const std::vector<IValue>& arguments) const;
    void become(ModelForm form, Ptr<ir::CompilationUnit> unit, nn::ModulePtr module, const char* word);
    const runtime::Trace& traced() const;
    std::vector<IValue> example_arguments(const std::string& method = {}) const;
    std::vector<InputSpec> tried_inputs() const;

    std::optional<std::vector<IValue>> source_examples(const std::string& method) const;

    ModelFile file_;
    Device device_;
    std::optional<ModelFile> evaluated_;  // as it was before it was scripted or traced
    // Of a traced one: the examples that are arguments of the trace.
    std::optional<std::vector<IValue>> traced_examples_;
    std::shared_ptr<const ModelInfo> info_;
    mutable std::optional<runtime::Trace> trace_;
    std::string trace_inputs_;  // what the trace was made with, in words
    std::string trace_failure_;
    std::vector<WeightDifference> unfitting_;
};

// A method with its passes run, ready to be called again and again.
class PreparedMethod {
  public:
    // pipeline: "none" or one of list_pipelines(). Throws Error (Usage) for another name.
    PreparedMethod(std::shared_ptr<Program> program, const std::string& method, const std::string& pipeline);
    // The method's graph with its passes run already.
    PreparedMethod(std::shared_ptr<Program> program, const std::string& method, Ptr<ir::Graph> graph);

    const ir::Graph& graph() const;
    const FunctionSchema& schema() const { return program_->schema(name_); }
    BuiltGraph build_graph() const;
    // arguments: without self.
    IValue forward(std::vector<IValue> arguments) const;
    // From now on work of the model's device is captured once it has run a few times, and replayed
    // (runtime/graphs/graphed_call.h): where nobody observes its operators.
    void capture_work();
    // Null: it is not captured.
    const runtime::GraphedCall* captured_work() const { return graphed_.get(); }
    // The source's own loss, of the output, or of output and target, as loss_arguments() says. What backward starts
    // from: backward_roots.h.
    IValue loss(const IValue& output) const;
    IValue loss(const IValue& output, const IValue& target) const;
    // What the source's own loss takes: see EagerModel; 0 when there is none.
    int loss_arguments() const;

  private:
    void use(Ptr<ir::Graph> graph);
    IValue run(std::vector<IValue> arguments) const;

    std::shared_ptr<Program> program_;
    std::string name_;
    Ptr<ir::Graph> graph_;           // null: evaluated from source
    Ptr<const runtime::Code> code_;  // null: the method as it is
    bool takes_self_ = true;
    std::shared_ptr<runtime::GraphedCall> graphed_;
};

ModelInfo describe_model(const ModelFile& file, const std::filesystem::path& path);
std::vector<ConstructorInfo> describe_constructors(const std::vector<Constructor>& constructors);

}  // namespace loupe::session
