// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/attribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/embedding_probe.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

// Channels that a picture has.
bool is_image(IntSpan sizes) { return sizes.size() == 3 && (sizes[0] == 1 || sizes[0] == 3); }

Tensor as_float(const Tensor& t) {
    return fn::contiguous(on_host(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32))), 0);
}

float reduced(const float* values, std::int64_t count, std::int64_t step, Reduction reduction, bool is_signed) {
    double sum = 0, greatest = 0;
    for (std::int64_t c = 0; c < count; ++c) {
        const auto value = static_cast<double>(values[c * step]);
        sum += is_signed ? value : std::abs(value);
        if (!(std::abs(value) <= greatest)) greatest = std::abs(value);
    }
    return static_cast<float>(reduction == Reduction::Sum ? sum : greatest);
}

}  // namespace

AttributedNumber::AttributedNumber(const StudySubject& subject, const std::string& input, const std::string& target,
                                   std::int64_t sample)
    : subject_(subject),
      method_(subject.shared_program(), subject.method(), "none"),
      place_(subject.input_place(input)),
      sample_(sample) {
    if (!place_) {
        ids_ = subject.ids();
        if (ids_.empty()) throw Error(ErrorKind::Usage, why_no_attribution(subject));
    }
    const Evaluation first = evaluate({}, false);
    input_ = place_ ? detach(fn::clone(subject.arguments()[*place_].to_tensor())) : first.value;
    table_ = first.table.defined() ? detach(first.table) : Tensor();
    target_ = choose_target(subject, first.result, target, sample);
    value_ = item(detach(target_.of(first.result))).to_double();
}

AttributedNumber::Evaluation AttributedNumber::evaluate(const Tensor& x, bool records) const {
    check_cancelled();
    std::vector<IValue> arguments = subject_.fresh_arguments();
    Evaluation out;
    const GradModeScope grad(records || !place_);
    if (place_) {
        out.leaf = detach(fn::clone(x.defined() ? x : arguments[*place_].to_tensor()));
        if (records) set_requires_grad(out.leaf, true);
        // No leaf of the model's own: it may be written in place.
        arguments[*place_] = IValue(fn::clone(out.leaf));
        out.result = method_.forward(std::move(arguments));
        return out;
    }
    EmbeddingProbe probe(ids_, x);
    {
        const ObserverScope observed(&probe);
        out.result = method_.forward(std::move(arguments));
    }
    if (probe.waits())
        throw Error(ErrorKind::Run, "no embedding looks up these tokens",
                    {.hint = "gradients go to what aten::embedding gives"});
    out.leaf = probe.looked_up();
    out.value = probe.value();
    out.table = probe.table();
    return out;
}

AttributedNumber::Slope AttributedNumber::slope_at(const Tensor& x) const {
    const Evaluation there = evaluate(x, true);
    const GradModeScope grad(true);
    const Tensor number = target_.of(there.result);
    const auto fail = [&] {
        throw Error(ErrorKind::Run, concat(target_.text, " does not depend on ",
                                           place_ ? concat("the input ", subject_.argument_name(*place_))
                                                  : std::string("what is looked up for the tokens"),
                                           " by a derivative"));
    };
    if (!requires_grad(number)) fail();
    const Tensor gradient = gradients_of({number}, {there.leaf}, {}, {}, true).front();
    if (!gradient.defined()) fail();
    return {item(detach(number)).to_double(), detach(gradient)};
}

double AttributedNumber::value_at(const Tensor& x) const {
    return item(detach(target_.of(evaluate(x, false).result))).to_double();
}

std::string why_no_attribution(const StudySubject& subject) {
    if (subject.input_place() || subject.ids_place()) return {};
    return "no input has a gradient: none is of floating point, and none holds tokens";
}

