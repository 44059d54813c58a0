// SPDX-License-Identifier: Apache-2.0
#include "core/optim/options.h"

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::optim {

const IValue& Options::operator[](std::string_view name) const {
    const IValue* value = dict_.find(IValue(name));
    if (value == nullptr) throw Error(ErrorKind::Run, concat("optimizer: no option or state '", name, "'"));
    return *value;
}

bool Options::flag(std::string_view name) const {
    const IValue* value = dict_.find(IValue(name));
    return value != nullptr && !value->is_none() && value->to_scalar().to_double() != 0;
}

double Options::number(std::string_view name, std::size_t index) const {
    const IValue& value = (*this)[name];
    const std::vector<IValue>& elements = value.is_tuple() ? value.to_tuple().elements : value.to_list().elements;
    if (index >= elements.size())
        throw Error(ErrorKind::Run, concat("optimizer: ", name, " has ", elements.size(), " numbers"));
    return elements[index].to_scalar().to_double();
}

Tensor state_tensor(DictObject& state, std::string_view name, const std::function<Tensor()>& make) {
    const IValue key(name);
    if (const IValue* value = state.find(key); value != nullptr && !value->is_none()) return value->to_tensor();
    Tensor made = make();
    state.set(key, made);
    return made;
}

Tensor zero_state(DictObject& state, std::string_view name, const Tensor& parameter) {
    return state_tensor(state, name, [&] { return fn::zeros_like(detach(parameter)); });
}

Tensor number_tensor(double value) {
    const Tensor t = empty({}, ScalarType::Float32);
    *t.data<float>() = static_cast<float>(value);
    return t;
}

double next_step(DictObject& state) {
    // States that older versions saved count with a number.
    const IValue* before = state.find(IValue("step"));
    if (before != nullptr && before->is_number()) state.set("step", number_tensor(before->to_scalar().to_double()));
    const Tensor step = state_tensor(state, "step", [] { return number_tensor(0); });
    const Tensor one = number_tensor(1);
    fn::add_(step, one);
    return item(step).to_double();
}

void require_not_negative(const Options& options, std::string_view name, std::string_view what) {
    if (!(options.number(name) >= 0))
        throw Error(ErrorKind::Run, concat("Invalid ", what, ": ", python_str(options[name])));
}

void require_positive(const Options& options, std::string_view name, std::string_view what) {
    if (!(options.number(name) > 0))
        throw Error(ErrorKind::Run, concat("Invalid ", what, ": ", python_str(options[name])));
}

void require_betas(const Options& options) {
    for (std::size_t i = 0; i < 2; ++i) {
        const double beta = options.number("betas", i);
        if (!(beta >= 0 && beta < 1))
            throw Error(ErrorKind::Run, concat("Invalid beta parameter at index ", i, ": ", python_repr(beta)));
    }
}

void complete_moments(DictObject& dict) {
    if (dict.find("betas")->is_none()) dict.set("betas", make_ptr<TupleObject>(std::vector<IValue>{0.9, 0.999}));
    const Options options(dict);
    require_not_negative(options, "lr", "learning rate");
    require_not_negative(options, "eps", "epsilon value");
    require_betas(options);
    require_not_negative(options, "weight_decay", "weight_decay value");
}

}  // namespace loupe::optim
