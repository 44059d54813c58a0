// SPDX-License-Identifier: Apache-2.0
#include "core/nn/layer.h"

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/expectation.h"
#include "core/nn/functional/functional.h"
#include "core/nn/native_function.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn {
namespace {

[[noreturn]] void internal_error(std::string message) { throw Error(ErrorKind::Internal, std::move(message)); }

// Where a function's argument comes from: forward's argument, an attribute, a value, or its default.
struct ArgumentSource {
    enum class Kind { Argument, Attribute, Value, Default };
    Kind kind = Kind::Default;
    std::size_t index = 0;
    std::string attribute = {};
    IValue value = {};
    bool as_float = false;
};

// `calls` of a record, read.
struct FunctionCall {
    const NativeFunction* function = nullptr;
    const FunctionSchema* schema = nullptr;
    std::vector<ArgumentSource> sources;
};

// A record with what it inherits.
struct Resolved {
    const LayerRecord* record = nullptr;
    FunctionSchema constructor;
    void (*init)(Module&, Arguments) = nullptr;
    std::string_view buffers;
    FunctionSchema forward_schema;
    IValue (*forward)(Module&, Arguments) = nullptr;
    std::optional<FunctionCall> calls;
    std::string (*extra_repr)(const Module&) = nullptr;
    std::string_view repr;
    void (*reset_parameters)(Module&) = nullptr;
};

// The first of the record and its bases for which `has` holds; null when there is none.
template <typename Has>
const LayerRecord* first_with(const LayerRecord& record, Has has) {
    const LayerRecord* at = &record;
    while (at != nullptr && !has(*at)) at = find_layer(at->base);
    return at;
}

FunctionSchema method_schema(std::string_view layer, std::string_view method, std::string_view rest) {
    const std::string returns = rest.find("->") == std::string_view::npos ? " -> ()" : "";
    return parse_schema(concat(layer, ".", method, rest, returns));
}

LayerCall::Argument read_argument(std::string_view text, const FunctionSchema& forward) {
    using Kind = LayerCall::Argument::Kind;
    LayerCall::Argument out;
    if (const auto equals = text.find('='); equals != std::string_view::npos) {
        out.keyword = text.substr(0, equals);
        text.remove_prefix(equals + 1);
    }
    constexpr std::string_view kFloat = "float(";
    constexpr std::string_view kSelf = "self.";
    out.as_float = text.starts_with(kFloat);
    if (out.as_float) text = text.substr(kFloat.size(), text.size() - kFloat.size() - 1);
    out.text = text;
    if (text.starts_with('\'')) {
        out.kind = Kind::Text;
        out.text = text.substr(1, text.size() - 2);
    } else if (text.starts_with(kSelf)) {
        out.text.remove_prefix(kSelf.size());
    } else if (text.starts_with('-') || (text.front() >= '0' && text.front() <= '9')) {
        out.kind = Kind::Number;
    } else if (forward.find_argument(text)) {
        out.kind = Kind::Argument;
    }
    return out;
}

// "hardtanh(input, min_val, inplace=inplace)".
LayerCall read_call(std::string_view text, const FunctionSchema& forward) {
    constexpr std::string_view kTorch = "torch.";
    LayerCall call;
    call.is_of_torch = text.starts_with(kTorch);
    if (call.is_of_torch) text.remove_prefix(kTorch.size());
    const auto open = text.find('(');
    call.function = text.substr(0, open);
    for (auto part : split(text.substr(open + 1, text.size() - open - 2), ',')) {
        if (part.starts_with(' ')) part.remove_prefix(1);
        call.arguments.push_back(read_argument(part, forward));
    }
    return call;
}

ArgumentSource source_of(const LayerCall::Argument& argument, const FunctionSchema& forward) {
    using Kind = LayerCall::Argument::Kind;
    ArgumentSource out;
    out.as_float = argument.as_float;
    switch (argument.kind) {
        case Kind::Argument:
            out.kind = ArgumentSource::Kind::Argument;
            out.index = *forward.find_argument(argument.text);
            break;
        case Kind::Attribute:
            out.kind = ArgumentSource::Kind::Attribute;
            out.attribute = argument.text;
            break;
        case Kind::Number:
            out.kind = ArgumentSource::Kind::Value;
            out.value = static_cast<std::int64_t>(std::stoll(std::string(argument.text)));
            break;
        case Kind::Text:
            out.kind = ArgumentSource::Kind::Value;
            out.value = std::string(argument.text);
            break;
    }
    return out;
}

FunctionCall bound_call(const LayerCall& read, const FunctionSchema& forward) {
    FunctionCall call;
    call.function = find_functional(read.function);
    if (call.function == nullptr) internal_error(concat("no function for the layer's ", read.function));
    call.schema = &schema_of(*call.function);
    call.sources.resize(call.schema->arguments.size());
    std::size_t position = 0;
    for (const LayerCall::Argument& argument : read.arguments) {
        const auto place =
            argument.keyword.empty() ? std::optional(position++) : call.schema->find_argument(argument.keyword);
        if (!place || *place >= call.sources.size())
            internal_error(concat("no argument for '", argument.text, "' in ", read.function));
        call.sources[*place] = source_of(argument, forward);
    }
    return call;
}

std::unique_ptr<Resolved> make_resolved(const LayerRecord& record) {
    auto out = std::make_unique<Resolved>();
    out->record = &record;
    const auto* built = first_with(record, [](const LayerRecord& r) { return !r.constructor.empty(); });
    const auto* init =
        first_with(record, [](const LayerRecord& r) { return r.init != nullptr || !r.constructor.empty(); });
    const auto* takes = first_with(record, [](const LayerRecord& r) { return !r.forward_schema.empty(); });
    const auto* computes =
        first_with(record, [](const LayerRecord& r) { return r.forward != nullptr || !r.calls.empty(); });
    const auto* prints =
        first_with(record, [](const LayerRecord& r) { return r.extra_repr != nullptr || !r.repr.empty(); });
    const auto* resets = first_with(record, [](const LayerRecord& r) { return r.reset_parameters != nullptr; });
    out->constructor = method_schema(record.name, "__init__", built != nullptr ? built->constructor : "()");
    out->init = init != nullptr ? init->init : nullptr;
    out->buffers = built != nullptr ? built->buffers : std::string_view();
    out->forward_schema =
        method_schema(record.name, "forward", takes != nullptr ? takes->forward_schema : "(Tensor input)");
    if (computes != nullptr) {
        out->forward = computes->forward;
        if (!computes->calls.empty())
            out->calls = bound_call(read_call(computes->calls, out->forward_schema), out->forward_schema);
    }
    if (prints != nullptr) {
        out->extra_repr = prints->extra_repr;
        out->repr = prints->repr;
    }
    out->reset_parameters = resets != nullptr ? resets->reset_parameters : nullptr;
    return out;
}

const Resolved& resolved_once(const LayerRecord& record) {
    static std::mutex mutex;
    static std::unordered_map<const LayerRecord*, std::unique_ptr<Resolved>> all;
    const std::lock_guard lock(mutex);
    auto& entry = all[&record];
    if (!entry) entry = make_resolved(record);
    return *entry;
}

const Resolved& resolved(const LayerRecord& record) {
    // A small cache without a lock; records lie next to each other.
    constexpr std::size_t kPlaces = 64;
    thread_local std::array<const Resolved*, kPlaces> known{};
    const Resolved*& place = known[reinterpret_cast<std::uintptr_t>(&record) / sizeof(LayerRecord) % kPlaces];
    if (place == nullptr || place->record != &record) place = &resolved_once(record);
    return *place;
}

// int[2] arguments become tuples, as PyTorch's _pair makes them.
IValue attribute_value(const Argument& argument, const IValue& value) {
    if (!argument.list_size || !value.is_list()) return value;
    return make_ptr<TupleObject>(value.to_list().elements);
}

bool is_named_in(std::string_view names, std::string_view name) {
    for (auto part : split(names, ',')) {
        if (part.starts_with(' ')) part.remove_prefix(1);
        if (part == name) return true;
    }
    return false;
}

void store_arguments(Module& self, const Resolved& layer, Arguments arguments) {
    const FunctionSchema& schema = layer.constructor;
    IValue size_average;
    IValue reduce;
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
        const std::string& name = schema.arguments[i].name;
        if (name == "device" || name == "dtype") continue;
        if (name == "size_average")
            size_average = arguments[i];
        else if (name == "reduce")
            reduce = arguments[i];
        else if (is_named_in(layer.buffers, name))
            self.register_buffer(name, arguments[i].to_tensor());
        else
            self.set_attribute(name, attribute_value(schema.arguments[i], arguments[i]));
    }
    if (!size_average.is_none() || !reduce.is_none()) {
        self.set_attribute("reduction", std::string(functional::legacy_reduction(size_average, reduce)));
    }
}

