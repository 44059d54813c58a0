// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/input_guess.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/nn/module.h"
#include "core/python/guess/input_mends.h"
#include "core/python/guess/layer_inputs.h"
#include "core/python/language/operations.h"
#include "core/tensor/scalar.h"

namespace loupe::python {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kOneRun{3000};
constexpr milliseconds kAllRuns{8000};
constexpr std::size_t kMostTrials = 120;
const std::vector<std::vector<std::int64_t>> kAlike = {{2, 16},        {2, 4, 16, 64}, {2, 16, 64}, {2, 3, 32, 32},
                                                       {1, 1, 64, 64}, {1, 3, 64, 64}, {4},         {2, 3}};

std::string lower(std::string_view text) {
    std::string out;
    for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

Tensor tensor_of(const InputGuess& guess) {
    Tensor t = empty(guess.shape, guess.dtype);
    visit_any_dtype(guess.dtype, [&]<typename T>(std::type_identity<T>) {
        T* data = t.data<T>();
        for (std::int64_t i = 0; i < t.numel(); ++i) {
            const bool is_whole = is_integral(guess.dtype);
            const double value = guess.dtype == ScalarType::Bool ? 1.0
                                 : is_whole ? static_cast<double>(i % std::max<std::int64_t>(guess.high, 1))
                                            : std::sin(static_cast<double>(i) * 0.7 + 0.3);
            data[i] = Scalar(value).to<T>();
        }
    });
    return t;
}

IValue value_of(const InputGuess& guess, Evaluator& evaluator) {
    if (guess.literal) return evaluator.evaluate(*guess.literal, "input");
    if (guess.elements.empty()) return tensor_of(guess);
    std::vector<IValue> elements;
    for (const InputGuess& each : guess.elements) elements.push_back(value_of(each, evaluator));
    return make_tuple(std::move(elements));
}

std::optional<InputGuess> guess_of(const IValue& value) {
    InputGuess out;
    if (value.is_tensor()) {
        const Tensor t = value.to_tensor();
        out.shape.assign(t.sizes().begin(), t.sizes().end());
        out.dtype = t.dtype();
        if (is_integral(t.dtype()) && t.dtype() != ScalarType::Bool && t.numel() > 0)
            out.high = item(fn::amax(t, Dims{}, false)).to_int() + 1;
        return out;
    }
    if (value.is_int() || value.is_double() || value.is_bool() || value.is_none() || value.is_string()) {
        out.literal = repr(value);
        return out;
    }
    if (!value.is_list() && !value.is_tuple()) return std::nullopt;
    for (const IValue& each : to_vector(value)) {
        auto element = guess_of(each);
        if (!element) return std::nullopt;
        out.elements.push_back(std::move(*element));
    }
    return out;
}

InputGuess literal(std::string text) {
    InputGuess out;
    out.literal = std::move(text);
    return out;
}

InputGuess floats(std::vector<std::int64_t> shape) {
    InputGuess out;
    out.shape = std::move(shape);
    return out;
}

InputGuess tokens(std::vector<std::int64_t> shape, std::int64_t high) {
    InputGuess out = floats(std::move(shape));
    out.dtype = ScalarType::Int64;
    out.high = high;
    return out;
}

// Whole numbers that the model keeps under one of the names, its own first.
std::optional<std::int64_t> own_number(const IValue& model, std::initializer_list<const char*> names) {
    const nn::ModulePtr module = nn::as_module(model);
    for (const char* name : names) {
        const IValue* value = module->find_attribute(name);
        if (value != nullptr && value->is_int() && value->to_int() > 0 && value->to_int() < 4096)
            return value->to_int();
        if (value != nullptr && value->is_tuple() && !value->to_tuple().elements.empty() &&
            value->to_tuple().elements.front().is_int())
            return value->to_tuple().elements.front().to_int();
    }
    return std::nullopt;
}

std::int64_t vocabulary_of(const IValue& model) {
    for (const auto& [path, part] : nn::as_module(model)->named_modules()) {
        if (part->class_name() != "Embedding") continue;
        const IValue* count = part->find_attribute("num_embeddings");
        if (count != nullptr && count->is_int()) return std::max<std::int64_t>(1, count->to_int());
    }
    return 10;
}

// The last dimension of the first parameter that is a matrix: a width that the model works with.
std::int64_t width_of(const IValue& model) {
    if (const auto own = own_number(model, {"dim", "d_model", "embed_dim", "hidden_size", "in_features", "input_size"}))
        return *own;
    for (const auto& [name, t] : nn::as_module(model)->named_parameters()) {
        if (t.dim() == 2) return t.size(1);
    }
    for (const auto& [name, t] : nn::as_module(model)->named_parameters()) {
        if (t.dim() > 0) return t.size(t.dim() - 1);
    }
    return 64;
}

void add(std::vector<InputGuess>& to, InputGuess guess) {
    if (std::find(to.begin(), to.end(), guess) == to.end()) to.push_back(std::move(guess));
}

// The sizes of some tensor with so many dimensions.
std::vector<std::int64_t> usual_shape(std::size_t dimensions, std::int64_t width, std::int64_t channels,
                                      std::int64_t side) {
    switch (dimensions) {
        case 1:
            return {width};
        case 2:
            return {1, width};
        case 3:
            return {1, 16, width};
        case 5:
            return {1, channels, 8, side, side};
        default:
            return {1, channels, side, side};
    }
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), name) != all.end();
}
bool has_any(std::string_view name, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](auto part) { return name.find(part) != std::string_view::npos; });
}

