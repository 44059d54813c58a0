// SPDX-License-Identifier: Apache-2.0
// The logit lens (nostalgebraist 2020): what words each layer's output would give, had the layers above it not been:
// every one goes through the final norm and the head of the model itself.

#include <algorithm>
#include <cmath>

#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/next_token.h"
#include "core/study/share_groups.h"
#include "core/study/studies/layer_stack.h"
#include "core/study/studies/module_outputs.h"
#include "core/study/studies/study_list.h"
#include "core/study/studies/tail_replay.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

std::string why_not(const StudySubject& subject) {
    if (!subject.ids_place()) return "the model takes no tokens: none of its inputs is of integers";
    if (!has_numbered_modules(subject.info())) return "no layers stand one on the other";
    return {};
}

std::vector<StudyOption> options(const StudySubject&) {
    using Kind = StudyOption::Kind;
    return {{.name = "top",
             .title = "Words",
             .what = "Likely words of each cell, in its tip",
             .kind = Kind::Integer,
             .value = "5",
             .choices = {},
             .low = 1,
             .high = 20}};
}

// A vocabulary is what tokens are looked up in.
bool is_vocabulary(const StudySubject& subject, std::int64_t size) {
    if (subject.text() != nullptr && subject.text()->vocabulary_size() == size) return true;
    return std::ranges::any_of(subject.info().modules, [&](const ModuleInfo& module) {
        return module.class_name.find("Embedding") != std::string::npos &&
               std::ranges::any_of(module.parameters, [&](const TensorInfo& parameter) {
                   return parameter.shape.size() == 2 && parameter.shape.front() == size;
               });
    });
}

// The last layer runs again with what stands behind it kept. Scores: the model's own.
Tensor keep_tail(const StudySubject& subject, const std::string& last, TailReplay& tail) {
    ModuleHooks hooks;
    hooks.add(subject, last, [&](const std::vector<IValue>&, const IValue& output) -> std::optional<IValue> {
        tail.begin(main_tensor(output));
        return std::nullopt;
    });
    const ObserverScope observed(&tail);
    return main_tensor(run_subject(subject));
}

// [places, vocabulary] of the first of the batch, float32 on the host.
Tensor rows_of(const Tensor& scores) {
    Tensor rows = detach(scores);
    while (rows.dim() > 2) rows = fn::select(rows, 0, 0);
    return fn::contiguous(on_host(fn::to_dtype(rows, static_cast<std::int64_t>(ScalarType::Float32))), 0);
}

double greatest_difference(const Tensor& a, const Tensor& b) {
    double greatest = 0;
    for (std::int64_t i = 0; i < a.numel(); ++i)
        greatest = std::max(greatest, std::abs(static_cast<double>(a.data<float>()[i] - b.data<float>()[i])));
    return greatest;
}

void add_row(const Tensor& rows, std::size_t top, const TokenNames& names, StudyWords& words) {
    const std::int64_t places = rows.size(0), vocabulary = rows.size(1);
    std::vector<TokenOdds> odds(static_cast<std::size_t>(places));
    parallel_for(0, places, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            odds[static_cast<std::size_t>(i)] =
                odds_of({rows.data<float>() + i * vocabulary, static_cast<std::size_t>(vocabulary)}, top);
    });
    for (const TokenOdds& each : odds) {
        StudyWords::Cell& cell = words.cells.emplace_back();
        cell.entropy = each.entropy;
        for (const LikelyToken& likely : each.top)
            cell.top.push_back({names(likely.id), static_cast<double>(likely.probability)});
    }
}

// From which layer on the likeliest word of the last place is the one that the model gives.
std::string settled_text(const StudyWords& words) {
    const std::size_t columns = words.columns.size(), rows = words.rows.size();
    const auto word_at = [&](std::size_t row) {
        const auto& top = words.cells[row * columns + columns - 1].top;
        return top.empty() ? -1 : top.front().token.id;
    };
    std::size_t since = rows - 1;
    while (since > 0 && word_at(since - 1) == word_at(rows - 1)) --since;
    const auto& top = words.cells[(rows - 1) * columns + columns - 1].top;
    if (top.empty()) return {};
    const std::string word = python_repr(std::string_view(top.front().token.text));
    return concat("The word of the last place is ", word,
                  since + 1 == rows ? std::string(": only the last layer says so")
                                    : concat(", from ", words.rows[since].name, " on"));
}

StudyOutcome answer(const StudySubject& subject, const StudyChoices& choices, const StudyReport& report) {
    report({0, 2, "run"});
    const LayerStack layers = find_layers(subject);
    const Tensor shape = main_tensor(layers.result);
    if (!is_vocabulary(subject, shape.size(-1)))
        throw Error(ErrorKind::Usage, concat("the model has no language head: it gives ", describe(shape),
                                             ", which is no score for each word of a vocabulary"));
    check_cancelled();
    report({1, 2, "run"});
    TailReplay tail;
    const Tensor scores = keep_tail(subject, layers.paths.back(), tail);
    if (!tail.has_begun())
        throw Error(ErrorKind::Run, concat("the model did not call ", layers.paths.back(), " again"));
    const TokenNames names(subject.text(), shape.size(-1));
    const auto top = static_cast<std::size_t>(choices.integer("top"));
    const std::vector<std::int64_t> ids = subject.scored_ids();
    const std::int64_t places = scores.size(-2);
    StudyOutcome out;
    StudyWords& words = out.result.words.emplace_back();
    words.title = "Likeliest word by layer and place";
    for (std::int64_t i = std::max<std::int64_t>(0, std::ssize(ids) - places); i < std::ssize(ids); ++i)
        words.columns.push_back(names(ids[static_cast<std::size_t>(i)]));
    words.columns.resize(static_cast<std::size_t>(places));
    words.rows.push_back({"embedding", {}});
    for (const std::string& path : layers.paths) words.rows.push_back({path, path});
    TensorList hidden{layers.input};
    hidden.insert(hidden.end(), layers.outputs.begin(), layers.outputs.end());
    TensorList logits;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        report({static_cast<std::int64_t>(i), std::ssize(hidden), "layer"});
        logits.push_back(rows_of(tail.replay(hidden[i], scores)));
        if (logits.back().size(0) != places) throw Error(ErrorKind::Run, "layers give different numbers of places");
        add_row(logits.back(), top, names, words);
    }
    out.result.title = concat("Logit lens of ", layers.paths.size(), " layers");
    if (const std::string settled = settled_text(words); !settled.empty()) out.result.facts.push_back(settled);
    out.result.facts.push_back(concat("The last layer gives what the model gives: they differ by ",
                                      short_number(greatest_difference(logits.back(), rows_of(scores)))));
    out.arrays.emplace_back("logits", fn::stack(logits, 0));
    out.arrays.emplace_back("ids",
                            tensor_of(std::span<const std::int64_t>(ids), std::vector<std::int64_t>{std::ssize(ids)}));
    return out;
}

}  // namespace

const StudyRecord kLogitLensStudy{
    .name = "logit-lens",
    .title = "Logit lens",
    .what = "What words each layer's output would give, through the model's own final norm and head.",
    .paper = "nostalgebraist 2020; Belrose et al. 2023",
    .results = "words",
    .panel = {},
    .why_not = why_not,
    .options = options,
    .answer = answer,
};

}  // namespace loupe::session
