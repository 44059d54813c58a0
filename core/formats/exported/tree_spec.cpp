// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/tree_spec.h"

#include <algorithm>
#include <deque>

#include "core/formats/archive/byte_reader.h"

namespace loupe::exported {
namespace {

constexpr std::string_view kWhat = "tree of inputs or outputs";

class SpecParser {
  public:
    explicit SpecParser(const JsonValue* named_tuples) : named_tuples_(named_tuples) {}

    TreeSpec parse(const JsonValue& json) {
        TreeSpec spec;
        const JsonValue* type = find_member(json, "type", kWhat);
        if (type == nullptr) return spec;
        const std::string name(text_of(*type, kWhat));
        if (const JsonValue* children = find_member(json, "children_spec", kWhat)) {
            for (const JsonValue& child : list_of(*children, kWhat)) spec.children.push_back(parse(child));
        }
        const JsonValue& context = context_of(json);
        if (name == "builtins.tuple" || name == "torch.Size") {
            spec.kind = TreeSpec::Kind::Tuple;
        } else if (name == "builtins.list" || name.ends_with("immutable_list") || name == "collections.deque") {
            spec.kind = TreeSpec::Kind::List;
        } else if (name == "builtins.dict" || name.ends_with("immutable_dict") || name == "collections.OrderedDict" ||
                   name == "collections.defaultdict") {
            read_dict(context, spec);
        } else {
            read_named(name, context, spec);
        }
        return spec;
    }

  private:
    // JSON in a string, else the value itself.
    const JsonValue& context_of(const JsonValue& json) {
        static const JsonValue none;
        const JsonValue* context = find_member(json, "context", kWhat);
        if (context == nullptr) return none;
        if (!context->is_string()) return *context;
        auto parsed = JsonDocument::parse(context->text());
        return parsed ? contexts_.emplace_back(std::move(*parsed)).root() : *context;
    }

    static void read_dict(const JsonValue& context, TreeSpec& spec) {
        const JsonValue* keys = context.is_object() ? find_member(context, "dict_context", kWhat) : &context;
        if (keys == nullptr || !keys->is_list() || keys->size() != spec.children.size())
            throw_file_error("the program's tree of a dict has other keys than values");
        spec.kind = TreeSpec::Kind::Dict;
        for (const JsonValue& key : keys->elements()) {
            if (key.is_string()) {
                spec.keys.emplace_back(std::string(key.text()));
            } else if (key.is_boolean()) {
                spec.keys.emplace_back(key.boolean());
            } else if (key.is_integer()) {
                spec.keys.emplace_back(int_of(key, kWhat));
            } else if (key.is_number()) {
                spec.keys.emplace_back(key.number());
            } else {
                spec.keys.emplace_back(key.dump());
            }
        }
        const bool are_alike = std::ranges::all_of(spec.keys, [&](const IValue& key) {
            return key.is_string() == spec.keys.front().is_string() && key.is_int() == spec.keys.front().is_int();
        });
        if (!are_alike) spec.kind = TreeSpec::Kind::Tuple;
    }

    // Named tuples, dataclasses, the outputs of transformers.
    void read_named(const std::string& type, const JsonValue& context, TreeSpec& spec) {
        const bool is_named_tuple = type == "collections.namedtuple" && context.is_string();
        const std::string name = is_named_tuple ? std::string(context.text()) : type;
        const JsonValue* fields = is_named_tuple ? named_tuple_fields(name) : &context;
        if (fields != nullptr && fields->is_list() && !fields->empty() && fields->elements()[0].is_list())
            fields = &fields->elements()[0];  // a dataclass: [names, names of None]
        spec.kind = TreeSpec::Kind::Tuple;
        if (fields == nullptr || !fields->is_list() || fields->size() != spec.children.size()) return;
        for (const JsonValue& field : fields->elements()) {
            if (!field.is_string()) return spec.fields.clear();
            spec.fields.emplace_back(field.text());
        }
        if (spec.fields.empty()) return;
        spec.kind = TreeSpec::Kind::Named;
        spec.name = name;
    }

    const JsonValue* named_tuple_fields(const std::string& name) const {
        const JsonValue* found = named_tuples_ != nullptr ? named_tuples_->find(name) : nullptr;
        return found != nullptr && found->is_object() ? find_member(*found, "field_names", kWhat) : found;
    }

