// SPDX-License-Identifier: Apache-2.0
#include "core/ir/printer.h"

#include <cmath>
#include <cstdio>

#include "core/base/strings.h"

namespace loupe::ir {
namespace {

constexpr std::int64_t kMostElementsShown = 10;

// "100." for whole numbers, else 17 digits.
std::string float_text(double value) {
    if (std::isfinite(value) && std::abs(value) < 1e10 && value == std::trunc(value)) {
        return concat(value == 0 && std::signbit(value) ? "-" : "", static_cast<std::int64_t>(value), ".");
    }
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

}  // namespace

std::string complex_text(std::complex<double> value) {
    return concat(float_text(value.real()), value.imag() < 0 ? "-" : "+", float_text(std::abs(value.imag())), "j");
}

namespace {

std::string one_element_text(const Tensor& tensor) {
    const Scalar value = item(tensor);
    char text[80];
    switch (value.kind()) {
        case Scalar::Kind::Double:
            std::snprintf(text, sizeof text, "{%g}", value.to_double());
            break;
        case Scalar::Kind::Complex:
            std::snprintf(text, sizeof text, "{(%g,%g)}", value.to_complex().real(), value.to_complex().imag());
            break;
        default:
            std::snprintf(text, sizeof text, "{%lld}", static_cast<long long>(value.to_int()));
    }
    return text;
}

std::string tensor_text(const Tensor& tensor) {
    if (tensor.numel() == 1) return one_element_text(tensor);
    return tensor.numel() <= kMostElementsShown ? print_small_tensor(tensor) : "<Tensor>";
}

std::string element_text(const IValue& value);

std::string elements_text(const std::vector<IValue>& elements) {
    std::string out;
    for (const IValue& element : elements) {
        if (!out.empty()) out += ", ";
        out += element_text(element);
    }
    return out;
}

// Can the type of a container be derived from its elements?
bool determines_type(const TypePtr& element) {
    switch (element->kind()) {
        case TypeKind::Union:
        case TypeKind::Optional:
        case TypeKind::Number:
        case TypeKind::Interface:
        case TypeKind::Any:
            return false;
        default:
            return true;
    }
}

// A value inside a list or tuple: booleans print as true and false there.
std::string element_text(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::None:
            return "None";
        case IValue::Tag::Bool:
            return value.to_bool() ? "True" : "False";
        case IValue::Tag::List: {
            const ListObject& list = value.to_list();
            if (list.element_type->kind() == TypeKind::Tensor) return "[<Tensors>]";
            const std::string text = concat("[", elements_text(list.elements), "]");
            if (!list.elements.empty() && determines_type(list.element_type)) return text;
            return concat("annotate(List[", list.element_type->annotation_str(), "], ", text, ")");
        }
        case IValue::Tag::Tuple: {
            const auto& elements = value.to_tuple().elements;
            return concat("(", elements_text(elements), elements.size() == 1 ? ",)" : ")");
        }
        case IValue::Tag::Dict: {
            std::string out;
            for (const auto& [key, item_value] : value.to_dict().entries()) {
                out += concat(out.empty() ? "" : ", ", element_text(key), ": ", element_text(item_value));
            }
            const DictObject& dict = value.to_dict();
            if (!out.empty() && determines_type(dict.key_type) && determines_type(dict.value_type))
                return concat("{", out, "}");
            return concat("annotate(Dict[", dict.key_type->annotation_str(), ", ", dict.value_type->annotation_str(),
                          "],{", out, "})");
        }
        case IValue::Tag::Enum:
            return concat(value.to_enum().type->name(), ".", value.to_enum().name);
        case IValue::Tag::Object:
            return concat("object(", value.to_object()->type()->name(), ")");
        default:
            return print_constant(value);
    }
}

std::string value_list(const std::vector<Value*>& values) {
    std::string out;
    for (const Value* value : values) out += concat(out.empty() ? "%" : ", %", value->debug_name());
    return out;
}

std::string typed_list(const std::vector<Value*>& values, std::string_view separator) {
    std::string out;
    for (const Value* value : values) {
        if (!out.empty()) out += separator;
        out += print_value(*value);
    }
    return out;
}

struct AttributePrinter {
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return float_text(value); }
    std::string operator()(std::complex<double> value) const { return complex_text(value); }
    std::string operator()(const std::string& value) const { return quoted(value); }
    std::string operator()(const Tensor& value) const { return value.defined() ? tensor_text(value) : "<Tensor>"; }
    std::string operator()(const TypePtr& value) const { return value->str(); }
    std::string operator()(const TensorList&) const { return "[<Tensors>]"; }
    std::string operator()(const Ptr<Graph>&) const { return "<Graph>"; }
    std::string operator()(const IValue& value) const { return print_constant(value); }
    template <typename T>
    std::string operator()(const std::vector<T>& values) const {
        std::string out;
        for (const T& value : values) out += concat(out.empty() ? "" : ", ", (*this)(value));
        return concat("[", out, "]");
    }
};

class GraphPrinter {
  public:
    GraphPrinter(const Graph& graph, const PrintOptions& options) : options_(options) {
        out_ = concat("graph(", typed_list(graph.inputs(), ",\n      "), "):\n");
        for (const Node* node : graph.nodes()) print(*node, 1);
        out_ += concat("  return (", value_list(graph.outputs()), ")\n");
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const std::string name = concat("with ", groups_[i]->kind().str(), "_", i);
            out_ += concat(name, " = ", print_graph(*groups_[i]->g(attr::Subgraph), options));
            // Others that it has, the backward pass above all, follow by their attribute.
            for (const auto& [attribute, value] : groups_[i]->attributes()) {
                const auto* graph_of = std::get_if<Ptr<Graph>>(&value);
                if (graph_of == nullptr || attribute == attr::Subgraph) continue;
                out_ += concat(name, ".", attribute.str(), " = ", print_graph(**graph_of, options));
            }
        }
    }
    // A single node.
    GraphPrinter(const Node& node, const PrintOptions& options) : options_(options) { print_line(node); }
    std::string take() { return std::move(out_); }

