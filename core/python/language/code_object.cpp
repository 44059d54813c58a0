// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/code_object.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/operations.h"

namespace loupe::python {
namespace {

std::int64_t line_at(const ir::Source& source, std::size_t place) {
    const std::string_view text = source.text();
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(place, text.size())), '\n');
}

IValue names_tuple(std::span<const std::string> names) {
    std::vector<IValue> out(names.begin(), names.end());
    return make_tuple(std::move(out));
}

class CodeObject final : public PythonObject {
  public:
    CodeObject(Ptr<Unit> code_unit, const Code& of) : unit(std::move(code_unit)), code(of) {}
    const Ptr<Unit> unit;
    const Code& code;
    AttributeMap replaced;

    std::string type_name() const override { return "code"; }

    std::optional<IValue> find_attribute(std::string_view name) override {
        if (const IValue* own = replaced.find(name)) return *own;
        if (name == "co_name") return IValue(code.name);
        if (name == "co_qualname") return IValue(code.qualified_name);
        if (name == "co_filename") return IValue(unit->source->file().value_or("<string>"));
        if (name == "co_firstlineno") return IValue(first_line());
        if (name == "co_argcount") return IValue(static_cast<std::int64_t>(code.positional_count));
        if (name == "co_posonlyargcount") return IValue(static_cast<std::int64_t>(code.positional_only));
        if (name == "co_kwonlyargcount") return IValue(keyword_only());
        if (name == "co_varnames") return names_tuple(variables());
        if (name == "co_nlocals") return IValue(static_cast<std::int64_t>(variables().size()));
        if (name == "co_cellvars") return names_tuple(std::span(code.cells).first(code.own_cells));
        if (name == "co_freevars") return names_tuple(std::span(code.cells).subspan(code.own_cells));
        if (name == "co_flags") return IValue(flags());
        if (name == "replace") {
            return IValue::other(make_ptr<NativeCallable>(
                "replace", [self = Ptr<CodeObject>(this)](CallArguments a) { return self->with(a); }));
        }
        return PythonObject::find_attribute(name);
    }

    bool equals(const IValue& other) override {
        const auto* that = object_as<CodeObject>(other);
        return that != nullptr && &that->code == &code && replaced.entries().empty() &&
               that->replaced.entries().empty();
    }

    std::string repr() override {
        return concat("<code object ", code.name, " at ", address_text(this), ", file \"",
                      unit->source->file().value_or("<string>"), "\", line ", first_line(), ">");
    }

  private:
    std::int64_t first_line() const {
        if (code.kind == ScopeKind::Module) return 1;
        for (const auto& [node, each] : unit->scopes.codes) {
            if (each.get() == &code) return line_of_node(node);
        }
        return 1;
    }

    // Of a def the line of its `def`; a decorator's is the statement's, as in CPython.
    std::int64_t line_of_node(const void* node) const {
        const bool is_def = code.kind == ScopeKind::Function || code.kind == ScopeKind::Class;
        const std::size_t begin = is_def ? static_cast<const script::Stmt*>(node)->range.begin
                                         : static_cast<const script::Expr*>(node)->range.begin;
        return line_at(*unit->source, begin);
    }

    std::int64_t keyword_only() const {
        std::int64_t count = 0;
        for (std::size_t i = code.positional_count; i < code.params.size(); ++i)
            count += i != code.rest && i != code.keyword_rest ? 1 : 0;
        return count;
    }

    // Parameters in the order that CPython gives them, then the other locals.
    std::vector<std::string> variables() const {
        std::vector<std::string> out;
        const auto add = [&](std::string_view name) {
            if (std::find(out.begin(), out.end(), name) == out.end()) out.emplace_back(name);
        };
        for (std::size_t i = 0; i < code.params.size(); ++i) {
            if (i != code.rest && i != code.keyword_rest) add(code.params[i].name);
        }
        for (const std::uint32_t gathering : {code.rest, code.keyword_rest}) {
            if (gathering != Code::kNone) add(code.params[gathering].name);
        }
        for (const std::string& local : code.locals) add(local);
        return out;
    }

    std::int64_t flags() const {
        const bool is_nested = code.qualified_name.find("<locals>") != std::string::npos;
        return 0x3 | (code.rest != Code::kNone ? 0x4 : 0) | (code.keyword_rest != Code::kNone ? 0x8 : 0) |
               (is_nested ? 0x10 : 0) | (code.is_generator ? 0x20 : 0) | (code.is_async ? 0x80 : 0);
    }

