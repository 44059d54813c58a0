// SPDX-License-Identifier: Apache-2.0
#include "core/train/trainer.h"

#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/functions.h"
#include "core/model/apply_loss.h"
#include "core/model/call_text.h"
#include "core/model/inputs.h"
#include "core/nn/utils/gradients.h"
#include "core/record/backward_roots.h"
#include "core/record/compute_statistics.h"
#include "core/record/value_store.h"
#include "core/runtime/interpreter/curve.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Records>
std::string names_of(const Records& records) {
    std::vector<std::string> names;
    for (const auto* record : records) names.emplace_back(record->name);
    return join(names, ", ");
}

Ptr<optim::Optimizer> make_optimizer(const std::string& text, const TensorList& parameters) {
    const CallText call = parse_call(text);
    const optim::OptimizerRecord* record = optim::find_optimizer(call.name);
    if (record == nullptr) {
        throw Error(ErrorKind::Usage, concat("no optimizer is called '", call.name, "'"),
                    {.hint = concat("there are ", names_of(optim::optimizer_records()))});
    }
    if (parameters.empty())
        throw Error(ErrorKind::Usage, "no parameter of the model requires grad", {.hint = "unfreeze some in Modules"});
    CallArguments arguments = call_arguments(call, parse_schema(record->constructor), 1);
    auto list = make_ptr<ListObject>(types::any());
    for (const Tensor& t : parameters) list->elements.emplace_back(t);
    arguments.positional.insert(arguments.positional.begin(), IValue(list));
    return optim::make_optimizer(*record, std::move(arguments));
}

Ptr<optim::Scheduler> make_schedule(const std::string& text, const Ptr<optim::Optimizer>& optimizer) {
    if (text.empty() || text == "none") return nullptr;
    const CallText call = parse_call(text);
    const optim::SchedulerRecord* record = optim::find_scheduler(call.name);
    if (record == nullptr) {
        throw Error(ErrorKind::Usage, concat("no schedule is called '", call.name, "'"),
                    {.hint = concat("there are ", names_of(optim::scheduler_records()))});
    }
    CallArguments arguments = call_arguments(call, parse_schema(record->constructor), 1);
    arguments.positional.insert(arguments.positional.begin(), optim::as_value(optimizer));
    return optim::make_scheduler(*record, std::move(arguments));
}

Tensor first_tensor(const IValue& value) {
    const TensorList all = flatten_tensors(value);
    return all.empty() ? Tensor() : all.front();
}

double hits(const Tensor& output, const IValue& target, std::int64_t classes) {
    const GradModeScope no_grad(false);
    const NestedCallScope nested;
    const Tensor right = fn::eq(fn::argmax(detach(output), classes, false), target.to_tensor());
    const Tensor whole = on_host(fn::contiguous(right, 0));
    const bool* data = whole.data<bool>();
    return static_cast<double>(std::count(data, data + whole.numel(), true));
}

// A forward of which nothing stays: in eval mode, without gradients.
class UntrainedScope {
  public:
    explicit UntrainedScope(nn::Module& module) : no_grad_(false) {
        for (const auto& [path, part] : module.named_modules()) modes_.emplace_back(part, part->is_training());
        module.eval();
    }
    UntrainedScope(const UntrainedScope&) = delete;
    UntrainedScope& operator=(const UntrainedScope&) = delete;
    ~UntrainedScope() {
        for (const auto& [part, was_training] : modes_) part->train(was_training);
    }

  private:
    GradModeScope no_grad_;
    std::vector<std::pair<nn::ModulePtr, bool>> modes_;
};

TensorList parameters_that_learn(const nn::Module& module) {
    TensorList all;
    for (const auto& [name, t] : module.named_parameters()) {
        if (requires_grad(t)) all.push_back(t);
    }
    return all;
}

std::vector<std::string> names_that_learn(const nn::Module& module) {
    std::vector<std::string> names;
    for (const auto& [name, t] : module.named_parameters()) {
        if (requires_grad(t)) names.push_back(name);
    }
    return names;
}

