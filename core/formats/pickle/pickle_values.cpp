// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/pickle_values.h"

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/pickle/nested_tensors.h"
#include "core/formats/pickle/numpy_values.h"
#include "core/value/schema.h"

namespace loupe {
namespace {

constexpr int kDeepest = 400;
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";
// With sharing few bytes may unfold to an exponentially large tree.
constexpr std::uint64_t kMostParts = 50'000'000;

[[noreturn]] void refuse_name(std::string_view name) {
    throw Error(ErrorKind::Unsupported, concat("refers to ", quote_name(name), ", which is not supported"));
}

// The types that a union or optional offers, itself otherwise.
template <typename Visit>
void visit_alternatives(const TypePtr& type, Visit&& visit) {
    if (!type) return;
    if (type->kind() == TypeKind::Optional || type->kind() == TypeKind::Union) {
        for (const auto& alternative : type->contained()) visit_alternatives(alternative, visit);
        return;
    }
    visit(type);
}

// The only alternative of that kind; null when there is none or more than one.
TypePtr alternative_of(const TypePtr& type, TypeKind kind) {
    TypePtr found;
    int count = 0;
    visit_alternatives(type, [&](const TypePtr& alternative) {
        if (alternative->kind() != kind) return;
        found = alternative;
        ++count;
    });
    return count == 1 ? found : nullptr;
}

bool allows_none(const Type& type) {
    // An undefined tensor is pickled as None.
    return type.kind() == TypeKind::Tensor || type.kind() == TypeKind::None || type.kind() == TypeKind::Optional;
}

// The type that all elements have, Any when they have none in common.
TypePtr common_type(const std::vector<IValue>& values, std::size_t first, std::size_t step) {
    TypePtr common;
    for (std::size_t i = first; i < values.size(); i += step) {
        const TypePtr type = type_of(values[i]);
        if (!common) {
            common = type;
        } else if (!common->equals(*type)) {
            const auto unified = unify_types(common, type);
            if (!unified) return types::any();
            common = *unified;
        }
    }
    return common ? common : types::any();
}

std::optional<ScalarType> dtype_of_global(std::string_view global) {
    constexpr std::string_view kPrefix = "torch.";
    if (!global.starts_with(kPrefix)) return std::nullopt;
    return dtype_from_name(global.substr(kPrefix.size()));
}

Device build_device(const PickleNode::Elements& args) {
    if (args.empty() || args.size() > 2) throw_file_error("device without a name");
    std::string name = args[0]->to_string();
    if (args.size() == 2) name = concat(name, ":", args[1]->to_int());
    return parse_device(name);
}

const PickleNode& first_argument(const PickleNode& node) {
    const auto& args = node.call().args->elements();
    if (args.empty()) throw_file_error(concat(quote_name(node.callable_name()), " without an argument"));
    return *args[0];
}

class Deeper {
  public:
    explicit Deeper(int& depth) : depth_(depth) {
        if (++depth_ > kDeepest) {
            --depth_;
            throw_file_error(concat("values nest more than ", kDeepest, " deep"));
        }
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --depth_; }

  private:
    int& depth_;
};

}  // namespace

IValue NoClasses::make(const PickleNode& node, ValueBuilder&) {
    const PickleRef callable = node.call().callable;
    refuse_name(callable->is(PickleKind::Global) ? callable->global_name() : "something that is not a name");
}

IValue PickledClasses::make_global(const std::string& name) { refuse_name(name); }
IValue PickledClasses::make_dtype(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }
IValue PickledClasses::make_size(IValue sizes) { return sizes; }
IValue PickledClasses::make_ordered_dict(Ptr<DictObject> dict, const PickleNode*, ValueBuilder&) { return dict; }
IValue PickledClasses::make_parameter(const Tensor& tensor, bool requires_grad) {
    if (requires_grad && is_differentiable(tensor.dtype())) set_requires_grad(tensor, true);
    return tensor;
}
IValue PickledClasses::make_bytes(std::string) {
    throw Error(ErrorKind::Unsupported, "holds raw bytes, which are not supported");
}
IValue PickledClasses::make_set(std::vector<IValue>) {
    throw Error(ErrorKind::Unsupported, "holds a set, which is not supported");
}

IValue PickledClasses::make_stand_in(const RebuiltTensor& rebuilt, const std::string& path) {
    if (rebuilt.exact.defined()) return rebuilt.exact;
    throw Error(ErrorKind::Unsupported,
                concat(path.empty() ? "the value" : quote_name(path), " is a ", rebuilt.kind, " of size ",
                       shape_list_text(rebuilt.tensor.sizes()), ", which is not supported"),
                {.hint = rebuilt.hint});
}
IValue PickledClasses::make_subclass(const std::string& name, const Tensor&) { refuse_name(name); }
IValue PickledClasses::make_layout(const std::string& name) { refuse_name(name); }

TypePtr NoClasses::parse_type(std::string_view annotation) {
    try {
        return ::loupe::parse_type(annotation, [](std::string_view) { return TypePtr(); });
    } catch (const Error&) {
        throw_file_error(concat("bad type ", quote_name(annotation)));
    }
}

void ValueBuilder::unfold(std::uint64_t parts) {
    parts_ += parts;
    if (parts_ > kMostParts) throw_file_error(concat("values unfold to more than ", kMostParts));
}

IValue ValueBuilder::build(const PickleNode& node, const TypePtr& type) {
    const auto [found, is_new] = built_.try_emplace(&node);
    if (!is_new) {
        if (!found->second.done) throw_file_error("a value contains itself");
        unfold(found->second.parts);
    } else {
        const Deeper deeper(depth_);
        const std::uint64_t before = std::exchange(parts_, 1);
        IValue value = build_new(node, type);
        const std::uint64_t parts = std::exchange(parts_, before);
        built_[&node] = {std::move(value), parts, true};
        unfold(parts);
    }
    const IValue& value = built_[&node].value;
    if (type && !(value.is_none() && allows_none(*type)) && !is_instance(value, *type)) {
        throw_file_error(concat("expected ", type->annotation_str(), ", the file has ", value_type_name(value)));
    }
    return value;
}

void ValueBuilder::announce(const PickleNode& node, const IValue& value) { built_[&node] = {value, 1, true}; }

// A list or dict of Python's.
IValue ValueBuilder::build_untyped(const PickleNode& node) {
    if (node.is(PickleKind::List)) {
        const auto list = make_ptr<ListObject>(types::any());
        announce(node, list);
        for (const PickleRef element : node.elements()) list->elements.push_back(build(*element));
        return list;
    }
    const auto dict = make_ptr<DictObject>(types::any(), types::any());
    announce(node, dict);
    const auto& items = node.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        IValue key = build(*items[i]);
        const bool is_named = key.is_string();
        if (is_named) path_.push_back(key.to_string());
        IValue value = build(*items[i + 1]);
        if (is_named) path_.pop_back();
        dict->set(std::move(key), std::move(value));
    }
    return dict;
}

