// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_nn.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "core/autograd/program_tracer.h"
#include "core/base/strings.h"
#include "core/nn/native_function.h"
#include "core/ops/numbers/warnings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_classes.h"
#include "core/python/torch/torch_module.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

NativeCallable::Body initialiser(const nn::LayerRecord& record) {
    return [&record](CallArguments arguments) -> IValue {
        nn::Module& self = module_self(arguments);
        with_python_errors([&] { nn::init_layer(self, record, container_arguments(std::move(arguments))); });
        return {};
    };
}

NativeCallable::Body forward_of(const nn::LayerRecord& record) {
    return [&record](CallArguments arguments) {
        nn::Module& self = module_self(arguments);
        return with_python_errors(
            [&] { return nn::call_forward(self, record, engine_values(behind_self(std::move(arguments)))); });
    };
}

// The module that static methods do not look at.
nn::Module& stateless_module() {
    static nn::Module* const module = [] {
        Ptr<nn::Module> made = nn::make_layer("Identity");
        return made.detach();
    }();
    return *module;
}

void define_methods(ClassObject& cls, const nn::LayerRecord& record) {
    for (const nn::LayerMethod& method : record.methods) {
        const std::string name(method.schema.substr(0, method.schema.find('(')));
        if (method.is_static) {
            cls.define_static(name, [&method](CallArguments arguments) {
                nn::Module& self = stateless_module();
                return with_python_errors(
                    [&] { return nn::call_method(self, method, engine_values(std::move(arguments))); });
            });
            continue;
        }
        cls.define(name, [&method](CallArguments arguments) {
            nn::Module& self = module_self(arguments);
            return with_python_errors(
                [&] { return nn::call_method(self, method, container_arguments(std::move(arguments))); });
        });
    }
    if (record.reset_parameters != nullptr) {
        cls.define("reset_parameters", [&record](CallArguments arguments) -> IValue {
            record.reset_parameters(module_self(arguments));
            return {};
        });
    }
    if (record.extra_repr != nullptr || !record.repr.empty()) {
        cls.define("extra_repr", [&record](CallArguments arguments) {
            return IValue(nn::extra_repr_of(module_self(arguments), record));
        });
    }
}

// nn.Embedding.from_pretrained(embeddings, freeze=True, ...).
IValue from_pretrained(CallArguments arguments) {
    if (arguments.positional.size() < 2 || !arguments.positional[1].is_tensor()) {
        throw_type_error("from_pretrained() missing 1 required positional argument: 'embeddings'");
    }
    const IValue cls = arguments.positional[0];
    const Tensor weight = arguments.positional[1].to_tensor();
    if (weight.dim() != 2) {
        throw_error("AssertionError", "Embeddings parameter is expected to be 2-dimensional");
    }
    IValue freeze = arguments.positional.size() > 2 ? arguments.positional[2] : IValue(true);
    std::erase_if(arguments.keywords, [&](const auto& keyword) {
        if (keyword.first != "freeze") return false;
        freeze = keyword.second;
        return true;
    });
    CallArguments call_arguments{{weight.size(0), weight.size(1)}, arguments.keywords};
    call_arguments.keywords.emplace_back("_weight", weight);
    const IValue out = call(cls, std::move(call_arguments));
    const IValue parameter = get_attribute(out, "weight");
    set_attribute(parameter, "requires_grad", !truth(freeze));
    return out;
}

// A size that is given once for all dimensions.
IValue default_of(const Argument& argument) {
    if (!argument.default_value) return {};
    const IValue& value = *argument.default_value;
    if (!value.is_list() || value.to_list().elements.empty()) return value;
    const auto& elements = value.to_list().elements;
    const bool is_same = std::all_of(elements.begin(), elements.end(), [&](const IValue& each) {
        return each.is_int() && elements.front().is_int() && each.to_int() == elements.front().to_int();
    });
    return is_same ? elements.front() : value;
}

// For inspect.signature: [(name, kind, has a default, default)], kinds as in inspect.Parameter.
IValue listed_parameters(const FunctionSchema& schema) {
    constexpr std::int64_t kEither = 1, kRest = 2, kKeywordOnly = 3;
    std::vector<IValue> all;
    for (const Argument& argument : schema.arguments) {
        all.push_back(make_tuple({IValue(argument.name), IValue(argument.kwarg_only ? kKeywordOnly : kEither),
                                  IValue(argument.default_value.has_value()), default_of(argument)}));
    }
    if (schema.is_vararg) all.push_back(make_tuple({IValue("args"), IValue(kRest), IValue(false), IValue()}));
    return make_tuple(std::move(all));
}

void define_signatures(ClassObject& cls, const nn::LayerRecord& record) {
    if (!record.constructor.empty())
        cls.attributes().set("_init_parameters", listed_parameters(nn::constructor_schema(record)));
    if (nn::has_forward(record))
        cls.attributes().set("_forward_parameters", listed_parameters(nn::forward_schema(record)));
}

