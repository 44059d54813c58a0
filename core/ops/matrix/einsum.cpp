// SPDX-License-Identifier: Apache-2.0
// einsum: sums of products in Einstein's notation, by pairwise batched products.
#include <algorithm>
#include <array>
#include <map>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/matrix/family.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/samples.h"

namespace loupe {
namespace {

constexpr char kEllipsisBase = '\x01';  // dimensions under "..." get labels 1, 2, ... from the right

struct Operand {
    std::string labels;  // one per dimension, without repetition
    Tensor tensor;
};

struct Equation {
    std::vector<std::string> inputs;
    std::string output;
};

bool is_label(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Labels of one term, its "..." written out as `covered` dimensions.
std::string term_labels(std::string_view term, std::int64_t covered) {
    std::string labels;
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (term[i] == '.') {
            for (std::int64_t d = covered; d > 0; --d) labels += static_cast<char>(kEllipsisBase + d - 1);
            i += 2;
        } else {
            labels += term[i];
        }
    }
    return labels;
}

void check_term(std::string_view term) {
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (term[i] == '.') {
            require(term.substr(i, 3) == "..." && term.find('.', i + 3) == std::string_view::npos,
                    "einsum(): found '.' that is not part of any ellipsis");
            i += 2;
        } else {
            require(is_label(term[i]), "einsum(): invalid subscript given, subscripts must be in [a-zA-Z], got ",
                    term[i]);
        }
    }
}

Equation parse_equation(std::string text, const TensorList& operands) {
    std::erase(text, ' ');
    const auto arrow = text.find("->");
    const auto terms = split(std::string_view(text).substr(0, arrow), ',');
    require(operands.size() >= terms.size(), "einsum(): fewer operands were provided than specified in the equation");
    require(operands.size() <= terms.size(), "einsum(): more operands were provided than specified in the equation");
    Equation equation;
    std::int64_t widest = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        check_term(terms[i]);
        const bool has_ellipsis = terms[i].find('.') != std::string_view::npos;
        const auto named = static_cast<std::int64_t>(terms[i].size()) - (has_ellipsis ? 3 : 0);
        const std::int64_t rank = operands[i].dim();
        require(has_ellipsis ? named <= rank : named == rank, "einsum(): the number of subscripts in the equation (",
                named, ") ",
                has_ellipsis ? "is more than the number of dimensions (" : "does not match the number of dimensions (",
                rank, ") for operand ", i, has_ellipsis ? "" : " and no ellipsis was given");
        if (has_ellipsis) widest = std::max(widest, rank - named);
        equation.inputs.push_back(term_labels(terms[i], has_ellipsis ? rank - named : 0));
    }
    if (arrow != std::string::npos) {
        const std::string_view out = std::string_view(text).substr(arrow + 2);
        check_term(out);
        equation.output = term_labels(out, widest);
        for (const char label : equation.output) {
            const bool known =
                std::any_of(equation.inputs.begin(), equation.inputs.end(),
                            [label](const std::string& in) { return in.find(label) != std::string::npos; });
            require(known, "einsum(): output subscript ", label,
                    " does not appear in the equation for any input operand");
            require(std::count(equation.output.begin(), equation.output.end(), label) == 1,
                    "einsum(): output subscript ", label, " appears more than once in the output");
        }
        return equation;
    }
    // Without an arrow: the dimensions under "...", then the labels that appear once, in alphabetical order.
    equation.output = term_labels("...", widest);
    std::map<char, int> uses;
    for (const std::string& in : equation.inputs) {
        for (const char label : in) ++uses[label];
    }
    for (const auto& [label, count] : uses) {
        if (is_label(label) && count == 1) equation.output += label;
    }
    return equation;
}