IValue ValueBuilder::build_new(const PickleNode& node, const TypePtr& type) {
    if (!type && !classes_.is_typed() && (node.is(PickleKind::List) || node.is(PickleKind::Dict)))
        return build_untyped(node);
    switch (node.kind) {
        case PickleKind::None:
            return {};
        case PickleKind::Bool:
            return node.to_bool();
        case PickleKind::Int:
            return node.to_int();
        case PickleKind::Float:
            return node.to_float();
        case PickleKind::String:
            return node.to_string();
        case PickleKind::Bytes:
            return classes_.make_bytes(node.to_bytes());
        case PickleKind::Set:
            return build_set(node.elements());
        case PickleKind::List: {
            const TypePtr list = alternative_of(type, TypeKind::List);
            return build_list(node.elements(), list ? list->element() : nullptr);
        }
        case PickleKind::Tuple:
            return build_tuple(node.elements(), alternative_of(type, TypeKind::Tuple));
        case PickleKind::Dict:
            return build_dict(node.items(), alternative_of(type, TypeKind::Dict));
        case PickleKind::Global: {
            if (const auto dtype = dtype_of_global(node.global_name())) return classes_.make_dtype(*dtype);
            return classes_.make_global(node.global_name());
        }
        case PickleKind::Persistent: {
            // ('module', class, file, source): a stream names classes of modules with their text.
            const PickleNode& id = *node.persistent_id();
            const bool is_class = id.is(PickleKind::Tuple) && id.elements().size() == 4 &&
                                  id.elements()[0]->is(PickleKind::String) && id.elements()[0]->to_string() == "module";
            return is_class ? build(*id.elements()[1]) : storages_.load(node);
        }
        case PickleKind::Reduce:
        case PickleKind::Object:
            return build_call(node, type);
    }
    return {};
}

IValue ValueBuilder::build_call(const PickleNode& node, const TypePtr& type) {
    const std::string_view name = node.callable_name();
    if (is_tensor_call(node)) return build_tensor(rebuild_tensor(node, storages_), name == kRebuildParameter);
    if (name == "torch._tensor._rebuild_from_type_v2" || name == "torch._tensor._rebuild_from_type") {
        return build_subclass(node.call().args->elements());
    }
    if (node.is(PickleKind::Object)) return classes_.make(node, *this);
    if (name == "collections.OrderedDict") {
        // Items are a list of pairs in old writers, else set after the call.
        const auto& args = node.call().args->elements();
        PickleNode::Elements items;
        if (!args.empty()) {
            for (const PickleRef pair : args[0]->elements()) {
                const auto& both = pair->elements();
                if (both.size() != 2) throw_file_error("OrderedDict of something that is no pair");
                items.insert(items.end(), both.begin(), both.end());
            }
        }
        const auto& more = node.call().items;
        items.insert(items.end(), more.begin(), more.end());
        IValue dict = build_dict(items, alternative_of(type, TypeKind::Dict));
        return classes_.make_ordered_dict(Ptr<DictObject>(&dict.to_dict()), node.call().state, *this);
    }
    if (name == "torch.jit._pickle.restore_type_tag") {
        const auto& args = node.call().args->tuple(2);
        return build(*args[0], classes_.parse_type(args[1]->to_string()));
    }
    if (name == "torch.jit._pickle.build_intlist") return build_list(first_argument(node).elements(), types::integer());
    if (name == "torch.jit._pickle.build_doublelist") {
        return build_list(first_argument(node).elements(), types::floating());
    }
    if (name == "torch.jit._pickle.build_boollist")
        return build_list(first_argument(node).elements(), types::boolean());
    if (name == "torch.jit._pickle.build_tensorlist")
        return build_list(first_argument(node).elements(), types::tensor());
    if (auto value = build_python_call(node, name)) return std::move(*value);
    return classes_.make(node, *this);
}

