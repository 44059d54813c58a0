// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.fusion, torch.nn.utils.stateless, skip_init, and the hooks of all modules.

#include "core/base/strings.h"
#include "core/nn/module.h"
#include "core/nn/utils/gradients.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_autograd.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_hooks.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

nn::ModulePtr module_in(const IValue& value) { return nn::ModulePtr(&self_module(value)); }
Tensor tensor_in(const IValue& value) { return value.is_tensor() ? value.to_tensor() : Tensor(); }

// ---- fusion

template <typename Fuse>
IValue fused_modules(const BoundArguments& given, Fuse fuse) {
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        if (self_module(given[i]).is_training()) throw_error("AssertionError", "Fusion only for eval!");
    }
    return with_python_errors([&] { return IValue(Ptr<Object>(fuse(module_in(given[0]), module_in(given[1])))); });
}
IValue fuse_conv_bn_eval(CallArguments arguments) {
    const BoundArguments given(arguments, "fuse_conv_bn_eval", {"conv", "bn", "transpose="});
    return fused_modules(given, [&](const auto& conv, const auto& bn) {
        return nn::fuse_conv_bn_eval(conv, bn, given.truth_or(2, false));
    });
}
IValue fuse_linear_bn_eval(CallArguments arguments) {
    const BoundArguments given(arguments, "fuse_linear_bn_eval", {"linear", "bn"});
    return fused_modules(given, [](const auto& linear, const auto& bn) { return nn::fuse_linear_bn_eval(linear, bn); });
}
IValue parameters_of_fusion(const nn::WeightAndBias& made) {
    return make_tuple({IValue(make_parameter(made.weight, requires_grad(made.weight))),
                       IValue(make_parameter(made.bias, requires_grad(made.bias)))});
}
IValue fuse_conv_bn_weights(CallArguments arguments) {
    const BoundArguments given(arguments, "fuse_conv_bn_weights",
                               {"conv_w", "conv_b", "bn_rm", "bn_rv", "bn_eps", "bn_w", "bn_b", "transpose="});
    return with_python_errors([&] {
        return parameters_of_fusion(nn::fuse_conv_bn_weights(
            tensor_in(given[0]), tensor_in(given[1]), tensor_in(given[2]), tensor_in(given[3]), to_float(given[4]),
            tensor_in(given[5]), tensor_in(given[6]), given.truth_or(7, false)));
    });
}
IValue fuse_linear_bn_weights(CallArguments arguments) {
    const BoundArguments given(arguments, "fuse_linear_bn_weights",
                               {"linear_w", "linear_b", "bn_rm", "bn_rv", "bn_eps", "bn_w", "bn_b"});
    return with_python_errors([&] {
        return parameters_of_fusion(nn::fuse_linear_bn_weights(
            tensor_in(given[0]), tensor_in(given[1]), tensor_in(given[2]), tensor_in(given[3]), to_float(given[4]),
            tensor_in(given[5]), tensor_in(given[6])));
    });
}

// ---- stateless

// Puts tensors in the place of parameters and buffers while it lives.
class Replaced {
  public:
    Replaced(nn::Module& module, const IValue& tensors) {
        for (const auto& [name, value] : tensors.to_dict().entries()) {
            const std::string path = str(name);
            const auto dot = path.rfind('.');
            const std::string last = dot == std::string::npos ? path : path.substr(dot + 1);
            const nn::ModulePtr owner = with_python_errors(
                [&] { return module.submodule(dot == std::string::npos ? "" : path.substr(0, dot)); });
            const IValue* found = owner->find_attribute(last);
            if (found == nullptr)
                throw_error("AttributeError",
                            concat("'", owner->class_name(), "' object has no attribute '", last, "'"));
            const auto slot = owner->type()->find_attribute(last);
            if (!slot) continue;
            before_.push_back({owner, *slot, *found});
            owner->set_slot(*slot, value);
        }
    }
    Replaced(const Replaced&) = delete;
    Replaced& operator=(const Replaced&) = delete;
    ~Replaced() {
        for (auto each = before_.rbegin(); each != before_.rend(); ++each)
            each->owner->set_slot(each->slot, std::move(each->value));
    }

  private:
    struct Place {
        nn::ModulePtr owner;
        std::size_t slot;
        IValue value;
    };
    std::vector<Place> before_;
};

IValue functional_call(CallArguments arguments) {
    const BoundArguments given(arguments, "functional_call", {"module", "parameters_and_buffers", "args", "kwargs="});
    CallArguments inner;
    inner.positional = given[2].is_tuple() ? given[2].to_tuple().elements : std::vector<IValue>{given[2]};
    if (given.has(3) && given[3].is_dict()) {
        for (const auto& [name, value] : given[3].to_dict().entries()) inner.keywords.emplace_back(str(name), value);
    }
    const Replaced replaced(self_module(given[0]), given[1]);
    return call(given[0], std::move(inner));
}