// Takes the diagonal of repeated labels.
Operand take_diagonals(Operand operand) {
    for (std::size_t i = 0; i < operand.labels.size(); ++i) {
        for (std::size_t j = i + 1; j < operand.labels.size();) {
            if (operand.labels[j] != operand.labels[i]) {
                ++j;
                continue;
            }
            require(operand.tensor.sizes()[i] == operand.tensor.sizes()[j], "einsum(): subscript ", operand.labels[i],
                    " is repeated for operand, but the sizes don't match, ", operand.tensor.sizes()[j],
                    " != ", operand.tensor.sizes()[i]);
            const Tensor diagonal =
                fn::diagonal(operand.tensor, 0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
            operand.labels.erase(j, 1);
            // diagonal() puts the new dimension last; it is moved back to i.
            operand.tensor = fn::movedim(diagonal, -1, static_cast<std::int64_t>(i));
        }
    }
    return operand;
}

void check_extents(const std::vector<Operand>& operands) {
    std::map<char, std::int64_t> extents;
    for (std::size_t n = 0; n < operands.size(); ++n) {
        for (std::size_t d = 0; d < operands[n].labels.size(); ++d) {
            const char label = operands[n].labels[d];
            const std::int64_t size = operands[n].tensor.sizes()[d];
            std::int64_t& known = extents.emplace(label, size).first->second;
            if (known == 1) known = size;
            require(size == known || size == 1, "einsum(): subscript ", is_label(label) ? std::string(1, label) : "...",
                    " has size ", size, " for operand ", n, " which does not broadcast with previously seen size ",
                    known);
        }
    }
}

bool contains(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

Operand sum_out(const Operand& operand, const std::string& keep) {
    std::vector<std::int64_t> dims;
    std::string labels;
    for (std::size_t d = 0; d < operand.labels.size(); ++d) {
        if (contains(keep, operand.labels[d]))
            labels += operand.labels[d];
        else
            dims.push_back(static_cast<std::int64_t>(d));
    }
    if (dims.empty()) return operand;
    return {labels, fn::sum_dim(operand.tensor, dims, false)};
}

// The operand's dimensions in the order of `labels`, size 1 where it lacks one.
Tensor arranged(const Operand& operand, const std::string& labels) {
    std::vector<std::int64_t> order;
    for (const char label : labels) {
        if (contains(operand.labels, label)) order.push_back(static_cast<std::int64_t>(operand.labels.find(label)));
    }
    Tensor t = fn::permute(operand.tensor, order);
    for (std::size_t d = 0; d < labels.size(); ++d) {
        if (!contains(operand.labels, labels[d])) t = fn::unsqueeze(t, static_cast<std::int64_t>(d));
    }
    return t;
}

std::int64_t extent(const Operand& operand, char label) { return operand.tensor.sizes()[operand.labels.find(label)]; }

// One batched matrix product: common labels that are kept are the batch, others are summed.
Operand contract(const Operand& a, const Operand& b, const std::string& keep) {
    std::string batch;
    std::string summed;
    std::string left;
    std::string right;
    for (const char label : a.labels) {
        if (!contains(b.labels, label))
            left += label;
        else if (contains(keep, label))
            batch += label;
        else
            summed += label;
    }
    for (const char label : b.labels) {
        if (!contains(a.labels, label)) right += label;
    }
    // A broadcast size of 1 fits no matrix product: multiply and sum.
    const auto broadcasts = [&](char label) { return extent(a, label) != extent(b, label); };
    const std::string shared = batch + summed;
    if (summed.empty() || std::any_of(shared.begin(), shared.end(), broadcasts)) {
        const std::string all = batch + left + right + summed;
        return sum_out({all, fn::mul(arranged(a, all), arranged(b, all))}, keep);
    }
    const auto fold = [](const Operand& operand, const std::array<std::string, 3>& groups) {
        std::vector<std::int64_t> sizes;
        std::string order;
        for (const std::string& group : groups) {
            std::int64_t size = 1;
            for (const char label : group) size *= extent(operand, label);
            sizes.push_back(size);
            order += group;
        }
        return fn::reshape(arranged(operand, order), sizes);
    };
    const Tensor product = fn::bmm(fold(a, {batch, left, summed}), fold(b, {batch, summed, right}));
    std::vector<std::int64_t> sizes;
    for (const char label : batch + left) sizes.push_back(extent(a, label));
    for (const char label : right) sizes.push_back(extent(b, label));
    return {batch + left + right, fn::reshape(product, sizes)};
}

Tensor einsum(std::string_view text, const TensorList& tensors, const std::optional<Dims>&) {
    require(!tensors.empty(), "einsum(): must provide at least one operand");
    const Equation equation = parse_equation(std::string(text), tensors);
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        operands.push_back(take_diagonals({equation.inputs[i], tensors[i]}));
    check_extents(operands);
    Operand result = operands[0];
    for (std::size_t i = 0; i < operands.size(); ++i) {
        std::string needed = equation.output;
        for (std::size_t later = i + 1; later < operands.size(); ++later) needed += operands[later].labels;
        if (i == 0) {
            result = sum_out(result, needed);
            continue;
        }
        result = contract(result, sum_out(operands[i], needed + result.labels), needed);
        result = sum_out(result, needed);
    }
    return arranged(result, equation.output);
}

std::vector<Sample> einsum_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{"ij,jk->ik", TensorList{t({2, 3}), t({3, 4})}, IValue()}, "product"},
            {{"bij,bjk->bik", TensorList{t({2, 2, 3}), t({2, 3, 4})}, IValue()}, "batch"},
            {{"ii->i", TensorList{t({3, 3})}, IValue()}, "diagonal"},
            {{"...ij->...ji", TensorList{t({2, 3, 4})}, IValue()}, "ellipsis"},
            {{"i,j,k->kij", TensorList{t({2}), t({3}), t({2})}, IValue()}, "outer"},
            {{"ij,ij", TensorList{t({2, 3}), t({2, 3})}, IValue()}, "implicit"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
        .summary = "Sums of products of tensors in Einstein's notation, from left to right.",
        .formula = "out[free] = sum_{others} prod_t tensors[t][its letters]",
        .composite = boxed<einsum>,
        .gradient = "tensors: the same sum with grad in place of the tensor",
        .samples = einsum_samples,
        .autocast = {.cuda = Autocast::Lower},
    },
};

}  // namespace

std::span<const OperatorRecord> matrix::einsum_records() { return kRecords; }

}  // namespace loupe
