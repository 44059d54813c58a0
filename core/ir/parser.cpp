// SPDX-License-Identifier: Apache-2.0
#include "core/ir/parser.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/parse_constant.h"

namespace loupe::ir {

class Parser {
  public:
    Parser(std::string_view text, const TypeResolver& resolve) : cursor_(text), outer_resolve_(resolve) {
        find_names("Enum<", enums_);
        find_names("InterfaceType<", interfaces_);
        resolve_ = [this](std::string_view name) { return resolve_name(name); };
    }

    static void renumber(Graph& graph) {
        graph.next_value_id_ = 0;
        renumber(*graph.block());
    }

    Ptr<Graph> parse() {
        cursor_.skip_whitespace();
        Ptr<Graph> graph = parse_one();
        cursor_.skip_whitespace();
        if (!cursor_.at_end()) cursor_.fail("the end");
        return graph;
    }

  private:
    // State of the graph being parsed; subgraphs have their own.
    struct Scope {
        Graph* graph;
        std::unordered_map<std::string, Value*> values;
        std::vector<Node*> groups;  // nodes whose subgraph follows
        std::size_t greatest_id = 0;
    };

    void find_names(std::string_view opening, std::unordered_map<std::string, TypePtr>& names) {
        const std::string_view text = cursor_.text();
        for (std::size_t at = text.find(opening); at != std::string_view::npos; at = text.find(opening, at + 1)) {
            const std::size_t begin = at + opening.size();
            names.emplace(std::string(text.substr(begin, text.find('>', begin) - begin)), nullptr);
        }
    }

    TypePtr resolve_name(std::string_view name) {
        if (outer_resolve_) {
            if (TypePtr found = outer_resolve_(name)) return found;
        }
        TypePtr& made = made_[std::string(name)];
        if (made) return made;
        if (enums_.contains(std::string(name))) {
            made = make_ptr<EnumType>(std::string(name), types::any(), std::vector<std::pair<std::string, IValue>>());
        } else if (interfaces_.contains(std::string(name))) {
            made = make_ptr<InterfaceType>(std::string(name), false);
        } else {
            made = make_ptr<ClassType>(std::string(name), false);
        }
        return made;
    }

    Ptr<Graph> parse_one() {
        auto graph = make_ptr<Graph>();
        Scope scope;
        scope.graph = graph.get();
        Scope* const before = scope_;
        scope_ = &scope;
        cursor_.expect("graph(");
        parse_inputs(graph->block());
        while (!next_line_starts("return")) parse_node(graph->block());
        cursor_.expect("return (");
        parse_results(graph->block());
        finish_numbers(*graph);
        for (Node* node : scope.groups) parse_subgraph(node);
        scope_ = before;
        return graph;
    }

    bool next_line_starts(std::string_view word) {
        cursor_.skip_whitespace();
        return cursor_.rest().starts_with(word);
    }

    void parse_subgraph(Node* node) {
        cursor_.skip_whitespace();
        cursor_.expect("with ");
        cursor_.word("_:");
        cursor_.expect("= ");
        node->set_attribute(attr::Subgraph, parse_one());
        while (next_line_starts("with ")) {
            const std::string_view head = cursor_.rest().substr(0, cursor_.rest().find(" = "));
            if (head.find('.') == std::string_view::npos) return;
            const Symbol attribute = Symbol::intern(head.substr(head.find('.') + 1));
            cursor_.expect("with ");
            cursor_.word("_:.");
            cursor_.expect("= ");
            node->set_attribute(attribute, parse_one());
        }
    }

    // "%x.1 : Tensor, %y : int):" after the opening parenthesis.
    void parse_inputs(Block* block) {
        while (!cursor_.accept("):")) {
            cursor_.skip_whitespace();
            const std::string name = parse_name();
            cursor_.expect(":");
            Value* value = block->add_input();
            value->set_type(parse_type_until(",)"));
            define(name, value);
            cursor_.accept(",");
            cursor_.skip_whitespace();
        }
    }

    void parse_results(Block* block) {
        for (Value* value : parse_operands()) block->add_output(value);
    }

    // "%a, %b)"
    std::vector<Value*> parse_operands() {
        std::vector<Value*> values;
        while (!cursor_.accept(")")) {
            const std::string name = parse_name();
            const auto found = scope_->values.find(name);
            if (found == scope_->values.end()) cursor_.fail(concat("a value that is defined instead of %", name));
            values.push_back(found->second);
            cursor_.accept(",");
        }
        return values;
    }

