// SPDX-License-Identifier: Apache-2.0
#include "core/nn/utils/parametrize.h"

#include <map>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/layer.h"
#include "core/nn/utils/right_inverse.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn {
namespace {

const std::string kField = "parametrizations";

// Depth of `cached` scopes, and the tensors computed in them, by list.
struct Cache {
    int depth = 0;
    std::map<const Module*, std::pair<ModulePtr, IValue>> values;
};
thread_local Cache cache;

std::string torch_dtype(const Tensor& t) { return concat("torch.", dtype_name(t.dtype())); }
std::string torch_size(const Tensor& t) { return concat("torch.Size(", shape_list_text(t.sizes()), ")"); }
bool same_sizes(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.sizes(), b.sizes()); }

Tensor tensor_result(const IValue& value) {
    if (!value.is_tensor())
        fail_with_value(concat("A parametrization must return a tensor. Got ", python_type_name(value), "."));
    return value.to_tensor();
}

void register_like(Module& module, const std::string& name, const Tensor& tensor) {
    if (is_parameter(tensor))
        module.register_parameter(name, tensor);
    else
        module.register_buffer(name, tensor);
}

// t's object with the elements of `from`; Tensor.set_.
void set_elements(const Tensor& t, const Tensor& from) {
    t.set_metadata_from(from);
    t.storage()->bump_version();
}

ModulePtr lists_of(const Module& module) {
    const IValue* found = module.find_attribute(kField);
    ModulePtr lists = found != nullptr ? as_module(*found) : nullptr;
    return lists && lists->layer() != nullptr && is_derived(*lists->layer(), "ModuleDict") ? lists : nullptr;
}

std::vector<ModulePtr> steps_of(const Module& list) {
    std::vector<ModulePtr> out;
    for (auto& child : list.children()) out.push_back(std::move(child.second));
    return out;
}

bool flag_of(const Module& module, const char* name) { return module.attribute(name).to_bool(); }
std::size_t count_of(const Module& list) { return static_cast<std::size_t>(list.attribute("ntensors").to_int()); }
std::string original_name(std::size_t i) { return concat("original", i); }

IValue value_of(Module& list) {
    const auto steps = steps_of(list);
    std::vector<IValue> originals;
    if (flag_of(list, "is_tensor")) {
        originals.push_back(list.attribute("original"));
    } else {
        for (std::size_t i = 0; i < count_of(list); ++i) originals.push_back(list.attribute(original_name(i)));
    }
    IValue value = steps.front()->call(std::move(originals));
    for (std::size_t i = 1; i < steps.size(); ++i) value = steps[i]->call({value});
    return value;
}

IValue read_parametrized(Module& module, const std::string& name) {
    const ModulePtr list = parametrization_list(module, name);
    if (cache.depth == 0) return list->call({});
    const auto known = cache.values.find(list.get());
    if (known != cache.values.end()) return known->second.second;
    IValue value = list->call({});
    cache.values.emplace(list.get(), std::pair(list, value));
    return value;
}

const std::vector<IValue>* sequence_in(const IValue& value) {
    if (value.is_tuple()) return &value.to_tuple().elements;
    return value.is_list() ? &value.to_list().elements : nullptr;
}

