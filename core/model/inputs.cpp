// SPDX-License-Identifier: Apache-2.0
#include "core/model/inputs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <random>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/numpy/dtype_code.h"
#include "core/model/input_file.h"
#include "core/model/literal.h"

namespace loupe::session {
namespace {

[[noreturn]] void usage(std::string message, std::string hint = kInputSpecHint) {
    throw Error(ErrorKind::Usage, std::move(message), {.hint = std::move(hint)});
}

Tensor generated(const InputSpec& spec, ScalarType dtype) {
    const MemoryCategoryScope category(MemoryCategory::Input);
    Tensor t = empty(spec.shape, dtype);
    std::mt19937_64 engine(spec.seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::uniform_int_distribution<std::int64_t> whole(spec.low, std::max(spec.low, spec.high - 1));
    const auto draw = [&](std::int64_t i) -> double {
        switch (spec.source) {
            case InputSpec::Source::Zeros:
                return 0;
            case InputSpec::Source::Ones:
                return 1;
            case InputSpec::Source::Arange:
                return static_cast<double>(i);
            case InputSpec::Source::Random:
                return is_integral(dtype) ? static_cast<double>(whole(engine)) : uniform(engine);
            default:
                return is_integral(dtype) ? static_cast<double>(whole(engine)) : normal(engine);
        }
    };
    visit_any_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        T* data = t.data<T>();
        for (std::int64_t i = 0; i < t.numel(); ++i) {
            if constexpr (is_complex(scalar_type_of<T>)) {
                const double real = draw(i);
                data[i] = Scalar(std::complex<double>(real, draw(i))).to<T>();
            } else if constexpr (std::is_same_v<T, bool>) {
                data[i] = spec.source == InputSpec::Source::Normal || spec.source == InputSpec::Source::Random
                              ? (engine() & 1) != 0
                              : draw(i) != 0;
            } else {
                data[i] = Scalar(draw(i)).to<T>();
            }
        }
    });
    return t;
}

Tensor tensor_from(const InputSpec& spec) {
    if (spec.source == InputSpec::Source::File) {
        Tensor t = read_input_tensor(spec.file, spec.key);
        // Arrays hold the dtypes that NumPy lacks as wider ones.
        const auto wanted = dtype_from_name(spec.dtype);
        const bool is_narrowed = wanted && numpy_code(*wanted).empty() &&
                                 t.dtype() == (is_complex(*wanted) ? ScalarType::Complex64 : ScalarType::Float32);
        if (is_narrowed) t = fn::to_dtype(t, static_cast<std::int64_t>(*wanted));
        t.storage()->set_category(MemoryCategory::Input);
        return t;
    }
    const auto dtype = dtype_from_name(spec.dtype);
    if (!dtype) usage(concat("unknown dtype '", spec.dtype, "'"));
    return generated(spec, *dtype);
}

// A tensor whose elements are given.
Tensor listed(const InputSpec& spec) {
    const auto dtype = dtype_from_name(spec.dtype);
    if (!dtype) usage(concat("unknown dtype '", spec.dtype, "'"));
    const IValue list = literal_value(*spec.literal, *types::list(types::integer()));
    const auto& elements = list.to_list().elements;
    const Tensor t = empty(spec.shape, *dtype);
    if (std::ssize(elements) != t.numel())
        usage(concat(counted(elements.size(), "element"), " for ", shape_text(spec.shape)));
    t.storage()->set_category(MemoryCategory::Input);
    visit_dtype(*dtype, [&]<typename T>(std::type_identity<T>) {
        T* to = t.data<T>();
        for (const IValue& element : elements) *to++ = Scalar(element.to_int()).to<T>();
    });
    return t;
}

const Type& unwrapped(const Type& type) { return type.kind() == TypeKind::Optional ? *type.element() : type; }

// A tensor that the first layer with parameters takes.
InputSpec guess_tensor(const ModelInfo& model) {
    InputSpec spec;
    for (const ModuleInfo& module : model.modules) {
        if (module.parameters.empty()) continue;
        const Shape& weight = module.parameters.front().shape;
        const std::string& kind = module.class_name;
        if (kind == "Embedding") {
            spec.shape = {1, 16};
            spec.dtype = "int64";
            spec.source = InputSpec::Source::Random;
            spec.high = weight.empty() ? 10 : weight[0];
            return spec;
        }
        if (weight.size() == 4) {
            const std::int64_t side = weight[2] >= 7 ? 224 : 32;
            spec.shape = {1, weight[1], side, side};
        } else if (weight.size() == 3) {
            spec.shape = {1, weight[1], 64};
        } else if (weight.size() == 2) {
            const bool recurrent = kind == "LSTM" || kind == "GRU" || kind == "RNN";
            spec.shape = recurrent ? Shape{1, 8, weight[1]} : Shape{1, weight[1]};
        } else {
            continue;
        }
        return spec;
    }
    spec.shape = {1, 8};
    return spec;
}

// From what the type says: a program may know the dtypes and sizes that it takes. nullopt when it says too little.
std::optional<InputSpec> spec_of_type(const Argument& argument, const ModelInfo& model) {
    const auto* tensor = argument.type->as<TensorType>();
    if (tensor == nullptr || !tensor->dtype || !tensor->sizes) return std::nullopt;
    InputSpec spec;
    spec.dtype = std::string(dtype_name(*tensor->dtype));
    const auto& sizes = *tensor->sizes;
    // Open sizes: one sample; images of the usual size, lines of some length.
    const bool is_image = sizes.size() == 4 && is_floating(*tensor->dtype) && sizes[1].value_or(0) == 3;
    for (std::size_t d = 0; d < sizes.size(); ++d)
        spec.shape.push_back(sizes[d] ? *sizes[d] : d == 0 ? 1 : is_image ? 224 : 16);
    if (is_floating(*tensor->dtype) || is_complex(*tensor->dtype)) return spec;
    // Masks let everything through; kinds of tokens are the first.
    const auto is_named = [&](const char* part) { return argument.name.find(part) != std::string::npos; };
    spec.source = is_named("mask")                           ? InputSpec::Source::Ones
                  : is_named("type") || is_named("position") ? InputSpec::Source::Zeros
                                                             : InputSpec::Source::Random;
    for (const ModuleInfo& module : model.modules) {
        if (module.class_name != "Embedding" || module.parameters.empty()) continue;
        const Shape& weight = module.parameters.front().shape;
        if (!weight.empty()) spec.high = weight[0];
        break;
    }
    return spec;
}

[[noreturn]] void wrong_type(const Argument& argument) {
    usage(concat("argument '", argument.name, "' is a ", argument.type->annotation_str(),
                 ", not what stands in the file"));
}

TypePtr own_type(const TypePtr& type) { return type->name().empty() ? nullptr : type; }

// What a pickle holds, with the types that the argument declares.
IValue typed(const IValue& value, const TypePtr& type, const Argument& argument) {
    switch (type->kind()) {
        case TypeKind::Optional:
            return value.is_none() ? value : typed(value, type->element(), argument);
        case TypeKind::Any:
            return with_own_types(value);
        case TypeKind::Tensor:
            if (value.is_tensor()) return value;
            break;
        case TypeKind::List:
            if (value.is_list()) {
                std::vector<IValue> elements;
                for (const IValue& each : value.to_list().elements)
                    elements.push_back(typed(each, type->element(), argument));
                return make_ptr<ListObject>(type->element(), std::move(elements));
            }
            break;
        case TypeKind::Tuple:
            if (value.is_tuple() && value.to_tuple().elements.size() == type->contained().size()) {
                std::vector<IValue> elements;
                for (const IValue& each : value.to_tuple().elements) {
                    elements.push_back(typed(each, type->contained()[elements.size()], argument));
                }
                return make_ptr<TupleObject>(std::move(elements), own_type(type));
            }
            break;
        case TypeKind::Dict:
            if (value.is_dict()) {
                const auto dict = make_ptr<DictObject>(type->contained()[0], type->contained()[1]);
                for (const auto& [key, each] : value.to_dict().entries()) {
                    dict->set(typed(key, type->contained()[0], argument), typed(each, type->contained()[1], argument));
                }
                return dict;
            }
            break;
        default:
            if (const IValue own = with_own_types(value); is_instance(own, *type)) return own;
            break;
    }
    wrong_type(argument);
}

bool is_int_list(const Type& type) { return type.kind() == TypeKind::List && type.element()->kind() == TypeKind::Int; }

}  // namespace

