// SPDX-License-Identifier: Apache-2.0
// Texts for models that have a tokenizer: their tokens, the words that may follow, and text token by token.
#include "core/model/generate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/text_inputs.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/beam_search.h"

namespace loupe::cli {
namespace {

constexpr std::size_t kShownWords = 5;

session::GenerateOptions options_of(const GenerateArguments& given, const session::TextModel& model) {
    session::GenerateOptions out = session::generate_options(model);
    session::SamplingOptions& sampling = out.sampling;
    out.seed = given.run.seed;
    out.others = inputs_beside_text(model, given.run);
    if (given.max_tokens) {
        if (*given.max_tokens < 1) throw Error(ErrorKind::Usage, "--max-tokens is 1 or more");
        out.max_tokens = *given.max_tokens;
    }
    if (given.no_repeat_ngram) sampling.no_repeat_ngram = *given.no_repeat_ngram;
    if (given.beams && *given.beams > 1) sampling.samples = false;
    if (given.repetition_penalty) sampling.repetition_penalty = *given.repetition_penalty;
    if (given.temperature || given.top_k || given.top_p || given.min_p) sampling.samples = true;
    if (given.greedy) sampling.samples = false;
    sampling.temperature = given.temperature.value_or(sampling.temperature);
    sampling.top_k = given.top_k.value_or(sampling.top_k);
    sampling.top_p = given.top_p.value_or(sampling.top_p);
    sampling.min_p = given.min_p.value_or(sampling.min_p);
    return out;
}

std::string percent(float probability) {
    char text[32];
    std::snprintf(text, sizeof text, "%6.2f %%", static_cast<double>(probability) * 100);
    return text;
}

void print_generated(const session::TextGenerator& generator, const session::TextModel& model, std::int64_t id) {
    const std::vector<float> probabilities = session::probabilities_of(generator.scores());
    std::printf("%5lld  %s  %s\n", static_cast<long long>(id),
                percent(probabilities[static_cast<std::size_t>(id)]).c_str(),
                python_repr(std::string_view(model.shown(id))).c_str());
}

session::BeamOptions beams_of(const GenerateArguments& given, const session::TextModel& model) {
    session::BeamOptions out = session::beam_options(model);
    out.beams = given.beams.value_or(out.beams);
    out.length_penalty = given.length_penalty.value_or(out.length_penalty);
    if (given.early_stopping) out.stop = session::BeamOptions::Stop::FirstEnded;
    return out;
}

// The best text, or with --tokens all beams, a line each: the score and the text.
void print_beams(const std::vector<session::Beam>& beams, const session::TextModel& model, const std::string& text,
                 bool tokens) {
    const auto text_of = [&](const session::Beam& beam) {
        return model.tokenizer().decode(std::vector<text::TokenId>(beam.generated.begin(), beam.generated.end()));
    };
    if (!tokens && !beams.empty()) std::printf("%s%s\n", text.c_str(), text_of(beams.front()).c_str());
    if (!tokens) return;
    for (const session::Beam& each : beams)
        std::printf("%9.4f  [%s]  %s\n", each.score, join(each.generated, ", ").c_str(),
                    python_repr(std::string_view(text_of(each))).c_str());
}

void print_speed(std::size_t tokens, double seconds) {
    const auto count = static_cast<double>(tokens);
    std::fprintf(stderr, "%.0f tokens in %s: %.1f a second\n", count, format_seconds(seconds).c_str(),
                 count / std::max(seconds, 1e-9));
}

}  // namespace

void print_tokens(const text::Encoding& tokens) {
    for (const text::EncodedToken& token : tokens) {
        const std::string place =
            token.is_added ? "added" : concat("characters ", token.span.begin, " to ", token.span.end);
        std::printf("token  %6d  %-20s %s\n", token.id, python_repr(std::string_view(token.token)).c_str(),
                    place.c_str());
    }
}

void print_next_words(const session::TextModel& model, const TensorList& outputs) {
    if (outputs.empty() || outputs.front().dim() != 3) return;
    const Tensor& logits = outputs.front();
    if (logits.numel() == 0 || logits.size(2) != model.vocabulary_size()) return;
    for (const session::LikelyToken& each : session::likeliest(session::last_scores(logits), kShownWords))
        std::printf("next  %s  %6lld  %s\n", percent(each.probability).c_str(), static_cast<long long>(each.id),
                    python_repr(std::string_view(model.shown(each.id))).c_str());
}

int run_generate(const GenerateArguments& options) {
    const auto program = open_program(options.run);
    if (!program) throw Error(ErrorKind::File, "holds no model", {.file = options.run.model});
    program->to(parse_device(options.run.device));
    const auto model = std::make_shared<const session::TextModel>(program, options.run.model);
    const session::GenerateOptions how = options_of(options, *model);
    const auto clock = [begin = std::chrono::steady_clock::now()] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    if (const session::BeamOptions beams = beams_of(options, *model); beams.beams != 1) {
        const text::Encoding prompt = model->encode(*options.run.text);
        if (options.tokens) print_tokens(prompt);
        session::GenerateOptions bounded = how;
        if (bounded.max_tokens <= 0) bounded.max_tokens = session::kDefaultTokens;
        const auto found = session::beam_search(*model, prompt, bounded, beams);
        print_beams(found, *model, *options.run.text, options.tokens);
        std::fflush(stdout);
        print_speed(found.empty() ? 0 : found.front().generated.size(), clock());
        return 0;
    }
    session::TextGenerator generator(model, *options.run.text, how);
    if (options.tokens)
        print_tokens(generator.prompt());
    else
        std::printf("%s", options.run.text->c_str());
    while (!generator.is_done()) {
        const std::int64_t id = generator.step();
        if (options.tokens)
            print_generated(generator, *model, id);
        else
            std::printf("%s", generator.take_text().c_str());
        std::fflush(stdout);
    }
    if (!options.tokens) std::printf("\n");
    std::fflush(stdout);
    print_speed(generator.generated().size(), clock());
    return 0;
}

}  // namespace loupe::cli