void assign_parametrized(Module& list, IValue value) {
    const GradModeScope no_grad(false);
    const auto steps = steps_of(list);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if (!has_right_inverse(**step)) {
            throw Error(ErrorKind::Run,
                        concat("parametrization ", (*step)->class_name(), " does not implement right_inverse."));
        }
        value = call_right_inverse(**step, value);
    }
    if (flag_of(list, "is_tensor")) {
        if (!value.is_tensor())
            fail_with_value(concat("`right_inverse` should return a tensor. Got ", python_type_name(value)));
        const Tensor original = list.attribute("original").to_tensor(), given = value.to_tensor();
        if (original.dtype() != given.dtype()) {
            fail_with_value(concat("The tensor returned by `right_inverse` has dtype ", torch_dtype(given),
                                   " while `original` has dtype ", torch_dtype(original)));
        }
        return set_elements(original, given);
    }
    const auto* elements = sequence_in(value);
    if (elements == nullptr) {
        fail_with_value(
            concat("'right_inverse' must return a sequence of tensors. Got ", python_type_name(value), "."));
    }
    if (elements->size() != count_of(list)) {
        fail_with_value(concat("'right_inverse' must return a sequence of tensors of length ", count_of(list),
                               ". Got a sequence of lenght ", elements->size(), "."));
    }
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const IValue& element = (*elements)[i];
        if (!element.is_tensor()) {
            fail_with_value(concat("`right_inverse` must return a sequence of tensors. Got element ", i, " of type ",
                                   python_type_name(element)));
        }
        const Tensor original = list.attribute(original_name(i)).to_tensor(), given = element.to_tensor();
        if (original.dtype() != given.dtype()) {
            fail_with_value(concat("Tensor ", i, " returned by `right_inverse` has dtype ", torch_dtype(given),
                                   " while `original", i, "` has dtype ", torch_dtype(original)));
        }
        set_elements(original, given);
    }
}

// The results of right_inverse, under the names original, or original0, original1...
void register_originals(Module& list, const Tensor& original, const IValue& made) {
    const auto* elements = sequence_in(made);
    if (!made.is_tensor() && elements == nullptr) {
        fail_with_value(concat("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got ",
                               python_type_name(made)));
    }
    list.set_attribute("is_tensor", made.is_tensor());
    list.set_attribute("ntensors", static_cast<std::int64_t>(elements != nullptr ? elements->size() : 1));
    if (made.is_tensor()) {
        const Tensor t = made.to_tensor();
        if (t.dtype() != original.dtype()) {
            fail_with_value(
                concat("When `right_inverse` outputs one tensor, it may not change the dtype.\noriginal.dtype: ",
                       torch_dtype(original), "\nright_inverse(original).dtype: ", torch_dtype(t)));
        }
        // The object stays the same, so that optimisers keep working.
        if (!t.is_same(original)) set_elements(original, t);
        return register_like(list, "original", original);
    }
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const IValue& element = (*elements)[i];
        if (!element.is_tensor()) {
            fail_with_value(
                concat("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element ",
                       i, " of the sequence with type ", python_type_name(element), "."));
        }
        Tensor t = element.to_tensor();
        if (is_parameter(original)) t = make_parameter(t, requires_grad(original));
        register_like(list, original_name(i), t);
    }
}

ModulePtr make_list_of(const ModulePtr& parametrization, const Tensor& original, bool unsafe) {
    const Dims sizes = to_dims(original.sizes());
    const ScalarType dtype = original.dtype();
    const ModulePtr list = make_layer("ParametrizationList");
    list->register_module("0", parametrization);
    list->set_attribute("unsafe", unsafe);
    IValue made = original;
    if (has_right_inverse(*parametrization)) {
        const GradModeScope no_grad(false);
        made = call_right_inverse(*parametrization, made);
    }
    register_originals(*list, original, made);
    if (unsafe) return list;
    const Tensor result = tensor_result(list->call({}));
    if (result.dtype() != dtype) {
        fail_with_value(concat(
            "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\n"
            "unparametrized dtype: torch.",
            dtype_name(dtype), "\nparametrized dtype: ", torch_dtype(result)));
    }
    if (!std::ranges::equal(result.sizes(), sizes)) {
        fail_with_value(concat(
            "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
            "unparametrized shape: torch.Size(",
            shape_list_text(span_of(sizes)), ")\nparametrized shape: ", torch_size(result)));
    }
    return list;
}