    // What a function runs stands in its source: names can be other ones, the rest cannot.
    IValue with(const CallArguments& a) const {
        const auto copy = make_ptr<CodeObject>(unit, code);
        for (const auto& [name, value] : replaced.entries()) copy->replaced.set(name, value);
        for (const auto& [name, value] : a.keywords) {
            if (name != "co_name" && name != "co_qualname" && name != "co_filename" && name != "co_firstlineno")
                throw_error("NotImplementedError",
                            concat("code.replace(", name, ") is not available in a model source"));
            copy->replaced.set(name, value);
        }
        return IValue::other(copy);
    }
};

class CellObject final : public PythonObject {
  public:
    explicit CellObject(Ptr<Cell> seen) : cell(std::move(seen)) {}
    const Ptr<Cell> cell;
    std::string type_name() const override { return "cell"; }
    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name != "cell_contents") return PythonObject::find_attribute(name);
        if (is_unbound(cell->value)) throw_error("ValueError", "Cell is empty");
        return cell->value;
    }
    void set_attribute(std::string_view name, IValue value) override {
        if (name != "cell_contents") return PythonObject::set_attribute(name, std::move(value));
        cell->value = std::move(value);
    }
};

class FrameObject final : public PythonObject {
  public:
    explicit FrameObject(AttributeMap seen) : attributes(std::move(seen)) {}
    AttributeMap attributes;
    std::string type_name() const override { return "frame"; }
    std::optional<IValue> find_attribute(std::string_view name) override {
        if (const IValue* own = attributes.find(name)) return *own;
        return PythonObject::find_attribute(name);
    }
};

}  // namespace

IValue code_object(const Ptr<Unit>& unit, const Code& code) { return IValue::other(make_ptr<CodeObject>(unit, code)); }

IValue closure_of(const FunctionObject& function) {
    if (function.captured.empty()) return IValue();
    std::vector<IValue> cells;
    for (const Ptr<Cell>& cell : function.captured) cells.push_back(IValue::other(make_ptr<CellObject>(cell)));
    return make_tuple(std::move(cells));
}

ClassObject::Made new_function(ClassObject& /*cls*/, CallArguments& arguments) {
    const BoundArguments given(std::move(arguments), "function", {"code", "globals", "name=", "argdefs=", "closure="});
    const auto* code = object_as<CodeObject>(given[0]);
    if (code == nullptr) throw_type_error("function() argument 'code' must be code");
    const auto made = make_ptr<FunctionObject>(code->unit, code->code);
    made->defaults.resize(code->code.params.size(), unbound());
    if (given.has(3) && !given[3].is_none()) {
        const std::vector<IValue> defaults = to_vector(given[3]);
        const std::size_t count = std::min(defaults.size(), code->code.positional_count);
        for (std::size_t i = 0; i < count; ++i)
            made->defaults[code->code.positional_count - count + i] = defaults[defaults.size() - count + i];
    }
    std::vector<IValue> cells;
    if (given.has(4) && !given[4].is_none()) cells = to_vector(given[4]);
    if (cells.empty() && !code->code.captured.empty()) throw_type_error("arg 5 (closure) must be tuple");
    if (cells.size() != code->code.captured.size())
        throw_error("ValueError", concat(code->code.name, " requires closure of length ", code->code.captured.size(),
                                         ", not ", cells.size()));
    for (const IValue& each : cells) {
        const auto* cell = object_as<CellObject>(each);
        if (cell == nullptr) throw_type_error("arg 5 (closure) expected cell");
        made->captured.push_back(cell->cell);
    }
    for (const auto& [from, to] : {std::pair("co_name", "__name__"), std::pair("co_qualname", "__qualname__")}) {
        if (const IValue* name = code->replaced.find(from)) made->attributes.set(to, *name);
    }
    if (given.has(2) && !given[2].is_none()) made->attributes.set("__name__", given[2]);
    return {IValue::other(made), true};
}

IValue globals_of(const Unit& unit) {
    auto dict = make_dict();
    for (const auto& [name, value] : unit.globals->entries()) dict->set(IValue(name), value);
    return IValue(dict);
}

IValue frame_object(const Frame* frame) {
    if (frame == nullptr) return IValue();
    AttributeMap seen;
    auto locals = make_dict();
    for (const auto& [name, value] : locals_of(*frame)) locals->set(IValue(name), value);
    seen.set("f_locals", IValue(locals));
    seen.set("f_globals", globals_of(frame->unit));
    seen.set("f_code", code_object(Ptr<Unit>(&frame->unit), frame->code));
    seen.set("f_lineno", IValue(line_at(*frame->unit.source, frame->where.begin)));
    seen.set("f_back", frame_object(frame->caller));
    return IValue::other(make_ptr<FrameObject>(std::move(seen)));
}

}  // namespace loupe::python
