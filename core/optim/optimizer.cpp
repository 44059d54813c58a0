// SPDX-License-Identifier: Apache-2.0
#include "core/optim/optimizer.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/optim/list_updates.h"
#include "core/optim/step_norms.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/sharded.h"
#include "core/value/bind_arguments.h"

namespace loupe::optim {
namespace {

const IValue kParams{"params"};

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

const std::vector<IValue>& elements_of(const IValue& sequence) {
    if (sequence.is_tuple()) return sequence.to_tuple().elements;
    if (sequence.is_list()) return sequence.to_list().elements;
    run_error(concat("params argument given to the optimizer should be an iterable of Tensors or dicts, but got ",
                     sequence.is_tensor() ? "torch.FloatTensor" : value_type_name(sequence)));
}

void check_parameter(const IValue& value, const Options& defaults) {
    if (!value.is_tensor())
        fail_with_type(
            concat("optimizer can only optimize Tensors, but one of the params is ", value_type_name(value)));
    const Tensor t = value.to_tensor();
    const AutogradMeta* meta = autograd_meta(t);
    const bool is_retained = meta != nullptr && meta->retained;
    if (!defaults.flag("differentiable") && !is_leaf(t) && !is_retained)
        fail_with_value("can't optimize a non-leaf Tensor");
}

std::unordered_set<const TensorImpl*> identities(const TensorList& tensors) {
    std::unordered_set<const TensorImpl*> all;
    for (const Tensor& t : tensors) all.insert(t.impl());
    return all;
}

// PyTorch's default on a device; foreach=False steps parameter by parameter.
bool is_wanted_as_lists(const DictObject& group) {
    const IValue* const foreach = group.find(IValue("foreach"));
    return foreach == nullptr || foreach->is_none() || foreach->to_scalar().to_double() != 0;
}

// Notifies the observer of one parameter's step as of an operator.
template <typename Run>
void observed(const OptimizerRecord& record, const DictObject& group, const Tensor& parameter, const Tensor& gradient,
              Run&& run) {
    ExecutionObserver* observer = execution_observer();
    if (observer == nullptr) return run();
    const IValue inputs[] = {parameter, gradient};
    const IValue outputs[] = {parameter};
    OperatorCall call;
    call.phase = Phase::Optimizer;
    call.name = record.name;
    call.inputs = inputs;
    call.options = &group;
    observer->before_operator(call);
    {
        const NestedCallScope nested;
        run();
    }
    call.outputs = outputs;
    observer->after_operator(call);
}

// What a method updates of a parameter of which this rank holds a part: its part, with states that are parts too.
class LocalUpdate {
  public:
    LocalUpdate(const Tensor& given, const Tensor& slope, DictObject& state)
        : parameter(local_or_itself(given)),
          gradient(local_or_itself(slope)),
          whole_(is_sharded(given) ? given : Tensor()),
          state_(state) {
        if (!whole_.defined()) return;
        if (!is_sharded(slope)) run_error("the gradient of a DTensor is a DTensor");
        change([](const Tensor& t) { return local_or_itself(t); });
    }
    // The states are seen as DTensors.
    void finish() const {
        if (!whole_.defined()) return;
        change([&](const Tensor& t) {
            const bool is_like = !t.is_sparse() && t.dim() > 0 && std::ranges::equal(t.sizes(), parameter.sizes());
            return is_like ? with_local(whole_, t) : t;
        });
    }

    const Tensor parameter, gradient;

  private:
    template <typename Change>
    void change(Change&& changed) const {
        const auto entries = state_.entries();
        for (const auto& [name, value] : entries) {
            if (value.is_tensor() && value.to_tensor().defined()) state_.set(name, changed(value.to_tensor()));
        }
    }