    std::string parse_name() {
        cursor_.expect("%");
        std::string name(cursor_.word("_."));
        if (name.empty()) cursor_.fail("a name");
        return name;
    }

    TypePtr parse_type_until(std::string_view stops) {
        cursor_.skip_spaces();
        return parse_type_text(cursor_.until(stops));
    }

    TypePtr parse_type_text(std::string_view text) {
        while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
        try {
            return parse_type(text, resolve_);
        } catch (const Error& error) {
            cursor_.fail(concat("a type instead of \"", text, "\" (", error.message(), ")"));
        }
    }

    void define(const std::string& name, Value* value) {
        if (!scope_->values.try_emplace(name, value).second) cursor_.fail(concat("another name than %", name));
        if (name.find_first_not_of("0123456789") != std::string::npos) {
            value->set_name(name);
            return;
        }
        std::size_t id = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc())
            cursor_.fail("a small number");
        value->id_ = id;
        scope_->greatest_id = std::max(scope_->greatest_id, id);
        numbered_.insert(value);
    }

    // Named values get numbers beyond the printed ones.
    void finish_numbers(Graph& graph) {
        graph.next_value_id_ = scope_->greatest_id + 1;
        number_block(*graph.block());
    }

    static void renumber(const Block& block) {
        for (Value* input : block.inputs()) input->id_ = input->graph()->next_value_id_++;
        for (const Node* node : block.nodes()) {
            for (Value* output : node->outputs()) output->id_ = output->graph()->next_value_id_++;
            for (std::size_t i = 0; i < node->block_count(); ++i) renumber(*node->block_at(i));
        }
    }

    void number_values(const Node& node) {
        for (Value* value : node.outputs()) {
            if (!numbered_.contains(value)) value->id_ = value->graph()->next_value_id_++;
        }
    }

    void number_block(const Block& block) {
        number_values(*block.param_node());
        for (const Node* node : block.nodes()) {
            number_values(*node);
            for (std::size_t i = 0; i < node->block_count(); ++i) number_block(*node->block_at(i));
        }
    }

    void parse_node(Block* block) {
        std::vector<std::pair<std::string, TypePtr>> outputs;
        // PyTorch's own parser reads a node without outputs also without the sign.
        cursor_.skip_spaces();
        const bool has_outputs = cursor_.peek() == '%' || cursor_.peek() == '=';
        while (has_outputs && !cursor_.accept("= ")) {
            std::string name = parse_name();
            cursor_.expect(":");
            TypePtr type = parse_type_until(",=");
            outputs.emplace_back(std::move(name), std::move(type));
            cursor_.accept(",");
        }
        const std::string kind(cursor_.word("_:"));
        Node* node = scope_->graph->create(Symbol::intern(kind), 0);
        block->append(node);
        for (const auto& [name, type] : outputs) node->add_output()->set_type(type);
        const auto underscore = kind.rfind('_');
        if (kind.starts_with("prim::") && underscore != std::string::npos &&
            kind.substr(underscore + 1) == std::to_string(scope_->groups.size())) {
            node->set_kind(Symbol::intern(kind.substr(0, underscore)));
            scope_->groups.push_back(node);
        }
        if (cursor_.accept("[")) parse_attributes(node);
        cursor_.expect("(");
        for (Value* value : parse_operands()) node->add_input(value);
        if (cursor_.accept(", scope: ")) node->set_scope(std::string(cursor_.word("_./")));
        if (cursor_.accept("# ")) parse_range(node);
        while (next_line_starts("block")) parse_block(node);
        for (std::size_t i = 0; i < outputs.size(); ++i) define(outputs[i].first, node->output(i));
    }

    void parse_block(Node* node) {
        cursor_.word();
        cursor_.expect("(");
        Block* block = node->add_block();
        parse_inputs(block);
        while (!next_line_starts("->")) parse_node(block);
        cursor_.expect("-> (");
        parse_results(block);
    }

    void parse_attributes(Node* node) {
        do {
            const Symbol name = Symbol::intern(cursor_.word());
            cursor_.expect("=");
            if (node->kind() == prim::Constant && name == attr::value)
                parse_constant_value(node);
            else
                node->set_attribute(name, parse_attribute());
        } while (cursor_.accept(","));
        cursor_.expect("]");
    }