IValue make_input(const InputSpec& spec, const Argument& argument) {
    if (spec.literal && !spec.shape.empty()) return listed(spec);
    if (spec.literal) return literal_value(*spec.literal, *argument.type);
    const Type& type = unwrapped(*argument.type);
    const bool is_open = type.kind() == TypeKind::Any || type.kind() == TypeKind::Union;
    if (spec.source == InputSpec::Source::File && (is_open || type.kind() == TypeKind::Dict)) {
        return typed(read_input_value(spec.file, spec.key), argument.type, argument);
    }
    // Of sources parameters without annotation count as tensors: Python takes what comes.
    const bool is_container = !spec.elements.empty() && spec.shape.empty() && spec.file.empty();
    if (is_container && (type.kind() == TypeKind::Tensor || is_open)) {
        Argument element = argument;
        element.type = types::any();
        std::vector<IValue> elements;
        for (const InputSpec& each : spec.elements) elements.push_back(make_input(each, element));
        return make_ptr<TupleObject>(std::move(elements));
    }
    if (type.kind() == TypeKind::Tensor || type.kind() == TypeKind::Any) return tensor_from(spec);
    if (type.kind() == TypeKind::List && !is_int_list(type)) {
        std::vector<IValue> elements;
        Argument element = argument;
        element.type = type.element();
        for (const InputSpec& each : spec.elements) elements.push_back(make_input(each, element));
        return make_ptr<ListObject>(type.element(), std::move(elements));
    }
    if (type.kind() == TypeKind::Tuple && spec.elements.size() == type.contained().size()) {
        std::vector<IValue> elements;
        for (std::size_t i = 0; i < spec.elements.size(); ++i) {
            Argument element = argument;
            element.type = type.contained()[i];
            elements.push_back(make_input(spec.elements[i], element));
        }
        const TypePtr& declared =
            argument.type->kind() == TypeKind::Optional ? argument.type->element() : argument.type;
        return make_ptr<TupleObject>(std::move(elements), own_type(declared));
    }
    // A number from a tensor of one element, so that .npz inputs can carry numbers.
    const Tensor t = tensor_from(spec);
    if (t.numel() == 1) {
        const Scalar number = item(t);
        if (type.kind() == TypeKind::Int) return number.to_int();
        if (type.kind() == TypeKind::Float) return number.to_double();
        if (type.kind() == TypeKind::Bool) return number.to_bool();
    }
    usage(concat("argument '", argument.name, "' is a ", argument.type->str(), ", not a tensor"),
          "give its value as a Python literal");
}

