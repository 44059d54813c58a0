// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function of a graph as TorchScript source, in PyTorch's layout: values used once are inlined, named values keep
// their names.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/function.h"
#include "core/ir/source.h"

namespace loupe {

// Types and functions that the text refers to, which the archive must contain too.
struct CodeDependencies {
    std::vector<TypePtr> types;
    std::vector<const ir::ScriptFunction*> functions;
};

enum class FirstArgument { Typed, Bare };  // self: __torch__.M, or self

class FunctionWriter {
  public:
    FunctionWriter(const ir::ScriptFunction& function, std::vector<IValue>& constants, std::size_t indent,
                   FirstArgument first = FirstArgument::Typed)
        : function_(function), constants_(constants), indent_(indent), first_(first) {}

    // Throws Error (Unsupported) for constructs without a source form. To be called once.
    std::string write();
    const CodeDependencies& dependencies() const { return dependencies_; }
    // By offset in the text.
    const std::vector<ir::GeneratedFrom>& places() const { return out_.places; }
    // The operator version of the calls' semantics.
    std::int64_t version() const { return version_; }

  private:
    // Text, and the origins of its ranges.
    struct Text {
        std::string text;
        std::vector<ir::GeneratedFrom> places;
        void add(std::string_view more) { text += more; }
        void add(const Text& more);
    };

    void write_head();
    void write_body(const ir::Block& body);
    void write_block(const ir::Block& block, bool has_more);
    void write_node(const ir::Node& node);
    void write_expression_node(const ir::Node& node);
    void write_return(const ir::Node& node);
    void write_unpack(const ir::Node& node);
    void write_attribute(const ir::Node& node);
    void write_fork(const ir::Node& node);
    void write_if(const ir::Node& node);
    void write_loop(const ir::Node& node);
    void write_counted_while(const ir::Node& node);
    void write_constants(const ir::Block& body);
    void enter(const ir::Node& node);
    void leave(const ir::Node& node);
    void begin_line() { out_.add(std::string(2 * indent_, ' ')); }
    void define(const ir::Node& node, const Text& value);
    void assign(const std::vector<ir::Value*>& to, const std::vector<ir::Value*>& from, std::size_t skip_to,
                std::size_t skip_from);
    void assign_initial(const ir::Value* to, const ir::Value* from);

    // Nodes that may be inlined at their use.
    void scan(const ir::Block& block);
    const ir::Node* scan(const ir::Node& node);
    const ir::Node* scan(const ir::Node* point, const ir::Value& value);
    bool is_long(const Text& text) const { return text.text.size() + indent_ * 2 >= 40; }
    void split_long(const ir::Node& node);

    std::string new_name(const std::string& wanted);
    void name(const ir::Value* value);
    const Text& use(const ir::Value* value);
    std::string annotation(const Type& type);
    Text values(const std::vector<ir::Value*>& all, std::string_view before, std::string_view behind,
                std::size_t first = 0);

    Text expression(const ir::Node& node);
    Text structure(const ir::Node& node, bool& is_known);
    Text call(const ir::Node& node);
    Text call_function(const ir::Node& node);
    Text call_method(const ir::Node& node);
    Text list(const ir::Node& node);
    Text dict(const ir::Node& node);
    Text constant_node(const ir::Node& node);
    std::string constant(const IValue& value);
    std::string elements(const std::vector<IValue>& values);

    const ir::ScriptFunction& function_;
    std::vector<IValue>& constants_;
    std::size_t indent_;
    FirstArgument first_;
    Text out_;
    std::unordered_set<const ir::Node*> inlined_;
    std::vector<const ir::Node*> pending_;                    // expressions that are not used yet, in order
    std::unordered_map<const ir::Value*, Text> names_;        // of variables that have been assigned
    std::unordered_map<const ir::Value*, Text> expressions_;  // of values without one
    std::unordered_set<std::string> annotated_;               // names: what a loop carries has one inside and outside
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::size_t> next_number_;
    std::int64_t version_ = 3;
    CodeDependencies dependencies_;
};

// Is it valid after a dot?
bool is_code_identifier(std::string_view name);

}  // namespace loupe