  private:
    void indent(std::size_t level) { out_.append(2 * level, ' '); }

    void print_line(const Node& node) {
        out_ += concat(typed_list(node.outputs(), ", "), " = ", node.kind().str());
        if (node.has_attribute(attr::Subgraph)) {
            out_ += concat("_", groups_.size());
            groups_.push_back(&node);
        }
        if (const std::string attributes = print_attributes(node); !attributes.empty()) {
            out_ += concat("[", attributes, "]");
        }
        out_ += concat("(", value_list(node.inputs()), ")");
        if (options_.scopes && !node.scope().empty()) out_ += concat(", scope: ", node.scope());
        if (!options_.ranges) return;
        if (const auto place = node.range().original().position()) {
            out_ += concat(" # ", place->file, ":", place->line, ":", place->column);
        }
    }

    void print(const Node& node, std::size_t level) {
        indent(level);
        print_line(node);
        out_ += '\n';
        for (std::size_t i = 0; i < node.block_count(); ++i) {
            const Block& block = *node.block_at(i);
            indent(level + 1);
            out_ += concat("block", i, "(", typed_list(block.inputs(), ", "), "):\n");
            for (const Node* inner : block.nodes()) print(*inner, level + 2);
            indent(level + 2);
            out_ += concat("-> (", value_list(block.outputs()), ")\n");
        }
    }

    const PrintOptions& options_;
    std::string out_;
    std::vector<const Node*> groups_;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    return (hash ^ (value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2)));
}

// Tensors print alike when they are large: their identity counts too.
std::uint64_t hash_constants(const Block& block, std::uint64_t hash) {
    for (const Node* node : block.nodes()) {
        if (const auto value = constant_of(node)) {
            visit_tensors(*value, [&hash](const Tensor& t) { hash = mix(hash, std::hash<const void*>()(t.impl())); });
        }
        for (std::size_t i = 0; i < node->block_count(); ++i) hash = hash_constants(*node->block_at(i), hash);
    }
    return hash;
}

}  // namespace

std::string print_constant(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::Bool:
            return value.to_bool() ? "1" : "0";
        case IValue::Tag::Int:
            return std::to_string(value.to_int());
        case IValue::Tag::Double:
            return float_text(value.to_double());
        case IValue::Tag::Complex:
            return complex_text(value.to_complex());
        case IValue::Tag::String:
            return quoted(value.to_string());
        case IValue::Tag::Device:
            return quoted(device_name(value.to_device()));
        case IValue::Tag::Tensor:
            return tensor_text(value.to_tensor());
        case IValue::Tag::Future:
            return "Future";
        case IValue::Tag::Other:
            return "Capsule";
        default:
            return element_text(value);
    }
}

std::string print_attributes(const Node& node) {
    std::string out;
    for (const auto& [name, value] : node.attributes()) {
        const bool follows = std::holds_alternative<Ptr<Graph>>(value) && node.has_attribute(attr::Subgraph);
        if (follows) continue;
        out += concat(out.empty() ? "" : ", ", name.str(), "=", std::visit(AttributePrinter(), value));
    }
    return out;
}

std::string print_value(const Value& value) { return concat("%", value.debug_name(), " : ", value.type()->str()); }

std::string print_node(const Node& node, const PrintOptions& options) { return GraphPrinter(node, options).take(); }

std::string print_graph(const Graph& graph, const PrintOptions& options) { return GraphPrinter(graph, options).take(); }

std::string Graph::str() const { return print_graph(*this); }

std::uint64_t Graph::structural_hash() const {
    const std::string text = print_graph(*this, {.ranges = false, .scopes = false});
    return hash_constants(*block_, std::hash<std::string>()(text));
}

}  // namespace loupe::ir