// Of made-up data whose shape was not given: what the model takes, and as many classes as it tells apart.
void fit_made_up_data(const Program& program, const PreparedMethod& method, DataSpec& data) {
    if (!data.path.empty() || !data.shape.empty()) return;
    const std::vector<InputSpec> specs = program.default_inputs(program.default_method());
    if (specs.empty() || specs.front().shape.empty()) return;
    data.shape.assign(specs.front().shape.begin() + 1, specs.front().shape.end());
    data.dtype = specs.front().dtype;
    const UntrainedScope answers(program.module());
    const Tensor output = first_tensor(method.forward(program.make_arguments(specs, program.default_method())));
    data.classes = output.defined() && output.dim() == 2 && output.size(1) > 1 ? static_cast<int>(output.size(1)) : 0;
}

std::string number_text(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

BatchOptions batch_options(const TrainOptions& options) {
    return {.held_out = options.held_out,
            .batch_size = options.batch_size,
            .shuffle = options.shuffle,
            .drop_last = options.drop_last,
            .workers = options.workers,
            .skip_damaged = options.skip_damaged,
            .seed = options.seed};
}

// 0: gradients are not clipped.
void check_clip_norm(double norm) {
    if (norm >= 0) return;
    throw Error(ErrorKind::Usage, concat("gradients cannot be clipped to a norm of ", python_repr(norm)),
                {.hint = "give a positive number, or 0 to leave them"});
}

}  // namespace

