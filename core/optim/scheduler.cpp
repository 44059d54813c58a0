// SPDX-License-Identifier: Apache-2.0
#include "core/optim/scheduler.h"

#include "core/base/error.h"
#include "core/base/strings.h"
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

void refuse(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

Ptr<Optimizer> optimizer_in(const IValue& value) {
    Ptr<Optimizer> found = value.is_other() ? value.to_other_as<Optimizer>() : nullptr;
    if (!found) refuse(concat(value_type_name(value), " is not an Optimizer"));
    return found;
}

void Scheduler::begin(std::int64_t last_epoch) {
    for (std::size_t i = 0; i < group_count(); ++i) {
        const IValue* first = group(i).find(kFirstRate);
        if (last_epoch == -1 && first == nullptr) group(i).set(kFirstRate, *group(i).find(kRate));
        else if (first == nullptr) refuse(concat("param 'initial_lr' is not specified in param_groups[", i, "] when resuming an optimizer"));
    }
    base_rates_ = each_group([&](std::size_t i) { return Options(group(i)).number("initial_lr"); });
    last_epoch_ = last_epoch;
    first_step();
}

void Scheduler::first_step() {
    step_count_ = 0;
    step();
}

void Scheduler::step(std::optional<double> epoch) {
    ++step_count_;
    last_epoch_ = epoch ? static_cast<std::int64_t>(*epoch) : last_epoch_ + 1;
    set_rates(epoch ? closed_form() : rates());
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
    if (elements.size() != group_count()) refuse(concat("expected ", group_count(), " values for ", name, ", got ", elements.size()));
    return each_group([&](std::size_t i) { return elements[i].to_scalar().to_double(); });
}

std::vector<std::pair<std::string, Scheduler::Field>> Scheduler::fields() {
    return {{"base_lrs", &base_rates_}, {"last_epoch", &last_epoch_}, {"_step_count", &step_count_}, {"_last_lr", &last_rates_}};
}

IValue Scheduler::state_dict() const {
    auto out = make_ptr<DictObject>(types::any(), types::any());
    for (const auto& [name, field] : const_cast<Scheduler*>(this)->fields()) {
        const IValue value = std::visit(
            [&](const auto* held) -> IValue {
                if constexpr (std::is_same_v<decltype(held), const std::vector<double>*>) return value_in(this, *held);
                else return *held;
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
        if (auto* const* whole = std::get_if<std::int64_t*>(&field)) **whole = value->to_int();
        else if (auto* const* number = std::get_if<double*>(&field)) **number = value->to_scalar().to_double();
        else *std::get<std::vector<double>*>(field) = value->to_doubles();
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