ClassPtr make_layer_class(const nn::LayerRecord& record) {
    if (record.base.empty()) return nn_module_class();
    ClassPtr base = layer_class(record.base);
    const auto out = make_ptr<ClassObject>(std::string(record.name), std::string(record.module),
                                           std::vector<ClassPtr>{base ? base : nn_module_class()});
    out->set_builtin(nullptr);
    if (!record.constructor.empty() || record.init != nullptr) out->define("__init__", initialiser(record));
    if (record.forward != nullptr || !record.calls.empty()) out->define("forward", forward_of(record));
    define_methods(*out, record);
    define_container_methods(*out);
    define_signatures(*out, record);
    if (record.name == "Embedding" || record.name == "EmbeddingBag") {
        out->define_class_method("from_pretrained", from_pretrained);
    }
    return out;
}

// Lists of sizes that are tensors, as while a run is written down, go to layers as numbers; the recorder finds them
// in the lists that operators take.
class SizeLists {
  public:
    explicit SizeLists(CallArguments& arguments) {
        if (!ties_numbers()) return;
        for (IValue& value : arguments.positional) convert(value);
        for (auto& [name, value] : arguments.keywords) convert(value);
    }
    SizeLists(const SizeLists&) = delete;
    SizeLists& operator=(const SizeLists&) = delete;
    ~SizeLists() {
        if (has_any_) tie_number({});
    }

  private:
    static bool is_size_tensor(const IValue& value) {
        if (!value.is_tensor()) return false;
        const Tensor size = value.to_tensor();
        return size.dim() == 0 && size.dtype() == ScalarType::Int64;
    }

    void convert(IValue& value) {
        if (!value.is_list() && !value.is_tuple()) return;
        const std::vector<IValue> elements = value.is_list() ? value.to_list().elements : value.to_tuple().elements;
        Dims numbers;
        bool has_tensor = false;
        for (const IValue& element : elements) {
            if (!element.is_int() && !is_size_tensor(element)) return;
            has_tensor = has_tensor || element.is_tensor();
            numbers.push_back(element.is_int() ? element.to_int() : item(element.to_tensor()).to_int());
        }
        if (!has_tensor) return;
        has_any_ = true;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (elements[i].is_tensor())
                tie_number({nullptr, 0, static_cast<int>(i), NumberTie::As::Int, elements[i].to_tensor(), numbers});
        }
        std::vector<IValue> plain(numbers.begin(), numbers.end());
        value = value.is_list() ? make_list(std::move(plain)) : make_tuple(std::move(plain));
    }

    bool has_any_ = false;
};

void define_functions(PythonModule& module, std::span<const nn::NativeFunction* const> records) {
    for (const nn::NativeFunction* record : records) {
        const std::string name(record->name());
        module.define(name, with_override(name, [record](CallArguments arguments) {
                          const SizeLists sizes(arguments);
                          return with_python_errors(
                              [&] { return nn::call_function(*record, engine_values(std::move(arguments))); });
                      }));
    }
}

}  // namespace

ClassPtr layer_class(std::string_view name) {
    static std::recursive_mutex mutex;
    static std::map<std::string, ClassPtr, std::less<>> classes;
    const nn::LayerRecord* record = nn::find_layer(name);
    if (record == nullptr) return nullptr;
    const std::scoped_lock lock(mutex);
    const auto found = classes.find(name);
    if (found != classes.end()) return found->second;
    return classes[std::string(name)] = make_layer_class(*record);
}

ClassPtr module_class_of(const IValue& object) {
    if (!object.is_object()) return nullptr;
    auto* module = dynamic_cast<nn::Module*>(object.object_pointer());
    if (module == nullptr) return nullptr;
    if (auto* cls = dynamic_cast<ClassObject*>(module->dynamic_class().get())) return ClassPtr(cls);
    const nn::LayerRecord* record = module->layer();
    if (record == nullptr) return nullptr;
    const ClassPtr cls = layer_class(record->name);
    return cls ? cls : nn_module_class();
}

namespace {

// torch.nn.modules.batchnorm and its like.
void define_layer_files(PythonModule& module) {
    const std::string prefix = module.name() + ".";
    std::set<std::string_view> seen;
    for (const nn::LayerRecord* record : nn::layer_records()) {
        if (!record->module.starts_with(prefix) || !seen.insert(record->module).second) continue;
        define_submodule(module, record->module.substr(prefix.size()), record->module);
    }
}

}  // namespace