Trainer::Trainer(std::shared_ptr<Program> program, const TrainOptions& options)
    : program_(std::move(program)), options_(options) {
    check_clip_norm(options_.clip_norm);
    if (options_.batch_size < 1)
        throw Error(ErrorKind::Usage, concat("a batch of ", options_.batch_size, " examples"),
                    {.hint = "give at least 1"});
    seed_generators(options_.seed);
    method_ = std::make_shared<PreparedMethod>(program_, program_->default_method(), "none");
    fit_made_up_data(*program_, *method_, options_.data);
    seed_generators(options_.seed);
    sets_ = open_batches(options_.data, batch_options(options_));
    const bool is_own = options_.loss.empty() || options_.loss == "own";
    if (!is_own) loss_ = make_loss(options_.loss);
    parameters_ = parameters_that_learn(program_->module());
    has_own_step_ = is_own && program_->source() != nullptr && program_->source()->has_training_step();
    if (options_.optimizer == "own") {
        if (program_->source() == nullptr)
            throw Error(ErrorKind::Usage, "only a model source has an optimizer of its own", {.hint = "choose one"});
        EagerModel::OwnOptimizer own = program_->source()->own_optimizer();
        optimizer_ = std::move(own.optimizer);
        schedule_ = std::move(own.schedule);
        if (schedule_) options_.schedule_every_step = own.is_every_step;
    } else {
        optimizer_ = make_optimizer(options_.optimizer, parameters_);
    }
    if (!schedule_) schedule_ = make_schedule(options_.schedule, optimizer_);
    choose_precision();
    if (loss_) loss_->to({.device = device_});  // weights of classes
    log_ = std::make_shared<TrainingLog>(options_, sets_.training->batches(), names_that_learn(program_->module()));
    norms_.resize(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        norms_[i].weight = static_cast<float>(optim::l2_norm(parameters_[i]));
    if (!options_.resume.empty()) resume(options_.resume);
}

Trainer::~Trainer() { rest(); }

// Checked before anything is changed.
void Trainer::choose_precision() {
    if (!parameters_.empty()) device_ = parameters_.front().device();
    if (options_.autocast.empty() || options_.autocast == "float32") return;
    const std::optional<ScalarType> dtype = dtype_from_name(options_.autocast);
    if (dtype != ScalarType::BFloat16 && dtype != ScalarType::Float16) {
        throw Error(ErrorKind::Usage, concat("'", options_.autocast, "' is no precision of autocast"),
                    {.hint = "it is bfloat16 or float16"});
    }
    autocast_ = dtype;
    if (dtype == ScalarType::Float16) scaler_ = make_ptr<optim::GradScaler>();
}

std::pair<IValue, Tensor> Trainer::forward(std::vector<IValue> inputs, const IValue& target) const {
    std::optional<AutocastScope> precision;
    if (autocast_) precision.emplace(device_.type, true, autocast_);
    if (has_own_step_) {
        std::vector<IValue> batch = std::move(inputs);
        if (!target.is_none()) batch.push_back(target);
        Tensor loss = program_->source()->training_step(std::move(batch), steps_done_).to_tensor();
        return {IValue(), std::move(loss)};
    }
    IValue output = method_->forward(std::move(inputs));
    Tensor loss = loss_of(output, target);
    return {std::move(output), std::move(loss)};
}

std::string Trainer::loss_name() const {
    if (loss_) return call_text(parse_call(options_.loss));
    if (has_own_step_) return "training_step";
    return method_->loss_arguments() > 0 ? "the source's loss" : "the output, one number";
}

BackwardRoots Trainer::roots_of(const Tensor& loss) const {
    return scaler_ ? roots_of_loss(scaler_->scale(loss).to_tensor(), concat(loss_name(), ", scaled"))
                   : roots_of_loss(loss, loss_name());
}

void Trainer::begin() {
    if (!modes_.empty()) return;
    for (const auto& [path, module] : program_->module().named_modules())
        modes_.push_back({module, module->is_training()});
    program_->module().train(true);
}

void Trainer::rest() {
    // Parents come before their children.
    for (const ModuleMode& mode : modes_) mode.module->train(mode.was_training);
    modes_.clear();
}

void Trainer::go_on(const TrainOptions& options) {
    check_clip_norm(options.clip_norm);
    options_.epochs = options.epochs;
    options_.max_steps = options.max_steps;
    options_.clip_norm = options.clip_norm;
    options_.stop_at_nan = options.stop_at_nan;
    options_.look_every = options.look_every;
    if (options.optimizer == options_.optimizer) return;
    // The same optimiser with other numbers.
    const Ptr<optim::Optimizer> other = make_optimizer(options.optimizer, parameters_);
    if (&other->record() != &optimizer_->record()) {
        optimizer_ = other;
        schedule_ = make_schedule(options_.schedule, optimizer_);
    } else {
        for (const auto& [name, value] : other->param_groups()->elements.front().to_dict().entries()) {
            if (name.to_string() != "params") optimizer_->param_groups()->elements.front().to_dict().set(name, value);
        }
    }
    options_.optimizer = options.optimizer;
}

std::int64_t Trainer::total_steps() const {
    const std::int64_t all = options_.epochs * steps_an_epoch();
    return options_.max_steps > 0 ? std::min(all, options_.max_steps) : all;
}

bool Trainer::is_done() const { return steps_done_ >= total_steps(); }

const DataBatch& Trainer::batch() {
    if (batch_) return *batch_;
    if (!is_epoch_begun_) {
        epoch_random_ = random_state();
        sets_.training->begin_epoch();
        epoch_steps_ = 0;
        is_epoch_begun_ = true;
        ++epoch_;
        epoch_loss_ = epoch_hits_ = 0;
        epoch_examples_ = epoch_rated_ = 0;
        epoch_began_ = seconds_now();
    }
    batch_random_ = random_state();
    batch_ = sets_.training->next();
    if (!batch_) throw Error(ErrorKind::Run, "an epoch has no batch", {.hint = "a smaller batch, or drop_last off"});
    fit(*batch_);
    return *batch_;
}

// A model that computes its own loss takes the target itself.
void Trainer::fit(DataBatch& batch) const {
    if (!device_.is_cpu()) {
        const auto moved = [&](const Tensor& t) { return on_device(t, device_); };
        for (IValue& input : batch.inputs) input = map_tensors(input, moved);
        batch.target = map_tensors(batch.target, moved);
    }
    if (loss_ || has_own_step_ || method_->loss_arguments() == 2) return;
    const auto& arguments = method_->schema().arguments;
    const std::size_t needed = static_cast<std::size_t>(
        std::count_if(arguments.begin(), arguments.end(), [](const Argument& a) { return !a.default_value; }));
    if (batch.inputs.size() + 1 < needed) batch.inputs.push_back(batch.target);  // self is one
}

void Trainer::remember() {
    const NestedCallScope nested;
    random_before_ = random_state();
    buffers_before_.clear();
    for (const auto& [name, t] : program_->module().named_buffers()) buffers_before_.emplace_back(t, copy_elements(t));
}

void Trainer::undo() {
    is_updating_ = false;
    const GradModeScope no_grad(false);
    const NestedCallScope nested;
    set_random_state(random_before_);
    for (const auto& [buffer, elements] : buffers_before_) fn::copy_(buffer, elements);
    optimizer_->zero_grad(true);
}

Tensor Trainer::loss_of(const IValue& output, const IValue& target) const {
    if (!loss_) {
        const Tensor own = first_tensor(method_->loss_arguments() == 2   ? method_->loss(output, target)
                                        : method_->loss_arguments() == 1 ? method_->loss(output)
                                                                         : output);
        if (!own.defined() || own.numel() != 1) {
            throw Error(ErrorKind::Usage,
                        concat("the model gives ", own.defined() ? describe(own) : "no tensor", ", which is no loss"),
                        {.hint = "choose a loss, or give the source a function `loss`"});
        }
        return own;
    }
    Tensor scores = first_tensor(output);
    if (!scores.defined()) throw Error(ErrorKind::Run, "the model gives no tensor");
    if (target.is_none())
        throw Error(ErrorKind::Usage, "the data has no targets",
                    {.hint = "name the array of targets, or choose the loss `own`"});
    return apply_loss(*loss_, scores, target);
}

Said Trainer::compute() {
    const DataBatch& now = batch();
    const runtime::CurveScope reports(
        [log = log_, step = steps_done_ + 1](const runtime::CurvePoint& point) { log->report(point, step); });
    step_began_ = seconds_now();
    remember();
    optimizer_->zero_grad(true);
    const GradModeScope grad(true);
    now_ = {};
    now_.step = steps_done_ + 1;
    now_.epoch = epoch_;
    now_.learning_rate = learning_rate();
    std::int64_t rated = 0;
    Tensor loss;
    {
        const MemoryCategoryScope category(MemoryCategory::Activation);
        IValue output;
        std::tie(output, loss) = forward(now.inputs, now.target);
        if (const Tensor scores = first_tensor(output); scores.defined() && loss_) {
            if (const auto classes = class_dimension(scores, now.target)) {
                rated = now.target.to_tensor().numel();
                now_.accuracy = rated == 0 ? 0 : hits(scores, now.target, *classes) / static_cast<double>(rated);
            }
        }
    }
    loss_now_ = detach(loss);
    now_.loss = item(loss_now_).to_double();
    if (!std::isfinite(now_.loss)) return engine::said("the loss is %1", number_text(now_.loss));
    {
        const MemoryCategoryScope category(MemoryCategory::Gradient);
        run_backward(roots_of(loss));
    }
    if (scaler_) {
        const NestedCallScope nested;
        scaler_->unscale_(*optimizer_);
    }
    now_.gradient_norm = measure_gradients();
    if (scaler_) return {};  // a step whose gradients are not finite is left out, and the scale falls
    if (!std::isfinite(now_.gradient_norm))
        return engine::said("the norm of the gradients is %1", number_text(now_.gradient_norm));
    return {};
}

// Before clipping. Returns the norm of all together.
double Trainer::measure_gradients() {
    double sum = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const Tensor gradient = grad_of(parameters_[i]);
        const double norm = gradient.defined() ? optim::l2_norm(gradient) : 0;
        norms_[i].gradient = gradient.defined() ? static_cast<float>(norm) : ParameterNorms::kNone;
        sum += norm * norm;
    }
    return std::sqrt(sum);
}

