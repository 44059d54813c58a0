// SPDX-License-Identifier: Apache-2.0
// A training as a file, and back: PyTorch's usual dict, with what it takes to go on as if it had not been left.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/model/call_text.h"
#include "core/python/torch/torch_objects.h"
#include "core/train/trainer.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;
using DictPtr = Ptr<DictObject>;
// Curves beyond it begin later.
constexpr std::size_t kMostSteps = 100'000;

DictPtr new_dict() { return make_ptr<DictObject>(types::any(), types::any()); }

// Of the names that scripts use, the first that the dict has; null.
const IValue* find_any(const DictObject& dict, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const IValue* found = dict.find(IValue(name));
        if (found != nullptr && !found->is_none()) return found;
    }
    return nullptr;
}

std::int64_t whole_in(const DictObject& dict, const char* name, std::int64_t otherwise) {
    const IValue* found = find_any(dict, {name});
    return found != nullptr && found->is_int() ? found->to_int() : otherwise;
}
double number_in(const DictObject& dict, const char* name) {
    const IValue* found = find_any(dict, {name});
    return found != nullptr && (found->is_double() || found->is_int()) ? found->to_scalar().to_double() : 0;
}

// --- options by name, those that a resumed training must have too

struct OptionNames {
    DictObject* to;  // one of the two
    const DictObject* from;

    void text(const char* name, std::string& value) const {
        if (to != nullptr) return to->set(IValue(name), IValue(value));
        if (const IValue* found = find_any(*from, {name}); found != nullptr && found->is_string())
            value = found->to_string();
    }
    void flag(const char* name, bool& value) const {
        if (to != nullptr) return to->set(IValue(name), IValue(value));
        if (const IValue* found = find_any(*from, {name}); found != nullptr && found->is_bool())
            value = found->to_bool();
    }
    void number(const char* name, double& value) const {
        if (to != nullptr) return to->set(IValue(name), IValue(value));
        if (const IValue* found = find_any(*from, {name}); found != nullptr && found->is_double())
            value = found->to_double();
    }
    template <typename Whole>
    void whole(const char* name, Whole& value) const {
        if (to != nullptr) return to->set(IValue(name), IValue(static_cast<std::int64_t>(value)));
        if (const IValue* found = find_any(*from, {name}); found != nullptr && found->is_int())
            value = static_cast<Whole>(found->to_int());
    }
    void shape(const char* name, std::vector<std::int64_t>& sizes) const {
        if (to != nullptr) {
            auto list = make_ptr<ListObject>(types::any());
            for (const std::int64_t size : sizes) list->elements.emplace_back(size);
            return to->set(IValue(name), list);
        }
        const IValue* found = find_any(*from, {name});
        if (found == nullptr || !found->is_list()) return;
        sizes.clear();
        for (const IValue& size : found->to_list().elements) {
            if (size.is_int()) sizes.push_back(size.to_int());
        }
    }
    void texts(const char* name, std::map<std::string, std::string>& values) const {
        if (to != nullptr) {
            auto dict = new_dict();
            for (const auto& [key, value] : values) dict->set(IValue(key), IValue(value));
            return to->set(IValue(name), dict);
        }
        const IValue* found = find_any(*from, {name});
        if (found == nullptr || !found->is_dict()) return;
        values.clear();
        for (const auto& [key, value] : found->to_dict().entries()) {
            if (key.is_string() && value.is_string()) values[key.to_string()] = value.to_string();
        }
    }
};

void visit_options(const OptionNames& names, TrainOptions& options) {
    names.text("data", options.data.path);
    names.text("source", options.data.source);
    names.texts("source_options", options.data.options);
    names.shape("shape", options.data.shape);
    names.text("dtype", options.data.dtype);
    names.whole("classes", options.data.classes);
    names.whole("count", options.data.count);
    names.number("held_out", options.held_out);
    names.whole("batch_size", options.batch_size);
    names.flag("shuffle", options.shuffle);
    names.flag("drop_last", options.drop_last);
    names.whole("workers", options.workers);
    names.flag("skip_damaged", options.skip_damaged);
    names.text("loss", options.loss);
    names.text("optimizer", options.optimizer);
    names.text("schedule", options.schedule);
    names.flag("schedule_every_step", options.schedule_every_step);
    names.number("clip_norm", options.clip_norm);
    names.text("autocast", options.autocast);
    names.whole("epochs", options.epochs);
    names.whole("max_steps", options.max_steps);
    names.whole("seed", options.seed);
}

// --- the curves

constexpr std::int64_t kColumns = 7;