struct UsualSizes {
    std::int64_t width, channels, side, length, vocabulary;
};

// By what the argument is called.
void add_named(std::vector<InputGuess>& out, const std::string& name, const UsualSizes& sizes) {
    const auto& [width, channels, side, length, vocabulary] = sizes;
    if (has_any(name, {"mask"})) {
        InputGuess mask = floats({1, length});
        mask.dtype = ScalarType::Bool;
        add(out, std::move(mask));
        add(out, literal("None"));
    }
    if (is_any(name, {"t", "time", "times", "timestep", "timesteps", "sigma", "noise_level", "sigmas"})) {
        add(out, floats({1}));
        add(out, tokens({1}, 10));
    }
    if (has_any(name, {"length", "lens"})) add(out, tokens({1}, 8));
    if (has_any(name, {"token", "_ids", "text", "label"}) ||
        is_any(name, {"ids", "seq", "tgt", "src", "y", "target", "targets", "index", "inp"})) {
        add(out, tokens({1, length}, vocabulary));
        add(out, tokens({1}, vocabulary));
    }
    if (has_any(name, {"edge_index"})) add(out, tokens({2, 16}, 8));
    if (has_any(name, {"coor", "pos", "xyz", "point"})) add(out, floats({1, 16, 3}));
    if (has_any(name, {"im", "pixel", "frame"}) && out.empty()) add(out, floats({1, channels, side, side}));
    if (has_any(name, {"audio", "wav", "signal", "waveform"})) {
        add(out, floats({1, 1, 16000}));
        add(out, floats({1, 16000}));
    }
}

void add_usual(std::vector<InputGuess>& out, std::int64_t width) {
    for (const std::vector<std::int64_t>& usual : std::initializer_list<std::vector<std::int64_t>>{{1, 3, 224, 224},
                                                                                                   {1, width, 16, 16},
                                                                                                   {1, width, 64},
                                                                                                   {1, 1, 32, 32},
                                                                                                   {1, 3, 32, 32},
                                                                                                   {2, 3, 64, 64},
                                                                                                   {1, 16000},
                                                                                                   {1, 1, 16000},
                                                                                                   {1, width, 8, 8, 8},
                                                                                                   {4},
                                                                                                   {1, 4, 16, 16},
                                                                                                   {1, 16, 3},
                                                                                                   {1, 80, 64},
                                                                                                   {1, 4, 16, width},
                                                                                                   {}})
        add(out, floats(usual));
    for (const char* text : {"None", "1", "0.5"}) add(out, literal(text));
}

}  // namespace

InputGuesser::InputGuesser(Evaluator& evaluator, IValue model, const FunctionSchema& schema)
    : evaluator_(evaluator),
      model_(std::move(model)),
      schema_(schema),
      end_(std::chrono::steady_clock::now() + kAllRuns) {}