// ---- skip_init

IValue skip_init(CallArguments arguments) {
    const IValue cls = arguments.positional.at(0);
    const auto* object = object_as<ClassObject>(cls);
    if (object == nullptr || !object->is_subclass_of(*nn_module_class())) {
        throw_error("RuntimeError", concat("Expected a Module; got ", repr(cls)));
    }
    std::erase_if(arguments.keywords, [](const auto& keyword) { return keyword.first == "device"; });
    return call(cls, behind_self(std::move(arguments)));
}

// ---- hooks of all modules

IValue forward_pre_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_module_forward_pre_hook", {"hook"});
    const ProgramPreHook hook{given[0], false};
    return handle_object(
        nn::register_global_forward_pre_hook([hook](nn::Module& self, const std::vector<IValue>& inputs) {
            auto replaced = hook(self, {inputs, {}});
            return replaced ? std::optional(std::move(replaced->positional)) : std::nullopt;
        }));
}
IValue forward_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_module_forward_hook",
                               {"hook", "*", "with_kwargs=", "always_call="});
    return handle_object(nn::register_global_forward_hook(
        nn::ForwardHookWithKeywords(ProgramHook{given[0], given.truth_or(1, false)}), given.truth_or(2, false)));
}
IValue full_backward_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_module_full_backward_hook", {"hook"});
    return handle_object(nn::register_global_full_backward_hook(ProgramBackwardHook{given[0]}));
}
IValue full_backward_pre_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_module_full_backward_pre_hook", {"hook"});
    return handle_object(nn::register_global_full_backward_pre_hook(ProgramBackwardPreHook{given[0]}));
}
IValue registered(const IValue& hook, nn::Module& self, const std::string& name, const IValue& value) {
    return call(hook, std::vector<IValue>{Ptr<Object>(&self), name, value});
}
std::optional<Tensor> tensor_or_nothing(const IValue& value) {
    return value.is_tensor() ? std::optional(value.to_tensor()) : std::nullopt;
}
IValue parameter_hook(CallArguments arguments) {
    const IValue hook = BoundArguments(arguments, "register_module_parameter_registration_hook", {"hook"})[0];
    return handle_object(
        nn::register_parameter_registration_hook([hook](nn::Module& self, const std::string& name, const Tensor& t) {
            return tensor_or_nothing(registered(hook, self, name, t));
        }));
}
IValue buffer_hook(CallArguments arguments) {
    const IValue hook = BoundArguments(arguments, "register_module_buffer_registration_hook", {"hook"})[0];
    return handle_object(
        nn::register_buffer_registration_hook([hook](nn::Module& self, const std::string& name, const Tensor& t) {
            return tensor_or_nothing(registered(hook, self, name, t));
        }));
}
IValue module_hook(CallArguments arguments) {
    const IValue hook = BoundArguments(arguments, "register_module_module_registration_hook", {"hook"})[0];
    return handle_object(nn::register_module_registration_hook(
        [hook](nn::Module& self, const std::string& name, const nn::ModulePtr& child) -> std::optional<nn::ModulePtr> {
            nn::ModulePtr made = nn::as_module(registered(hook, self, name, Ptr<Object>(child)));
            return made ? std::optional(std::move(made)) : std::nullopt;
        }));
}

}  // namespace

void fill_nn_fusion(PythonModule& module) {
    module.define("fuse_conv_bn_eval", fuse_conv_bn_eval);
    module.define("fuse_linear_bn_eval", fuse_linear_bn_eval);
    module.define("fuse_conv_bn_weights", fuse_conv_bn_weights);
    module.define("fuse_linear_bn_weights", fuse_linear_bn_weights);
}
void fill_nn_stateless(PythonModule& module) { module.define("functional_call", functional_call); }
void define_nn_tools(PythonModule& module) {
    fill_nn_fusion(module);
    module.define("skip_init", skip_init);
}

void define_global_hooks(PythonModule& module) {
    module.define("register_module_forward_pre_hook", forward_pre_hook);
    module.define("register_module_forward_hook", forward_hook);
    module.define("register_module_full_backward_hook", full_backward_hook);
    module.define("register_module_backward_hook", full_backward_hook);
    module.define("register_module_full_backward_pre_hook", full_backward_pre_hook);
    module.define("register_module_parameter_registration_hook", parameter_hook);
    module.define("register_module_buffer_registration_hook", buffer_hook);
    module.define("register_module_module_registration_hook", module_hook);
}

}  // namespace loupe::python