    const Tensor whole_;
    DictObject& state_;
};

void update_one(Optimizer& optimizer, const DictObject& group, const Options& options, const Tensor& parameter) {
    const OptimizerRecord& record = optimizer.record();
    const Tensor gradient = grad_of(parameter);
    if (!gradient.defined()) return;
    const Ptr<DictObject> state = optimizer.state_of(parameter);
    const LocalUpdate own(parameter, gradient, *state);
    const bool is_sparse = own.gradient.is_sparse();
    const auto update = is_sparse ? record.update_sparse : record.update;
    if (update == nullptr) {
        if (!is_sparse)
            run_error(concat(record.name, " does not support dense gradients, please consider Adam instead"));
        run_error(concat(record.name, " does not support sparse gradients", record.sparse_hint));
    }
    // Elements of other dtypes are rounded after the update: only they show the step.
    const bool is_measured =
        !is_sparse && (parameter.dtype() == ScalarType::Float32 || parameter.dtype() == ScalarType::Float64);
    const bool is_fused = is_measured && own.parameter.is_contiguous() && own.parameter.is_host_memory();
    StepNorms::Measure moved(parameter, is_fused);
    observed(record, group, parameter, gradient, [&] { update(options, own.parameter, own.gradient, *state); });
    moved.finish();
    own.finish();
}

// A value of a saved state, copied; tensors but "step" take the parameter's dtype.
IValue cast_state(const Tensor& parameter, const IValue& value, std::string_view key) {
    if (value.is_tensor()) {
        const Tensor t = value.to_tensor();
        if (key == "step") return fn::clone(t);
        const Tensor typed =
            is_floating(parameter.dtype()) ? fn::to_dtype(t, static_cast<std::int64_t>(parameter.dtype())) : t;
        return t.is_sparse() ? fn::clone(typed) : on_device(fn::clone(typed), parameter.device());
    }
    if (value.is_dict()) {
        const DictObject& from = value.to_dict();
        auto copy = make_ptr<DictObject>(from.key_type, from.value_type);
        for (const auto& [name, entry] : from.entries()) {
            copy->set(name, cast_state(parameter, entry,
                                       name.is_string() ? std::string_view(name.to_string()) : std::string_view()));
        }
        return copy;
    }
    if (value.is_list()) {
        auto copy = make_ptr<ListObject>(value.to_list().element_type);
        for (const IValue& element : value.to_list().elements)
            copy->elements.push_back(cast_state(parameter, element, {}));
        return copy;
    }
    return value;
}

Ptr<DictObject> new_dict() { return make_ptr<DictObject>(types::any(), types::any()); }

const IValue& entry(const IValue& dict, const char* name) {
    const IValue* value = dict.is_dict() ? dict.to_dict().find(IValue(name)) : nullptr;
    if (value == nullptr) run_error(concat("loaded state dict has no '", name, "'"));
    return *value;
}

}  // namespace

TensorList parameters_of(const DictObject& group) {
    const IValue* params = group.find(kParams);
    return params == nullptr ? TensorList() : params->to_tensors();
}

Optimizer::Optimizer(const OptimizerRecord& record, const IValue& params, Ptr<DictObject> defaults)
    : record_(record), defaults_(std::move(defaults)), groups_(make_ptr<ListObject>(types::any())), state_(new_dict()) {
    const std::vector<IValue>& given = elements_of(params);
    if (given.empty()) run_error("optimizer got an empty parameter list");
    if (given.front().is_dict()) {
        for (const IValue& group : given) add_param_group(group);
    } else {
        auto group = new_dict();
        group->set(kParams, params);
        add_param_group(group);
    }
}

Ptr<DictObject> Optimizer::state_of(const Tensor& parameter) {
    if (const IValue* state = state_->find(parameter)) return Ptr<DictObject>(&state->to_dict());
    auto made = new_dict();
    state_->set(parameter, made);
    return made;
}

void Optimizer::add_param_group(const IValue& given) {
    if (!given.is_dict()) {
        if (is_older_torch()) fail_assertion("param group must be a dict");
        fail_with_type(concat("param_group must be a dict, but got <class '", value_type_name(given), "'>"));
    }
    DictObject& group = given.to_dict();
    const IValue* params = group.find(kParams);
    if (params == nullptr) throw TypedError("KeyError", "params");
    auto list = make_ptr<ListObject>(types::any());
    if (params->is_tensor())
        list->elements.push_back(*params);
    else
        list->elements = elements_of(*params);
    for (const IValue& parameter : list->elements) check_parameter(parameter, Options(*defaults_));
    for (const auto& [name, value] : defaults_->entries()) {
        if (group.find(name) != nullptr) continue;
        if (name.to_string() == "lr" && value.is_none()) {
            if (record_.name == "SGD" && !is_older_torch()) {
                group.set(name, IValue(0.001));
                continue;
            }
            fail_with_value("parameter group didn't specify a value of required optimization parameter lr");
        }
        group.set(name, value);
    }
    const IValue as_list(list);
    const auto added = identities(as_list.to_tensors());
    for (const IValue& other : groups_->elements) {
        for (const Tensor& t : parameters_of(other.to_dict())) {
            if (added.contains(t.impl())) run_error("some parameters appear in more than one parameter group");
        }
    }
    group.set(kParams, as_list);
    if (record_.begin != nullptr) {
        for (const IValue& parameter : list->elements)
            record_.begin(Options(group), parameter.to_tensor(), *state_of(parameter.to_tensor()));
    }
    groups_->elements.push_back(given);
}

IValue Optimizer::step(const Closure& closure) {
    ++step_count_;
    const GradModeScope no_grad(false);
    const auto with_grad = [&closure]() -> IValue {
        const GradModeScope grad(true);
        return closure();
    };
    if (record_.step != nullptr) return step_all(closure ? Closure(with_grad) : nullptr);
    const IValue loss = closure ? with_grad() : IValue();
    update_all();
    return loss;
}

// Of methods over all parameters at once.
IValue Optimizer::step_all(const Closure& closure) {
    for (const Tensor& parameter : parameters_of(groups_->elements.front().to_dict())) {
        if (is_sharded(parameter))
            throw Error(ErrorKind::Unsupported, concat(record_.name, " of DTensors is not here: take Adam or SGD"));
    }
    std::deque<StepNorms::Measure> moved;
    if (StepNorms::current() != nullptr) {
        for (const Tensor& parameter : parameters_of(groups_->elements.front().to_dict()))
            moved.emplace_back(parameter, false);
    }
    IValue loss = record_.step(*this, closure);
    for (StepNorms::Measure& each : moved) each.finish();
    return loss;
}

void Optimizer::update_all() {
    for (const IValue& group : groups_->elements) {
        const Options options(group.to_dict());
        // As lists, unless each parameter's step is looked at.
        const bool is_watched = execution_observer() != nullptr || StepNorms::current() != nullptr;
        std::optional<ListUpdates> lists;
        if (!is_watched && is_wanted_as_lists(group.to_dict())) lists.emplace();
        for (const Tensor& parameter : parameters_of(group.to_dict()))
            update_one(*this, group.to_dict(), options, parameter);
        if (lists) lists->run();
    }
}

void Optimizer::zero_grad(bool set_to_none) {
    const GradModeScope no_grad(false);
    for (const IValue& group : groups_->elements) {
        for (const Tensor& parameter : parameters_of(group.to_dict())) {
            const Tensor gradient = grad_of(parameter);
            if (!gradient.defined()) continue;
            if (set_to_none)
                set_grad(parameter, Tensor());
            else if (grad_fn(gradient) != nullptr)
                set_grad(parameter, fn::zeros_like(detach(gradient)));
            else
                fn::zero_(gradient);
        }
    }
}

IValue Optimizer::state_dict() const {
    std::unordered_map<const TensorImpl*, std::int64_t> indices;
    auto packed_groups = make_ptr<ListObject>(types::any());
    std::int64_t next = 0;
    for (const IValue& group : groups_->elements) {
        auto packed = new_dict();
        for (const auto& [name, value] : group.to_dict().entries()) {
            if (name.to_string() != "params") packed->set(name, value);
        }
        auto numbers = make_ptr<ListObject>(types::any());
        for (const Tensor& parameter : parameters_of(group.to_dict())) {
            indices.emplace(parameter.impl(), next++);
            numbers->elements.emplace_back(indices[parameter.impl()]);
        }
        packed->set(kParams, numbers);
        packed_groups->elements.emplace_back(packed);
    }
    auto packed_state = new_dict();
    for (const auto& [key, value] : state_->entries()) {
        const auto found = key.is_tensor() ? indices.find(key.tensor_impl()) : indices.end();
        packed_state->set(found == indices.end() ? key : IValue(found->second), value);
    }
    auto out = new_dict();
    out->set(IValue("state"), packed_state);
    out->set(IValue("param_groups"), packed_groups);
    return out;
}

void Optimizer::load_state_dict(const IValue& saved) {
    const std::vector<IValue>& saved_groups = elements_of(entry(saved, "param_groups"));
    const DictObject& saved_state = entry(saved, "state").to_dict();
    if (saved_groups.size() != groups_->elements.size())
        fail_with_value("loaded state dict has a different number of parameter groups");
    std::unordered_map<std::int64_t, Tensor> parameters;
    for (std::size_t i = 0; i < saved_groups.size(); ++i) {
        const TensorList own = parameters_of(groups_->elements[i].to_dict());
        const std::vector<IValue>& numbers = elements_of(entry(saved_groups[i], "params"));
        if (numbers.size() != own.size()) {
            fail_with_value(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
        }
        for (std::size_t k = 0; k < own.size(); ++k) parameters.emplace(numbers[k].to_int(), own[k]);
    }
    const GradModeScope no_grad(false);
    auto state = new_dict();
    for (const auto& [key, value] : saved_state.entries()) {
        const auto found = key.is_int() ? parameters.find(key.to_int()) : parameters.end();
        if (found == parameters.end())
            state->set(key, value);
        else
            state->set(found->second, cast_state(found->second, value, {}));
    }
    for (std::size_t i = 0; i < saved_groups.size(); ++i) {
        DictObject& group = groups_->elements[i].to_dict();
        for (const auto& [name, value] : saved_groups[i].to_dict().entries()) {
            if (!values_equal(name, kParams)) group.set(name, value);
        }
    }
    state_ = state;
}

std::string Optimizer::str() const {
    std::string out = concat(record_.name, " (");
    for (std::size_t i = 0; i < groups_->elements.size(); ++i) {
        out += concat("\nParameter Group ", i, "\n");
        std::vector<std::pair<std::string, std::string>> lines;
        for (const auto& [name, value] : groups_->elements[i].to_dict().entries()) {
            if (name.to_string() != "params") lines.emplace_back(name.to_string(), python_str(value));
        }
        std::ranges::sort(lines);
        for (const auto& [name, text] : lines) out += concat("    ", name, ": ", text, "\n");
    }
    return out + ")";
}

Ptr<Optimizer> make_optimizer(const OptimizerRecord& record, CallArguments arguments) {
    const FunctionSchema schema = parse_schema(record.constructor);
    std::vector<IValue> bound = bind_arguments(schema, std::move(arguments));
    auto options = new_dict();
    for (std::size_t i = 1; i < bound.size(); ++i) options->set(IValue(schema.arguments[i].name), std::move(bound[i]));
    record.complete(*options);
    return make_ptr<Optimizer>(record, bound.front(), std::move(options));
}

Ptr<Optimizer> make_optimizer(std::string_view name, std::vector<IValue> arguments,
                              std::vector<std::pair<std::string, IValue>> keywords) {
    const OptimizerRecord* record = find_optimizer(name);
    if (record == nullptr) run_error(concat("no optimizer is called '", name, "'"));
    return make_optimizer(*record, {std::move(arguments), std::move(keywords)});
}

}  // namespace loupe::optim
