// SPDX-License-Identifier: Apache-2.0
#include "core/optim/scheduler.h"

#include <atomic>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/ops/numbers/warnings.h"
#include "core/value/bind_arguments.h"

namespace loupe::optim {
namespace {

const IValue kRate{"lr"};
const IValue kFirstRate{"initial_lr"};

IValue value_in(const Scheduler*, const std::vector<double>& numbers) {
    auto list = make_ptr<ListObject>(types::any());
    for (const double number : numbers) list->elements.emplace_back(number);
    return list;
}

}  // namespace

void refuse(std::string message) { fail_with_value(std::move(message)); }

Ptr<Optimizer> optimizer_in(const IValue& value) {
    Ptr<Optimizer> found = value.is_other() ? value.to_other_as<Optimizer>() : nullptr;
    if (!found) fail_with_type(concat(split(value_type_name(value), '.').back(), " is not an Optimizer"));
    return found;
}

namespace {
std::atomic<void (*)(std::string_view)> schedule_printer = nullptr;
}
void set_schedule_printer(void (*print)(std::string_view)) { schedule_printer = print; }
void print_schedule_line(std::string_view line) {
    if (const auto print = schedule_printer.load()) print(line);
}

void Scheduler::print_rate(std::size_t group, double rate, const IValue& epoch) const {
    if (!verbose_) return;
    char number[32], at[32] = "";
    std::snprintf(number, sizeof number, "%.4e", rate);
    if (epoch.is_double())
        std::snprintf(at, sizeof at, "%.2f", epoch.to_double());
    else if (epoch.is_int())
        std::snprintf(at, sizeof at, "%.5lld", static_cast<long long>(epoch.to_int()));
    const std::string start = epoch.is_none() ? "Adjusting" : concat("Epoch ", at, ": adjusting");
    print_schedule_line(concat(start, " learning rate of group ", group, " to ", number, "."));
}

void Scheduler::begin(std::int64_t last_epoch, const IValue& verbose) {
    verbose_ = !verbose.is_none() && verbose.to_scalar().to_bool();
    for (std::size_t i = 0; i < group_count(); ++i) {
        const IValue* first = group(i).find(kFirstRate);
        const IValue* now = group(i).find(kRate);
        if (now == nullptr) throw TypedError("KeyError", "lr");  // of an optimiser that a program defines
        if (last_epoch == -1 && first == nullptr)
            group(i).set(kFirstRate, *now);
        else if (first == nullptr)
            throw TypedError(
                "KeyError",
                concat(
                    "param 'initial_lr' is not specified in param_groups[", i, "] when resuming ",
                    is_older_torch()
                        ? "an optimizer"
                        : "scheduler with last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume "
                          "training from a checkpoint but haven't properly loaded the optimizer state\n2. You're "
                          "using last_epoch >= 0 for a fresh training run (not recommended)"));
    }
    base_rates_ = each_group([&](std::size_t i) { return Options(group(i)).number("initial_lr"); });
    last_epoch_ = last_epoch;
    first_step();
}

void Scheduler::first_step() {
    optimizer_->reset_step_count();
    step_count_ = 0;
    step();
}

void Scheduler::step(std::optional<double> epoch) {
    if (step_count_ == 1 && optimizer_->step_count() < 1) {
        warn(
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should "
            "call them in the "
            "opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
            "PyTorch skipping the first "
            "value of the learning rate schedule. See more details at "
            "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate");
    }
    ++step_count_;
    if (epoch) {
        warn(
            "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
            "Please use "
            "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the "
            "closed form is used "
            "instead of the new chainable form, where available. Please open an issue if you are unable to replicate "
            "your use case: "
            "https://github.com/pytorch/pytorch/issues/new/choose.");
    }
    last_epoch_ = epoch ? static_cast<std::int64_t>(*epoch) : last_epoch_ + 1;
    const std::vector<double> now = epoch ? closed_form() : rates();
    set_rates(now);
    for (std::size_t i = 0; i < now.size(); ++i) {
        const bool is_whole = epoch && *epoch == std::floor(*epoch);
        print_rate(i, now[i],
                   !epoch     ? IValue()
                   : is_whole ? IValue(static_cast<std::int64_t>(*epoch))
                              : IValue(*epoch));
    }
}

void Scheduler::step_on(double) { refuse("this scheduler's step() takes no metrics"); }

std::vector<double> Scheduler::current_rates() const {
    return each_group([&](std::size_t i) { return rate(i); });
}

void Scheduler::set_rates(const std::vector<double>& rates) {
    for (std::size_t i = 0; i < rates.size() && i < group_count(); ++i) group(i).set(kRate, rates[i]);
    last_rates_ = current_rates();
}

std::vector<double> Scheduler::one_a_group(const IValue& value, std::string_view name) const {
    if (!value.is_list() && !value.is_tuple()) return std::vector<double>(group_count(), value.to_scalar().to_double());
    const auto& elements = value.is_list() ? value.to_list().elements : value.to_tuple().elements;
    if (elements.size() != group_count())
        refuse(concat("expected ", group_count(), " values for ", name, ", got ", elements.size()));
    return each_group([&](std::size_t i) { return elements[i].to_scalar().to_double(); });
}

std::vector<std::pair<std::string, Scheduler::Field>> Scheduler::fields() {
    return {{"base_lrs", &base_rates_},
            {"last_epoch", &last_epoch_},
            {"verbose", &verbose_},
            {"_step_count", &step_count_},
            {"_last_lr", &last_rates_}};
}

IValue Scheduler::state_dict() const {
    auto out = make_ptr<DictObject>(types::any(), types::any());
    for (const auto& [name, field] : const_cast<Scheduler*>(this)->fields()) {
        const IValue value = std::visit(
            [&](const auto* held) -> IValue {
                if constexpr (std::is_same_v<decltype(held), const std::vector<double>*>)
                    return value_in(this, *held);
                else
                    return *held;
            },
            field);
        out->set(IValue(name), value);
    }
    return out;
}

void Scheduler::load_state_dict(const IValue& state) {
    for (const auto& [name, field] : fields()) {
        const IValue* value = state.to_dict().find(IValue(name));
        if (value == nullptr) continue;
        if (auto* const* whole = std::get_if<std::int64_t*>(&field))
            **whole = value->to_int();
        else if (auto* const* number = std::get_if<double*>(&field))
            **number = value->to_scalar().to_double();
        else if (auto* const* flag = std::get_if<bool*>(&field))
            **flag = value->to_scalar().to_bool();
        else if (auto* const* given = std::get_if<Scalar*>(&field))
            **given = value->to_scalar();
        else
            *std::get<std::vector<double>*>(field) = value->to_doubles();
    }
}

Ptr<Scheduler> make_scheduler(const SchedulerRecord& record, CallArguments arguments) {
    const std::vector<IValue> bound = bind_arguments(parse_schema(record.constructor), std::move(arguments));
    return record.make(bound);
}

Ptr<Scheduler> make_scheduler(std::string_view name, const Ptr<Optimizer>& optimizer, std::vector<IValue> arguments,
                              std::vector<std::pair<std::string, IValue>> keywords) {
    const SchedulerRecord* record = find_scheduler(name);
    if (record == nullptr) refuse(concat("no scheduler is called '", name, "'"));
    arguments.insert(arguments.begin(), as_value(optimizer));
    return make_scheduler(*record, {std::move(arguments), std::move(keywords)});
}

}  // namespace loupe::optim