// Parameters that were not stepped have the weights that they had.
void Trainer::measure_steps(const optim::StepNorms& moved) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        norms_[i].update = static_cast<float>(moved.update(i));
        if (!std::isnan(moved.weight(i)) || moved.update(i) != 0)
            norms_[i].weight = static_cast<float>(moved.weight(i));
    }
}

bool Trainer::runs_model_in_update() const { return optimizer_->record().step != nullptr; }

TrainingStep Trainer::update() {
    if (!std::isfinite(now_.learning_rate))
        throw Error(ErrorKind::Run, concat("the learning rate is ", number_text(now_.learning_rate)),
                    {.hint = "nothing was changed"});
    is_updating_ = true;
    if (options_.clip_norm > 0) {
        const NestedCallScope nested;
        nn::clip_grad_norm_(parameters_, options_.clip_norm);
    }
    const optim::StepNorms moved(parameters_);
    if (runs_model_in_update()) {
        // Those that evaluate the loss several times a step (LBFGS). Its first evaluation is compute()'s, so that
        // dropout draws and buffers count as often as where a script calls step(closure) alone.
        bool is_evaluated = true;
        optimizer_->step([&] {
            if (std::exchange(is_evaluated, false)) return IValue(loss_now_);
            optimizer_->zero_grad(true);
            const DataBatch& now = batch();
            const Tensor loss = forward(now.inputs, now.target).second;
            run_backward(roots_of_loss(loss, loss_name()));
            if (options_.clip_norm > 0) nn::clip_grad_norm_(parameters_, options_.clip_norm);
            return IValue(detach(loss));
        });
    } else if (scaler_) {
        scaler_->step(*optimizer_);
        scaler_->update();
    } else {
        optimizer_->step();
    }
    measure_steps(moved);
    if (schedule_ && options_.schedule_every_step && schedule_->takes_metric())
        schedule_->step_on(now_.loss);
    else if (schedule_ && options_.schedule_every_step)
        schedule_->step();
    const std::int64_t count = batch_->count;
    epoch_loss_ += now_.loss * static_cast<double>(count);
    epoch_examples_ += count;
    if (now_.accuracy) {
        const std::int64_t rated = batch_->target.to_tensor().numel();
        epoch_hits_ += *now_.accuracy * static_cast<double>(rated);
        epoch_rated_ += rated;
    }
    batch_.reset();
    buffers_before_.clear();
    loss_now_ = Tensor();
    is_updating_ = false;
    ++steps_done_;
    ++epoch_steps_;
    now_.seconds = seconds_now() - step_began_;
    return now_;
}