InputSpec example_spec(const IValue& value, std::size_t index) {
    InputSpec spec;
    if (!value.is_tensor() && !value.is_list() && !value.is_tuple() && !value.is_dict()) {
        spec.literal = python_repr(value);
        return spec;
    }
    spec.source = InputSpec::Source::Example;
    spec.key = std::to_string(index);
    if (value.is_tensor()) {
        spec.shape.assign(value.to_tensor().sizes().begin(), value.to_tensor().sizes().end());
        spec.dtype = std::string(dtype_name(value.to_tensor().dtype()));
    }
    return spec;
}

namespace {

const IValue& example_of(const InputSpec& spec, const std::vector<IValue>& examples) {
    std::size_t index = 0;
    std::from_chars(spec.key.data(), spec.key.data() + spec.key.size(), index);
    if (index >= examples.size()) usage(concat("the source has no example_inputs[", spec.key, "]"));
    return examples[index];
}

}  // namespace

std::vector<IValue> make_inputs(const std::vector<InputSpec>& specs, const FunctionSchema& schema, bool has_self,
                                const std::vector<IValue>& examples) {
    const std::size_t first = has_self ? 1 : 0;
    const std::size_t count = schema.arguments.size() - std::min(first, schema.arguments.size());
    if (specs.size() > count) {
        usage(concat(schema.name, " takes ", counted(count, "input"), ", ", counted(specs.size(), "was", "were"),
                     " given"),
              schema.str());
    }
    std::vector<IValue> values;
    for (std::size_t i = 0; i < count; ++i) {
        const Argument& argument = schema.arguments[first + i];
        if (i < specs.size()) {
            const bool is_example = specs[i].source == InputSpec::Source::Example && !specs[i].literal;
            values.push_back(is_example ? example_of(specs[i], examples) : make_input(specs[i], argument));
        } else if (argument.default_value) {
            values.push_back(*argument.default_value);
        } else {
            usage(concat("no value for argument '", argument.name, "' (", argument.type->str(), ") of ", schema.name),
                  "give one --input for each argument");
        }
    }
    return values;
}

