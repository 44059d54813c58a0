// SPDX-License-Identifier: Apache-2.0
// Rows of a weight, or of what a module gives for samples, tokens or places, in the plane in which they differ most.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/studies/module_outputs.h"
#include "core/study/studies/principal_axes.h"
#include "core/study/studies/study_list.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

// Weights of two dimensions: of embeddings first, the widest vocabulary first of them.
std::vector<std::string> weights_of(const ModelInfo& info) {
    std::vector<const TensorInfo*> tables;
    std::vector<std::string> others;
    for (const ModuleInfo& module : info.modules)
        for (const TensorInfo& parameter : module.parameters) {
            if (parameter.shape.size() != 2 || parameter.shape.front() < 3 || parameter.shape.back() < 2) continue;
            const bool is_table = module.class_name.find("Embedding") != std::string::npos;
            if (is_table)
                tables.push_back(&parameter);
            else
                others.push_back(parameter.name);
        }
    std::ranges::stable_sort(tables,
                             [](const TensorInfo* a, const TensorInfo* b) { return a->shape[0] > b->shape[0]; });
    std::vector<std::string> out;
    for (const TensorInfo* table : tables) out.push_back(table->name);
    // The head, which names classes or words, says more than what lies in the middle.
    out.insert(out.end(), others.rbegin(), others.rend());
    return out;
}

std::string why_not(const StudySubject& subject) {
    if (!weights_of(subject.info()).empty() || subject.info().modules.size() > 1) return {};
    return "no parameter of two dimensions, and no module whose output could be taken";
}

std::vector<StudyOption> options(const StudySubject& subject) {
    using Kind = StudyOption::Kind;
    std::vector<std::string> choices = weights_of(subject.info());
    const std::string first = choices.empty() ? module_paths(subject).front() : choices.front();
    for (std::string& path : module_paths(subject)) choices.push_back(std::move(path));
    return {{.name = "of",
             .title = "Of",
             .what = "A weight, whose rows are the points; or a module: the samples, tokens or places of its output",
             .kind = Kind::Text,
             .value = first,
             .choices = choices},
            {.name = "colour",
             .title = "Colours",
             .what = "By the length of the row, its place, or the group that it lies with",
             .kind = Kind::Choice,
             .value = "norm",
             .choices = {"norm", "position", "cluster"}},
            {.name = "clusters",
             .title = "Groups",
             .what = "Of the colours by group: k-means of the whole rows",
             .kind = Kind::Integer,
             .value = "6",
             .choices = {},
             .low = 2,
             .high = 8,
             .only_if = "colour=cluster"},
            {.name = "rows",
             .title = "At most",
             .what = "Rows that are taken, evenly over all",
             .kind = Kind::Integer,
             .value = "2000",
             .choices = {},
             .low = 3,
             .high = 20000}};
}

struct Rows {
    Tensor all;              // [rows, width]
    std::string what;        // "rows", "tokens", "samples", "places"
    bool are_words = false;  // a row a token of the vocabulary
};

Rows rows_of_output(const StudySubject& subject, const std::string& path) {
    const Tensor out = output_of(subject, path);
    if (!is_floating(out.dtype()))
        throw Error(ErrorKind::Usage, concat(path, " gives ", describe(out), ", no numbers to compare"));
    if (out.dim() == 2) return {out, "samples"};
    if (out.dim() == 3) return {fn::select(out, 0, 0), subject.ids_place() ? "tokens" : "places"};
    if (out.dim() == 4 && out.size(0) > 2) return {fn::flatten(out, 1, -1), "samples"};
    if (out.dim() == 4) return {fn::transpose(fn::flatten(fn::select(out, 0, 0), 1, -1), 0, 1), "places"};
    throw Error(ErrorKind::Usage, concat(path, " gives ", describe(out), ", which has no rows"));
}

Rows rows_of(const StudySubject& subject, const std::string& name) {
    for (const auto& [own, parameter] : subject.program().module().named_parameters()) {
        if (own != name) continue;
        if (parameter.dim() < 2 || !is_floating(parameter.dtype()))
            throw Error(ErrorKind::Usage, concat(name, " is ", describe(parameter), ", which has no rows"));
        const Tensor rows = parameter.dim() == 2 ? detach(parameter) : fn::flatten(detach(parameter), 1, -1);
        const bool are_words = subject.text() != nullptr && rows.size(0) >= subject.text()->vocabulary_size() &&
                               subject.text()->vocabulary_size() > 0;
        return {rows, are_words ? "tokens" : "rows", are_words};
    }
    return rows_of_output(subject, name);
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", share * 100);
    return text;
}

