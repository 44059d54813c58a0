// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.parametrize and torch.nn.utils.parametrizations.

#include "core/nn/utils/norm_hooks.h"
#include "core/nn/utils/parametrize.h"
#include "core/python/language/arguments.h"
#include "core/python/language/context_manager.h"
#include "core/python/language/error.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"
#include "core/python/torch/torch_nn.h"

namespace loupe::python {
namespace {

// A class of its own, derived from the module's, as long as anything is parametrized.
void follow_class(nn::Module& module, const ClassPtr& before) {
    const bool was = before->name().starts_with("Parametrized") && !before->bases().empty();
    const bool is = nn::is_parametrized(module);
    if (is && !was) {
        const auto cls =
            make_ptr<ClassObject>("Parametrized" + before->name(), before->module(), std::vector<ClassPtr>{before});
        module.set_dynamic_class(cls, cls->name());
    } else if (!is && was) {
        const ClassPtr base = before->bases()[0];
        if (base->is_builtin())
            module.set_dynamic_class(nullptr, "");
        else
            module.set_dynamic_class(base, base->name());
    }
}

// work on a module; gives the module back.
template <typename Work>
IValue on_module(const IValue& value, Work&& work) {
    nn::Module& module = self_module(value);
    const ClassPtr before = class_of(value);
    with_python_errors([&] { work(module); });
    follow_class(module, before);
    return value;
}

std::string name_or_weight(const BoundArguments& given, std::size_t index) {
    return given.has(index) ? str(given[index]) : "weight";
}
std::optional<std::int64_t> optional_int(const BoundArguments& given, std::size_t index,
                                         std::optional<std::int64_t> otherwise) {
    if (!given.has(index)) return otherwise;
    return given[index].is_none() ? std::nullopt : std::optional(to_index(given[index]));
}

IValue register_parametrization(CallArguments arguments) {
    const BoundArguments given(arguments, "register_parametrization",
                               {"module", "tensor_name", "parametrization", "*", "unsafe="});
    const nn::ModulePtr step(&self_module(given[2]));
    return on_module(given[0], [&](nn::Module& m) {
        nn::register_parametrization(m, str(given[1]), step, given.truth_or(3, false));
    });
}
IValue remove_parametrizations(CallArguments arguments) {
    const BoundArguments given(arguments, "remove_parametrizations", {"module", "tensor_name", "leave_parametrized="});
    return on_module(given[0],
                     [&](nn::Module& m) { nn::remove_parametrizations(m, str(given[1]), given.truth_or(2, true)); });
}
IValue is_parametrized(CallArguments arguments) {
    const BoundArguments given(arguments, "is_parametrized", {"module", "tensor_name="});
    const nn::Module& module = self_module(given[0]);
    return given.has(1) && !given[1].is_none() ? nn::is_parametrized(module, str(given[1]))
                                               : nn::is_parametrized(module);
}
IValue type_before(CallArguments arguments) {
    const BoundArguments given(arguments, "type_before_parametrizations", {"module"});
    const ClassPtr cls = class_of(given[0]);
    if (!nn::is_parametrized(self_module(given[0]))) return IValue::other(cls);
    return IValue::other(cls->bases()[0]);
}
IValue transfer(CallArguments arguments) {
    const BoundArguments given(arguments, "transfer_parametrizations_and_params",
                               {"from_module", "to_module", "tensor_name="});
    const auto name = given.has(2) && !given[2].is_none() ? std::optional(str(given[2])) : std::nullopt;
    nn::Module& from = self_module(given[0]);
    return on_module(given[1], [&](nn::Module& to) { nn::transfer_parametrizations_and_params(from, to, name); });
}
IValue cached(CallArguments arguments) {
    check_positional(arguments, "cached", 0, 0);
    return make_scope(
        "_GeneratorContextManager", "contextlib", [] { return std::make_shared<nn::ParametrizationCache>(); },
        [] { return IValue(); });
}

IValue orthogonal(CallArguments arguments) {
    const BoundArguments given(arguments, "orthogonal",
                               {"module", "name=", "orthogonal_map=", "*", "use_trivialization="});
    const auto map = given.has(2) && !given[2].is_none() ? std::optional(str(given[2])) : std::nullopt;
    return on_module(given[0],
                     [&](nn::Module& m) { nn::orthogonal(m, name_or_weight(given, 1), map, given.truth_or(3, true)); });
}
IValue spectral_norm_parametrization(CallArguments arguments) {
    const BoundArguments given(arguments, "spectral_norm", {"module", "name=", "n_power_iterations=", "eps=", "dim="});
    const double eps = given.has(3) ? to_float(given[3]) : 1e-12;
    return on_module(given[0], [&](nn::Module& m) {
        nn::spectral_norm_parametrization(m, name_or_weight(given, 1), given.int_or(2, 1), eps,
                                          optional_int(given, 4, {}));
    });
}
IValue weight_norm_parametrization(CallArguments arguments) {
    const BoundArguments given(arguments, "weight_norm", {"module", "name=", "dim="});
    return on_module(given[0], [&](nn::Module& m) {
        nn::weight_norm_parametrization(m, name_or_weight(given, 1), optional_int(given, 2, 0).value_or(-1));
    });
}

IValue weight_norm(CallArguments arguments) {
    const BoundArguments given(arguments, "weight_norm", {"module", "name=", "dim="});
    return on_module(given[0],
                     [&](nn::Module& m) { nn::weight_norm(m, name_or_weight(given, 1), optional_int(given, 2, 0)); });
}
IValue remove_weight_norm(CallArguments arguments) {
    const BoundArguments given(arguments, "remove_weight_norm", {"module", "name="});
    return on_module(given[0], [&](nn::Module& m) { nn::remove_weight_norm(m, name_or_weight(given, 1)); });
}
IValue spectral_norm(CallArguments arguments) {
    const BoundArguments given(arguments, "spectral_norm", {"module", "name=", "n_power_iterations=", "eps=", "dim="});
    const double eps = given.has(3) ? to_float(given[3]) : 1e-12;
    return on_module(given[0], [&](nn::Module& m) {
        nn::spectral_norm(m, name_or_weight(given, 1), given.int_or(2, 1), eps, optional_int(given, 4, {}));
    });
}
IValue remove_spectral_norm(CallArguments arguments) {
    const BoundArguments given(arguments, "remove_spectral_norm", {"module", "name="});
    return on_module(given[0], [&](nn::Module& m) { nn::remove_spectral_norm(m, name_or_weight(given, 1)); });
}

void define_layers(PythonModule& module) {
    for (const nn::LayerRecord* record : nn::layer_records()) {
        if (record->module == module.name())
            module.define(std::string(record->name), IValue::other(layer_class(record->name)));
    }
}

}  // namespace

void fill_parametrize(PythonModule& module) {
    define_layers(module);
    module.define("register_parametrization", register_parametrization);
    module.define("remove_parametrizations", remove_parametrizations);
    module.define("is_parametrized", is_parametrized);
    module.define("type_before_parametrizations", type_before);
    module.define("transfer_parametrizations_and_params", transfer);
    module.define("cached", cached);
}

void fill_parametrizations(PythonModule& module) {
    define_layers(module);
    module.define("orthogonal", orthogonal);
    module.define("spectral_norm", spectral_norm_parametrization);
    module.define("weight_norm", weight_norm_parametrization);
}

void define_norm_hooks(PythonModule& module) {
    module.define("weight_norm", weight_norm);
    module.define("remove_weight_norm", remove_weight_norm);
    module.define("spectral_norm", spectral_norm);
    module.define("remove_spectral_norm", remove_spectral_norm);
}

}  // namespace loupe::python
