// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_call.h"

#include <algorithm>
#include <array>

#include "core/autograd/program_tracer.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/nn/default_device.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/error.h"
#include "core/python/torch/require_device.h"
#include "core/python/torch/torch_invalid_arguments.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/pinned.h"
#include "core/value/index_value.h"

namespace loupe::python {
namespace {

// Names that numpy's users write.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOtherNames = {
    {{"dim", "axis"}, {"keepdim", "keepdims"}, {"input", "x"}, {"input", "a"}, {"input", "x1"}, {"other", "x2"}}};

bool is_plain_int(const IValue& value) { return value.is_int(); }

bool is_scalar_tensor(const IValue& value) {
    if (!value.is_tensor()) return false;
    const Tensor tensor = value.to_tensor();
    return tensor.dim() == 0 && !requires_grad(tensor);
}
bool is_integer_tensor(const IValue& value) {
    return is_scalar_tensor(value) && is_integral(value.to_tensor().dtype()) &&
           value.to_tensor().dtype() != ScalarType::Bool;
}
// One size for all while sizes are tensors: F.avg_pool2d(x, x.size(3)).
bool is_tied_size(const IValue& value) { return is_integer_tensor(value) && ties_numbers(); }
// What __index__ takes.
bool is_index(const IValue& value) {
    if (value.is_int() || index_value(value)) return true;
    if (!value.is_tensor()) return false;
    const Tensor tensor = value.to_tensor();
    return tensor.numel() == 1 && is_integral(tensor.dtype()) && tensor.dtype() != ScalarType::Bool;
}
const std::vector<IValue>* sequence_of(const IValue& value) {
    if (value.is_list()) return &value.to_list().elements;
    if (value.is_tuple()) return &value.to_tuple().elements;
    return nullptr;
}

bool fits_tensor_list(const IValue& value, std::size_t place, bool takes_none) {
    const auto* elements = sequence_of(value);
    if (elements == nullptr) return false;
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const IValue& element = (*elements)[i];
        if (element.is_tensor() || (takes_none && element.is_none())) continue;
        throw_type_error(
            concat("expected Tensor as element ", i, " in argument ", place, ", but got ", torch_type_name(element)));
    }
    return true;
}

template <typename Fits>
bool first_fits(const IValue& value, Fits fits) {
    const auto* elements = sequence_of(value);
    return elements != nullptr && (elements->empty() || fits(elements->front()));
}

bool fits(const Parameter& parameter, const IValue& value, std::size_t place) {
    switch (parameter.kind) {
        case ParameterKind::Tensor:
            return value.is_tensor() || (parameter.takes_numbers && value.is_number());
        case ParameterKind::Number:
            return value.is_number() || is_scalar_tensor(value);
        case ParameterKind::Int:
            return is_plain_int(value) || is_integer_tensor(value);
        case ParameterKind::Float:
            return value.is_double() || value.is_int() || value.is_bool() || is_scalar_tensor(value);
        case ParameterKind::Complex:
            return value.is_number() || is_scalar_tensor(value);
        case ParameterKind::Bool:
            return value.is_bool();
        case ParameterKind::String:
            return value.is_string();
        case ParameterKind::Dtype:
            return dtype_number_of(value).has_value();
        case ParameterKind::Layout:
        case ParameterKind::MemoryFormat: {
            const auto* constant = object_as<ConstantObject>(value);
            return constant != nullptr &&
                   (parameter.kind == ParameterKind::Layout) == (constant->cls() == layout_class());
        }
        case ParameterKind::Device:
            return value.is_device() || value.is_string() || is_plain_int(value);
        case ParameterKind::Generator:
            return object_as<GeneratorObject>(value) != nullptr;
        case ParameterKind::TensorList:
            return fits_tensor_list(value, place, false);
        case ParameterKind::OptionalTensorList:
            return fits_tensor_list(value, place, true);
        case ParameterKind::IntList:
            return first_fits(value, is_index) ||
                   (parameter.list_size > 0 && (is_plain_int(value) || is_tied_size(value)));
        case ParameterKind::FloatList:
            return first_fits(value, [](const IValue& v) { return v.is_double() || v.is_int() || v.is_complex(); });
        case ParameterKind::NumberList:
            return first_fits(value, [](const IValue& v) { return v.is_number(); });
        case ParameterKind::BoolList:
            return first_fits(value, [](const IValue& v) { return v.is_bool(); });
        case ParameterKind::Any:
            return true;
    }
    return false;
}