double or_nan(const std::optional<double>& value) { return value.value_or(std::nan("")); }
std::optional<double> unless_nan(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

Tensor table(std::size_t rows) {
    const std::int64_t sizes[] = {static_cast<std::int64_t>(rows), kColumns};
    return empty(sizes, ScalarType::Float64);
}

Tensor steps_table(const TrainingLog& log) {
    const std::size_t count = log.step_count();
    const auto steps = log.steps(count > kMostSteps ? count - kMostSteps : 0);
    const Tensor out = table(steps.size());
    double* at = steps.empty() ? nullptr : out.data<double>();
    for (const TrainingStep& step : steps) {
        for (const double number : {static_cast<double>(step.step), static_cast<double>(step.epoch), step.loss,
                                    step.learning_rate, step.gradient_norm, or_nan(step.accuracy), step.seconds}) {
            *at++ = number;
        }
    }
    return out;
}

Tensor epochs_table(const TrainingLog& log) {
    const auto epochs = log.epochs();
    const Tensor out = table(epochs.size());
    double* at = epochs.empty() ? nullptr : out.data<double>();
    for (const TrainingEpoch& epoch : epochs) {
        for (const double number :
             {static_cast<double>(epoch.epoch), static_cast<double>(epoch.last_step), epoch.loss,
              or_nan(epoch.accuracy), or_nan(epoch.held_out_loss), or_nan(epoch.held_out_accuracy), epoch.seconds}) {
            *at++ = number;
        }
    }
    return out;
}

// visit(row of seven numbers); a table of another form is passed over.
template <typename Visit>
void visit_table(const DictObject& dict, const char* name, Visit&& visit) {
    const IValue* found = find_any(dict, {name});
    if (found == nullptr || !found->is_tensor()) return;
    const Tensor t = found->to_tensor();
    if (t.dtype() != ScalarType::Float64 || t.dim() != 2 || t.size(1) != kColumns || !t.is_contiguous()) return;
    for (std::int64_t i = 0; i < t.size(0); ++i) visit(t.data<double>() + i * kColumns);
}

void restore_curves(const DictObject& training, TrainingLog& log) {
    visit_table(training, "steps", [&](const double* row) {
        TrainingStep step;
        step.step = static_cast<std::int64_t>(row[0]);
        step.epoch = static_cast<int>(row[1]);
        step.loss = row[2];
        step.learning_rate = row[3];
        step.gradient_norm = row[4];
        step.accuracy = unless_nan(row[5]);
        step.seconds = row[6];
        log.add(step);
    });
    visit_table(training, "epochs", [&](const double* row) {
        TrainingEpoch epoch;
        epoch.epoch = static_cast<int>(row[0]);
        epoch.last_step = static_cast<std::int64_t>(row[1]);
        epoch.loss = row[2];
        epoch.accuracy = unless_nan(row[3]);
        epoch.held_out_loss = unless_nan(row[4]);
        epoch.held_out_accuracy = unless_nan(row[5]);
        epoch.seconds = row[6];
        log.add(epoch);
    });
}

IValue findings_value(const TrainingLog& log) {
    auto out = make_ptr<ListObject>(types::any());
    for (const TrainingFinding& each : log.findings()) {
        auto dict = new_dict();
        dict->set(IValue("kind"), static_cast<std::int64_t>(each.kind));
        dict->set(IValue("step"), each.step);
        dict->set(IValue("last_step"), each.last_step);
        dict->set(IValue("text"), IValue(each.text));
        dict->set(IValue("name"), IValue(each.name));
        dict->set(IValue("share"), each.share);
        out->elements.emplace_back(dict);
    }
    return out;
}

void restore_findings(const DictObject& training, TrainingLog& log) {
    const IValue* found = find_any(training, {"findings"});
    if (found == nullptr || !found->is_list()) return;
    const auto text_in = [](const DictObject& dict, const char* name) {
        const IValue* text = find_any(dict, {name});
        return text != nullptr && text->is_string() ? text->to_string() : std::string();
    };
    std::vector<TrainingFinding> findings;
    for (const IValue& each : found->to_list().elements) {
        if (!each.is_dict()) continue;
        const DictObject& dict = each.to_dict();
        const std::int64_t kind = whole_in(dict, "kind", -1);
        if (kind < 0 || kind > static_cast<std::int64_t>(last_of(TrainingFinding::Kind()))) continue;
        findings.push_back({static_cast<TrainingFinding::Kind>(kind), whole_in(dict, "step", 0),
                            whole_in(dict, "last_step", 0), text_in(dict, "text"), text_in(dict, "name"),
                            number_in(dict, "share")});
    }
    log.add_earlier(findings);
}

// --- random numbers, as torch.get_rng_state() gives them

void put_random(DictObject& dict, const std::string& name, const RandomState& state) {
    dict.set(IValue(name), python::generator_state(state.cpu));
    if (const IValue devices = python::device_states_value(state); !devices.is_none())
        dict.set(IValue(concat("device_", name)), devices);
}

std::optional<RandomState> random_in(const DictObject& dict, const std::string& name) {
    const IValue* found = dict.find(IValue(name));
    if (found == nullptr || !found->is_tensor()) return std::nullopt;
    RandomState state{std::get<TwisterState>(python::generator_state_in(found->to_tensor(), true))};
    if (const IValue* devices = dict.find(IValue(concat("device_", name)))) python::read_device_states(*devices, state);
    return state;
}

// The model's dict is an OrderedDict, as Module.state_dict() gives it.
class ModelOrder final : public OtherValues {
  public:
    explicit ModelOrder(const DictObject* model) : model_(model) {}
    bool write(const IValue&, CheckpointPickler&) override { return false; }
    bool is_ordered(const DictObject& dict, IValue&) override { return &dict == model_; }

  private:
    const DictObject* model_;
};

struct SavedTraining {
    IValue whole;
    const DictObject* dict;
    const IValue* model;
    const IValue* optimizer;
    const IValue* scheduler;     // null: none
    const DictObject* training;  // null: another program's
};

SavedTraining open_training(const fs::path& file) {
    SavedTraining saved{read_checkpoint(file), nullptr, nullptr, nullptr, nullptr, nullptr};
    if (saved.whole.is_dict()) {
        saved.dict = &saved.whole.to_dict();
        saved.model = find_any(*saved.dict, {"model_state_dict", "state_dict", "model"});
        saved.optimizer = find_any(*saved.dict, {"optimizer_state_dict", "optimizer"});
        saved.scheduler =
            find_any(*saved.dict, {"scheduler_state_dict", "lr_scheduler_state_dict", "scheduler", "lr_scheduler"});
        const IValue* training = find_any(*saved.dict, {"training"});
        if (training != nullptr && training->is_dict()) saved.training = &training->to_dict();
    }
    if (saved.model == nullptr || !saved.model->is_dict() || saved.optimizer == nullptr ||
        !saved.optimizer->is_dict()) {
        throw Error(ErrorKind::File, "no checkpoint of a training: it has no model_state_dict and optimizer_state_dict",
                    {.file = file.string(), .hint = "weights alone are loaded into the model, not gone on with"});
    }
    return saved;
}

nn::Named<Tensor> named_tensors(const DictObject& dict) {
    nn::Named<Tensor> out;
    for (const auto& [name, value] : dict.entries()) {
        if (name.is_string() && value.is_tensor()) out.emplace_back(name.to_string(), value.to_tensor());
    }
    return out;
}

}  // namespace