// One more parametrization must go from the tensor's shape and dtype to the same, and back.
void check_further(Module& module, const std::string& name, Module& parametrization) {
    const Tensor y = module.attribute(name).to_tensor();
    const Tensor x = tensor_result(parametrization.call({y}));
    const std::string start = "Registering a parametrization may not change the ";
    const std::string which = " of the tensor, unless the `unsafe` flag is enabled.\n";
    if (x.dtype() != y.dtype()) {
        fail_with_value(concat(start, "dtype", which, "module.", name, ".dtype: ", torch_dtype(y),
                               "\nparametrization(module.", name, ").dtype: ", torch_dtype(x)));
    }
    if (!same_sizes(x, y)) {
        fail_with_value(concat(start, "shape", which, "module.", name, ".shape: ", torch_size(y),
                               "\nparametrization(module.", name, ").shape: ", torch_size(x)));
    }
    if (!has_right_inverse(parametrization)) return;
    const IValue back = call_right_inverse(parametrization, x);
    if (!back.is_tensor())
        fail_with_value(concat("parametrization.right_inverse must return a tensor. Got: ", python_type_name(back)));
    const Tensor z = back.to_tensor();
    const std::string same = "The tensor returned by parametrization.right_inverse must have the same ";
    if (z.dtype() != y.dtype()) {
        fail_with_value(concat(same, "dtype as module.", name, ", unless the `unsafe` flag is enabled.\nmodule.", name,
                               ".dtype: ", torch_dtype(y), "\nreturned dtype: ", torch_dtype(z)));
    }
    if (!same_sizes(z, y)) {
        fail_with_value(concat(same, "shape as module.", name, ", unless the `unsafe` flag is enabled.\nmodule.", name,
                               ".shape: ", torch_size(y), "\nreturned shape: ", torch_size(z)));
    }
}

void start(Module& module, const std::string& name, const ModulePtr& parametrization, bool unsafe) {
    const Tensor original = module.attribute(name).to_tensor();
    const ModulePtr list = make_list_of(parametrization, original, unsafe);
    module.delete_attribute(name);
    if (!is_parametrized(module)) {
        module.set_dynamic_class(module.dynamic_class(), "Parametrized" + module.class_name());
        module.register_module(kField, make_layer("ModuleDict"));
    }
    module.set_computed(
        {.name = name,
         .get = [name](Module& self) { return read_parametrized(self, name); },
         .set = [name](Module& self,
                       IValue value) { assign_parametrized(*parametrization_list(self, name), std::move(value)); }});
    lists_of(module)->register_module(name, list);
}

}  // namespace

IValue parametrized_value(Module& list) { return value_of(list); }
void set_parametrized_value(Module& list, IValue value) { assign_parametrized(list, std::move(value)); }

bool has_right_inverse(const Module& module) {
    if (module.method("right_inverse") != nullptr) return true;
    return module.layer() != nullptr && find_method(*module.layer(), "right_inverse") != nullptr;
}
IValue call_right_inverse(Module& module, const IValue& value) {
    try {
        if (const ForwardWithKeywords* own = module.method("right_inverse")) return (*own)(module, {{value}, {}});
        return call_method(module, *find_method(*module.layer(), "right_inverse"), {{value}, {}});
    } catch (const TypedError& error) {
        if (error.exception() != "NotImplementedError") throw;
        return value;  // taken for the identity
    }
}

void register_parametrization(Module& module, const std::string& name, const ModulePtr& parametrization, bool unsafe) {
    parametrization->train(module.is_training());
    if (is_parametrized(module, name)) {
        if (!unsafe) check_further(module, name, *parametrization);
        const ModulePtr list = parametrization_list(module, name);
        list->register_module(std::to_string(list->children().size()), parametrization);
        if (unsafe) list->set_attribute("unsafe", true);
        return;
    }
    const auto kind = module.attribute_kind(name);
    if (kind != AttributeKind::Buffer && kind != AttributeKind::Parameter) {
        fail_with_value(concat("Module '", module.str(),
                               "' does not have a parameter, a buffer, or a parametrized element with name '", name,
                               "'"));
    }
    start(module, name, parametrization, unsafe);
}