void add_labels(const StudySubject& subject, const Rows& rows, StudyPoints& points) {
    const TokenNames names(subject.text());
    const std::vector<std::int64_t> ids =
        rows.what == "tokens" && !rows.are_words ? subject.ids() : std::vector<std::int64_t>();
    for (const std::int64_t row : points.indices) {
        const bool is_token = row < std::ssize(ids);
        points.labels.push_back(rows.are_words ? names(row).text
                                : is_token     ? names(ids[static_cast<std::size_t>(row)]).text
                                               : std::to_string(row));
    }
}

void add_colours(const StudyChoices& choices, const Tensor& rows, StudyPoints& points) {
    const std::string& colour = choices.text("colour");
    points.colour_title = colour;
    if (colour == "cluster") {
        points.is_grouped = true;
        for (const int group : groups_of(rows, static_cast<int>(choices.integer("clusters"))))
            points.colour.push_back(group);
        return;
    }
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
        double square = 0;
        for (std::int64_t j = 0; j < rows.size(1); ++j) {
            const double value = rows.data<double>()[i * rows.size(1) + j];
            square += value * value;
        }
        points.colour.push_back(colour == "norm" ? std::sqrt(square)
                                                 : static_cast<double>(points.indices[static_cast<std::size_t>(i)]));
    }
}

StudyOutcome answer(const StudySubject& subject, const StudyChoices& choices, const StudyReport&) {
    const std::string& name = choices.text("of");
    const Rows found = rows_of(subject, name);
    const std::int64_t all = found.all.size(0), most = choices.integer("rows");
    if (all < 3) throw Error(ErrorKind::Usage, concat(name, " has ", all, " ", found.what, ": a plane needs three"));
    StudyPoints points;
    for (std::int64_t i = 0; i < std::min(all, most); ++i) points.indices.push_back(all <= most ? i : i * all / most);
    const Tensor indices =
        tensor_of(std::span<const std::int64_t>(points.indices), std::vector<std::int64_t>{std::ssize(points.indices)});
    const Tensor rows = fn::contiguous(
        fn::to_dtype(fn::index_select(on_host(found.all), 0, indices), static_cast<std::int64_t>(ScalarType::Float64)),
        0);
    const PrincipalAxes axes = principal_axes(rows);
    check_cancelled();
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
        points.x.push_back(axes.scores.data<double>()[2 * i]);
        points.y.push_back(axes.scores.data<double>()[2 * i + 1]);
    }
    points.x_title = concat("component 1, ", percent(axes.share[0]), " of the variance");
    points.y_title = concat("component 2, ", percent(axes.share[1]));
    points.title = concat(name, " by its ", found.what);
    add_labels(subject, found, points);
    add_colours(choices, rows, points);
    StudyOutcome out;
    out.result.title = concat("Principal components of ", name);
    out.result.facts.push_back(concat(rows.size(0) == all ? concat(all) : concat(rows.size(0), " of ", all), " ",
                                      found.what, " of ", rows.size(1), " numbers; the plane holds ",
                                      percent(axes.share[0] + axes.share[1]), " of their variance"));
    out.arrays.emplace_back("scores", axes.scores);
    out.arrays.emplace_back("components", axes.components);
    out.arrays.emplace_back("explained", tensor_of<double>({axes.share[0], axes.share[1]}, {2}));
    out.arrays.emplace_back("indices", indices);
    out.result.points.push_back(std::move(points));
    return out;
}

}  // namespace

const StudyRecord kEmbeddingPcaStudy{
    .name = "pca",
    .title = "Embeddings in a plane",
    .what =
        "Rows of a weight, or what a module gives for tokens, samples or places, in the plane in which they differ "
        "most.",
    .paper = "Pearson 1901",
    .results = "points",
    .panel = {},
    .why_not = why_not,
    .options = options,
    .answer = answer,
};

}  // namespace loupe::session
