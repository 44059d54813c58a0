// SPDX-License-Identifier: Apache-2.0
#include "core/python/model_source.h"

#include <algorithm>

#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/source_format.h"
#include "core/nn/layer.h"
#include "core/nn/module.h"
#include "core/python/assignment_tracker.h"
#include "core/python/callables.h"
#include "core/python/choose_model.h"
#include "core/python/guess/input_guess.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/call_record.h"
#include "core/python/language/class.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/frame.h"
#include "core/python/language/operations.h"
#include "core/python/language/source_edit.h"
#include "core/python/make_evaluator.h"
#include "core/python/script/script_compiler.h"
#include "core/python/script/script_modules.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_optim.h"
#include "core/runtime/interpreter/print.h"

namespace loupe::python {
namespace {

[[noreturn]] void refuse(std::string message, std::string hint) {
    throw Error(ErrorKind::File, std::move(message), {.hint = std::move(hint)});
}

TypePtr type_of_default(const IValue& value) {
    if (value.is_none()) return types::optional(types::tensor());
    if (value.is_bool()) return types::boolean();
    if (value.is_int()) return types::integer();
    if (value.is_double()) return types::floating();
    if (value.is_string()) return types::string();
    return types::any();
}

// Parameters without a default are tensors, as far as the source does not say what they are.
TypePtr type_of_parameter(const script::Param& parameter, const ir::Source& source) {
    if (parameter.annotation == nullptr) return types::tensor();
    std::string text = source.text().substr(parameter.annotation->range.begin,
                                            parameter.annotation->range.end - parameter.annotation->range.begin);
    static constexpr std::string_view kQualified = "torch.Tensor";
    for (std::size_t at = text.find(kQualified); at != std::string::npos; at = text.find(kQualified, at))
        text.replace(at, kQualified.size(), "Tensor");
    try {
        const TypePtr type = parse_type(text);
        return type->kind() == TypeKind::Class ? types::tensor() : type;
    } catch (const Error&) {
        return text.ends_with("Tensor") ? types::tensor() : types::any();
    }
}

// What a layer's record says; what may be anything is a tensor.
std::vector<Argument> arguments_of_layer(const nn::Module& module) {
    std::vector<Argument> arguments;
    if (module.layer() != nullptr && nn::has_forward(*module.layer()))
        arguments = nn::forward_schema(*module.layer()).arguments;
    if (arguments.empty()) arguments.emplace_back().name = "input";
    for (Argument& argument : arguments) {
        if (argument.type == nullptr || (argument.type->kind() == TypeKind::Any && !argument.default_value))
            argument.type = types::tensor();
    }
    return arguments;
}

FunctionSchema schema_of(const nn::Module& module, const FunctionObject* forward) {
    FunctionSchema schema;
    schema.name = "forward";
    Argument self;
    self.name = "self";
    self.type = module.type();
    schema.arguments.push_back(std::move(self));
    Argument result;
    result.type = types::any();
    schema.returns.push_back(std::move(result));
    if (forward == nullptr) {
        for (Argument& argument : arguments_of_layer(module)) schema.arguments.push_back(std::move(argument));
        return schema;
    }
    const auto& parameters = forward->code.params;
    for (std::size_t i = 1; i < parameters.size(); ++i) {
        // forward(self, *args): what it hands on takes one at least.
        if (parameters[i].kind == script::ParamKind::Rest && i == 1) {
            Argument& first = schema.arguments.emplace_back();
            first.name = std::string(parameters[i].name);
            first.type = types::tensor();
        }
        if (parameters[i].kind != script::ParamKind::Plain || parameters[i].kwarg_only) break;
        Argument argument;
        argument.name = std::string(parameters[i].name);
        if (i < forward->defaults.size() && !is_unbound(forward->defaults[i])) {
            argument.default_value = forward->defaults[i];
            argument.type = type_of_default(forward->defaults[i]);
        } else {
            argument.type = type_of_parameter(parameters[i], *forward->unit->source);
        }
        schema.arguments.push_back(std::move(argument));
    }
    return schema;
}

class NotedCalls final : public RefCounted {
  public:
    RunCalls calls;
};

class NotedCallsScope final : public RefCounted {
  public:
    explicit NotedCallsScope(Ptr<NotedCalls> noted) : noted_(std::move(noted)), scope_(&noted_->calls) {}