const IValue& value_of(const ArgumentSource& source, const Module& self, Arguments arguments) {
    if (source.kind == ArgumentSource::Kind::Argument) return arguments[source.index];
    return source.kind == ArgumentSource::Kind::Value ? source.value : self.attribute(source.attribute);
}

IValue result_of(const FunctionCall& call, const Module& self, Arguments arguments) {
    const FunctionSchema& schema = *call.schema;
    boost::container::small_vector<IValue, 16> given(call.sources.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const ArgumentSource& source = call.sources[i];
        const Argument& argument = schema.arguments[i];
        if (source.kind == ArgumentSource::Kind::Default) {
            given[i] = argument.default_value.value_or(IValue());
            continue;
        }
        const IValue& value = value_of(source, self, arguments);
        auto converted = convert_argument(argument, source.as_float ? IValue(value.to_double()) : value);
        if (!converted) {
            throw Error(ErrorKind::Run, concat(schema.name, "(): argument '", argument.name, "' must be ",
                                               argument.type->annotation_str(), ", not ", python_type_name(value)));
        }
        given[i] = std::move(*converted);
    }
    IValue result;
    call.function->call({given.data(), given.size()}, &result);
    return result;
}

bool truth(const IValue& value) {
    if (value.is_bool()) return value.to_bool();
    if (value.is_number()) return value.to_scalar().to_bool();
    return !value.is_none();
}

