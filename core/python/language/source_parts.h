// SPDX-License-Identifier: Apache-2.0
#pragma once
// A source cut into what an edit is found in: functions, each with the tokens of its own body, and the statements of
// the module and of its classes. For source_edit.cpp.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/language/frame.h"

namespace loupe::python {

class SourceParts {
  public:
    explicit SourceParts(const Unit& unit);

    // A function or lambda. Functions inside it are parts of their own.
    struct Function {
        std::string key;  // its qualified name, and which of that name it is
        const Code* code = nullptr;
        script::Range body;
        std::string tokens;
        std::set<std::string, std::less<>> names;  // that its tokens mention
    };
    // A statement at the level of the module or of a class; of functions and classes only what stands before the body.
    struct Item {
        enum class Kind { Function, Class, Constant, Import, Other };
        Kind kind = Kind::Other;
        std::string scope;  // of the class, by its qualified name; empty: the module
        std::string name;   // "Net.forward"; of a constant what it binds
        std::string tokens;
        std::set<std::string, std::less<>> names;
        const script::Stmt* statement = nullptr;
        const Code* code = nullptr;      // of a function
        const Code* in_class = nullptr;  // the code of the class whose statement it is
        ir::SourceRange range;
        std::vector<std::string> bound;  // by a constant or an import
    };
    const std::vector<Function>& functions() const { return functions_; }
    const std::vector<Item>& items() const { return items_; }
    const Function* find(std::string_view key) const;
    const Function* find(const Code& code) const;

  private:
    struct Words {
        std::string tokens;
        std::set<std::string, std::less<>> names;
        bool has_call = false;
    };
    void find_functions();
    void add_items(script::Body body, const std::string& scope, const Code* in_class);
    Item item_of(const script::Stmt* statement) const;
    // Of the tokens in the range those that stand in this function's body and in no function in it; null: in none.
    Words words(script::Range range, const Function* owner) const;

    struct Token {
        std::uint8_t kind;
        script::Range range;
        int owner;  // index of a function; -1: none
    };
    const Unit& unit_;
    std::vector<Token> tokens_;
    std::vector<Function> functions_;
    std::vector<Item> items_;
};

}  // namespace loupe::python
