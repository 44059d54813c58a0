// SPDX-License-Identifier: Apache-2.0
#include "core/model/next_token.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

double number(const OrderedJson& config, const char* name, double otherwise) {
    if (!config.contains(name) || config[name].is_null()) return otherwise;
    if (!config[name].is_number())
        throw Error(ErrorKind::File, concat(name, " of generation_config.json is no number"));
    return config[name].get<double>();
}

void penalize(std::vector<float>& scores, std::span<const std::int64_t> ids, double penalty) {
    const auto factor = static_cast<float>(penalty);
    std::vector<std::int64_t> seen(ids.begin(), ids.end());
    std::ranges::sort(seen);
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const std::int64_t id : seen) {
        if (id < 0 || id >= std::ssize(scores)) continue;
        float& score = scores[static_cast<std::size_t>(id)];
        score = score < 0 ? score * factor : score / factor;
    }
}

// Tokens that stood behind the last `size` - 1 tokens before.
void forbid_repeats(std::vector<float>& scores, std::span<const std::int64_t> ids, std::size_t size) {
    if (ids.size() < size) return;
    const auto last = ids.last(size - 1);
    for (std::size_t i = 0; i + size <= ids.size(); ++i) {
        const std::int64_t next = ids[i + size - 1];
        if (next >= 0 && next < std::ssize(scores) && std::ranges::equal(ids.subspan(i, size - 1), last))
            scores[static_cast<std::size_t>(next)] = kNever;
    }
}

void keep_top_k(std::vector<float>& scores, std::size_t count) {
    if (count >= scores.size()) return;
    std::vector<float> sorted = scores;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(count) - 1, std::greater<>());
    const float least = sorted[count - 1];
    for (float& score : scores)
        if (score < least) score = kNever;
}

// Of the tokens from the least likely on, those whose probabilities together are no more than 1 - p.
void keep_top_p(std::vector<float>& scores, double p) {
    const std::vector<float> probabilities = probabilities_of(scores);
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores[i]; });
    double sum = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        sum += static_cast<double>(probabilities[order[i]]);
        if (static_cast<float>(sum) <= static_cast<float>(1 - p)) scores[order[i]] = kNever;
    }
}

void keep_min_p(std::vector<float>& scores, double p) {
    const std::vector<float> probabilities = probabilities_of(scores);
    const auto likeliest = std::ranges::max_element(probabilities) - probabilities.begin();
    const float least = static_cast<float>(p) * probabilities[static_cast<std::size_t>(likeliest)];
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (probabilities[i] < least && std::cmp_not_equal(i, likeliest)) scores[i] = kNever;
}

}  // namespace

SamplingOptions sampling_of(const OrderedJson& config) {
    SamplingOptions out;
    out.samples = config.contains("do_sample") && config["do_sample"].is_boolean() && config["do_sample"].get<bool>();
    out.temperature = number(config, "temperature", out.temperature);
    const double top_k = number(config, "top_k", static_cast<double>(out.top_k));
    if (!(top_k >= 0 && top_k < 1e15)) throw Error(ErrorKind::File, "top_k of generation_config.json is no count");
    out.top_k = static_cast<std::int64_t>(top_k);
    out.top_p = number(config, "top_p", out.top_p);
    out.min_p = number(config, "min_p", out.min_p);
    out.repetition_penalty = number(config, "repetition_penalty", out.repetition_penalty);
    const double ngram = number(config, "no_repeat_ngram_size", 0);
    if (!(ngram >= 0 && ngram < 1e15))
        throw Error(ErrorKind::File, "no_repeat_ngram_size of generation_config.json is no count");
    out.no_repeat_ngram = static_cast<std::int64_t>(ngram);
    return out;
}

void check_sampling(const SamplingOptions& options) {
    const auto refuse = [](std::string message) { throw Error(ErrorKind::Usage, std::move(message)); };
    if (options.samples && !(options.temperature > 0 && std::isfinite(options.temperature)))
        refuse(concat("a temperature is above 0, not ", options.temperature, "; --greedy takes the likeliest token"));
    if (options.top_k < 0) refuse(concat("top k is a count, not ", options.top_k));
    if (!(options.top_p >= 0 && options.top_p <= 1)) refuse(concat("top p is 0 to 1, not ", options.top_p));
    if (!(options.min_p >= 0 && options.min_p <= 1)) refuse(concat("min p is 0 to 1, not ", options.min_p));
    if (options.no_repeat_ngram < 0) refuse(concat("tokens in a row are a count, not ", options.no_repeat_ngram));
    if (!(options.repetition_penalty > 0)) refuse(concat("a penalty is above 0, not ", options.repetition_penalty));
}