const IValue* find_keyword(const CallArguments& call, std::string_view name) {
    for (const auto& [keyword, value] : call.keywords) {
        if (keyword == name) return &value;
    }
    for (const auto& [ours, theirs] : kOtherNames) {
        if (ours != name) continue;
        for (const auto& [keyword, value] : call.keywords) {
            if (keyword == theirs) return &value;
        }
    }
    return nullptr;
}

// What each parameter was given; null: nothing.
struct Match {
    std::vector<const IValue*> values;
    bool takes_all_positional = false;  // sizes(2, 3): all of them are the first parameter
};

class Matcher {
  public:
    // why: throws TypeError that says what does not fit, instead of answering no.
    Matcher(const SignatureSet& set, const Signature& signature, const CallArguments& call, bool must_fit)
        : set_(set), signature_(signature), call_(call), must_fit_(must_fit) {}

    std::optional<Match> run() {
        Match match;
        const std::size_t given = call_.positional.size();
        const auto& parameters = signature_.parameters;
        const bool takes_many =
            signature_.most_positional == 1 && !parameters.empty() && parameters[0].kind == ParameterKind::IntList;
        if (given > signature_.most_positional && !takes_many) return too_many();
        std::size_t position = 0;
        std::size_t keywords_left = call_.keywords.size();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Parameter& parameter = parameters[i];
            const bool is_keyword = position >= given;
            if (!is_keyword && parameter.is_keyword_only) return too_many();
            const IValue* value = is_keyword ? find_keyword(call_, parameter.name) : &call_.positional[position];
            if (value == nullptr) {
                if (!parameter.has_default) return missing(i);
                match.values.push_back(nullptr);
            } else if (value->is_none() && parameter.takes_none) {
                match.values.push_back(nullptr);
            } else if (fits(parameter, *value, i)) {
                match.values.push_back(value);
            } else if (takes_many && position == 0 && !is_keyword && is_index(*value)) {
                match.values.push_back(value);
                match.takes_all_positional = true;
                position = given;
                continue;
            } else {
                return wrong_type(parameter, *value, is_keyword, position);
            }
            if (!is_keyword)
                ++position;
            else if (value != nullptr)
                --keywords_left;
        }
        if (keywords_left > 0) return extra_keyword();
        return match;
    }

  private:
    std::nullopt_t too_many() const {
        if (!must_fit_) return std::nullopt;
        const std::size_t most = signature_.most_positional;
        const std::size_t given = call_.positional.size();
        if (signature_.fewest != most) {
            throw_type_error(concat(set_.name, "() takes from ", signature_.fewest, " to ", most,
                                    " positional arguments but ", given, " were given"));
        }
        throw_type_error(concat(set_.name, "() takes ", most, " positional argument", most == 1 ? "" : "s", " but ",
                                given, given == 1 ? " was given" : " were given"));
    }
    std::nullopt_t missing(std::size_t from) const {
        if (!must_fit_) return std::nullopt;
        std::vector<std::string> names;
        for (std::size_t i = from; i < signature_.parameters.size(); ++i) {
            if (!signature_.parameters[i].has_default) names.push_back(concat('"', signature_.parameters[i].name, '"'));
        }
        // The plural is PyTorch's.
        throw_type_error(concat(set_.name, "() missing ", names.size(), " required positional argument",
                                names.size() == 1 ? "s" : "", ": ", join(names, ", ")));
    }
    std::nullopt_t wrong_type(const Parameter& parameter, const IValue& value, bool is_keyword,
                              std::size_t position) const {
        if (!must_fit_) return std::nullopt;
        const std::string place = is_keyword ? "" : concat(" (position ", position + 1, ")");
        throw_type_error(concat(set_.name, "(): argument '", parameter.name, "'", place, " must be ",
                                parameter_type_name(parameter), ", not ", torch_type_name(value)));
    }
    std::nullopt_t extra_keyword() const {
        if (!must_fit_) return std::nullopt;
        for (const auto& entry : call_.keywords) {
            const std::string& keyword = entry.first;
            const auto& parameters = signature_.parameters;
            const auto found = std::find_if(parameters.begin(), parameters.end(),
                                            [&](const Parameter& each) { return each.name == keyword; });
            if (found == parameters.end()) {
                throw_type_error(concat(set_.name, "() got an unexpected keyword argument '", keyword, "'"));
            }
            if (static_cast<std::size_t>(found - parameters.begin()) < call_.positional.size()) {
                throw_type_error(concat(set_.name, "() got multiple values for argument '", keyword, "'"));
            }
        }
        throw_type_error("invalid keyword arguments");
    }

    const SignatureSet& set_;
    const Signature& signature_;
    const CallArguments& call_;
    bool must_fit_;
};