    void parse_constant_value(Node* node) {
        const TypePtr& type = node->output()->type();
        IValue value = detail::parse_constant(cursor_, type);
        const bool is_list = value.is_none() && type->kind() == TypeKind::List;
        if (is_list)
            node->set_attribute(attr::value, TensorList());  // "[<Tensors>]"
        else if (value.is_none())
            node->set_attribute(attr::value, Tensor());  // "<Tensor>"
        else
            node->set_ival(attr::value, std::move(value));
    }

    AttributeValue parse_attribute() {
        cursor_.skip_spaces();
        if (cursor_.peek() == '"') return cursor_.quoted();
        if (cursor_.accept("<Tensor>")) return Tensor();
        if (cursor_.accept("MKLDNN Tensor:")) {  // in a layout that is not ours
            cursor_.until("]");
            return Tensor();
        }
        if (cursor_.accept("[<Tensors>]")) return TensorList();
        if (cursor_.peek() == '[') return parse_attribute_list();
        if (cursor_.peek() == '{') {  // none_counts={"num_none": 1, "num_present": 0}
            const IValue counts = detail::parse_constant(cursor_, types::dict(types::string(), types::integer()));
            return AttributeValue(std::in_place_type<IValue>, counts);
        }
        const std::string_view text = cursor_.until(",]");
        std::int64_t integer = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
        if (error == std::errc() && end == text.data() + text.size()) return integer;
        if (!text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-')) {
            return parse_float(std::string(text));
        }
        return parse_type_text(text);
    }

    double parse_float(const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (*end != '\0') cursor_.fail(concat("a number instead of ", text));
        return value;
    }

    AttributeValue parse_attribute_list() {
        cursor_.expect("[");
        std::vector<AttributeValue> elements;
        while (!cursor_.accept("]")) {
            elements.push_back(parse_attribute());
            cursor_.accept(",");
        }
        if (elements.empty()) return std::vector<std::int64_t>();
        if (std::holds_alternative<std::int64_t>(elements[0])) return all_of<std::int64_t>(elements);
        if (std::holds_alternative<double>(elements[0])) return all_of<double>(elements);
        if (std::holds_alternative<std::string>(elements[0])) return all_of<std::string>(elements);
        return all_of<TypePtr>(elements);
    }

    template <typename T>
    std::vector<T> all_of(const std::vector<AttributeValue>& elements) {
        std::vector<T> out;
        for (const AttributeValue& element : elements) {
            if (!std::holds_alternative<T>(element)) cursor_.fail("elements of one type");
            out.push_back(std::get<T>(element));
        }
        return out;
    }

    // "file.py:3:4" to the end of the line.
    void parse_range(Node* node) {
        const std::size_t length = std::min(cursor_.rest().find('\n'), cursor_.rest().size());
        const std::string_view text = cursor_.rest().substr(0, length);
        cursor_.seek(cursor_.position() + length);
        const auto column_at = text.rfind(':');
        const auto line_at = column_at == std::string_view::npos ? column_at : text.rfind(':', column_at - 1);
        if (line_at == std::string_view::npos) return;
        std::size_t line = 0;
        std::size_t column = 0;
        std::from_chars(text.data() + line_at + 1, text.data() + column_at, line);
        std::from_chars(text.data() + column_at + 1, text.data() + text.size(), column);
        auto& source = sources_[std::string(text.substr(0, column_at))];
        if (!source) source = std::make_shared<Source>("", std::string(text.substr(0, line_at)), line - 1);
        node->set_range({source, column, column});
    }

    detail::TextCursor cursor_;
    const TypeResolver& outer_resolve_;
    TypeResolver resolve_;
    std::unordered_map<std::string, TypePtr> enums_;
    std::unordered_map<std::string, TypePtr> interfaces_;
    std::unordered_map<std::string, TypePtr> made_;
    std::unordered_map<std::string, std::shared_ptr<const Source>> sources_;  // by "file:line"
    std::unordered_set<const Value*> numbered_;
    Scope* scope_ = nullptr;
};

Ptr<Graph> parse_graph(std::string_view text, const TypeResolver& resolve) { return Parser(text, resolve).parse(); }

void renumber_values(Graph& graph) { Parser::renumber(graph); }

}  // namespace loupe::ir
