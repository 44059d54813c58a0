// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the names of a source mean: found once, before it runs, so that reading a name is reading a slot.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/source.h"
#include "core/script/ast.h"

namespace loupe::python {

enum class NameKind : std::uint8_t {
    Local,        // a slot of the frame
    Cell,         // a cell of the frame, shared with inner functions
    Global,       // a slot of the module, then the built-in name
    ClassGlobal,  // a name of the class body that is run, then as Global
    ClassCell,    // the same, then as Cell
};

struct NamePlace {
    NameKind kind = NameKind::Global;
    std::uint32_t slot = 0;
};

enum class ScopeKind : std::uint8_t { Module, Function, Lambda, Comprehension, Class };

// A stretch of source that has names of its own, as it is run.
struct Code {
    ScopeKind kind = ScopeKind::Module;
    std::string name;            // "forward", "<module>", "<lambda>"
    std::string qualified_name;  // "Model.forward", "outer.<locals>.inner"
    std::string doc;             // of a function, class or module; empty when there is none
    bool has_doc = false;
    bool is_generator = false;
    bool is_async = false;

    std::vector<std::string> locals;  // names by slot
    std::vector<std::string> cells;   // names by cell: its own, then the captured ones
    std::size_t own_cells = 0;
    std::vector<std::uint32_t> captured;  // where the cells behind the own ones are among the enclosing code's
    // The cell of a class body that its methods' super() reads; npos when no method does.
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t class_cell = kNone;

    std::span<const script::Param> params;
    std::vector<NamePlace> param_places;
    std::size_t positional_count = 0;  // parameters that can be given by position
    std::size_t positional_only = 0;
    std::uint32_t rest = kNone;  // index of *args among the parameters
    std::uint32_t keyword_rest = kNone;

    script::Body body;
    const script::Expr* expression = nullptr;  // of a lambda or comprehension
};

// Gives the slots of a module's names: same name, same slot.
class GlobalSlots {
  public:
    virtual ~GlobalSlots() = default;
    virtual std::uint32_t slot_of(std::string_view name) = 0;
};

struct ScopeTable {
    std::vector<NamePlace> names;                                  // by NameIndex
    std::unordered_map<const void*, std::unique_ptr<Code>> codes;  // by Def, Class, Lambda, Comprehension
    std::unique_ptr<Code> module;
    bool postpones_annotations = false;  // from __future__ import annotations
};

// Throws script::CompileError for what Python rejects before running: return outside a function, nonlocal of nothing.
ScopeTable analyse_scopes(const std::shared_ptr<const ir::Source>& source, const script::SyntaxTree& tree,
                          GlobalSlots& globals);

}  // namespace loupe::python
