// SPDX-License-Identifier: Apache-2.0
#include "core/model/program.h"

#include <algorithm>
#include <chrono>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/library_path.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/dispatch/plugin_list.h"
#include "core/distributed/world.h"
#include "core/model/inputs.h"
#include "core/model/load_weights.h"
#include "core/model/mend_inputs.h"
#include "core/model/move_program.h"
#include "core/model/pipelines.h"
#include "core/model/script_output.h"
#include "core/model/shown_source.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/passes/fake_run.h"
#include "core/python/model_source.h"
#include "core/runtime/graphs/graphed_call.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/interpreter/print.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "core/value/map_tensors.h"

namespace loupe::session {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTracedWhenOpened = 64 << 20;  // bytes of parameters

std::string describe_arguments(const std::vector<IValue>& arguments) {
    std::string text;
    for (const IValue& argument : arguments) {
        bool has_tensor = false;
        visit_tensors(argument, [&](const Tensor& t) {
            has_tensor = true;
            text += describe(t) + ";";
        });
        text += has_tensor ? "|" : python_repr(argument) + "|";
    }
    return text;
}

// Tracing is a run of which nothing stays: buffers, attributes and the random generator are as before, and no reducer
// of gradients waits for its backward.
class UntouchedScope {
  public:
    explicit UntouchedScope(nn::Module& module) : random_(random_state()) {
        for (const auto& [path, part] : module.named_modules()) {
            std::vector<IValue> slots;
            for (std::size_t i = 0; i < part->slot_count(); ++i) slots.push_back(part->slot(i));
            modules_.emplace_back(part, std::move(slots));
        }
        for (const auto& [name, t] : module.named_buffers()) {
            if (t.is_sparse()) continue;
            // All of its memory: elements of a buffer may lie over each other, which nothing can be copied to.
            const std::int64_t count = static_cast<std::int64_t>(t.storage()->bytes()) / t.element_size();
            const std::int64_t one = 1;
            const Tensor flat = t.view_as_strided({&count, 1}, {&one, 1}, 0);
            buffers_.emplace_back(flat, copy_elements(flat));
        }
    }
    UntouchedScope(const UntouchedScope&) = delete;
    UntouchedScope& operator=(const UntouchedScope&) = delete;
    ~UntouchedScope() {
        distributed::World::instance().forget_passes();
        const GradModeScope no_grad(false);
        for (const auto& [module, slots] : modules_) {
            for (std::size_t i = 0; i < slots.size() && i < module->slot_count(); ++i) module->set_slot(i, slots[i]);
        }
        // Whatever its version: batch norm writes its running statistics without one.
        for (const auto& [memory, elements] : buffers_) gradient_arithmetic().copy(memory, elements);
        set_random_state(random_);
    }

