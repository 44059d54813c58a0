// SPDX-License-Identifier: Apache-2.0
// Saliency: how fast a number of the output changes with each element of the input. |gradient| (Simonyan et al. 2014),
// gradient x input (Shrikumar et al. 2016), and SmoothGrad: the mean gradient of noisy copies (Smilkov et al. 2017).

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/study/share_groups.h"
#include "core/study/studies/attribution.h"
#include "core/study/studies/study_list.h"

namespace loupe::session {
namespace {

constexpr const char* kGradient = "gradient";
constexpr const char* kTimesInput = "gradient x input";
constexpr const char* kSmooth = "smoothgrad";

std::vector<StudyOption> options(const StudySubject& subject) {
    using Kind = StudyOption::Kind;
    std::vector<StudyOption> out{{.name = "method",
                                  .title = "Method",
                                  .what = "The gradient's magnitude; the gradient times the element, with its sign; or "
                                          "the mean gradient of copies with noise",
                                  .kind = Kind::Choice,
                                  .value = kGradient,
                                  .choices = {kGradient, kTimesInput, kSmooth}}};
    for (StudyOption& each : attribution_options(subject)) out.push_back(std::move(each));
    out.push_back({.name = "channels",
                   .title = "Channels",
                   .what = "How the channels of a pixel, or the elements of a token, become one number",
                   .kind = Kind::Choice,
                   .value = "sum",
                   .choices = {"sum", "max"}});
    out.push_back({.name = "samples",
                   .title = "Noisy copies",
                   .what = "Of SmoothGrad",
                   .kind = Kind::Integer,
                   .value = "25",
                   .choices = {},
                   .low = 1,
                   .high = 1000,
                   .only_if = "method=smoothgrad"});
    out.push_back({.name = "noise",
                   .title = "Noise",
                   .what = "Of SmoothGrad: its standard deviation, as a part of the input's range",
                   .kind = Kind::Number,
                   .value = "0.15",
                   .choices = {},
                   .low = 0,
                   .high = 10,
                   .only_if = "method=smoothgrad"});
    out.push_back({.name = "seed",
                   .title = "Seed",
                   .what = "Of the noise, as torch.manual_seed",
                   .kind = Kind::Integer,
                   .value = "0",
                   .choices = {},
                   .low = 0,
                   .high = 1e15,
                   .only_if = "method=smoothgrad"});
    return out;
}

Tensor smooth_gradient(const AttributedNumber& number, const StudyChoices& choices, const StudyReport& report) {
    const Tensor& x = number.input();
    const double range = item(fn::sub(fn::amax(x), fn::amin(x), Scalar(1))).to_double();
    const double deviation = choices.number("noise") * range;
    const std::int64_t count = choices.integer("samples");
    seed_generators(static_cast<std::uint64_t>(choices.integer("seed")));
    Tensor sum;
    for (std::int64_t i = 0; i < count; ++i) {
        report({i, count, "noisy copy"});
        const Tensor noise = fn::mul_scalar(fn::randn_like(x), Scalar(deviation));
        const Tensor gradient = number.slope_at(fn::add(x, noise, Scalar(1))).gradient;
        sum = sum.defined() ? fn::add(sum, gradient, Scalar(1)) : gradient;
    }
    return fn::div_scalar(sum, Scalar(static_cast<double>(count)));
}

StudyOutcome answer(const StudySubject& subject, const StudyChoices& choices, const StudyReport& report) {
    const AttributedNumber number = attributed_number(subject, choices);
    const std::string& method = choices.text("method");
    StudyOutcome out;
    Tensor values;
    std::string title;
    if (method == kSmooth) {
        values = smooth_gradient(number, choices, report);
        title = concat("SmoothGrad of ", choices.integer("samples"), " copies");
    } else {
        values = number.slope_at(number.input()).gradient;
        title = "|gradient|";
        if (method == kTimesInput) {
            values = fn::mul(values, number.input());
            title = "Gradient x input";
        }
    }
    const Reduction reduction = choices.text("channels") == "max" ? Reduction::GreatestMagnitude : Reduction::Sum;
    out.result.title = concat(title, " of ", number.target().text);
    out.result.facts.push_back(concat(number.target().text, " = ", short_number(number.value())));
    add_attribution(number, values, reduction, method == kTimesInput, title, out);
    return out;
}

}  // namespace

const StudyRecord kSaliencyStudy{
    .name = "saliency",
    .title = "Saliency",
    .what = "How fast a number of the output changes with each pixel or token.",
    .paper = "Simonyan et al. 2014; Smilkov et al. 2017",
    .results = "map, tokens",
    .panel = {},
    .why_not = why_no_attribution,
    .options = options,
    .answer = answer,
};

}  // namespace loupe::session
