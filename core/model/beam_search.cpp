// SPDX-License-Identifier: Apache-2.0
#include "core/model/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/key_cache.h"

namespace loupe::session {
namespace {

constexpr float kOut = -1e9F;
constexpr std::int64_t kMostBeams = 1000;

struct Open {
    std::vector<std::int64_t> ids;  // with the prompt's
    float score = 0;
    std::size_t from = 0;  // the beam that it continues
};

struct Ended {
    std::vector<std::int64_t> ids;
    float score = kOut;
    bool is_ended = false;
};

// Indices of the greatest, the greatest first; of equal ones the first.
template <typename Score>
std::vector<std::size_t> greatest(std::size_t size, std::size_t count, Score score) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto is_before = [&](std::size_t a, std::size_t b) {
        return score(a) != score(b) ? score(a) > score(b) : a < b;
    };
    count = std::min(count, size);
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), is_before);
    order.resize(count);
    return order;
}

void to_log_probabilities(std::vector<float>& scores) {
    const float largest = *std::ranges::max_element(scores);
    double sum = 0;
    for (const float each : scores) sum += std::exp(static_cast<double>(each - largest));
    const auto log_sum = static_cast<float>(std::log(sum));
    for (float& each : scores) each = each - largest - log_sum;
}

// Rows of ids, as wide as the first.
Tensor table_of_ids(const std::vector<Open>& beams, std::size_t first, Device device) {
    std::vector<Tensor> rows;
    for (const Open& each : beams)
        rows.push_back(row_of_ids({each.ids.begin() + static_cast<std::ptrdiff_t>(first), each.ids.end()}, device));
    return fn::cat(rows, 0);
}

Tensor repeated(const Tensor& t, std::int64_t rows) {
    std::vector<std::int64_t> sizes(t.sizes().begin(), t.sizes().end());
    sizes[0] = rows;
    return fn::contiguous(fn::expand(t, sizes, false), 0);
}

// Runs the model on all beams, token by token.
class BeamRunner {
  public:
    BeamRunner(const TextModel& model, const text::Encoding& prompt, const std::vector<InputSpec>& others,
               std::int64_t beams)
        : model_(model), decoder_(model.place_of("decoder_input_ids")), beams_(beams) {
        has_cache_ = model.place_of("past_key_values") && model.place_of("use_cache");
        if (!decoder_) return;
        encoder_ = model.program().make_arguments(model.input_specs(prompt, others), "forward");
        for (std::size_t i = 0; i < encoder_.size(); ++i)
            if (i != *decoder_ && encoder_[i].is_tensor() && encoder_[i].to_tensor().dim() > 0)
                encoder_[i] = IValue(repeated(encoder_[i].to_tensor(), beams));
    }

    // [beams][vocabulary] scores of the next token.
    std::vector<std::vector<float>> scores(const std::vector<Open>& open) {
        const Device device = model_.program().device();
        IValue result = model_.program().source()->forward(arguments(open, device));
        if (has_cache_) cache_ = take_cache(result);
        if (!result.is_tensor() || result.to_tensor().dim() != 3 || result.to_tensor().size(0) != beams_)
            throw Error(ErrorKind::Run, "the model gives no logits of tokens");
        std::vector<std::vector<float>> out;
        for (std::int64_t i = 0; i < beams_; ++i) out.push_back(last_scores(fn::narrow(result.to_tensor(), 0, i, 1)));
        return out;
    }
    // Before the next run: the beams that are continued, for each that is open.
    void continue_from(const std::vector<Open>& open) {
        if (!has_cache_) return;
        std::vector<std::int64_t> from;
        for (const Open& each : open) from.push_back(static_cast<std::int64_t>(each.from));
        const Tensor row = row_of_ids(from, model_.program().device());
        cache_ = reorder_cache(cache_, fn::select(row, 0, 0));
    }

  private:
    std::vector<IValue> arguments(const std::vector<Open>& open, Device device) const {
        std::vector<IValue> out = encoder_;
        const auto give = [&](std::string_view name, IValue value) {
            const auto place = model_.place_of(name);
            if (!place) return;
            if (out.size() <= *place) out.resize(*place + 1);
            out[*place] = std::move(value);
        };
        const std::size_t length = open.front().ids.size();
        const bool continues = has_cache_ && !cache_.is_none();
        give(decoder_ ? "decoder_input_ids" : "input_ids",
             IValue(table_of_ids(open, continues ? length - 1 : 0, device)));
        if (!decoder_)
            give("attention_mask", IValue(repeated(row_of_ids(std::vector<std::int64_t>(length, 1), device), beams_)));
        if (has_cache_) {
            give("past_key_values", cache_);
            give("use_cache", IValue(true));
        }
        return out;
    }

    const TextModel& model_;
    std::optional<std::size_t> decoder_;
    std::int64_t beams_;
    bool has_cache_ = false;
    std::vector<IValue> encoder_;
    IValue cache_;
};

void check(const GenerateOptions& options, const BeamOptions& beams) {
    check_sampling(options.sampling);
    if (options.sampling.samples)
        throw Error(ErrorKind::Usage, "beams are searched without drawing tokens",
                    {.hint = "give --greedy, or one beam"});
    if (beams.beams < 1 || beams.beams > kMostBeams)
        throw Error(ErrorKind::Usage, concat("beams are 1 to ", kMostBeams, ", not ", beams.beams));
    if (!std::isfinite(beams.length_penalty))
        throw Error(ErrorKind::Usage, concat("a length penalty is a number, not ", beams.length_penalty));
}