struct Choice {
    const Signature* signature;
    Match match;
};

Choice choose(const SignatureSet& set, const CallArguments& call) {
    if (set.signatures.size() == 1 && !set.has_older_form) {
        const Signature& only = set.signatures.front();
        return {&only, *Matcher(set, only, call, true).run()};
    }
    for (const Signature& signature : set.signatures) {
        if (auto match = Matcher(set, signature, call, false).run()) return {&signature, std::move(*match)};
    }
    const std::size_t given = call.positional.size() + call.keywords.size();
    const Signature* plausible = nullptr;
    std::size_t plausible_count = 0;
    for (const Signature& signature : set.signatures) {
        if (given < signature.fewest || given > signature.parameters.size()) continue;
        plausible = &signature;
        ++plausible_count;
    }
    if (plausible_count == 1) Matcher(set, *plausible, call, true).run();
    throw_type_error(invalid_arguments_message(set, call));
}

IValue number_of(const IValue& value) { return value.is_tensor() ? IValue(item(value.to_tensor())) : value; }

IValue int_list_of(const std::vector<IValue>& elements) {
    Dims out;
    for (const IValue& element : elements)
        out.push_back(is_integer_tensor(element) ? item(element.to_tensor()).to_int() : to_index(element));
    return out;
}

IValue typed_list(const TypePtr& element, const IValue& value) {
    return make_ptr<ListObject>(element, *sequence_of(value));
}

// The value as the operator takes it.
IValue converted(const Parameter& parameter, const IValue& value) {
    switch (parameter.kind) {
        case ParameterKind::Tensor:
            return value.is_tensor() ? value : IValue(wrapped_number(value.to_scalar()));
        case ParameterKind::Number:
            return number_of(value);
        case ParameterKind::Int:
            return number_of(value).to_int();
        case ParameterKind::Float:
            return number_of(value).to_double();
        case ParameterKind::Dtype:
            return *dtype_number_of(value);
        case ParameterKind::Layout:
        case ParameterKind::MemoryFormat:
            return object_as<ConstantObject>(value)->number;
        case ParameterKind::Device: {
            const Device device = device_of(value);
            if (device.type == DeviceType::Cuda) [[unlikely]]
                require_device(device);
            return device;
        }
        case ParameterKind::Generator:
            return object_as<GeneratorObject>(value)->argument();
        case ParameterKind::TensorList:
            return typed_list(types::tensor(), value);
        case ParameterKind::OptionalTensorList:
            return typed_list(types::optional(types::tensor()), value);
        case ParameterKind::IntList:
            if (value.is_int() || value.is_tensor()) {
                return std::vector<std::int64_t>(static_cast<std::size_t>(parameter.list_size),
                                                 number_of(value).to_int());
            }
            return int_list_of(*sequence_of(value));
        case ParameterKind::FloatList: {
            std::vector<double> out;
            for (const IValue& element : *sequence_of(value)) out.push_back(to_float(element));
            return std::span<const double>(out);
        }
        case ParameterKind::NumberList:
            return typed_list(types::number(), value);
        case ParameterKind::BoolList:
            return typed_list(types::boolean(), value);
        default:
            return value;
    }
}

// dtype=None of a function that makes a tensor from nothing is the default dtype, where that is not the engine's.
void fill_default_dtype(const Signature& signature, std::vector<IValue>& arguments) {
    if (!signature.has_options || default_dtype() == ScalarType::Float32) return;
    const auto& schema = signature.op->schema;
    const auto is_tensor = [](const Argument& each) { return each.type->kind() == TypeKind::Tensor; };
    if (std::any_of(schema.arguments.begin(), schema.arguments.end(), is_tensor)) return;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (schema.arguments[i].name != "dtype" || !arguments[i].is_none()) continue;
        const bool has_float =
            std::any_of(arguments.begin(), arguments.end(), [](const IValue& v) { return v.is_double(); });
        if (!signature.op->record->python.keeps_integers || has_float)
            arguments[i] = static_cast<std::int64_t>(default_dtype());
    }
}