std::vector<StudyOption> attribution_options(const StudySubject& subject) {
    std::vector<StudyOption> out{target_option(subject)};
    std::vector<std::string> inputs;
    const auto& arguments = subject.arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool is_number = arguments[i].is_tensor() && arguments[i].to_tensor().defined() &&
                               is_floating(arguments[i].to_tensor().dtype());
        if (is_number) inputs.push_back(subject.argument_name(i));
    }
    const auto first = subject.input_place();
    const Tensor studied = first                 ? arguments[*first].to_tensor()
                           : subject.ids_place() ? arguments[*subject.ids_place()].to_tensor()
                                                 : Tensor();
    if (inputs.size() > 1)
        out.push_back({.name = "input",
                       .title = "Input",
                       .what = "Whose elements are asked about",
                       .kind = StudyOption::Kind::Choice,
                       .value = inputs.front(),
                       .choices = inputs});
    const std::int64_t samples =
        studied.defined() && studied.dim() >= 2 && !is_image(studied.sizes()) ? studied.size(0) : 1;
    if (samples > 1) out.push_back(sample_option(samples - 1));
    return out;
}

AttributedNumber attributed_number(const StudySubject& subject, const StudyChoices& choices) {
    return {subject, choices.has("input") ? choices.text("input") : std::string(), choices.text("target"),
            choices.has("sample") ? choices.integer("sample") : 0};
}

Tensor image_of(const Tensor& input, std::int64_t sample) {
    Tensor image = detach(input);
    if (image.dim() >= 2 && !is_image(image.sizes())) image = fn::select(image, 0, sample);
    while (image.dim() > 3) image = fn::flatten(image, 0, 1);
    while (image.dim() < 3) image = fn::unsqueeze(image, 0);
    return as_float(image);
}

StudyPicture picture_of(const Tensor& image) {
    const std::int64_t channels = image.size(0), places = image.size(1) * image.size(2);
    const float* data = image.data<float>();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::int64_t i = 0; i < image.numel(); ++i) {
        if (!std::isfinite(data[i])) continue;
        low = std::min(low, static_cast<double>(data[i]));
        high = std::max(high, static_cast<double>(data[i]));
    }
    StudyPicture out{image.size(1), image.size(2), {}};
    out.rgb.resize(static_cast<std::size_t>(places) * 3);
    for (std::int64_t i = 0; i < places; ++i) {
        for (std::int64_t c = 0; c < 3; ++c) {
            double value = 0;
            if (channels == 3)
                value = static_cast<double>(data[c * places + i]);
            else
                for (std::int64_t k = 0; k < channels; ++k)
                    value += static_cast<double>(data[k * places + i]) / static_cast<double>(channels);
            const double share = high > low && std::isfinite(value) ? (value - low) / (high - low) : 0.5;
            out.rgb[static_cast<std::size_t>(i * 3 + c)] =
                static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 255));
        }
    }
    return out;
}

void add_attribution(const AttributedNumber& number, const Tensor& values, Reduction reduction, bool is_signed,
                     const std::string& title, StudyOutcome& out) {
    const bool keeps_sign = is_signed && reduction == Reduction::Sum;
    if (number.is_of_tokens()) {
        const std::vector<std::int64_t> ids = number.subject().ids();
        const Tensor rows = as_float(values);
        const std::int64_t width = rows.numel() / std::max<std::int64_t>(1, std::ssize(ids));
        StudyTokens& tokens = out.result.tokens.emplace_back();
        tokens.title = title;
        tokens.tokens = TokenNames(number.subject().text())(ids);
        for (std::size_t i = 0; i < ids.size(); ++i)
            tokens.scores.push_back(static_cast<double>(
                reduced(rows.data<float>() + static_cast<std::int64_t>(i) * width, width, 1, reduction, keeps_sign)));
        out.arrays.emplace_back(
            "scores", tensor_of(std::span<const double>(tokens.scores), std::vector<std::int64_t>{std::ssize(ids)}));
    } else {
        const Tensor image = image_of(values, number.sample());
        const std::int64_t places = image.size(1) * image.size(2);
        StudyMap& map = out.result.maps.emplace_back();
        map.title = title;
        map.rows = image.size(1);
        map.columns = image.size(2);
        map.is_signed = keeps_sign;
        for (std::int64_t i = 0; i < places; ++i)
            map.values.push_back(reduced(image.data<float>() + i, image.size(0), places, reduction, keeps_sign));
        map.under = picture_of(image_of(number.input(), number.sample()));
        out.arrays.emplace_back(
            "map", tensor_of(std::span<const float>(map.values), std::vector<std::int64_t>{map.rows, map.columns}));
    }
    out.arrays.emplace_back("attribution", on_host(values));
    out.arrays.emplace_back("input", on_host(number.input()));
}

}  // namespace loupe::session
