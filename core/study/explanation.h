// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a number comes from: the answer to a question about one element of a recorded value, or about what it reaches.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/record/recording.h"

namespace loupe::session {

// How the shares of an explanation were found.
enum class ShareKind : std::uint8_t {
    Given,       // nothing made it in this run: an input, weight, buffer or constant
    Exact,       // the operator is linear in the elements: share = coefficient * element
    Element,     // it is one very element: a view, an index, a gather, a maximum
    Held,        // exact, with a number that it was divided by held: the scale of a normalisation
    Derivative,  // gradient * element; what that leaves is the remainder
    Read,        // without a derivative: the elements that were compared, counted or looked up
    Random,      // a random draw
    Sum,         // gradients of several readers added up
    Unknown,     // the operator has no record, or what it read was not kept
};
constexpr ShareKind last_of(ShareKind) { return ShareKind::Unknown; }
// "exact", "the very element", "by derivative", ...
std::string_view share_kind_name(ShareKind kind);

// An element that something was made of.
struct ElementShare {
    Shape index;
    double element = 0;
    double coefficient = 0;
    double share = 0;
};
auto fields(Like<ElementShare> auto& it) { return std::tie(it.index, it.element, it.coefficient, it.share); }

// The elements of one tensor.
struct ShareGroup {
    enum class Role : std::uint8_t {
        Source,    // its shares add up to the number
        Factor,    // what the sources were multiplied with: in the coefficients, not in the sum
        Selector,  // an index, mask or condition that chose
        Constant,  // of a whole path: what operators add by themselves
        Reached,   // of a forward question: elements that depend on it
    };
    Role role = Role::Source;
    std::string argument;  // of the operator: "input", "tensors[1]"; of a path what it is: "input", "weight"
    ValueId value = 0;     // 0: none that was recorded
    std::string name;
    EventId event = 0;  // that made it, or that a constant is of
    Shape shape;
    std::int64_t count = 0;  // elements with a share
    double share = 0;        // of all of them
    // Indices of the smallest box around them: from, and behind the last.
    Shape from;
    Shape to;
    std::vector<ElementShare> top;  // the greatest shares first; those that are not finite before all
    // The box drawn: its last two dimensions, the others added up (elements: averaged), thinned.
    int rows = 0;
    int columns = 0;
    std::vector<double> shares;
    std::vector<double> elements;
};
constexpr ShareGroup::Role last_of(ShareGroup::Role) { return ShareGroup::Role::Reached; }
auto fields(Like<ShareGroup> auto& it) {
    return std::tie(it.role, it.argument, it.value, it.name, it.event, it.shape, it.count, it.share, it.from, it.to,
                    it.top, it.rows, it.columns, it.shares, it.elements);
}

struct Explanation {
    std::string error;  // not empty: nothing else is valid
    ValueId value = 0;
    std::string name;
    Shape index;
    double number = 0;
    EventId event = 0;  // that made it; 0: there before the run
    std::string op;
    std::string scope;
    std::string source_file;
    int source_line = 0;
    RunPhase phase = RunPhase::Forward;
    ShareKind kind = ShareKind::Unknown;
    Said text;                       // "0.5 * 3 of input[0, 1] ..." in one sentence
    std::vector<Said> causes;        // of a number that is not finite: "0 * inf: ..."
    std::vector<ShareGroup> groups;  // sources by share, then factors, then selectors
    // number = sources + constant + remainder, but for rounding.
    double sources = 0;
    double constant = 0;   // what the operator adds by itself
    double remainder = 0;  // what derivatives do not explain
    std::vector<Said> notes;
};
// Whether shares, constant and remainder add up to the number; of NaN and Inf nothing does.
inline bool has_sum(const Explanation& e) {
    const bool is_kind = e.kind == ShareKind::Exact || e.kind == ShareKind::Held || e.kind == ShareKind::Derivative;
    return is_kind && std::isfinite(e.number);
}
auto fields(Like<Explanation> auto& it) {
    return std::tie(it.error, it.value, it.name, it.index, it.number, it.event, it.op, it.scope, it.source_file,
                    it.source_line, it.phase, it.kind, it.text, it.causes, it.groups, it.sources, it.constant,
                    it.remainder, it.notes);
}

}  // namespace loupe::session
