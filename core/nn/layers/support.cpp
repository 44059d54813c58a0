// SPDX-License-Identifier: Apache-2.0
#include "core/nn/layers/support.h"

#include "core/base/strings.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn::layers {

void Factory::parameter(Module& self, const std::string& name, IntSpan sizes) const {
    self.register_parameter(name, make_parameter(empty(sizes)));
}
void no_parameter(Module& self, const std::string& name) { self.register_parameter(name, Tensor()); }

Tensor tensor(const Module& self, std::string_view name) { return self.attribute(name).to_tensor(); }
std::int64_t integer(const Module& self, std::string_view name) { return self.attribute(name).to_int(); }
double number(const Module& self, std::string_view name) { return self.attribute(name).to_double(); }
bool flag(const Module& self, std::string_view name) { return self.attribute(name).to_bool(); }
ModulePtr child(const Module& self, std::string_view name) { return as_module(self.attribute(name)); }

IValue tuple(IntSpan values) { return tuple(std::vector<IValue>(values.begin(), values.end())); }
IValue tuple(std::vector<IValue> values) { return make_ptr<TupleObject>(std::move(values)); }
IValue torch_size(IntSpan values) {
    const TypePtr type = types::named_tuple("torch.Size", {}, std::vector<TypePtr>(values.size(), types::integer()));
    return make_ptr<TupleObject>(std::vector<IValue>(values.begin(), values.end()), type);
}

IValue call_value(const IValue& callable, std::vector<IValue> arguments) {
    if (const ModulePtr module = as_module(callable)) return module->call(std::move(arguments));
    if (callable.is_other()) {
        if (const auto function = callable.to_other_as<Callable>()) return function->call({std::move(arguments), {}});
    }
    throw Error(ErrorKind::Run, concat("'", python_type_name(callable), "' object is not callable"));
}

}  // namespace loupe::nn::layers