std::vector<InputGuess> InputGuesser::candidates_for(const Argument& argument, std::size_t index) const {
    std::vector<InputGuess> out;
    const TypeKind kind =
        argument.type->kind() == TypeKind::Optional ? argument.type->element()->kind() : argument.type->kind();
    if (kind == TypeKind::Int) return {literal("2"), literal("1"), literal("16")};
    if (kind == TypeKind::Float) return {literal("0.5"), literal("1.0")};
    if (kind == TypeKind::Bool) return {literal("False"), literal("True")};
    if (kind == TypeKind::String) return {literal("'text'")};
    const std::string name = lower(argument.name);
    const ArgumentShape shape = shape_of_argument(model_, index);
    const std::int64_t width = width_of(model_);
    const std::int64_t channels =
        own_number(model_, {"channels", "in_channels", "in_chans", "n_channels", "num_channels", "input_channels"})
            .value_or(3);
    const auto own_side = own_number(model_, {"image_size", "img_size", "input_resolution", "image_resolution"});
    const std::int64_t side = own_side.value_or(64);
    const std::int64_t vocabulary = vocabulary_of(model_);
    const std::int64_t length = std::min<std::int64_t>(
        own_number(model_, {"seq_len", "max_seq_len", "num_tokens", "max_len"}).value_or(16), 64);
    const bool is_list = kind == TypeKind::List;
    for (const InputGuess& each : shape.guesses) {
        if (shape.dimensions == 0 || each.shape.size() == shape.dimensions || each.dtype == ScalarType::Int64)
            add(out, each);
    }
    if (own_side) {
        for (InputGuess& each : out) {
            if (each.shape.size() == 4) each.shape[2] = each.shape[3] = *own_side;
        }
    }
    if (shape.dimensions != 0) {
        add(out, floats(usual_shape(shape.dimensions, width, channels, side)));
        if (shape.dimensions == 2) add(out, tokens({1, length}, vocabulary));
    }
    add_named(out, name, {width, channels, side, length, vocabulary});
    add(out, floats({1, width}));
    add(out, floats({1, length, width}));
    add(out, floats({1, channels, side, side}));
    add(out, tokens({1, length}, vocabulary));
    add_usual(out, width);
    if (is_list) {
        std::vector<InputGuess> lists;
        for (const InputGuess& each : out) {
            InputGuess list;
            list.elements = {each, each};
            lists.push_back(std::move(list));
        }
        return lists;
    }
    InputGuess several;
    several.elements = {out.front(), out.front()};
    add(out, several);
    return out;
}

std::vector<InputGuess> InputGuesser::chosen() const {
    std::vector<InputGuess> out;
    for (const Slot& slot : slots_) out.push_back(slot.candidates[slot.chosen]);
    return out;
}

Trial InputGuesser::attempt(const std::vector<InputGuess>& inputs) {
    ++trials_;
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    return try_out(
        evaluator_,
        [&] {
            std::vector<IValue> values;
            for (const InputGuess& each : inputs) values.push_back(value_of(each, evaluator_));
            return evaluator_.call(model_, {std::move(values), {}});
        },
        kOneRun);
}

std::vector<InputGuess> InputGuesser::from_expressions(const std::vector<std::string>& expressions) {
    std::vector<InputGuess> out;
    for (const std::string& expression : expressions) {
        const Trial trial = try_out(
            evaluator_, [&] { return evaluator_.evaluate(expression, "input"); }, kOneRun);
        auto guess = trial.succeeded ? guess_of(trial.value) : std::nullopt;
        if (!guess) return {};
        out.push_back(std::move(*guess));
    }
    return out;
}

