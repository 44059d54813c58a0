// SPDX-License-Identifier: Apache-2.0
#include "core/nn/utils/norm_hooks.h"

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/layer.h"
#include "core/nn/native_function.h"
#include "core/nn/utils/hook_search.h"

namespace loupe::nn {
namespace {

const OperatorHandle<> weight_norm_of("aten::_weight_norm");
const OperatorHandle<> norm_except_dim("aten::norm_except_dim");
const OperatorHandle<> multi_dot("aten::linalg_multi_dot");
const OperatorHandle<> pinverse("aten::pinverse");

Tensor tensor_of(const Module& module, const std::string& name) { return module.attribute(name).to_tensor(); }

Tensor parameter_to_replace(const Module& module, const std::string& name, const char* who, const char* what) {
    if (module.is_uninitialized(name)) {
        fail_with_value(concat("The module passed to `", who,
                               "` can't have uninitialized parameters. Make sure to run the dummy forward "
                               "before applying ",
                               what, " normalization"));
    }
    return tensor_of(module, name);
}

struct WeightNormHook {
    std::string name;
    std::int64_t dim;

    Tensor weight(const Module& module) const {
        return weight_norm_of(tensor_of(module, name + "_v"), tensor_of(module, name + "_g"), dim);
    }
    std::optional<CallArguments> operator()(Module& module, const CallArguments&) const {
        module.set_attribute(name, weight(module));
        return std::nullopt;
    }
};

struct SpectralNormHook {
    std::string name;
    std::int64_t dim;
    std::int64_t n_power_iterations;
    double eps;

    Tensor matrix(const Tensor& weight) const {
        Dims order{dim};
        for (std::int64_t d = 0; d < weight.dim(); ++d) {
            if (d != dim) order.push_back(d);
        }
        return fn::reshape(dim == 0 ? weight : fn::permute(weight, order), Dims{weight.size(dim), -1});
    }
    Tensor normalized(const Tensor& t) const {
        static const NativeFunction* const normalize = find_functional("normalize");
        return call_function(*normalize, {{t}, {{"dim", 0}, {"eps", eps}}}).to_tensor();
    }
    Tensor weight(const Module& module, bool iterates) const {
        const Tensor original = tensor_of(module, name + "_orig");
        Tensor u = tensor_of(module, name + "_u"), v = tensor_of(module, name + "_v");
        const Tensor w = matrix(original);
        if (iterates) {
            const GradModeScope no_grad(false);
            for (std::int64_t i = 0; i < n_power_iterations; ++i) {
                fn::copy_(v, normalized(fn::mv(fn::t(w), u)), false);
                fn::copy_(u, normalized(fn::mv(w, v)), false);
            }
            u = fn::clone(u, 0);
            v = fn::clone(v, 0);
        }
        return fn::div(original, fn::dot(u, fn::mv(w, v)));
    }
    std::optional<CallArguments> operator()(Module& module, const CallArguments&) const {
        module.set_attribute(name, weight(module, module.is_training()));
        return std::nullopt;
    }
};

// States of before there was a version have the computed weight and no v.
struct SpectralLoadHook {
    SpectralNormHook hook;

