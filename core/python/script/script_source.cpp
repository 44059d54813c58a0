// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_source.h"

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/script/error.h"
#include "core/script/parser.h"

namespace loupe::python {
namespace {

using script::Def;

const Def* definition_of(const FunctionObject& function) {
    for (const auto& [node, code] : function.unit->scopes.codes) {
        if (code.get() == &function.code) return static_cast<const Def*>(node);
    }
    return nullptr;
}

// The lines that the range stands on, as a source that knows where in the file it begins.
std::shared_ptr<const ir::Source> lines_of(const ir::Source& file, script::Range range) {
    const std::size_t first = file.line_of(range.begin);
    const std::size_t start = file.line_start(first);
    const std::size_t last = file.line_of(range.end > range.begin ? range.end - 1 : range.begin);
    const std::size_t end = std::min(file.text().size(), file.line_start(last) + file.line(last).size() + 1);
    return std::make_shared<const ir::Source>(file.text().substr(start, end - start), file.file(),
                                              file.starting_line() + first);
}

const Def& written_definition(const FunctionObject& function) {
    if (function.code.kind != ScopeKind::Function) {
        throw Error(ErrorKind::Compile, "Expected a single top-level function: a lambda cannot be compiled",
                    {.hint = "write it as a def"});
    }
    const Def* written = definition_of(function);
    if (written == nullptr) throw Error(ErrorKind::Internal, concat("no definition of ", function.code.name));
    return *written;
}

FunctionSource parsed_part(const std::shared_ptr<const ir::Source>& source, script::Range part) {
    FunctionSource out{{source, script::parse_part(source, part)}, nullptr};
    for (const script::Stmt* statement : out.parsed.tree->body) {
        if (const auto* def = script::as<Def>(statement)) out.def = def;
    }
    if (out.def == nullptr) throw script::CompileError("expected a function definition", script::place(source, part));
    return out;
}

// The definition in the source of its lines.
script::Range part_of(const ir::Source& file, const Def& written) {
    const std::size_t offset = file.line_start(file.line_of(written.full_range.begin));
    return {static_cast<std::uint32_t>(written.full_range.begin - offset),
            static_cast<std::uint32_t>(written.full_range.end - offset)};
}

}  // namespace

FunctionSource source_of(const FunctionObject& function) {
    const ir::Source& file = *function.unit->source;
    const Def& written = written_definition(function);
    return parsed_part(lines_of(file, written.full_range), part_of(file, written));
}

FunctionSource declaration_of(const FunctionObject& function) {
    const ir::Source& file = *function.unit->source;
    const Def& written = written_definition(function);
    if (written.body.empty()) return source_of(function);
    const script::Range part = part_of(file, written);
    const auto lines = lines_of(file, written.full_range);
    const std::size_t head = written.body.front()->range.begin - (written.full_range.begin - part.begin);
    auto source = std::make_shared<const ir::Source>(lines->text().substr(0, head) + "pass\n", lines->file(),
                                                     lines->starting_line());
    return parsed_part(source, {part.begin, static_cast<std::uint32_t>(head + 4)});
}

std::optional<IValue> visible_name(const FunctionObject& function, std::string_view name) {
    const auto& cells = function.code.cells;
    for (std::size_t i = function.code.own_cells; i < cells.size(); ++i) {
        if (cells[i] != name) continue;
        const IValue& value = function.captured.at(i - function.code.own_cells)->value;
        return is_unbound(value) ? std::nullopt : std::optional<IValue>(value);
    }
    if (auto found = function.unit->globals->find(name)) return found;
    const Evaluator* evaluator = Evaluator::current();
    return evaluator != nullptr ? evaluator->state().builtins->find(name) : std::nullopt;
}

std::optional<IValue> visible_path(const FunctionObject& function, std::string_view path) {
    std::optional<IValue> value;
    bool is_first = true;
    for (const std::string_view part : split(path, '.')) {
        value = is_first ? visible_name(function, part) : find_attribute(*value, part);
        if (!value) return std::nullopt;
        is_first = false;
    }
    return value;
}

}  // namespace loupe::python