std::optional<TrainingEpoch> Trainer::end_epoch() {
    const bool is_whole = is_epoch_begun_ && epoch_steps_ == steps_an_epoch();
    const bool is_part = !is_whole && is_epoch_begun_ && epoch_steps_ > 0 && is_done();
    if (!is_whole && !is_part) return std::nullopt;
    is_epoch_begun_ = is_part;
    TrainingEpoch epoch;
    epoch.epoch = epoch_;
    epoch.last_step = steps_done_;
    epoch.loss = epoch_examples_ > 0 ? epoch_loss_ / static_cast<double>(epoch_examples_) : 0;
    if (epoch_rated_ > 0) epoch.accuracy = epoch_hits_ / static_cast<double>(epoch_rated_);
    const RandomState random = random_state();
    measure(epoch);
    if (is_part)
        set_random_state(random);  // the epoch continues unchanged
    else if (schedule_ && !options_.schedule_every_step && schedule_->takes_metric())
        schedule_->step_on(epoch.held_out_loss.value_or(epoch.loss));
    else if (schedule_ && !options_.schedule_every_step)
        schedule_->step();
    epoch.seconds = seconds_now() - epoch_began_;
    return epoch;
}

void Trainer::measure(TrainingEpoch& epoch) {
    if (!sets_.held_out) return;
    const GradModeScope no_grad(false);
    program_->module().eval();
    double loss = 0;
    double right = 0;
    std::int64_t examples = 0;
    std::int64_t rated = 0;
    sets_.held_out->begin_epoch();
    while (auto batch = sets_.held_out->next()) {
        fit(*batch);
        const auto [output, mean] = forward(batch->inputs, batch->target);
        loss += item(mean).to_double() * static_cast<double>(batch->count);
        examples += batch->count;
        const Tensor scores = first_tensor(output);
        const auto classes = loss_ ? class_dimension(scores, batch->target) : std::nullopt;
        if (!classes) continue;
        right += hits(scores, batch->target, *classes);
        rated += batch->target.to_tensor().numel();
    }
    program_->module().train(true);
    if (examples > 0) epoch.held_out_loss = loss / static_cast<double>(examples);
    if (rated > 0) epoch.held_out_accuracy = right / static_cast<double>(rated);
}

double Trainer::learning_rate() const {
    return optim::Options(optimizer_->param_groups()->elements.front().to_dict()).number("lr");
}

std::vector<IValue> Trainer::arguments() {
    std::vector<IValue> all = batch().inputs;
    all.push_back(batch().target);
    return all;
}

FunctionSchema Trainer::schema() const {
    FunctionSchema schema = method_->schema();
    schema.arguments.resize(
        std::min(schema.arguments.size(), batch_ ? batch_->inputs.size() + 1 : schema.arguments.size()));
    Argument target;
    target.name = "target";
    target.type = types::any();
    schema.arguments.push_back(std::move(target));
    return schema;
}

Tensor Trainer::loss(std::vector<IValue> arguments) const {
    const IValue target = std::move(arguments.back());
    arguments.pop_back();
    return forward(std::move(arguments), target).second;
}

std::function<void(std::vector<IValue>)> Trainer::body() const {
    return [this](std::vector<IValue> arguments) {
        const GradModeScope grad(true);
        run_backward(roots_of(loss(std::move(arguments))));
    };
}

}  // namespace loupe::session