// device=None of such a function is the default device.
void fill_default_device(const Signature& signature, std::vector<IValue>& arguments) {
    if (!any_device_but_cpu() || nn::default_device().is_cpu()) [[likely]]
        return;
    const int place = signature.op->device_argument;
    const bool has_tensors = (signature.op->tensor_arguments | signature.op->list_arguments) != 0;
    if (place < 0 || has_tensors || !arguments[static_cast<std::size_t>(place)].is_none()) return;
    arguments[static_cast<std::size_t>(place)] = nn::default_device();
}

// Numbers that come from tensors, for the recorder of the call.
void tie_numbers(const Operator& op, const Parameter& parameter, const IValue& value) {
    const auto argument = static_cast<std::size_t>(parameter.argument);
    const auto tie = [&](const IValue& number, int element, NumberTie::As as) {
        if (!number.is_tensor() || tie_number({&op, argument, element, as, number.to_tensor()})) return;
        notify_python_use(as == NumberTie::As::Int ? PythonUse::Index : PythonUse::Number, number.to_tensor());
    };
    switch (parameter.kind) {
        case ParameterKind::Int:
            return tie(value, -1, NumberTie::As::Int);
        case ParameterKind::Float:
            return tie(value, -1, NumberTie::As::Float);
        case ParameterKind::Number:
            return tie(value, -1, NumberTie::As::Number);
        case ParameterKind::IntList:
            if (const auto* elements = sequence_of(value)) {
                for (std::size_t i = 0; i < elements->size(); ++i)
                    tie((*elements)[i], static_cast<int>(i), NumberTie::As::Int);
            } else {
                for (int i = 0; i < parameter.list_size; ++i) tie(value, i, NumberTie::As::Int);
            }
            return;
        default:
            return;
    }
}

std::vector<IValue> operator_arguments(const Signature& signature, const Match& match, const IValue* self,
                                       const CallArguments& call) {
    const auto& schema = signature.op->schema;
    const bool is_traced = program_tracer() != nullptr;
    std::vector<IValue> out(schema.arguments.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (schema.arguments[i].default_value) out[i] = *schema.arguments[i].default_value;
    }
    if (signature.self_argument >= 0) out[static_cast<std::size_t>(signature.self_argument)] = *self;
    for (std::size_t i = 0; i < match.values.size(); ++i) {
        const Parameter& parameter = signature.parameters[i];
        if (parameter.argument < 0) continue;
        IValue& place = out[static_cast<std::size_t>(parameter.argument)];
        if (i == 0 && match.takes_all_positional) {
            place = int_list_of(call.positional);
            if (is_traced) tie_numbers(*signature.op, parameter, make_tuple(call.positional));
        } else if (match.values[i] != nullptr) {
            place = converted(parameter, *match.values[i]);
            if (is_traced) tie_numbers(*signature.op, parameter, *match.values[i]);
        } else if (parameter.takes_none && !parameter.has_default) {
            place = IValue();
        }
    }
    fill_default_dtype(signature, out);
    fill_default_device(signature, out);
    return out;
}

// What is made with pin_memory=True. The argument stands behind the device in every schema.
DeviceInterface* pinning_devices_for(const Operator& op, const std::vector<IValue>& arguments) {
    const auto at = static_cast<std::size_t>(op.device_argument + 1);
    if (op.device_argument < 0 || at >= arguments.size() || !arguments[at].is_bool() || !arguments[at].to_bool() ||
        op.schema.arguments[at].name != "pin_memory")
        return nullptr;
    if (pinning_devices() == nullptr) require_device({DeviceType::Cuda, 0});
    return pinning_devices();
}

std::vector<IValue> run(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> results(op.result_count());
    call_operator(op, arguments, results.data());
    return results;
}

// The out= form: the same arguments (without dtype and device), then the tensors to write.
std::vector<IValue> run_out(const Signature& signature, const std::vector<IValue>& arguments, const IValue& out) {
    const auto& schema = signature.op->schema;
    std::vector<IValue> all;
    for (const Argument& argument : signature.out_op->schema.arguments) {
        const auto index = schema.find_argument(argument.name);
        if (index) all.push_back(arguments[*index]);
    }
    if (signature.out_count > 1) {
        for (const IValue& tensor : *sequence_of(out)) all.push_back(tensor);
    } else {
        all.push_back(out);
    }
    return run(*signature.out_op, all);
}