    void operator()(Module&, Named<Tensor>& state, const std::string& prefix, bool strict, LoadReport& report) const {
        const std::string key = prefix + hook.name;
        const auto find = [&](const std::string& suffix) {
            return std::find_if(state.begin(), state.end(),
                                [&](const auto& entry) { return entry.first == key + suffix; });
        };
        const bool has_all = find("_orig") != state.end() && find("_u") != state.end() && find("_v") != state.end();
        if (find("") == state.end() && (has_all || find("_v") != state.end() || find("_orig") == state.end())) return;
        bool misses = false;
        for (const char* suffix : {"_orig", "", "_u"}) {
            if (find(suffix) != state.end()) continue;
            misses = true;
            if (strict) report.missing_keys.push_back(key + suffix);
        }
        if (misses) return;
        const GradModeScope no_grad(false);
        const Tensor original = find("_orig")->second, weight = find("")->second, u = find("_u")->second;
        state.erase(find(""));
        const Tensor sigma = fn::mean(fn::div(original, weight), IValue());
        const Tensor w = hook.matrix(original);
        const Tensor v =
            fn::squeeze(multi_dot(TensorList{pinverse(fn::mm(fn::t(w), w), 1e-15), fn::t(w), fn::unsqueeze(u, 1)}), 1);
        const Tensor scaled = fn::mul(v, fn::div(sigma, fn::dot(u, fn::mv(w, v))));
        if (find("_v") != state.end())
            find("_v")->second = scaled;
        else
            state.emplace_back(key + "_v", scaled);
    }
};

template <typename Hook>
void refuse_second(Module& module, const std::string& name, const char* what) {
    if (find_hook<Hook>(module.hooks().forward_pre, [&](const Hook& hook) { return hook.name == name; }) == nullptr)
        return;
    throw Error(ErrorKind::Run, concat("Cannot register two ", what, " hooks on the same parameter ", name));
}

template <typename Hook>
Hook taken_hook(Module& module, const std::string& name, const char* what) {
    const auto is_it = [&](const Hook& hook) { return hook.name == name; };
    const Hook* found = find_hook<Hook>(module.hooks().forward_pre, is_it);
    if (found == nullptr) fail_with_value(concat(what, " of '", name, "' not found in ", module.str()));
    Hook copy = *found;
    remove_hook<Hook>(module.hooks().forward_pre, is_it);
    return copy;
}

}  // namespace

void weight_norm(Module& module, const std::string& name, std::optional<std::int64_t> given_dim) {
    refuse_second<WeightNormHook>(module, name, "weight_norm");
    const WeightNormHook hook{name, given_dim.value_or(-1)};
    const Tensor weight = parameter_to_replace(module, name, "WeightNorm", "weight");
    module.delete_attribute(name);
    const Tensor data = detach(weight);
    module.register_parameter(name + "_g", make_parameter(norm_except_dim(data, 2, hook.dim)));
    module.register_parameter(name + "_v", make_parameter(data));
    module.set_attribute(name, hook.weight(module));
    module.register_forward_pre_hook(ForwardPreHookWithKeywords(hook));
}

void remove_weight_norm(Module& module, const std::string& name) {
    const auto hook = taken_hook<WeightNormHook>(module, name, "weight_norm");
    const Tensor weight = hook.weight(module);
    for (const char* suffix : {"", "_g", "_v"}) module.delete_attribute(name + suffix);
    module.set_attribute(name, make_parameter(detach(weight)));
}

void spectral_norm(Module& module, const std::string& name, std::int64_t n_power_iterations, double eps,
                   std::optional<std::int64_t> dim) {
    const auto is = [&](std::string_view layer) {
        return module.layer() != nullptr && is_derived(*module.layer(), layer);
    };
    if (!dim) dim = is("ConvTranspose1d") || is("ConvTranspose2d") || is("ConvTranspose3d") ? 1 : 0;
    refuse_second<SpectralNormHook>(module, name, "spectral_norm");
    if (n_power_iterations <= 0) {
        fail_with_value(
            concat("Expected n_power_iterations to be positive, but got n_power_iterations=", n_power_iterations));
    }
    const SpectralNormHook hook{name, *dim, n_power_iterations, eps};
    if (module.attribute_kind(name) != AttributeKind::Parameter) throw TypedError("KeyError", concat("'", name, "'"));
    if (module.attribute(name).is_none())
        fail_with_value(concat("`SpectralNorm` cannot be applied as parameter `", name, "` is None"));
    const Tensor weight = parameter_to_replace(module, name, "SpectralNorm", "spectral");
    Tensor u, v;
    {
        const GradModeScope no_grad(false);
        const Tensor matrix = hook.matrix(weight);
        const auto drawn = [&](std::int64_t size) {
            const Dims sizes{size};
            return hook.normalized(fn::normal_(empty(span_of(sizes), weight.dtype(), weight.device()), 0.0, 1.0));
        };
        u = drawn(matrix.size(0));
        v = drawn(matrix.size(1));
    }
    module.delete_attribute(name);
    module.register_parameter(name + "_orig", weight);
    module.set_attribute(name, detach(weight));
    module.register_buffer(name + "_u", u);
    module.register_buffer(name + "_v", v);
    module.register_forward_pre_hook(ForwardPreHookWithKeywords(hook));
    module.register_load_state_dict_pre_hook(SpectralLoadHook{hook});
}

void remove_spectral_norm(Module& module, const std::string& name) {
    const auto hook = taken_hook<SpectralNormHook>(module, name, "spectral_norm");
    const GradModeScope no_grad(false);
    const Tensor weight = hook.weight(module, false);
    for (const char* suffix : {"", "_u", "_v", "_orig"}) module.delete_attribute(name + suffix);
    module.register_parameter(name, make_parameter(detach(weight)));
    remove_hook<SpectralLoadHook>(module.hooks().load_pre,
                                  [&](const SpectralLoadHook& each) { return each.hook.name == name; });
}

std::vector<std::string> norm_hooks_of(Module& module) {
    std::vector<std::string> out;
    for (const auto& entry : module.hooks().forward_pre.snapshot()) {
        if (const auto* hook = entry.hook.target<WeightNormHook>()) out.push_back("weight_norm of " + hook->name);
        if (const auto* hook = entry.hook.target<SpectralNormHook>()) out.push_back("spectral_norm of " + hook->name);
    }
    return out;
}

}  // namespace loupe::nn