TrainingCheckpoint read_training_checkpoint(const fs::path& file, const TrainOptions& base) {
    const SavedTraining saved = open_training(file);
    TrainingCheckpoint out;
    out.options = base;
    const IValue* options = saved.training != nullptr ? find_any(*saved.training, {"options"}) : nullptr;
    if (options != nullptr && options->is_dict()) visit_options({nullptr, &options->to_dict()}, out.options);
    out.options.resume = file.string();
    out.epoch = static_cast<int>(whole_in(*saved.dict, "epoch", 0));
    out.step = whole_in(*saved.dict, "step", 0);
    return out;
}

// Buffers as they were before the step that is under way.
IValue Trainer::checkpoint() const {
    auto model = new_dict();
    for (const auto& [name, t] : program_->module().state_dict()) {
        Tensor now = t;
        for (const auto& [buffer, before] : buffers_before_) {
            if (batch_ && buffer.storage() == t.storage()) now = before;
        }
        model->set(IValue(name), now);
    }
    auto out = new_dict();
    out->set(IValue("epoch"), static_cast<std::int64_t>(is_epoch_begun_ ? epoch_ - 1 : epoch_));
    out->set(IValue("step"), steps_done_);
    out->set(IValue("model_state_dict"), model);
    out->set(IValue("optimizer_state_dict"), optimizer_->state_dict());
    out->set(IValue("scheduler_state_dict"), schedule_ ? schedule_->state_dict() : IValue());
    if (scaler_) out->set(IValue("scaler_state_dict"), scaler_->state_dict());
    const auto last = log_->steps(log_->step_count() > 0 ? log_->step_count() - 1 : 0);
    out->set(IValue("loss"), last.empty() ? IValue() : IValue(last.back().loss));
    put_random(*out, "rng_state", batch_ ? batch_random_ : random_state());
    out->set(IValue("training"), training_part());
    return out;
}