float penalized(float score, std::size_t length, double penalty) {
    return static_cast<float>(static_cast<double>(score) / std::pow(static_cast<double>(length), penalty));
}

}  // namespace

BeamOptions beam_options(const TextModel& model) {
    BeamOptions out;
    const OrderedJson& config = model.generation();
    const auto refuse = [](const char* name) {
        throw Error(ErrorKind::File, concat(name, " of generation_config.json is no setting of it"));
    };
    const auto given = [&](const char* name) -> const OrderedJson* {
        return config.contains(name) && !config[name].is_null() ? &config[name] : nullptr;
    };
    if (const OrderedJson* each = given("num_beams")) {
        if (!each->is_number_integer()) refuse("num_beams");
        out.beams = each->get<std::int64_t>();
    }
    if (const OrderedJson* each = given("length_penalty")) {
        if (!each->is_number()) refuse("length_penalty");
        out.length_penalty = each->get<double>();
    }
    if (const OrderedJson* each = given("early_stopping")) {
        const bool is_never = each->is_string() && each->get<std::string>() == "never";
        if (!each->is_boolean() && !is_never) refuse("early_stopping");
        if (is_never) out.stop = BeamOptions::Stop::Never;
        if (each->is_boolean() && each->get<bool>()) out.stop = BeamOptions::Stop::FirstEnded;
    }
    return out;
}

std::vector<Beam> beam_search(const TextModel& model, const text::Encoding& prompt, const GenerateOptions& options,
                              const BeamOptions& beams) {
    check(options, beams);
    const GradModeScope no_grad(false);
    const std::vector<std::int64_t> ends = model.ids_named("eos_token_id");
    std::vector<std::int64_t> first;
    if (model.place_of("decoder_input_ids") && !model.hears()) {
        first.push_back(model.decoder_start());
    } else {
        for (const text::EncodedToken& token : prompt) first.push_back(token.id);
    }
    const auto count = static_cast<std::size_t>(beams.beams);
    const std::size_t most = first.size() + static_cast<std::size_t>(std::max<std::int64_t>(options.max_tokens, 1));
    // So many continue that enough stay open where the best ones end.
    const std::size_t kept = std::max<std::size_t>(2, 1 + ends.size()) * count;
    const bool ends_at_first = beams.stop == BeamOptions::Stop::FirstEnded;
    std::vector<Open> open(count, Open{first, kOut, 0});
    open.front().score = 0;  // they are equal: all continuations of the first
    std::vector<Ended> ended(count);
    const auto all_ended = [&] { return std::ranges::all_of(ended, &Ended::is_ended); };
    BeamRunner runner(model, prompt, options.others, beams.beams);
    bool can_improve = true;
    for (std::size_t length = first.size(); length < most; ++length) {
        check_cancelled();
        std::vector<float> all;
        const auto rows = runner.scores(open);
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<float> row = rows[i];
            if (row.empty() || std::ranges::any_of(row, [](float x) { return std::isnan(x); }))
                throw Error(ErrorKind::Run, "no next token: the logits hold NaN");
            to_log_probabilities(row);
            process_scores(row, open[i].ids, options.sampling);
            for (const float each : row) all.push_back(each + open[i].score);
        }
        const std::size_t vocabulary = rows.front().size();
        std::vector<Open> next;
        std::vector<bool> hits;
        for (const std::size_t i : greatest(all.size(), kept, [&](std::size_t at) { return all[at]; })) {
            next.push_back({open[i / vocabulary].ids, all[i], i / vocabulary});
            next.back().ids.push_back(static_cast<std::int64_t>(i % vocabulary));
            hits.push_back(length + 1 >= most || std::ranges::count(ends, next.back().ids.back()) > 0);
        }
        const bool none_goes_on = std::ranges::all_of(hits, [](bool each) { return each; });
        open.clear();
        for (const std::size_t i :
             greatest(next.size(), count, [&](std::size_t at) { return next[at].score + (hits[at] ? kOut : 0); })) {
            open.push_back(next[i]);
            if (hits[i]) open.back().score += kOut;
        }
        std::vector<Ended> merged = ended;
        const bool is_closed = !can_improve || (ends_at_first && all_ended());
        for (std::size_t i = 0; i < next.size(); ++i) {
            const bool has_ended = hits[i] && i < count;
            float score = penalized(next[i].score, length + 1 - first.size(), beams.length_penalty);
            if (is_closed) score += kOut;
            if (!has_ended) score += kOut;
            merged.push_back({next[i].ids, score, has_ended});
        }
        ended.clear();
        for (const std::size_t i : greatest(merged.size(), count, [&](std::size_t at) { return merged[at].score; }))
            ended.push_back(merged[i]);
        const bool is_never = beams.stop == BeamOptions::Stop::Never && beams.length_penalty > 0;
        const float best =
            penalized(open.front().score, (is_never ? most : length + 1) - first.size(), beams.length_penalty);
        const auto worst = std::ranges::min_element(ended, {}, &Ended::score)->score;
        can_improve = can_improve && std::ranges::any_of(ended, [&](const Ended& each) {
                          return best > (each.is_ended ? worst : kOut);
                      });
        if (!can_improve || (ends_at_first && all_ended()) || none_goes_on) break;
        runner.continue_from(open);
    }
    std::vector<Beam> out;
    for (const Ended& each : ended) {
        if (!each.is_ended) continue;
        out.push_back({{each.ids.begin() + static_cast<std::ptrdiff_t>(first.size()), each.ids.end()},
                       static_cast<double>(each.score)});
    }
    return out;
}

}  // namespace loupe::session