  private:
    RandomState random_;
    std::vector<std::pair<nn::ModulePtr, std::vector<IValue>>> modules_;
    std::vector<std::pair<Tensor, Tensor>> buffers_;  // memory, what it held
};

std::vector<SourceNote> notes_of(const std::optional<runtime::Trace>& trace) {
    std::vector<SourceNote> notes;
    if (!trace) return notes;
    for (const runtime::TraceWarning& warning : trace->warnings)
        notes.push_back({warning.text, place_of(warning.range)});
    return notes;
}

ModelFile build_model(const fs::path& path, const std::string& build, const FilePermissions& permissions) {
    if (path.extension() != ".py")
        throw Error(ErrorKind::Usage, "only a model source (.py) is built from an expression", {.file = path.string()});
    try {
        return python::open_model_source(path.string(), build, permissions);
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

ModelFile open_file(const fs::path& path, const std::string& build, const FilePermissions& permissions) {
    if (!build.empty()) return build_model(path, build, permissions);
    if (path.extension() != ".py") return open_model(path);
    return open_model_with(path, [&] { return python::open_model_source(path.string(), {}, permissions); });
}

// Does a file beside a source lead through links to what the source may not read?
bool leads_out(const ModelFile& model, const fs::path& file) {
    if (model.files == nullptr || file.empty()) return false;
    std::error_code failed;
    const fs::path whole = fs::absolute(file, failed);
    const fs::path folder = fs::canonical(whole.parent_path(), failed);
    if (failed) return true;
    const fs::path real = fs::canonical(whole, failed);
    if (failed) return true;
    return real != folder / whole.filename() && !model.files->find(real.string());
}

fs::path real_path_of(const fs::path& link) {
    std::error_code failed;
    return fs::canonical(link, failed);
}

void refuse_weights_outside(const ModelFile& model, const fs::path& weights) {
    if (!leads_out(model, weights)) return;
    throw Error(ErrorKind::File,
                concat("is a link to ", real_path_of(weights).string(), ", which the source may not read"),
                {.file = weights.string(), .hint = "give these weights with --weights"});
}

}  // namespace

std::shared_ptr<Program> Program::open(const fs::path& path, const fs::path& weights, const std::string& build,
                                       const FilePermissions& permissions) {
    if (auto program = open_or_run(path, weights, build, permissions)) return program;
    throw Error(
        ErrorKind::File, "holds no model",
        {.file = path.string(),
         .hint =
             "give the model the name `model`, or define one class derived from nn.Module that needs no arguments"});
}

std::shared_ptr<Program> Program::open_edited(const fs::path& path, const std::string& build,
                                              const FilePermissions& permissions) {
    const fs::path beside = path.extension() == ".py" ? weights_beside(path) : fs::path();
    if (beside.empty()) return open(path, {}, build, permissions);
    plugins();
    auto program = std::make_shared<Program>(build_model(path, build, permissions));
    if (!program->file_.module) return open(path, {}, build, permissions);  // says what is missing
    refuse_weights_outside(program->file_, beside);
    program->unfitting_ =
        load_fitting(*program->file_.module, read_named_weights(program->module(), beside)).differences;
    program->describe(path, build);
    return program;
}

std::shared_ptr<Program> Program::open_or_run(const fs::path& path, const fs::path& weights, const std::string& build,
                                              const FilePermissions& permissions) {
    plugins();  // formats, operators and kernels of plugins count from the first file on
    ModelFile file = open_file(path, build, permissions);
    if (!file.module) return nullptr;
    auto program = std::make_shared<Program>(std::move(file));
    if (!weights.empty()) program->permit_reading(weights);
    program->load(path, weights);
    program->describe(path, build);
    return program;
}

void Program::permit_reading(const fs::path& file) const {
    if (file_.files != nullptr) file_.files->permit({.read = {file}, .write = {}});
}

void Program::load(const fs::path& path, const fs::path& weights) {
    const bool has_weights = !is_eager() || file_.is_built_in;  // of a source they lie beside it
    const fs::path from = !weights.empty() || has_weights ? weights : weights_beside(path);
    if (from.empty()) return;
    if (weights.empty()) refuse_weights_outside(file_, from);
    const WeightsReport report = session::load_weights(*file_.module, from, true);
    if (!report.error.empty()) throw Error(ErrorKind::File, report.error, {.file = from.string()});
}

WeightsReport Program::load_weights(const fs::path& file, bool strict) {
    const auto modules = file_.module->named_modules();
    const bool was_lazy =
        std::any_of(modules.begin(), modules.end(), [](const auto& each) { return each.second->has_uninitialized(); });
    WeightsReport report = session::load_weights(*file_.module, file, strict);
    if (was_lazy && report.error.empty()) describe(info_->path, info_->built_with);
    return report;
}

void Program::describe(const fs::path& path, const std::string& build) {
    auto info = std::make_shared<ModelInfo>(describe_model(file_, path));
    info->built_with = build;
    info->loss_arguments = source() != nullptr ? source()->loss_arguments() : 0;
    if (is_eager()) {
        info->form = ModelForm::Evaluated;
        info->graph = build_module_graph(file_.module);
        info_ = std::move(info);
        // A trace runs the model: of large weights that is their time, and their pages.
        const bool is_large = file_.is_built_in && info_->parameter_bytes > kTracedWhenOpened;
        if (file_.eager->example_inputs() && !is_large) {
            // A forward that does not end is opened all the same, without a graph.
            static constexpr std::chrono::seconds kLongest(10);
            const DeadlineScope deadline(kLongest);
            trace_with(example_arguments());
        }
        return;
    }
    if (info->methods.empty() && file_.archive == nullptr) {
        info->cannot_run = !file_.cannot_run.empty()
                               ? file_.cannot_run
                               : "weights without a program; give them to a model source with --weights";
        info->graph = build_module_graph(file_.module);
        info_ = std::move(info);
        return;
    }
    try {
        const std::string name = default_method();
        BuiltGraph built = build_graph_model(*method(name).graph(), file_.module, name);
        info->graph = std::move(built.model);
        for (BuiltGraph::Missing& missing : built.missing) info->missing_operators.push_back(std::move(missing.line));
    } catch (const Error& error) {
        // A model that cannot run can still be looked at.
        if (error.kind() == ErrorKind::Cancelled) throw;
        info->missing_operators.push_back(error.what());
    }
    info_ = std::move(info);
}

// --- models that are evaluated ---

bool Program::trace_with(const std::vector<IValue>& arguments) {
    if (!is_eager()) return false;
    const std::string inputs = concat(file_.module->is_training() ? "train|" : "eval|", describe_arguments(arguments));
    if (inputs == trace_inputs_) return false;
    trace_inputs_ = inputs;
    trace_failure_.clear();
    trace_.reset();
    try {
        trace_ = make_trace(arguments);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        trace_failure_ = error.what();
    }
    auto info = std::make_shared<ModelInfo>(*info_);
    info->graph = trace_ ? build_graph_model(*trace_->forward->graph(), trace_->module, "forward").model
                         : build_module_graph(file_.module);
    info->trace_warnings = notes_of(trace_);
    info_ = std::move(info);
    return true;
}

// Some programs only go on with sizes that are numbers.
runtime::Trace Program::make_trace(const std::vector<IValue>& arguments) const {
    runtime::TraceOptions options;
    const auto& names = file_.eager->schema().arguments;
    for (std::size_t i = 1; i < names.size(); ++i) options.argument_names.push_back(names[i].name);
    try {
        return untouching_trace(arguments, options);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
    }
    check_cancelled_now();  // no second try of what did not end
    options.ties_sizes = false;
    return untouching_trace(arguments, options);
}

// Nothing of the run stays.
runtime::Trace Program::untouching_trace(const std::vector<IValue>& arguments,
                                         const runtime::TraceOptions& options) const {
    const UntouchedScope untouched(*file_.module);
    const runtime::PrintScope no_prints([](std::string_view) {});
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const GradModeScope grad(true);
    const auto run = [this](std::vector<IValue> given) { return file_.eager->forward(std::move(given)); };
    runtime::Trace trace = runtime::trace_module(file_.module, run, arguments, options);
    trace.output = IValue();
    return trace;
}

std::vector<std::string> Program::check_trace(const std::vector<IValue>& arguments) const {
    const UntouchedScope untouched(*trace_->source);
    const runtime::PrintScope no_prints([](std::string_view) {});
    const WarningScope no_warnings([](const ScriptWarning&) {});
    EagerModel* eager = source();
    const std::uint64_t seed = default_generator().seed();
    const auto run = [&](std::vector<IValue> given) {
        seed_generators(seed);
        return eager->forward(std::move(given));
    };
    return runtime::check_trace(*trace_, run, arguments);
}

const runtime::Trace& Program::traced() const {
    if (trace_) return *trace_;
    if (!trace_failure_.empty()) throw Error(ErrorKind::Run, concat("cannot be traced: ", trace_failure_));
    throw Error(ErrorKind::Usage, "a graph of a model source is made by running it on inputs",
                {.hint = "give --input, or a tuple `example_inputs` in the source"});
}

std::vector<IValue> Program::example_arguments(const std::string& method) const {
    std::vector<IValue> arguments;
    const std::function<IValue(const IValue&)> copy = [&](const IValue& value) -> IValue {
        if (value.is_tensor()) return copy_elements(detach(value.to_tensor()));
        if (value.is_tuple()) {
            std::vector<IValue> elements;
            for (const IValue& element : value.to_tuple().elements) elements.push_back(copy(element));
            return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
        }
        if (!value.is_list()) return value;
        const auto list = make_ptr<ListObject>(value.to_list().element_type, std::vector<IValue>());
        for (const IValue& element : value.to_list().elements) list->elements.push_back(copy(element));
        return list;
    };
    const auto examples = source_examples(method);
    for (const IValue& value : examples ? *examples : std::vector<IValue>()) arguments.push_back(copy(value));
    return arguments;
}

std::vector<IValue> Program::make_arguments(const std::vector<InputSpec>& specs, const std::string& method_name) const {
    const bool has_examples = source_examples(method_name).has_value();
    const std::vector<IValue> examples = has_examples ? example_arguments(method_name) : std::vector<IValue>();
    std::vector<IValue> arguments = make_inputs(specs, schema(method_name), true, examples);
    if (device_.is_cpu()) return arguments;
    for (IValue& argument : arguments)
        argument = map_tensors(argument, [&](const Tensor& t) { return on_device(t, device_); });
    return arguments;
}

void Program::to(Device device) {
    if (device == device_) return;
    allocator_for(device.type);  // is there such a device?
    if (const std::string why = device_.is_cpu() ? std::string() : device_interface(device_.type)->why_lost(device_);
        !why.empty())
        throw Error(ErrorKind::Run,
                    concat("the model's weights were on ", device_name(device_), ", which was lost: ", why),
                    {.hint = "open the model again, to run it on the CPU, or restart the engine"});
    module().to({.device = device});
    if (!is_eager()) {
        move_attributes(module(), device);
        if (file_.unit) move_constants(*file_.unit, device_, device);
    }
    trace_inputs_.clear();  // a trace names the device that it was made on
    device_ = device;
}

namespace {

InputSpec spec_of(const InputGuess& guess) {
    InputSpec spec;
    spec.shape = guess.shape;
    spec.dtype = std::string(dtype_name(guess.dtype));
    spec.literal = guess.literal;
    spec.high = guess.high;
    if (guess.dtype == ScalarType::Bool)
        spec.source = InputSpec::Source::Ones;
    else if (is_integral(guess.dtype))
        spec.source = InputSpec::Source::Random;
    for (const InputGuess& each : guess.elements) spec.elements.push_back(spec_of(each));
    return spec;
}

// Forward is tried on fakes, which costs no more than its calls.
std::vector<InputSpec> fitting_inputs(const Program& program, const std::string& method, std::vector<InputSpec> guess) {
    const ModelFile& file = program.file();
    if (program.is_eager() || !file.cannot_run.empty() || guess.empty()) return guess;
    const UntouchedScope untouched(*file.module);
    const runtime::PrintScope no_prints([](std::string_view) {});
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const GradModeScope no_grad(false);
    static constexpr std::chrono::seconds kLongest(1);
    const DeadlineScope deadline(kLongest);
    return mend_inputs(guess, [&](const std::vector<InputSpec>& inputs) {
        std::vector<IValue> arguments = program.make_arguments(inputs, method);
        for (IValue& argument : arguments) {
            if (argument.is_tensor() && argument.to_tensor().defined())
                argument = passes::fake_tensor(argument.to_tensor().sizes(), argument.to_tensor().dtype());
        }
        passes::DryKernels kernels;
        const InterceptorScope dry(&kernels);
        runtime::run_method(file.module, method, std::move(arguments));
    });
}

}  // namespace

// Inputs that forward was tried with; nothing of the trials stays.
std::vector<InputSpec> Program::tried_inputs() const {
    const UntouchedScope untouched(*file_.module);
    const runtime::PrintScope no_prints([](std::string_view) {});
    const WarningScope no_warnings([](const ScriptWarning&) {});
    std::vector<InputSpec> specs;
    for (const InputGuess& guess : file_.eager->guess_inputs()) specs.push_back(spec_of(guess));
    return specs;
}

std::vector<InputSpec> Program::default_inputs(const std::string& method_name, std::vector<std::string>* notes) const {
    const auto examples = source_examples(method_name);
    if (!examples) {
        const fs::path samples = samples_beside(info_->path);
        const bool may_read = !leads_out(file_, samples);
        if (!may_read && notes != nullptr)
            notes->push_back(concat(samples.filename().string(), " is a link to ", real_path_of(samples).string(),
                                    ", which the source may not read: random values stand for it; give it with "
                                    "--inputs"));
        if (is_eager() && (samples.empty() || !may_read)) {
            if (auto specs = tried_inputs(); !specs.empty()) return specs;
        }
        if (may_read && !samples.empty()) return guess_inputs(*info_, schema(method_name), true, notes);
        if (may_read) return fitting_inputs(*this, method_name, guess_inputs(*info_, schema(method_name), true, notes));
        ModelInfo without_samples = *info_;
        without_samples.path.clear();
        return guess_inputs(without_samples, schema(method_name), true, notes);
    }
    std::vector<InputSpec> specs;
    for (const IValue& value : *examples) specs.push_back(example_spec(value, specs.size()));
    return specs;
}

std::optional<std::vector<IValue>> Program::source_examples(const std::string& method) const {
    if (form() == ModelForm::Traced) return traced_examples_;
    if (source() != nullptr) return source()->example_inputs();
    const auto own = file_.method_examples.find(method);
    return own != file_.method_examples.end() ? std::optional(own->second) : file_.examples;
}

void Program::take_source(const std::shared_ptr<const ir::Source>& source) {
    for (auto& each : file_.sources) {
        if (each->file() == source->file()) each = source;
    }
    auto info = std::make_shared<ModelInfo>(*info_);
    for (SourceFile& shown : info->sources) {
        if (shown.name == source->file()) shown.text = source->text();
    }
    info_ = std::move(info);
    trace_inputs_.clear();
}

void Program::script() {
    if (form() == ModelForm::Traced) evaluate();
    if (!is_eager()) return;
    EagerModel::Scripted scripted = file_.eager->script();
    become(ModelForm::Scripted, std::move(scripted.unit), std::move(scripted.module), ", scripted");
    trace_.reset();
}

void Program::trace(const std::vector<IValue>& arguments) {
    if (source() == nullptr)
        throw Error(ErrorKind::Usage, "only a model source is traced",
                    {.hint = "the methods of this file are script already"});
    evaluate();
    runtime::Trace made = make_trace(arguments);
    const auto& examples = file_.eager->example_inputs();
    traced_examples_.reset();
    if (examples) traced_examples_ = runtime::traced_inputs(*examples);
    become(ModelForm::Traced, made.unit, made.module, ", traced");
    trace_ = std::move(made);
    auto info = std::make_shared<ModelInfo>(*info_);
    info->trace_warnings = notes_of(trace_);
    info_ = std::move(info);
}

void Program::become(ModelForm form, Ptr<ir::CompilationUnit> unit, nn::ModulePtr module, const char* word) {
    evaluated_ = file_;
    file_.unit = std::move(unit);
    file_.owner = evaluated_->eager;
    file_.eager = nullptr;
    file_.module = std::move(module);
    file_.format += word;
    describe(info_->path, info_->built_with);
    auto info = std::make_shared<ModelInfo>(*info_);
    info->form = form;
    for (SourceFile& source : info->sources) {
        // The graph's lines are the file's.
        source.is_original = true;
        source.is_editable = source.is_editable || (!file_.is_built_in && !is_library_path(source.name));
    }
    info_ = std::move(info);
}

void Program::evaluate() {
    if (!evaluated_) return;
    file_ = std::move(*evaluated_);
    evaluated_.reset();
    trace_.reset();
    trace_inputs_.clear();
    trace_failure_.clear();
    describe(info_->path, info_->built_with);
}

const nn::ModulePtr& Program::script_module() const { return is_eager() ? traced().module : file_.module; }

const ir::ScriptFunction& Program::method(const std::string& name) const {
    const nn::ModulePtr& module = script_module();
    if (const auto* function = dynamic_cast<const ir::ScriptFunction*>(module->type()->find_method(name)))
        return *function;
    if (info_ != nullptr && !info_->cannot_run.empty())
        throw Error(ErrorKind::File, info_->cannot_run, {.file = info_->path});
    std::vector<std::string> names;
    for (const auto& [own, method] : module->type()->methods()) names.push_back(own);
    throw Error(ErrorKind::Usage, concat("the model has no method '", name, "'"),
                {.hint = names.empty() ? std::string("it has none") : concat("it has ", join(names, ", "))});
}

const FunctionSchema& Program::schema(const std::string& name) const {
    if (!is_eager()) return method(name).schema();
    if (name == "forward") return file_.eager->schema();
    throw Error(ErrorKind::Usage, concat("the model has no method '", name, "'"),
                {.hint = "a model source is run by its forward"});
}

std::vector<std::string> Program::missing_operators() const {
    std::vector<std::string> schemas;
    if (is_eager()) return schemas;  // it would not have opened
    for (const auto& [name, function] : file_.module->type()->methods()) {
        const auto* method = dynamic_cast<const ir::ScriptFunction*>(function);
        if (method == nullptr) continue;
        for (BuiltGraph::Missing& missing : build_graph_model(*method->graph(), file_.module, name).missing) {
            const bool is_known = std::find(schemas.begin(), schemas.end(), missing.schema) != schemas.end();
            if (!is_known && !missing.schema.empty()) schemas.push_back(std::move(missing.schema));
        }
    }
    return schemas;
}

std::string Program::default_method() const {
    const auto& methods = file_.module->type()->methods();
    if (!is_eager() && file_.module->type()->find_method("forward") == nullptr && !methods.empty())
        return methods.front().first;
    return "forward";
}

PreparedMethod::PreparedMethod(std::shared_ptr<Program> program, const std::string& method, const std::string& pipeline)
    : program_(std::move(program)), name_(method) {
    const bool is_plain = pipeline.empty() || pipeline == "none";
    if (is_plain && program_->is_eager()) {
        program_->schema(method);
        return;
    }
    const ir::ScriptFunction& function = program_->method(method);
    graph_ = function.graph();
    if (is_plain) return;
    use(run_pipeline(pipeline, *graph_, program_->script_module()));
}

PreparedMethod::PreparedMethod(std::shared_ptr<Program> program, const std::string& method, Ptr<ir::Graph> graph)
    : program_(std::move(program)), name_(method) {
    use(std::move(graph));
}

void PreparedMethod::use(Ptr<ir::Graph> graph) {
    const ir::ScriptFunction& function = program_->method(name_);
    graph_ = std::move(graph);
    takes_self_ = !graph_->inputs().empty() && graph_->inputs().size() == function.graph()->inputs().size();
    code_ = runtime::Code::make(graph_, function.qualified_name());
}

const ir::Graph& PreparedMethod::graph() const { return graph_ ? *graph_ : *program_->method(name_).graph(); }

BuiltGraph PreparedMethod::build_graph() const {
    if (!graph_ && program_->trace() == nullptr) return {build_module_graph(program_->file().module), {}, {}};
    return build_graph_model(graph(), takes_self_ ? program_->script_module() : nullptr, name_);
}

void PreparedMethod::capture_work() {
    TensorList parameters;
    for (const auto& [name, t] : program_->module().named_parameters()) parameters.push_back(t);
    PreparedMethod plain = *this;
    plain.graphed_ = nullptr;
    graphed_ = std::make_shared<runtime::GraphedCall>(
        [plain](std::vector<IValue> arguments) { return plain.run(std::move(arguments)); }, std::move(parameters));
}

IValue PreparedMethod::forward(std::vector<IValue> arguments) const {
    return graphed_ ? (*graphed_)(std::move(arguments)) : run(std::move(arguments));
}

IValue PreparedMethod::run(std::vector<IValue> arguments) const {
    if (!graph_) return program_->file().eager->forward(std::move(arguments));
    if (!code_) return runtime::run_method(program_->file().module, name_, std::move(arguments));
    if (program_->is_eager()) arguments = runtime::traced_inputs(std::move(arguments));
    const Ptr<Object> self(program_->script_module());
    const auto run = [&](std::vector<IValue> inputs) -> IValue {
        if (takes_self_) inputs.insert(inputs.begin(), IValue(self));
        std::vector<IValue> results = runtime::run_code(*code_, std::move(inputs));
        if (results.size() == 1) return std::move(results.front());
        return make_ptr<TupleObject>(std::move(results));
    };
    return name_ == "forward" ? runtime::run_with_hooks(self, std::move(arguments), run) : run(std::move(arguments));
}

IValue PreparedMethod::loss(const IValue& output) const { return program_->source()->loss({output}); }

IValue PreparedMethod::loss(const IValue& output, const IValue& target) const {
    return program_->source()->loss({output, target});
}

int PreparedMethod::loss_arguments() const {
    return program_->source() != nullptr ? program_->source()->loss_arguments() : 0;
}

}  // namespace loupe::session