    const JsonValue* named_tuples_;
    std::deque<JsonDocument> contexts_;
};

TypePtr common_type(const std::vector<ir::Value*>& values) {
    if (values.empty()) return types::tensor();
    for (const ir::Value* value : values) {
        if (!value->type()->equals(*values.front()->type())) return types::any();
    }
    return values.front()->type();
}

TypePtr key_type(const std::vector<IValue>& keys) {
    return keys.empty() || keys.front().is_string() ? types::string() : type_of(keys.front());
}

}  // namespace

TreeSpec parse_tree_spec(std::string_view text, const JsonValue* named_tuples) {
    const JsonDocument document = parse_program_json(text, "the tree of inputs or outputs");
    const JsonValue& json = document.root();
    if (!json.is_list() || json.size() != 2) throw_file_error("the program's tree of inputs or outputs has no version");
    return SpecParser(named_tuples).parse(json.elements()[1]);
}

std::size_t leaf_count(const TreeSpec& spec) {
    if (spec.kind == TreeSpec::Kind::Leaf) return 1;
    std::size_t count = 0;
    for (const TreeSpec& child : spec.children) count += leaf_count(child);
    return count;
}

namespace {

bool collect_leaves(const TreeSpec& spec, const IValue& value, std::vector<IValue>& leaves) {
    if (spec.kind == TreeSpec::Kind::Leaf) {
        leaves.push_back(value);
        return true;
    }
    for (std::size_t i = 0; i < spec.children.size(); ++i) {
        const IValue* part = nullptr;
        if (value.is_dict()) {
            const bool is_named = spec.kind == TreeSpec::Kind::Named;
            if (!is_named && spec.kind != TreeSpec::Kind::Dict) return false;
            part = value.to_dict().find(is_named ? IValue(spec.fields[i]) : spec.keys[i]);
        } else if (value.is_tuple() || value.is_list()) {
            const auto& elements = value.is_tuple() ? value.to_tuple().elements : value.to_list().elements;
            if (elements.size() != spec.children.size()) return false;
            part = &elements[i];
        }
        if (part == nullptr || !collect_leaves(spec.children[i], *part, leaves)) return false;
    }
    return true;
}

}  // namespace

std::optional<std::vector<IValue>> leaves_of(const TreeSpec& spec, const IValue& value) {
    std::vector<IValue> leaves;
    if (!collect_leaves(spec, value, leaves)) return std::nullopt;
    return leaves;
}

ir::Value* build_value(ir::Graph& graph, const TreeSpec& spec, const std::vector<ir::Value*>& leaves,
                       std::size_t& next) {
    if (spec.kind == TreeSpec::Kind::Leaf) {
        if (next >= leaves.size()) throw_file_error("the program has fewer outputs than the tree of its outputs");
        return leaves[next++];
    }
    std::vector<ir::Value*> parts;
    for (const TreeSpec& child : spec.children) parts.push_back(build_value(graph, child, leaves, next));
    std::vector<TypePtr> part_types;
    for (const ir::Value* part : parts) part_types.push_back(part->type());
    ir::Node* node = nullptr;
    switch (spec.kind) {
        case TreeSpec::Kind::List:
            node = graph.create(ir::prim::ListConstruct, parts);
            node->output()->set_type(types::list(common_type(parts)));
            break;
        case TreeSpec::Kind::Dict: {
            std::vector<ir::Value*> items;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                items.push_back(graph.insert_constant(spec.keys[i]));
                items.push_back(parts[i]);
            }
            node = graph.create(ir::prim::DictConstruct, items);
            node->output()->set_type(types::dict(key_type(spec.keys), common_type(parts)));
            break;
        }
        case TreeSpec::Kind::Named:
            node = graph.create(ir::prim::TupleConstruct, parts);
            node->output()->set_type(types::named_tuple(spec.name, spec.fields, std::move(part_types)));
            break;
        default:
            node = graph.create(ir::prim::TupleConstruct, parts);
            node->output()->set_type(types::tuple(std::move(part_types)));
            break;
    }
    return graph.insert(node)->output();
}

}  // namespace loupe::exported