// Callables of torch.save and Python's own pickles.
std::optional<IValue> ValueBuilder::build_python_call(const PickleNode& node, std::string_view name) {
    if (name == "torch.device") return build_device(node.call().args->elements());
    if (name == "torch.serialization._get_layout") return classes_.make_layout(first_argument(node).to_string());
    if (name == "torch.Size") return classes_.make_size(build(first_argument(node)));
    if (name == "builtins.complex" || name == "__builtin__.complex") {
        const auto& parts = node.call().args->tuple(2);
        return std::complex<double>(parts[0]->to_float(), parts[1]->to_float());
    }
    if (name == "builtins.set" || name == "__builtin__.set") return build_set(first_argument(node).elements());
    if (name == "builtins.frozenset" || name == "__builtin__.frozenset") {
        std::vector<IValue> values;
        for (const PickleRef element : first_argument(node).elements()) values.push_back(build(*element));
        return classes_.make_frozen_set(std::move(values));
    }
    if (is_numpy_call(node)) return build_numpy(node);
    if (auto bytes = pickled_bytes(node)) return classes_.make_bytes(std::move(*bytes));
    if (name == "builtins.bytes" || name == "__builtin__.bytes") {
        if (node.call().args->elements().empty()) return classes_.make_bytes({});
    }
    return std::nullopt;
}

IValue ValueBuilder::build_set(const PickleNode::Elements& elements) {
    std::vector<IValue> values;
    for (const PickleRef element : elements) values.push_back(build(*element));
    return classes_.make_set(std::move(values));
}

// (function, class, arguments of the function, state of the object)
IValue ValueBuilder::build_subclass(const PickleNode::Elements& args) {
    if (args.size() < 3) throw_file_error("tensor of a class made from too few values");
    const std::string& function = args[0]->global_name();
    const std::string& name = args[1]->global_name();
    const RebuiltTensor rebuilt = rebuild_tensor(function, args[2]->elements(), storages_);
    const bool is_parameter = function == kRebuildParameter || name == "torch.nn.parameter.Parameter";
    if (is_parameter || name == "torch.Tensor" || name == "torch._tensor.Tensor" || name == kJaggedClass)
        return build_tensor(rebuilt, is_parameter);
    return classes_.make_subclass(name, rebuilt.tensor);
}

IValue ValueBuilder::build_tensor(const RebuiltTensor& rebuilt, bool is_parameter) {
    if (!rebuilt.kind.empty()) return classes_.make_stand_in(rebuilt, join(path_, "."));
    if (is_parameter) return classes_.make_parameter(rebuilt.tensor, rebuilt.requires_grad);
    if (rebuilt.requires_grad && is_differentiable(rebuilt.tensor.dtype())) set_requires_grad(rebuilt.tensor, true);
    return rebuilt.tensor;
}

IValue ValueBuilder::build_list(const PickleNode::Elements& elements, TypePtr element_type) {
    std::vector<IValue> values;
    values.reserve(elements.size());
    for (const PickleRef element : elements) values.push_back(build(*element, element_type));
    if (!element_type) element_type = common_type(values, 0, 1);
    return make_ptr<ListObject>(std::move(element_type), std::move(values));
}

IValue ValueBuilder::build_tuple(const PickleNode::Elements& elements, const TypePtr& type) {
    const bool fits = type && type->contained().size() == elements.size();
    std::vector<IValue> values;
    values.reserve(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        values.push_back(build(*elements[i], fits ? type->contained()[i] : nullptr));
    }
    const bool is_named = fits && !type->as<TupleType>()->fields().empty();
    return make_ptr<TupleObject>(std::move(values), is_named ? type : nullptr);
}

IValue ValueBuilder::build_dict(const PickleNode::Elements& items, const TypePtr& type) {
    const TypePtr key_type = type ? type->contained()[0] : nullptr;
    const TypePtr value_type = type ? type->contained()[1] : nullptr;
    std::vector<IValue> values;
    values.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool is_named = i % 2 == 1 && values.back().is_string();
        if (is_named) path_.push_back(values.back().to_string());
        values.push_back(build(*items[i], i % 2 == 0 ? key_type : value_type));
        if (is_named) path_.pop_back();
    }
    const auto part_type = [&](const TypePtr& given, std::size_t first) {
        if (type) return given;
        return classes_.is_typed() ? common_type(values, first, 2) : types::any();
    };
    auto dict = make_ptr<DictObject>(part_type(key_type, 0), part_type(value_type, 1));
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) dict->set(std::move(values[i]), std::move(values[i + 1]));
    return dict;
}

}  // namespace loupe