std::filesystem::path samples_beside(const std::filesystem::path& model) {
    if (model.empty()) return {};
    const std::filesystem::path samples = model.parent_path() / (model.stem().string() + ".in.npz");
    std::error_code ignored;
    return std::filesystem::exists(samples, ignored) ? samples : std::filesystem::path();
}

namespace {

// The model's own sample inputs, by argument; what does not fit is noted.
std::vector<std::optional<InputSpec>> sample_inputs(const ModelInfo& model, const FunctionSchema& schema,
                                                    std::vector<std::string>& notes) {
    const std::filesystem::path samples = samples_beside(model.path);
    if (samples.empty()) return {};
    const std::string name = samples.filename().string();
    try {
        ArrayInputs inputs = array_inputs(samples, schema, model);
        std::vector<std::string> missing;
        for (std::size_t i = 0; i < inputs.arguments.size(); ++i) {
            const Argument& argument = schema.arguments[i + 1];
            if (!inputs.arguments[i] && !argument.default_value)
                missing.push_back(concat("'", argument.name, "' (arg", i, ")"));
        }
        if (!missing.empty())
            notes.push_back(concat(name, " has no array for ", join(missing, ", "), ": random values stand for it"));
        if (!inputs.unused.empty())
            notes.push_back(
                concat(name, " has arrays that are of no argument of ", schema.name, ": ", join(inputs.unused, ", ")));
        return std::move(inputs.arguments);
    } catch (const Error& error) {
        notes.push_back(concat(name, " cannot be read, random values stand for it: ", error.what()));
        return {};
    }
}

}  // namespace

std::vector<InputSpec> guess_inputs(const ModelInfo& model, const FunctionSchema& schema, bool has_self,
                                    std::vector<std::string>* notes) {
    std::vector<InputSpec> specs;
    std::vector<std::string> unheard;
    const std::size_t first = has_self ? 1 : 0;
    std::vector<std::optional<InputSpec>> samples;
    if (has_self) samples = sample_inputs(model, schema, notes != nullptr ? *notes : unheard);
    // Behind the last argument that has a sample or needs a value, defaults do.
    std::size_t end = schema.arguments.size();
    while (end > first && schema.arguments[end - 1].default_value &&
           (end - 1 - first >= samples.size() || !samples[end - 1 - first]))
        --end;
    for (std::size_t i = first; i < end; ++i) {
        const Argument& argument = schema.arguments[i];
        const bool has_sample = i - first < samples.size() && samples[i - first];
        InputSpec spec;
        if (has_sample) {
            spec = *samples[i - first];
        } else if (argument.default_value) {
            spec.literal = python_repr(*argument.default_value);
        } else if (argument.type->kind() == TypeKind::Tensor) {
            const auto said = spec_of_type(argument, model);
            spec = said ? *said : guess_tensor(model);
        } else {
            spec.literal = argument.type->kind() == TypeKind::Int     ? "1"
                           : argument.type->kind() == TypeKind::Float ? "1.0"
                           : argument.type->kind() == TypeKind::Bool  ? "False"
                           : argument.type->kind() == TypeKind::List  ? "[]"
                                                                      : "None";
        }
        specs.push_back(std::move(spec));
    }
    return specs;
}

TensorList flatten_tensors(const IValue& value) {
    TensorList out;
    if (value.is_tensor()) {
        out.push_back(value.to_tensor());
    } else if (value.is_list() || value.is_tuple()) {
        const auto& elements = value.is_list() ? value.to_list().elements : value.to_tuple().elements;
        for (const IValue& element : elements) {
            for (Tensor& t : flatten_tensors(element)) out.push_back(std::move(t));
        }
    } else if (value.is_dict()) {
        auto entries = value.to_dict().entries();
        std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
            if (a.first.is_string() && b.first.is_string()) return a.first.to_string() < b.first.to_string();
            if (a.first.is_number() && b.first.is_number()) return a.first.to_double() < b.first.to_double();
            return false;
        });
        for (const auto& entry : entries) {
            for (Tensor& t : flatten_tensors(entry.second)) out.push_back(std::move(t));
        }
    }
    return out;
}

}  // namespace loupe::session
