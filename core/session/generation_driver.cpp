// SPDX-License-Identifier: Apache-2.0
#include "core/session/generation_driver.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChoices = 20;

double seconds_since(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

bool is_same(const GenerationSettings& a, const GenerationSettings& b) {
    const auto& x = a.sampling;
    const auto& y = b.sampling;
    return a.text == b.text && a.seed == b.seed && x.samples == y.samples && x.temperature == y.temperature &&
           x.top_k == y.top_k && x.top_p == y.top_p && x.min_p == y.min_p &&
           x.repetition_penalty == y.repetition_penalty;
}

// "model.layers.3" of "model.layers.3.self_attn".
std::string layer_of(const std::string& scope) {
    std::size_t begin = 0;
    while (begin < scope.size()) {
        const std::size_t end = std::min(scope.find('.', begin), scope.size());
        const bool is_number = std::all_of(scope.begin() + static_cast<std::ptrdiff_t>(begin),
                                           scope.begin() + static_cast<std::ptrdiff_t>(end),
                                           [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
        if (is_number && end > begin) return scope.substr(0, end);
        begin = end + 1;
    }
    return {};
}

// Of the result of forward; none where it holds none.
std::vector<KeptLayer> cache_of_result(IValue result) {
    return result.is_tuple() ? layers_of_cache(take_cache(result)) : std::vector<KeptLayer>();
}

Shape shape_of(const Tensor& t) { return {t.sizes().begin(), t.sizes().end()}; }

std::int64_t bytes_of(const Tensor& t) { return t.numel() * t.element_size(); }

}  // namespace

void GenerationDriver::clear() {
    generator_.reset();
    made_ = {};
    has_traced_prompt_ = has_traced_step_ = false;
    if (publisher_.generation() != nullptr) publisher_.set_generation(nullptr);
}

RunOptions GenerationDriver::run_options(const GenerateRequest& request) const {
    RunOptions options = request.run;
    options.method = "forward";
    options.inputs = settings_.inputs();
    options.backward = false;
    options.pipeline = "none";
    options.compile_mode.clear();
    options.record = true;
    options.pause_at_start = request.pause_at_start;
    return options;
}

// Another number once parameters were written or replaced: the cache is then that of another model.
std::uint64_t GenerationDriver::weights_now() const {
    std::uint64_t sum = 0;
    for (const auto& [name, parameter] : model_.program()->module().named_parameters())
        sum = sum * 31 + parameter.storage()->id() * 1'000'003 + parameter.version();
    return sum;
}

void GenerationDriver::begin(const GenerateRequest& request) {
    const auto model = model_.text_model();
    if (!model->program().is_eager())
        throw Error(ErrorKind::Usage, "text is made by the model's source, which is scripted or traced now",
                    {.hint = "let it be evaluated again"});
    GenerateOptions options;
    options.sampling = request.settings.sampling;
    options.seed = request.settings.seed;
    options.others = settings_.inputs();
    auto generator = std::make_unique<TextGenerator>(model, request.settings.text, options);
    generator_ = std::move(generator);
    made_ = {};
    made_.settings = request.settings;
    weights_ = weights_now();
    const TokenNames names(model);
    for (const text::EncodedToken& token : generator_->prompt()) {
        made_.prompt.push_back(names(token.id));
        made_.prompt.back().is_added = token.is_added;
    }
    made_.most_tokens = model->most_tokens();
    // F5 runs the prompt.
    settings_.set_inputs(model->input_specs(generator_->prompt(), settings_.inputs()));
}

void GenerationDriver::generate(const GenerateRequest& request) {
    if (model_.program() == nullptr && model_.file() != nullptr) model_.use(model_.program_or_recorded());
    if (model_.program() == nullptr) throw Error(ErrorKind::Usage, "no model is open", {.hint = "open a file first"});
    if (request.look_at >= 0) return look_at(request);
    const bool goes_on = generator_ != nullptr && !request.begins && is_same(request.settings, made_.settings) &&
                         weights_ == weights_now();
    if (!goes_on) begin(request);
    if (made_.has_ended)
        throw Error(ErrorKind::Usage, "the text has ended", {.hint = "begin anew, or change the prompt"});
    if (request.tokens < 1) throw Error(ErrorKind::Usage, "one token at least");
    generator_->allow(request.tokens);
    RunOptions options = run_options(request);
    for (std::int64_t i = 0; i < request.tokens && !generator_->is_done(); ++i) {
        const bool is_last = i + 1 == request.tokens;
        options.pause_at_start = request.pause_at_start && i == 0;
        if (is_last || options.pause_at_start || control_.wants_to_stop()) {
            run_recorded(options, generator_->generated().size());
        } else {
            if (i == 0) runs_.begin(options);
            run_unrecorded();
        }
        publisher_.change_status([&](Status& status) {
            status.progress = is_last ? Said() : engine::said("token %1 of %2", i + 1, request.tokens);
            status.fraction = is_last ? -1 : static_cast<double>(i + 1) / static_cast<double>(request.tokens);
        });
    }
    // An end came before the last one: its run is shown like any other's.
    if (made_.shown + 1 != std::ssize(made_.tokens) && !made_.tokens.empty()) {
        options.pause_at_start = false;
        run_recorded(options, made_.tokens.size() - 1);
    }
}

// The run that gives the token of that number: of the next one, or again of one that came.
void GenerationDriver::run_recorded(RunOptions options, std::size_t step) {
    const bool is_next = step == generator_->generated().size();
    bool& has_traced = generator_->held(step) > 0 ? has_traced_step_ : has_traced_prompt_;
    RunDriver::GivenRun run;
    run.arguments = [&] { return generator_->arguments(step); };
    const std::size_t held = generator_->held(step);
    run.held_ids.assign(generator_->ids().begin(), generator_->ids().begin() + static_cast<std::ptrdiff_t>(held));
    run.traces = !std::exchange(has_traced, true);
    // What stands in the recording is what it ran on, so that it is not taken for a run of the prompt.
    options.inputs = generator_->input_specs(step);
    const auto began = Clock::now();
    run.on_result = [&](const IValue& result) {
        shown_cache_ = cache_of_result(result);
        if (!is_next) return;
        generator_->take(result);
        note_token(0);
    };
    made_.shown = -1;
    runs_.run_given(options, std::move(run), [&] {
        made_.shown = static_cast<std::int64_t>(step);
        if (is_next) made_.tokens.back().seconds = seconds_since(began) - recorder_.shown().recorder->parked_seconds();
        note_cache();
        publish();
    });
}

void GenerationDriver::run_unrecorded() {
    const auto began = Clock::now();
    shown_cache_.clear();
    generator_->step();
    note_token(seconds_since(began));
    note_cache();
    publish();
}

void GenerationDriver::look_at(const GenerateRequest& request) {
    if (generator_ == nullptr || request.look_at >= std::ssize(generator_->generated()))
        throw Error(ErrorKind::Usage, "this token has not come");
    if (weights_ != weights_now())
        throw Error(ErrorKind::Usage, "the weights are others than those that made this token",
                    {.hint = "begin again"});
    run_recorded(run_options(request), static_cast<std::size_t>(request.look_at));
}

void GenerationDriver::note_token(double seconds) {
    const std::int64_t id = generator_->generated().back();
    const TokenNames names(generator_->model());
    const TokenOdds own = odds_of(generator_->logits(), 0, id);
    const TokenOdds chosen = odds_of(generator_->scores(), kChoices, id);
    GeneratedToken token;
    token.token = names(id);
    token.model_probability = own.probability;
    token.rank = own.rank;
    token.entropy = own.entropy;
    token.probability = chosen.probability;
    for (const LikelyToken& each : chosen.top)
        if (each.probability > 0) token.choices.push_back({names(each.id), static_cast<double>(each.probability)});
    token.left = std::ranges::count_if(generator_->scores(), [](float score) { return score > -INFINITY; });
    token.seconds = seconds;
    made_.tokens.push_back(std::move(token));
    made_.text += generator_->take_text();
    made_.has_ended = generator_->is_end(id);
}

// --- the cache ---

// Key and value of the shown run that the layer keeps, and which module made them.
void GenerationDriver::place_in_run(CachedLayer& layer, const Tensor& key, const Tensor& value) const {
    const Recorder* recorder = recorder_.shown().recorder.get();
    if (recorder == nullptr) return;
    layer.key_id = recorder->find_value(key);
    layer.value_id = recorder->find_value(value);
    if (layer.key_id == 0) return;
    const Recording& recording = *recorder->recording();
    const EventId producer = recording.value(layer.key_id).producer;
    if (producer == 0) return;
    layer.scope = std::string(recording.event(producer).scope);
    const auto info = model_.program()->info();
    const std::string path = layer_of(layer.scope);
    const int module = path.empty() ? -1 : info->find_module(path);
    if (module >= 0) layer.weight_bytes = info->modules[static_cast<std::size_t>(module)].parameter_bytes;
}

void GenerationDriver::note_cache() {
    made_.cache.clear();
    made_.cached_tokens = 0;
    if (generator_->cache().is_none()) return;
    std::int64_t all = 0;
    const std::vector<KeptLayer> kept = layers_of_cache(generator_->cache());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto note = [&](const Tensor& key, const Tensor& value) -> CachedLayer& {
            CachedLayer& layer = made_.cache.emplace_back();
            layer.layer = static_cast<std::int64_t>(i);
            layer.key = shape_of(key);
            layer.value = shape_of(value);
            layer.dtype = std::string(dtype_name(key.dtype()));
            layer.bytes = bytes_of(key) + bytes_of(value);
            all += layer.bytes;
            return layer;
        };
        CachedLayer& own = note(kept[i].key, kept[i].value);
        made_.cached_tokens = own.key[2];
        own.bytes_a_token = own.bytes / std::max<std::int64_t>(made_.cached_tokens, 1);
        if (i < shown_cache_.size()) place_in_run(own, shown_cache_[i].key, shown_cache_[i].value);
        if (!kept[i].encoded_key.defined()) continue;
        CachedLayer& encoded = note(kept[i].encoded_key, kept[i].encoded_value);
        encoded.is_of_encoder = true;
        if (i < shown_cache_.size()) place_in_run(encoded, shown_cache_[i].encoded_key, shown_cache_[i].encoded_value);
        encoded.weight_bytes = 0;  // they stand with the layer's own
    }
    if (!made_.tokens.empty() && made_.tokens.back().cache_bytes == 0) made_.tokens.back().cache_bytes = all;
}

void GenerationDriver::publish() const { publisher_.set_generation(std::make_shared<Generation>(made_)); }

}  // namespace loupe::session