void fill_torch_nn(PythonModule& module) {
    for (const nn::LayerRecord* record : nn::layer_records()) {
        // Over ranks it is Python's.
        if (!record->module.starts_with("torch.nn.modules.") || record->name == "SyncBatchNorm") continue;
        const ClassPtr cls = layer_class(record->name);
        module.define(std::string(record->name), IValue::other(cls));
    }
    module.define("Module", IValue::other(nn_module_class()));
    module.define("Parameter", IValue::other(parameter_class()));
    module.define_from("DataParallel", "torch.nn.parallel");
    module.define_from("SyncBatchNorm", "torch.nn._sync_batch_norm");
    module.define_from("Buffer", "torch.nn._buffers");
    for (const char* name : {"functional", "init", "parameter", "utils"}) {
        define_submodule(module, name, concat("torch.nn.", name));
    }
    // torch.nn.modules has the same names.
    if (module.name() == "torch.nn")
        define_submodule(module, "modules", "torch.nn.modules");
    else
        define_layer_files(module);
}

void fill_nn_modules_utils(PythonModule& module) {
    static constexpr std::pair<const char*, std::size_t> kRepeaters[] = {
        {"_single", 1}, {"_pair", 2}, {"_triple", 3}, {"_quadruple", 4}};
    for (const auto& [name, count] : kRepeaters) {
        module.define(name, [times = count](CallArguments arguments) {
            const IValue value = first_argument(std::move(arguments));
            if (value.is_list() || value.is_tuple()) return make_tuple(to_vector(value));
            return make_tuple(std::vector<IValue>(times, value));
        });
    }
}

void fill_nn_layer_file(PythonModule& module) {
    if (module.name() == "torch.nn.modules.module") define_global_hooks(module);
    for (const nn::LayerRecord* record : nn::layer_records()) {
        if (record->module == module.name() && record->name != "SyncBatchNorm")
            module.define(std::string(record->name), IValue::other(layer_class(record->name)));
    }
    if (module.name() != "torch.nn.modules.batchnorm") return;
    module.define("_LocalSyncBatchNorm", IValue::other(layer_class("SyncBatchNorm")));  // of one rank
    module.define_from("SyncBatchNorm", "torch.nn._sync_batch_norm");
}

void fill_nn_functional(PythonModule& module) {
    define_functions(module, nn::functional_records());
    for (const char* name : {"sigmoid", "tanh"}) {  // the layers call what does not warn
        const nn::NativeFunction* function = nn::find_functional(name);
        module.define(name, [function, name](CallArguments arguments) {
            warn(concat("nn.functional.", name, " is deprecated. Use torch.", name, " instead."));
            return with_python_errors(
                [&] { return nn::call_function(*function, engine_values(std::move(arguments))); });
        });
    }
    // Those that torch.nn.functional has from torch.
    for (const char* name : {"conv1d",
                             "conv2d",
                             "conv3d",
                             "conv_transpose1d",
                             "conv_transpose2d",
                             "conv_transpose3d",
                             "conv_tbc",
                             "avg_pool1d",
                             "avg_pool2d",
                             "avg_pool3d",
                             "relu_",
                             "threshold_",
                             "rrelu_",
                             "celu_",
                             "selu_",
                             "logsigmoid",
                             "gelu",
                             "linear",
                             "bilinear",
                             "pixel_shuffle",
                             "pixel_unshuffle",
                             "channel_shuffle",
                             "native_channel_shuffle",
                             "pairwise_distance",
                             "pdist",
                             "cosine_similarity",
                             "one_hot",
                             "softplus",
                             "hardshrink",
                             "prelu"}) {
        if (nn::find_functional(name) != nullptr) continue;
        const std::string_view op = std::string_view(name) == "logsigmoid" ? "log_sigmoid" : name;
        if (find_signatures(op, false) != nullptr) module.define(name, operator_function(op, name));
    }
}

void fill_nn_init(PythonModule& module) {
    define_functions(module, nn::init_records());
    for (const char* name : {"kaiming_uniform_", "kaiming_normal_"}) {
        const nn::NativeFunction* function = nn::find_init(name);
        module.define(name, [function](CallArguments arguments) {
            const bool is_empty = !arguments.positional.empty() && arguments.positional[0].is_tensor() &&
                                  arguments.positional[0].to_tensor().numel() == 0;
            if (is_empty) warn("Initializing zero-element tensors is a no-op");
            return with_python_errors(
                [&] { return nn::call_function(*function, engine_values(std::move(arguments))); });
        });
    }
    // The names of before there was an underscore.
    for (const char* name : {"uniform", "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal",
                             "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse"}) {
        const nn::NativeFunction* function = nn::find_init(concat(name, "_"));
        if (function == nullptr) continue;
        module.define(name, [function, name](CallArguments arguments) {
            warn(concat("nn.init.", name, " is now deprecated in favor of nn.init.", name, "_."));
            return with_python_errors(
                [&] { return nn::call_function(*function, engine_values(std::move(arguments))); });
        });
    }
}

void fill_nn_parameter(PythonModule& module) {
    module.define("Parameter", IValue::other(parameter_class()));
    for (const char* name : {"Buffer", "UninitializedParameter", "UninitializedBuffer", "is_lazy"})
        module.define_from(name, "torch.nn._buffers");
}

}  // namespace loupe::python