void process_scores(std::vector<float>& scores, std::span<const std::int64_t> ids, const SamplingOptions& options) {
    if (options.repetition_penalty != 1.0) penalize(scores, ids, options.repetition_penalty);
    if (options.no_repeat_ngram > 0) forbid_repeats(scores, ids, static_cast<std::size_t>(options.no_repeat_ngram));
    if (!options.samples || scores.empty()) return;
    if (options.temperature != 1.0)
        for (float& score : scores) score /= static_cast<float>(options.temperature);
    if (options.top_k > 0) keep_top_k(scores, static_cast<std::size_t>(options.top_k));
    if (options.top_p < 1.0) keep_top_p(scores, options.top_p);
    if (options.min_p > 0) keep_min_p(scores, options.min_p);
}

std::vector<float> probabilities_of(std::span<const float> scores) {
    std::vector<float> out(scores.size());
    if (scores.empty()) return out;
    const float largest = *std::ranges::max_element(scores);
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        out[i] = std::exp(scores[i] - largest);
        sum += static_cast<double>(out[i]);
    }
    for (float& each : out) each = static_cast<float>(static_cast<double>(each) / sum);
    return out;
}

std::int64_t choose_token(std::span<const float> scores, bool samples, MersenneTwister& generator) {
    const auto best = std::ranges::max_element(scores);
    if (best == scores.end() || !(*best > kNever) || std::ranges::any_of(scores, [](float x) { return std::isnan(x); }))
        throw Error(ErrorKind::Run, "no next token: the logits hold NaN, or are -infinity");
    if (!samples) return best - scores.begin();
    // The largest of probabilities over exponential draws, one for each token (Efraimidis, Spirakis 2006).
    const std::vector<float> probabilities = probabilities_of(scores);
    std::int64_t chosen = best - scores.begin();
    float largest = -1;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const auto drawn = static_cast<float>(-std::log1p(-generator.uniform_double()));
        const float key = probabilities[i] / drawn;
        if (!(probabilities[i] > 0) || !(key > largest)) continue;
        largest = key;
        chosen = static_cast<std::int64_t>(i);
    }
    return chosen;
}

namespace {

// Places of the greatest scores, the greatest first; of equal ones the first.
std::vector<std::size_t> greatest(std::span<const float> scores, std::size_t count) {
    count = std::min(count, scores.size());
    std::vector<std::size_t> out;
    if (count == 0) return out;
    const auto is_before = [&](std::size_t a, std::size_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    };
    // A heap whose top is the least of those kept.
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (out.size() < count) {
            out.push_back(i);
            std::ranges::push_heap(out, is_before);
        } else if (scores[i] > scores[out.front()]) {
            std::ranges::pop_heap(out, is_before);
            out.back() = i;
            std::ranges::push_heap(out, is_before);
        }
    }
    std::ranges::sort_heap(out, is_before);
    return out;
}

}  // namespace

TokenOdds odds_of(std::span<const float> scores, std::size_t count, std::int64_t actual) {
    TokenOdds out;
    const bool has_actual = actual >= 0 && actual < std::ssize(scores);
    const float own = has_actual ? scores[static_cast<std::size_t>(actual)] : 0;
    float largest = kNever;
    bool is_nan = false;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        is_nan = is_nan || std::isnan(scores[i]);
        largest = std::max(largest, scores[i]);
        if (has_actual && (scores[i] > own || (scores[i] == own && std::cmp_less(i, actual)))) ++before;
    }
    if (is_nan || !std::isfinite(largest)) {
        out.entropy = out.probability = out.log_probability = std::numeric_limits<double>::quiet_NaN();
        return out;
    }
    double sum = 0, weighted = 0;
    for (const float score : scores) {
        const double above = static_cast<double>(score) - static_cast<double>(largest);
        const double share = std::exp(above);
        sum += share;
        if (share > 0) weighted += share * above;
    }
    const double log_sum = std::log(sum);
    out.entropy = std::max(0.0, log_sum - weighted / sum);
    const auto log_probability = [&](float score) {
        return static_cast<double>(score) - static_cast<double>(largest) - log_sum;
    };
    for (const std::size_t i : greatest(scores, count))
        out.top.push_back({static_cast<std::int64_t>(i), static_cast<float>(std::exp(log_probability(scores[i])))});
    if (has_actual) {
        out.rank = before + 1;
        out.log_probability = log_probability(own);
        out.probability = std::exp(out.log_probability);
    }
    return out;
}

std::vector<LikelyToken> likeliest(std::span<const float> scores, std::size_t count) {
    return odds_of(scores, count).top;
}

}  // namespace loupe::session