// "a={a}, b={b!r}[c?, c=True]".
std::string formatted(const Module& self, std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const char opening = text.front();
        if (opening != '{' && opening != '[') {
            const auto next = std::min(text.find_first_of("{["), text.size());
            out += text.substr(0, next);
            text.remove_prefix(next);
            continue;
        }
        const auto end = text.find(opening == '{' ? '}' : ']');
        const std::string_view inner = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        if (opening == '[') {
            const auto question = inner.find('?');
            if (truth(self.attribute(inner.substr(0, question)))) out += inner.substr(question + 1);
        } else if (inner.ends_with("!r")) {
            out += python_repr(self.attribute(inner.substr(0, inner.size() - 2)));
        } else {
            out += python_str(self.attribute(inner));
        }
    }
    return out;
}

}  // namespace

bool is_derived(const LayerRecord& record, std::string_view base) {
    return first_with(record, [base](const LayerRecord& r) { return r.name == base; }) != nullptr;
}

const FunctionSchema& constructor_schema(const LayerRecord& record) { return resolved(record).constructor; }
const FunctionSchema& forward_schema(const LayerRecord& record) { return resolved(record).forward_schema; }

LayerCall call_of(const LayerRecord& record) { return read_call(record.calls, forward_schema(record)); }

bool has_forward(const LayerRecord& record) {
    const Resolved& layer = resolved(record);
    return layer.forward != nullptr || layer.calls.has_value();
}

void init_layer(Module& self, const LayerRecord& record, CallArguments arguments) {
    const Resolved& layer = resolved(record);
    const auto bound = bind_arguments(layer.constructor, std::move(arguments));
    self.construct();
    if (self.layer() == nullptr || !is_derived(*self.layer(), record.name)) self.set_layer(record);
    if (layer.init != nullptr) return layer.init(self, bound);
    store_arguments(self, layer, bound);
}

ModulePtr make_layer(std::string_view name, std::vector<IValue> arguments,
                     std::vector<std::pair<std::string, IValue>> keywords) {
    const LayerRecord* record = find_layer(name);
    if (record == nullptr) throw Error(ErrorKind::Run, concat("module 'torch.nn' has no attribute '", name, "'"));
    const auto module = make_ptr<Module>(*record);
    init_layer(*module, *record, {std::move(arguments), std::move(keywords)});
    return module;
}

IValue call_forward(Module& self, const LayerRecord& record, CallArguments arguments) {
    const Resolved& layer = resolved(record);
    const auto bound = bind_arguments(layer.forward_schema, std::move(arguments));
    try {
        if (layer.forward != nullptr) return layer.forward(self, bound);
        if (layer.calls) return result_of(*layer.calls, self, bound);
    } catch (Error& error) {
        // The innermost layer reports its expectation; a container's part has reported already.
        if (error.context().hint.empty() && error.kind() == ErrorKind::Run)
            error.add_context({.hint = unfit_input(self, bound)});
        throw;
    }
    throw Error(ErrorKind::Run, concat("Module [", record.name, "] is missing the required \"forward\" function"));
}

const LayerMethod* find_method(const LayerRecord& record, std::string_view name) {
    for (const LayerRecord* at = &record; at != nullptr; at = find_layer(at->base)) {
        for (const LayerMethod& method : at->methods) {
            if (method.schema.substr(0, method.schema.find('(')) == name) return &method;
        }
    }
    return nullptr;
}

IValue call_method(Module& self, const LayerMethod& method, CallArguments arguments) {
    const auto open = method.schema.find('(');
    const auto schema = method_schema(self.class_name(), method.schema.substr(0, open), method.schema.substr(open));
    return method.call(self, bind_arguments(schema, std::move(arguments)));
}

std::string extra_repr_of(const Module& self, const LayerRecord& record) {
    const Resolved& layer = resolved(record);
    return layer.extra_repr != nullptr ? layer.extra_repr(self) : formatted(self, layer.repr);
}

bool reset_parameters(Module& self) { return self.layer() != nullptr && reset_parameters(self, *self.layer()); }

bool reset_parameters(Module& self, const LayerRecord& record) {
    const Resolved& layer = resolved(record);
    if (layer.reset_parameters == nullptr) return false;
    layer.reset_parameters(self);
    return true;
}

}  // namespace loupe::nn
