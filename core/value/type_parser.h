// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parser of types that the parser of schemas shares; not for use outside this folder.

#include <optional>
#include <string>
#include <string_view>

#include "core/value/schema.h"

namespace loupe::detail {

// A type as spelled in a schema, with facts that the type lacks.
struct WrittenType {
    TypePtr type;
    std::string text;  // without alias marks
    std::optional<std::int64_t> list_size;
    std::optional<AliasInfo> alias;
    std::optional<AliasInfo> element_alias;
};

class TypeParser {
  public:
    TypeParser(std::string_view text, const TypeResolver& resolve, bool in_schema)
        : text_(text), resolve_(resolve), in_schema_(in_schema) {}

    WrittenType parse_written();
    TypePtr parse() { return parse_written().type; }

    // The tokens, for the schema's own syntax. Each skips spaces first.
    bool at_end();
    char peek();
    bool accept(std::string_view token);
    void expect(std::string_view token);
    std::string_view identifier();      // letters, digits, '_'; throws when there is none
    std::string_view qualified_name();  // identifiers joined by '.' and "::"
    std::string number_text();          // the characters of a number: "-1.5e-3", "1j"
    std::string quoted_text();
    std::int64_t integer();
    std::size_t end_of_type() const;  // behind the last token, before the spaces that follow it
    [[noreturn]] void fail(std::string_view what) const;

  private:
    WrittenType parse_base();
    void parse_named(WrittenType& out);
    TypePtr parse_builtin(std::string_view name);
    TypePtr parse_named_tuple();
    TypePtr parse_refined(std::string_view name);
    TypePtr parse_container(std::string_view name);
    void parse_tensor_facts(TensorType& type, bool has_sizes);
    std::vector<TypePtr> parse_list(std::string_view end);
    std::vector<TypePtr> parse_arguments();
    bool is_tensor_facts();
    std::optional<AliasInfo> parse_alias();
    std::string parse_alias_set();
    char unescaped();
    void skip_spaces();

    std::string_view text_;
    std::size_t at_ = 0;
    const TypeResolver& resolve_;
    bool in_schema_;
    int depth_ = 0;
};

}  // namespace loupe::detail