  private:
    const Ptr<NotedCalls> noted_;
    const CallObserverScope scope_;
};

class SourceModel final : public EagerModel, private StatementHook {
  public:
    // inputs: expressions that a text nearby calls the model with.
    SourceModel(Ptr<Evaluator> evaluator, IValue model, const Namespace& names, std::vector<std::string> inputs)
        : evaluator_(std::move(evaluator)), model_(std::move(model)), inputs_(std::move(inputs)) {
        const IValue forward = evaluator_->run([&] { return get_attribute(model_, "forward"); });
        schema_ = schema_of(*nn::as_module(model_), function_of(forward));
        // Of a class of the program that derives from Lightning's.
        const auto step = evaluator_->run([&]() -> IValue {
            return find_attribute(model_, "configure_optimizers")
                       ? find_attribute(model_, "training_step").value_or(IValue())
                       : IValue();
        });
        const FunctionObject* function = function_of(step);
        has_training_step_ = function != nullptr && !function->unit->is_library;
        if (const auto examples = names.find("example_inputs")) {
            if (!examples->is_tuple() && !examples->is_tensor()) {
                refuse(concat("example_inputs is a ", type_name(*examples)),
                       "make it a tuple of what forward takes: example_inputs = (x,)");
            }
            examples_ = examples->is_tuple() ? examples->to_tuple().elements : std::vector<IValue>{*examples};
        }
        if (const auto loss = names.find("loss"); loss && !loss->is_tensor() && is_callable(*loss)) {
            loss_ = *loss;
            loss_arguments_ = static_cast<int>(required_arguments(*loss).value_or(2));  // a layer, as nn.MSELoss()
            if (loss_arguments_ != 1 && loss_arguments_ != 2) loss_arguments_ = 0;
        }
    }
    ~SourceModel() override { evaluator_->set_hook(nullptr); }