IValue Trainer::training_part() const {
    auto options = new_dict();
    TrainOptions copy = options_;
    visit_options({options.get(), nullptr}, copy);
    auto out = new_dict();
    out->set(IValue("options"), options);
    out->set(IValue("steps_an_epoch"), steps_an_epoch());
    out->set(IValue("steps"), steps_table(*log_));
    out->set(IValue("epochs"), epochs_table(*log_));
    out->set(IValue("findings"), findings_value(*log_));
    if (!is_epoch_begun_) return out;
    out->set(IValue("epoch_steps"), epoch_steps_);
    put_random(*out, "epoch_rng_state", epoch_random_);
    out->set(IValue("epoch_loss"), epoch_loss_);
    out->set(IValue("epoch_hits"), epoch_hits_);
    out->set(IValue("epoch_examples"), epoch_examples_);
    out->set(IValue("epoch_rated"), epoch_rated_);
    return out;
}

void Trainer::save(const fs::path& file) const {
    if (is_updating_)
        throw Error(ErrorKind::Usage, "the optimiser's step is half done",
                    {.hint = "go on to the end of the step first"});
    const IValue all = checkpoint();
    ModelOrder order(&all.to_dict().find(IValue("model_state_dict"))->to_dict());
    write_checkpoint(all, file, {.is_stream = false, .others = &order});
}

// The model comes last: what does not fit is found before it is changed.
void Trainer::resume(const fs::path& file) {
    const SavedTraining saved = open_training(file);
    try {
        const IValue* options = saved.training != nullptr ? find_any(*saved.training, {"options"}) : nullptr;
        if (options != nullptr && options->is_dict()) {
            TrainOptions before;
            visit_options({nullptr, &options->to_dict()}, before);
            const std::string was = parse_call(before.optimizer).name;
            if (was != optimizer_->record().name) {
                throw Error(ErrorKind::Usage, concat("the checkpoint is of a training with ", was, ", this one has ",
                                                     optimizer_->record().name));
            }
        }
        if (saved.scheduler != nullptr && !schedule_)
            throw Error(ErrorKind::Usage, "the checkpoint has a scheduler, this training none");
        optimizer_->load_state_dict(*saved.optimizer);
        if (saved.scheduler != nullptr) schedule_->load_state_dict(*saved.scheduler);
        const IValue* scaler = find_any(*saved.dict, {"scaler_state_dict", "scaler"});
        if (scaler_ && scaler != nullptr && scaler->is_dict()) scaler_->load_state_dict(*scaler);
        const auto random = random_in(*saved.dict, "rng_state");
        epoch_ = static_cast<int>(std::max<std::int64_t>(0, whole_in(*saved.dict, "epoch", 0)));
        steps_done_ = epoch_ * steps_an_epoch();
        if (saved.training != nullptr) resume_data(*saved.training);
        program_->module().load_state_dict(named_tensors(saved.model->to_dict()));
        if (random) set_random_state(*random);
    } catch (Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        throw Error(error.kind() == ErrorKind::Run ? ErrorKind::File : error.kind(), error.message(),
                    {.file = file.string(), .hint = error.context().hint});
    }
    if (saved.training != nullptr) {
        restore_curves(*saved.training, *log_);
        restore_findings(*saved.training, *log_);
    }
}

// The place in the middle of an epoch: the same batches again up to it. Other data begins with its next epoch.
void Trainer::resume_data(const DictObject& training) {
    const auto epoch_random = random_in(training, "epoch_rng_state");
    const std::int64_t done = whole_in(training, "epoch_steps", -1);
    if (!epoch_random || done < 0 || done > steps_an_epoch() ||
        whole_in(training, "steps_an_epoch", 0) != steps_an_epoch())
        return;
    set_random_state(*epoch_random);
    epoch_random_ = *epoch_random;
    sets_.training->begin_epoch();
    for (std::int64_t i = 0; i < done; ++i) sets_.training->next();
    is_epoch_begun_ = true;
    ++epoch_;
    epoch_steps_ = done;
    steps_done_ += done;
    epoch_loss_ = number_in(training, "epoch_loss");
    epoch_hits_ = number_in(training, "epoch_hits");
    epoch_examples_ = whole_in(training, "epoch_examples", 0);
    epoch_rated_ = whole_in(training, "epoch_rated", 0);
    epoch_began_ = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace loupe::session