void remove_parametrizations(Module& module, const std::string& name, bool leave_parametrized) {
    const ModulePtr list = parametrization_list(module, name);
    if (!list) fail_with_value(concat("Module ", module.str(), " does not have a parametrization on ", name));
    Tensor original;
    if (flag_of(*list, "is_tensor")) {
        original = list->attribute("original").to_tensor();
        if (leave_parametrized) {
            const GradModeScope no_grad(false);
            const Tensor computed = module.attribute(name).to_tensor();
            if (!computed.defined())
                fail_with_value(concat("The parametrization of ", name, " gives None, which cannot take its place"));
            set_elements(original, computed);
        }
    } else {
        if (!leave_parametrized) {
            fail_with_value(
                "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
                "sequence of tensors.");
        }
        const Tensor t = module.attribute(name).to_tensor();
        if (!t.defined())
            fail_with_value(concat("The parametrization of ", name, " gives None, which cannot take its place"));
        original = requires_grad(t) ? make_parameter(t) : t;
    }
    module.remove_computed(name);
    const ModulePtr lists = lists_of(module);
    lists->delete_attribute(name);
    register_like(module, name, original);
    if (!lists->children().empty()) return;
    module.delete_attribute(kField);
    const std::string before = class_name_before_parametrizations(module);
    const bool is_plain_layer = module.layer() != nullptr && module.layer()->name == before && !module.dynamic_class();
    module.set_dynamic_class(module.dynamic_class(), is_plain_layer ? "" : before);
}

bool is_parametrized(const Module& module) {
    const ModulePtr lists = lists_of(module);
    return lists && !lists->children().empty();
}
bool is_parametrized(const Module& module, std::string_view name) {
    return parametrization_list(module, name) != nullptr;
}

ModulePtr parametrization_list(const Module& module, std::string_view name) {
    const ModulePtr lists = lists_of(module);
    if (!lists || lists->attribute_kind(name) != AttributeKind::Module) return nullptr;
    return as_module(lists->attribute(name));
}

std::string class_name_before_parametrizations(const Module& module) {
    constexpr std::string_view kStart = "Parametrized";
    const std::string name = module.class_name();
    return name.starts_with(kStart) ? name.substr(kStart.size()) : name;
}

void transfer_parametrizations_and_params(Module& from, Module& to, std::optional<std::string> tensor_name) {
    if (!is_parametrized(from)) return;
    for (const auto& [name, list] : lists_of(from)->children()) {
        if (tensor_name && name != *tensor_name) continue;
        if (to.find_attribute(name) == nullptr)
            to.register_parameter(name, make_parameter(detach(from.attribute(name).to_tensor())));
        for (const ModulePtr& step : steps_of(*list)) register_parametrization(to, name, step);
        const ModulePtr target = parametrization_list(to, name);
        for (const auto& [original, tensor] : list->own_parameters()) target->set_attribute(original, tensor);
        for (const auto& [original, tensor] : list->own_buffers()) target->set_attribute(original, tensor);
    }
}

std::vector<ParametrizationInfo> parametrizations_of(const Module& module) {
    std::vector<ParametrizationInfo> out;
    const ModulePtr lists = lists_of(module);
    if (!lists) return out;
    for (const auto& [name, list] : lists->children()) {
        ParametrizationInfo info{name, {}, {}, flag_of(*list, "unsafe")};
        for (const auto& [original, tensor] : list->own_parameters())
            info.originals.push_back(concat(kField, ".", name, ".", original));
        for (const auto& [original, tensor] : list->own_buffers())
            info.originals.push_back(concat(kField, ".", name, ".", original));
        for (const ModulePtr& step : steps_of(*list)) info.parametrizations.push_back(step->str());
        out.push_back(std::move(info));
    }
    return out;
}

ParametrizationCache::ParametrizationCache() { ++cache.depth; }
ParametrizationCache::~ParametrizationCache() {
    if (--cache.depth == 0) cache.values.clear();
}

}  // namespace loupe::nn
