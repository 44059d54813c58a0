// SPDX-License-Identifier: Apache-2.0
#include "core/ops/notes.h"

#include <unordered_map>
#include <vector>

#include "core/base/strings.h"
#include "core/ops/notes/tables.h"

namespace loupe {
namespace {

const OperatorNote* find_note(std::string_view name) {
    static const auto by_name = [] {
        std::unordered_map<std::string_view, const OperatorNote*> all;
        for (const auto table : operator_notes()) {
            for (const OperatorNote& note : table) all.emplace(note.name, &note);
        }
        return all;
    }();
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

// In-place and out= forms have the notes of their operator.
const FunctionSchema& described_schema(const Operator& op, FunctionSchema& parsed) {
    if (op.variant == OperatorVariant::Functional) return op.schema;
    parsed = parse_schema(op.record->schema);
    return parsed;
}

const OperatorNote* note_of(const Operator& op) {
    FunctionSchema parsed;
    const FunctionSchema& schema = described_schema(op, parsed);
    if (const OperatorNote* note = find_note(schema.full_name())) return note;
    // Operators on numbers have names of operators on tensors, but other arguments.
    return (op.tensor_arguments | op.list_arguments) != 0 ? find_note(schema.name) : nullptr;
}

// "self: grad other" of "self: grad other\nother: grad self", without its head.
std::string_view line_of(std::string_view lines, std::string_view argument) {
    while (!lines.empty()) {
        const auto end = std::min(lines.find('\n'), lines.size());
        const std::string_view line = lines.substr(0, end);
        const auto colon = line.find(": ");
        if (colon != std::string_view::npos && line.substr(0, colon) == argument) return line.substr(colon + 2);
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    return {};
}

}  // namespace

std::span<const std::span<const OperatorNote>> operator_notes() {
    static const std::vector<std::span<const OperatorNote>> tables{
        notes::pointwise_notes(), notes::activation_notes(), notes::reduction_notes(), notes::matrix_notes(),
        notes::nn_notes(),        notes::loss_notes(),       notes::layout_notes(),    notes::special_notes(),
    };
    return tables;
}

const Operator* same_operator(const Operator& op) {
    constexpr std::string_view kSame = "The same as ";
    std::string_view text = op.record->summary;
    if (!text.starts_with(kSame)) return nullptr;
    text.remove_prefix(kSame.size());
    const std::string name = concat("aten::", text.substr(0, text.find_first_of(" ,:;")));
    const std::string_view bare = name.ends_with('.') ? std::string_view(name).substr(0, name.size() - 1) : std::string_view(name);
    // The same overload where there is one.
    if (const Operator* same = find_operator(bare, op.schema.overload); same != nullptr && same->record != op.record) return same;
    for (const Operator* same : operators_named(bare)) {
        if (same->record != op.record) return same;
    }
    return nullptr;
}

std::vector<const NotFiniteNote*> not_finite_notes(const Operator& op) {
    FunctionSchema parsed;
    const FunctionSchema& schema = described_schema(op, parsed);
    // `relu_` may be a separate record.
    const bool is_own_in_place = schema.name.ends_with('_') && !schema.name.ends_with("__");
    const std::string plain = is_own_in_place ? schema.name.substr(0, schema.name.size() - 1) : schema.name;
    const std::string full_name = schema.full_name();
    std::vector<const NotFiniteNote*> all;
    for (const NotFiniteNote& note : not_finite_notes()) {
        if (note.name == plain || note.name == schema.name || note.name == full_name) all.push_back(&note);
    }
    if (!all.empty()) return all;
    const Operator* same = same_operator(op);
    return same != nullptr ? not_finite_notes(*same) : all;
}

bool leaves_uninitialised(const Operator& op) {
    const auto notes = not_finite_notes(op);
    return !notes.empty() && notes.front()->when == NotFiniteNote::When::Unwritten;
}

std::string_view operator_formula(const Operator& op) {
    if (!op.record->formula.empty()) return op.record->formula;
    if (const OperatorNote* note = note_of(op); note != nullptr && !note->formula.empty()) return note->formula;
    const Operator* same = same_operator(op);
    return same != nullptr ? operator_formula(*same) : std::string_view();
}

std::string_view gradient_formula(const Operator& op, std::string_view argument) {
    if (const OperatorNote* note = note_of(op); note != nullptr && !note->gradient.empty()) return line_of(note->gradient, argument);
    const Operator* same = same_operator(op);
    return same != nullptr ? gradient_formula(*same, argument) : std::string_view();
}

}  // namespace loupe
