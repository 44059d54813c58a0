// SPDX-License-Identifier: Apache-2.0
#include "core/ops/notes.h"

#include <algorithm>

#include "core/base/strings.h"

namespace loupe {
namespace {

bool takes_tensors(const Operator& op) { return (op.tensor_arguments | op.list_arguments) != 0; }

// "aten::add" of the record of aten::add_.Tensor: in-place and out= forms are described where the operator is.
std::string_view described_name(const Operator& op) {
    return op.record->schema.substr(0, op.record->schema.find_first_of(".("));
}

// Operators on numbers have names of operators on tensors, but other arguments.
const OperatorRecord* first_overload(const Operator& op) {
    if (!takes_tensors(op)) return nullptr;
    for (const Operator* other : operators_named(described_name(op))) {
        if (other->variant == OperatorVariant::Functional && takes_tensors(*other)) return other->record;
    }
    return nullptr;
}

std::string_view written_text(const Operator& op, std::string_view OperatorRecord::*text) {
    if (!(op.record->*text).empty()) return op.record->*text;
    const OperatorRecord* first = first_overload(op);
    return first != nullptr ? first->*text : std::string_view();
}

std::span<const NotFiniteNote> notes_of_name(std::string_view name) {
    for (const Operator* op : operators_named(name)) {
        if (!op->record->not_finite.empty()) return op->record->not_finite;
    }
    return {};
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

const Operator* same_operator(const Operator& op) {
    constexpr std::string_view kSame = "The same as ";
    std::string_view text = op.record->summary;
    if (!text.starts_with(kSame)) return nullptr;
    text.remove_prefix(kSame.size());
    const std::string name = concat("aten::", text.substr(0, text.find_first_of(" ,:;")));
    const std::string_view bare =
        name.ends_with('.') ? std::string_view(name).substr(0, name.size() - 1) : std::string_view(name);
    // The same overload where there is one.
    if (const Operator* same = find_operator(bare, op.schema.overload); same != nullptr && same->record != op.record)
        return same;
    for (const Operator* same : operators_named(bare)) {
        if (same->record != op.record) return same;
    }
    return nullptr;
}

std::span<const NotFiniteNote> not_finite_notes(const Operator& op) {
    if (!op.record->not_finite.empty()) return op.record->not_finite;
    std::string_view name = described_name(op);
    auto notes = notes_of_name(name);
    // `relu_` may be a record of its own.
    if (notes.empty() && name.ends_with('_') && !name.ends_with("__")) {
        name.remove_suffix(1);
        notes = notes_of_name(name);
    }
    if (!notes.empty()) return notes;
    const Operator* same = same_operator(op);
    return same != nullptr ? not_finite_notes(*same) : notes;
}

bool leaves_uninitialised(const Operator& op) {
    const auto notes = not_finite_notes(op);
    return !notes.empty() && notes.front().when == NotFiniteNote::When::Unwritten;
}

std::string_view operator_formula(const Operator& op) {
    if (const std::string_view own = written_text(op, &OperatorRecord::formula); !own.empty()) return own;
    const Operator* same = same_operator(op);
    return same != nullptr ? operator_formula(*same) : std::string_view();
}

std::string_view gradient_formula(const Operator& op, std::string_view argument) {
    if (const std::string_view own = written_text(op, &OperatorRecord::gradient); !own.empty())
        return line_of(own, argument);
    const Operator* same = same_operator(op);
    return same != nullptr ? gradient_formula(*same, argument) : std::string_view();
}

}  // namespace loupe