const IValue* given_value(const Signature& signature, const Match& match, std::string_view name) {
    for (std::size_t i = 0; i < match.values.size(); ++i) {
        if (signature.parameters[i].argument < 0 && signature.parameters[i].name == name) return match.values[i];
    }
    return nullptr;
}

}  // namespace

void rethrow_as_python(const Error& error) {
    if (dynamic_cast<const PythonError*>(&error) != nullptr || error.kind() == ErrorKind::Cancelled ||
        error.kind() == ErrorKind::Internal) {
        throw;
    }
    throw PythonError(exception_of(error));
}

void require_gradient(const Tensor& made) {
    if (!is_differentiable(made.dtype())) {
        throw_error("RuntimeError", "Only Tensors of floating point and complex dtype can require gradients");
    }
    set_requires_grad(made, true);
}

IValue to_python_result(const Operator& op, std::vector<IValue> results) {
    const auto& returns = op.schema.returns;
    for (std::size_t i = 0; i < results.size(); ++i) {
        IValue& result = results[i];
        if (returns[i].type_text.starts_with("ScalarType") && result.is_int()) {
            result = dtype_object_of(result.to_int());
        } else if (result.is_list()) {
            result = make_tuple(result.to_list().elements);
        }
    }
    if (results.empty()) return {};
    if (results.size() == 1) return std::move(results[0]);
    return named_results(std::string_view(op.schema.name).substr(6), returns, std::move(results));
}

// As PyTorch takes numbers out of Python's.
void check_unpacks(const IValue& value) {
    if (is_big_integer(plain(value))) throw_error("RuntimeError", "Overflow when unpacking long");
}

IValue with_plain_numbers(const IValue& value) {
    const auto is_derived = [](const IValue& each) {
        if (!each.is_other()) return false;
        const IValue& inner = plain(each);
        return inner.is_int() || inner.is_double() || inner.is_complex();
    };
    if (is_derived(value)) return plain(value);
    const auto* elements = sequence_of(value);
    if (elements == nullptr || std::none_of(elements->begin(), elements->end(), is_derived)) return value;
    std::vector<IValue> out;
    for (const IValue& each : *elements) out.push_back(is_derived(each) ? plain(each) : each);
    return value.is_list() ? make_list(std::move(out)) : make_tuple(std::move(out));
}

IValue call_signatures(const SignatureSet& set, const IValue* self, CallArguments& arguments) {
    for (IValue& value : arguments.positional) value = with_plain_numbers(value);
    for (auto& [name, value] : arguments.keywords) value = with_plain_numbers(value);
    for (const IValue& value : arguments.positional) check_unpacks(value);
    for (const auto& [name, value] : arguments.keywords) check_unpacks(value);
    const Choice choice = choose(set, arguments);
    const Signature& signature = *choice.signature;
    return with_python_errors([&] {
        const std::vector<IValue> all = operator_arguments(signature, choice.match, self, arguments);
        const IValue* out = given_value(signature, choice.match, "out");
        if (out != nullptr && signature.out_count > 1 && (out->is_tuple() || out->is_list())) {
            const std::size_t given =
                out->is_tuple() ? out->to_tuple().elements.size() : out->to_list().elements.size();
            if (given != signature.out_count)
                throw_type_error(concat("expected tuple of ", signature.out_count, " elements but got ", given));
        }
        if (out != nullptr) return to_python_result(*signature.op, run_out(signature, all, *out));
        const PinnedMemoryScope pinned(pinning_devices_for(*signature.op, all));
        IValue result = to_python_result(*signature.op, run(*signature.op, all));
        const IValue* wants_grad = given_value(signature, choice.match, "requires_grad");
        if (wants_grad != nullptr && wants_grad->to_bool()) require_gradient(result.to_tensor());
        return result;
    });
}

const Operator& choose_overload(const SignatureSet& set, const CallArguments& arguments) {
    const Choice choice = choose(set, arguments);
    return given_value(*choice.signature, choice.match, "out") != nullptr ? *choice.signature->out_op
                                                                          : *choice.signature->op;
}

IValue call_function(std::string_view name, CallArguments arguments) {
    const SignatureSet* set = find_signatures(name, false);
    if (set == nullptr) throw Error(ErrorKind::Internal, concat("no operator aten::", name));
    return call_signatures(*set, nullptr, arguments);
}

IValue call_function(std::string_view name, std::vector<IValue> positional,
                     std::vector<std::pair<std::string, IValue>> keywords) {
    return call_function(name, CallArguments{std::move(positional), std::move(keywords)});
}

}  // namespace loupe::python