    IValue forward(std::vector<IValue> inputs) override {
        try {
            return evaluator_->call(model_, {std::move(inputs), {}});
        } catch (Error& error) {
            error.add_context(place_of_error());
            throw;
        }
    }
    const FunctionSchema& schema() const override { return schema_; }
    const std::optional<std::vector<IValue>>& example_inputs() const override { return examples_; }
    std::vector<InputGuess> guess_inputs() override {
        // A trial would give lazy layers their shapes.
        const auto modules = nn::as_module(model_)->named_modules();
        const bool is_lazy = std::any_of(modules.begin(), modules.end(),
                                         [](const auto& each) { return each.second->has_uninitialized(); });
        if (is_lazy) return {};
        if (!guessed_) guessed_ = InputGuesser(*evaluator_, model_, schema_).guess(inputs_);
        return *guessed_;
    }
    int loss_arguments() const override { return loss_arguments_; }
    IValue loss(std::vector<IValue> arguments) override {
        if (loss_arguments_ == 0 || arguments.size() != static_cast<std::size_t>(loss_arguments_)) {
            throw Error(ErrorKind::Run, concat("the source has no loss of ", arguments.size(),
                                               arguments.size() == 1 ? " argument" : " arguments"));
        }
        return evaluator_->call(*loss_, {std::move(arguments), {}});
    }
    bool has_training_step() const override { return has_training_step_; }
    IValue training_step(std::vector<IValue> batch, std::int64_t index) override {
        const IValue step = evaluator_->run([&] { return get_attribute(model_, "training_step"); });
        std::vector<IValue> arguments{make_list(std::move(batch))};
        if (required_arguments(step).value_or(2) > 1) arguments.emplace_back(index);
        const IValue out = evaluator_->call(step, {std::move(arguments), {}});
        const IValue* loss = out.is_dict() ? out.to_dict().find(IValue("loss")) : &out;
        if (loss == nullptr || !loss->is_tensor())
            throw Error(ErrorKind::Run, "training_step gives no loss",
                        {.hint = "return a tensor, or a dict with 'loss'"});
        return *loss;
    }
    OwnOptimizer own_optimizer() override {
        OwnOptimizer out;
        evaluator_->run([&]() -> IValue {
            const IValue trainer = evaluator_->import_module("lightning.pytorch.trainer");
            const IValue made = python::call(get_attribute(model_, "configure_optimizers"), std::vector<IValue>{});
            const IValue both = python::call(get_attribute(trainer, "_configured"), std::vector<IValue>{made});
            const std::vector<IValue> optimizers = to_vector(to_vector(both)[0]);
            const std::vector<IValue> schedules = to_vector(to_vector(both)[1]);
            if (optimizers.size() != 1 || schedules.size() > 1) {
                throw Error(ErrorKind::Unsupported,
                            concat("configure_optimizers gives ", optimizers.size(), " optimizers and ",
                                   schedules.size(), " schedules"),
                            {.hint = "training here takes one; choose an optimizer"});
            }
            auto* object = object_as<OptimizerObject>(optimizers.front());
            if (object == nullptr) throw Error(ErrorKind::Usage, "configure_optimizers gives no torch.optim.Optimizer");
            out.optimizer = engine_optimizer(*object);
            own_training_ = both;  // keeps the program's objects
            if (schedules.empty()) return {};
            const std::vector<IValue> schedule = to_vector(schedules.front());
            out.schedule = engine_scheduler(schedule[0]);
            out.is_every_step = str(schedule[1]) == "step";
            return {};
        });
        return out;
    }
    Scripted script() override {
        Scripted out;
        evaluator_->run([&]() -> IValue {
            ScriptCompiler& compiler = ScriptCompiler::current();
            out = {compiler.unit(), compiler.modules().script(nn::as_module(model_))};
            return {};
        });
        return out;
    }
    Ptr<RefCounted> note_calls() override {
        calls_ = make_ptr<NotedCalls>();
        return make_ptr<NotedCallsScope>(calls_);
    }
    Edit plan_edit(const std::string& file, std::string text) override {
        const auto edit = std::make_shared<SourceEdit>(*evaluator_, file, std::move(text));
        const SourceEdit::Verdict verdict = edit->judge(calls_ ? calls_->calls : RunCalls());
        return {.why_not = verdict.why_not,
                .place = verdict.place,
                .changed = verdict.changed,
                .from_event = verdict.restarts ? verdict.restarts->event : 0,
                .function = verdict.function,
                .takes_hold = verdict.takes_hold,
                .source = edit->source(),
                .apply = [edit] { edit->apply(); }};
    }
    std::string repr() override {
        return evaluator_->run([&] { return IValue(python::repr(model_)); }).to_string();
    }
    void set_statement_hook(EagerModel::StatementHook hook) override {
        hook_ = std::move(hook);
        assignments_ = {};
        evaluator_->set_hook(hook_ ? this : nullptr);
    }

  private:
    void before_statement(const StatementPlace& place) override { hook_(assignments_.next(place)); }

    // The layer that failed: its path, and how it was made.
    ErrorContext place_of_error() const {
        if (unwound_modules().empty()) return {};
        for (const auto& [path, module] : nn::as_module(model_)->named_modules()) {
            if (module.get() != unwound_modules().front().module || path.empty()) continue;
            std::string text = module->str();
            if (text.find('\n') != std::string::npos) text = module->class_name();
            return {.scope = path, .hint = concat(path, " is ", text)};
        }
        return {};
    }