std::vector<InputGuess> InputGuesser::guess(const std::vector<std::string>& expressions) {
    const std::vector<InputGuess> given = from_expressions(expressions);
    if (!given.empty()) {
        const Trial trial = attempt(given);
        if (trial.succeeded || trial.ran_out_of_time) return given;
    }
    for (std::size_t i = 1; i < schema_.arguments.size(); ++i) {
        const Argument& argument = schema_.arguments[i];
        if (argument.default_value) break;
        slots_.push_back({argument.name, {}});
        evaluator_.run([&]() -> IValue {
            slots_.back().candidates = candidates_for(argument, i - 1);
            return {};
        });
    }
    const bool runs = search();
    // Those that came furthest say more than none; a library that is missing says it whatever they are.
    if (runs || trials_ > 1) return chosen();
    return {};
}

// Normalisation over a batch needs two in training; a run that takes too long is not tried again.
void InputGuesser::widen_batches() {
    const nn::ModulePtr module = nn::as_module(model_);
    const auto modules = module->named_modules();
    const bool normalises = std::any_of(modules.begin(), modules.end(), [](const auto& each) {
        return each.second->is_training() && each.second->class_name().find("BatchNorm") != std::string::npos;
    });
    if (!normalises) return;
    for (Slot& slot : slots_) {
        InputGuess wide = slot.candidates[slot.chosen];
        if (wide.shape.size() < 2 || wide.shape.front() != 1) continue;
        wide.shape.front() = 2;
        slot.candidates.push_back(std::move(wide));
        slot.chosen = slot.candidates.size() - 1;
    }
}

bool InputGuesser::search() {
    const bool runs = try_all() || try_alike();
    if (runs && ran_out_of_time_) widen_batches();
    return runs;
}

bool InputGuesser::try_all() {
    Trial trial = attempt(chosen());
    while (!trial.succeeded && !trial.ran_out_of_time) {
        if (trials_ >= kMostTrials || std::chrono::steady_clock::now() > end_ || trial.is_missing_library) return false;
        if (repair(trial)) {
            Trial next = attempt(chosen());
            if (next.succeeded || next.statements >= trial.statements) {
                const bool is_same = next.error == trial.error;
                trial = std::move(next);
                if (!is_same) continue;
            }
        }
        if (!trial.succeeded && !improve(trial)) return false;
    }
    ran_out_of_time_ = trial.ran_out_of_time;
    return true;
}

// All tensors of one shape, as attention, losses and comparisons of two take them. What was chosen stays otherwise.
bool InputGuesser::try_alike() {
    if (slots_.size() < 2) return false;
    std::vector<std::size_t> before;
    for (const Slot& slot : slots_) before.push_back(slot.chosen);
    for (const std::vector<std::int64_t>& shape : kAlike) {
        if (std::chrono::steady_clock::now() > end_) break;
        for (Slot& slot : slots_) {
            const InputGuess& first = slot.candidates.front();
            if (first.literal || !first.elements.empty()) continue;
            slot.candidates.push_back(floats(shape));
            slot.chosen = slot.candidates.size() - 1;
        }
        const Trial trial = attempt(chosen());
        if (trial.succeeded) return true;
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].chosen = before[i];
    return false;
}

bool InputGuesser::repair(const Trial& failed) {
    for (const Mend& mend : mends_for(failed.error)) {
        bool changed = false;
        for (Slot& slot : slots_) {
            InputGuess next = slot.candidates[slot.chosen];
            if (next.literal || !next.elements.empty() || !mend.edit(next)) continue;
            if (slot.candidates[slot.chosen] == next) continue;
            slot.candidates.push_back(std::move(next));
            slot.chosen = slot.candidates.size() - 1;
            changed = true;
            if (!mend.everywhere) break;
        }
        if (changed) return true;
    }
    return false;
}

bool InputGuesser::improve(Trial& best) {
    const std::size_t before = best.statements;
    for (Slot& slot : slots_) {
        const std::size_t chosen_before = slot.chosen;
        for (std::size_t i = 0; i < slot.candidates.size(); ++i) {
            if (i == chosen_before) continue;
            if (trials_ >= kMostTrials || std::chrono::steady_clock::now() > end_) return false;
            slot.chosen = i;
            Trial next = attempt(chosen());
            if (next.succeeded || next.ran_out_of_time || next.statements > before) {
                best = std::move(next);
                return true;
            }
        }
        slot.chosen = chosen_before;
    }
    return false;
}

}  // namespace loupe::python