    const Ptr<Evaluator> evaluator_;
    const IValue model_;
    FunctionSchema schema_;
    std::optional<std::vector<IValue>> examples_;
    const std::vector<std::string> inputs_;
    std::optional<std::vector<InputGuess>> guessed_;  // null: not asked for yet
    std::optional<IValue> loss_;
    int loss_arguments_ = 0;
    bool has_training_step_ = false;
    IValue own_training_;
    EagerModel::StatementHook hook_;
    AssignmentTracker assignments_;
    Ptr<NotedCalls> calls_;  // of the last run whose calls were noted
};

}  // namespace

ModelFile model_of(const Ptr<Evaluator>& evaluator, const NamespacePtr& names, const std::string& build) {
    ModelFile file;
    file.format = "Python model source";
    ChosenModel chosen = choose_model(*evaluator, *names, build);
    file.constructors = std::move(chosen.constructors);
    const IValue model = std::move(chosen.model);
    // The file and those that it imports, which stand beside it.
    for (const Ptr<Unit>& unit : evaluator->state().units) {
        if (!unit->is_library) file.sources.push_back(unit->source);
    }
    if (model.is_none()) return file;
    if (!chosen.expression.empty()) file.format += concat(", built as ", chosen.expression);
    if (!chosen.guessed_from.empty()) file.format += concat(" (guessed: ", chosen.guessed_from, ")");
    file.built_as = chosen.expression;
    file.guessed_from = chosen.guessed_from;
    file.module = nn::as_module(model);
    if (!file.module) refuse("the model is no torch.nn.Module", "derive its class from torch.nn.Module");
    if (is_script_module(*file.module)) {
        file.format = "Python model source, scripted";
        file.unit = evaluator->run([] { return IValue::other(ScriptCompiler::current().unit()); })
                        .to_other_as<ir::CompilationUnit>();
        file.owner = evaluator;
        return file;
    }
    file.eager = make_ptr<SourceModel>(evaluator, model, *names, std::move(chosen.inputs));
    return file;
}

namespace {

EvaluatorOptions options_of_source(const FilePermissions& permissions) {
    static const bool is_registered = [] {
        ir::set_evaluated_range(current_range);
        return true;
    }();
    static_cast<void>(is_registered);
    EvaluatorOptions options;
    options.postpones_main = true;
    options.output = [](std::string_view text) { runtime::print_text(text); };
    options.error_output = [](std::string_view text) { runtime::print_error_text(text); };
    options.permissions = permissions;
    options.notice = give_notice;
    return options;
}

}  // namespace

Ptr<Evaluator> evaluator_of_source(const FilePermissions& permissions, const ModuleTable& modules) {
    return make_evaluator(options_of_source(permissions), modules);
}

namespace {

// What the source has made when it ends, by sys.exit() too.
NamespacePtr names_of(Evaluator& evaluator, const std::shared_ptr<const ir::Source>& source) {
    try {
        return evaluator.run_source(source);
    } catch (const PythonError& error) {
        if (!error.ends_well()) throw;
        return evaluator.state().main->globals;
    }
}

// Python's own words, with the line where it happened.
template <typename Run>
ModelFile opened(Run&& run) {
    try {
        return run();
    } catch (const PythonError& error) {
        throw SourceFailed(error.message(), error.context(), error.traceback());
    }
}

}  // namespace

ModelFile open_model_source(const std::shared_ptr<const ir::Source>& source, const std::string& build,
                            const FilePermissions& permissions) {
    return opened([&] {
        const Ptr<Evaluator> evaluator = evaluator_of_source(permissions, all_modules());
        BuildCalls calls(evaluator->state().made_model);
        const CallObserverScope observed(&calls);
        const NamespacePtr names = names_of(*evaluator, source);
        ModelFile file = model_of(evaluator, names, build);
        file.files = Ptr<FileSandbox>(&evaluator->state().files());
        return file;
    });
}

void run_source(const std::string& path, const FilePermissions& permissions, SourceRun& out) {
    const auto source = std::make_shared<const ir::Source>(read_text_file(path), path);
    opened([&]() -> ModelFile {
        EvaluatorOptions options = options_of_source(permissions);
        options.postpones_main = false;
        const Ptr<Evaluator> evaluator = make_evaluator(std::move(options), all_modules());
        out.owner = evaluator;
        const auto gather = [&] {
            for (const Ptr<Unit>& unit : evaluator->state().units) {
                if (!unit->is_library) out.sources.push_back(unit->source);
            }
        };
        try {
            names_of(*evaluator, source);
        } catch (...) {
            gather();
            throw;
        }
        gather();
        return {};
    });
}

ModelFile open_model_source(const std::string& path, const std::string& build, const FilePermissions& permissions) {
    return open_model_source(std::make_shared<const ir::Source>(read_text_file(path), path), build, permissions);
}

FormatReader model_source_format() {
    return {"Python model source",
            {".py"},
            [](const Ptr<MappedFile>& file) { return file->path().extension() == ".py"; },
            [](const Ptr<MappedFile>& file) { return open_model_source(file->path().string()); }};
}

}  // namespace loupe::python
