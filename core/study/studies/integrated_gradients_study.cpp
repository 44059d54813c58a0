// SPDX-License-Identifier: Apache-2.0
// Integrated gradients: (x - x0) times the mean gradient along the straight way from a baseline x0 to x (Sundararajan
// et al. 2017). Their sum is f(x) - f(x0) but for the error of the quadrature, which is shown.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/share_groups.h"
#include "core/study/studies/attribution.h"
#include "core/study/studies/blur.h"
#include "core/study/studies/study_list.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

constexpr const char* kLegendre = "gauss-legendre";
constexpr const char* kMidpoint = "midpoint";

// The padding of a tokenizer, by the names that vocabularies have for it; 0 where it has none.
std::int64_t padding_of(const StudySubject& subject) {
    if (subject.text() == nullptr) return 0;
    const auto named = subject.text()->ids_named("pad_token_id");
    return named.empty() ? 0 : named.front();
}

std::vector<StudyOption> options(const StudySubject& subject) {
    using Kind = StudyOption::Kind;
    const bool is_of_tokens = !subject.input_place();
    std::vector<StudyOption> out = attribution_options(subject);
    out.push_back({.name = "baseline",
                   .title = "Baseline",
                   .what = is_of_tokens ? "What there is instead of the text: no embedding, the mean one, or a token"
                                        : "What there is instead of the input: zeros, the mean of each channel, or "
                                          "the input blurred",
                   .kind = Kind::Choice,
                   .value = is_of_tokens ? "token" : "zero",
                   .choices = is_of_tokens ? std::vector<std::string>{"token", "zero", "mean"}
                                           : std::vector<std::string>{"zero", "mean", "blur"}});
    if (is_of_tokens)
        out.push_back({.name = "token",
                       .title = "Token",
                       .what = "Of the baseline: its id, as of the padding",
                       .kind = Kind::Integer,
                       .value = std::to_string(padding_of(subject)),
                       .choices = {},
                       .low = 0,
                       .high = 1e9,
                       .only_if = "baseline=token"});
    else
        out.push_back({.name = "blur",
                       .title = "Blur",
                       .what = "Of the baseline: the standard deviation in pixels",
                       .kind = Kind::Number,
                       .value = "10",
                       .choices = {},
                       .low = 0.1,
                       .high = 1000,
                       .only_if = "baseline=blur"});
    out.push_back({.name = "steps",
                   .title = "Steps",
                   .what = "Points on the way at which the gradient is taken",
                   .kind = Kind::Integer,
                   .value = "50",
                   .choices = {},
                   .low = 1,
                   .high = 2000});
    out.push_back({.name = "rule",
                   .title = "Quadrature",
                   .what = "Where these points lie and how much each counts",
                   .kind = Kind::Choice,
                   .value = kLegendre,
                   .choices = {kLegendre, kMidpoint}});
    return out;
}

struct Node {
    double place = 0;  // from 0, the baseline, to 1
    double weight = 0;
};

// Roots of the Legendre polynomial of that degree by Newton's method, on [0, 1].
std::vector<Node> legendre_nodes(std::int64_t count) {
    std::vector<Node> out(static_cast<std::size_t>(count));
    const auto n = static_cast<double>(count);
    for (std::int64_t i = 0; i < count; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5)), slope = 1;
        for (int round = 0; round < 100; ++round) {
            double before = 1, value = x;
            for (std::int64_t k = 2; k <= count; ++k) {
                const auto degree = static_cast<double>(k);
                const double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
                before = value;
                value = next;
            }
            slope = n * (x * value - before) / (x * x - 1);
            const double step = value / slope;
            x -= step;
            if (std::abs(step) < 1e-15) break;
        }
        out[static_cast<std::size_t>(count - 1 - i)] = {(x + 1) / 2, 1 / ((1 - x * x) * slope * slope)};
    }
    return out;
}

std::vector<Node> midpoint_nodes(std::int64_t count) {
    std::vector<Node> out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(count), 1 / static_cast<double>(count)});
    return out;
}

Tensor like(const Tensor& x, const Tensor& values) {
    return fn::contiguous(
        fn::expand(values, IValue(std::vector<std::int64_t>(x.sizes().begin(), x.sizes().end())), false), 0);
}

Tensor baseline_of(const AttributedNumber& number, const StudyChoices& choices) {
    const Tensor& x = number.input();
    const std::string& kind = choices.text("baseline");
    if (kind == "zero") return fn::zeros_like(x);
    if (number.is_of_tokens()) {
        if (kind == "mean") return like(x, fn::mean_dim(number.table(), IValue(std::vector<std::int64_t>{0}), true));
        const std::int64_t token = choices.integer("token");
        if (token >= number.table().size(0))
            throw Error(ErrorKind::Usage, concat("no token ", token, ": there are ", number.table().size(0)));
        return like(x, fn::select(number.table(), 0, token));
    }
    if (x.dim() < 3) {
        if (kind == "blur")
            throw Error(ErrorKind::Usage, concat("an input of ", describe(x), " cannot be blurred: it is no image"));
        return like(x, fn::mean_dim(x, IValue(std::vector<std::int64_t>{x.dim() - 1}), true));
    }
    if (kind == "blur") return blurred(x, choices.number("blur"));
    return like(x, fn::mean_dim(x, IValue(std::vector<std::int64_t>{x.dim() - 2, x.dim() - 1}), true));
}

StudyOutcome answer(const StudySubject& subject, const StudyChoices& choices, const StudyReport& report) {
    const AttributedNumber number = attributed_number(subject, choices);
    const Tensor baseline = detach(baseline_of(number, choices));
    const Tensor way = fn::sub(number.input(), baseline, Scalar(1));
    const std::int64_t steps = choices.integer("steps");
    const auto nodes = choices.text("rule") == kLegendre ? legendre_nodes(steps) : midpoint_nodes(steps);
    Tensor mean;
    for (const Node& node : nodes) {
        report({&node - nodes.data(), steps, "step"});
        const Tensor x = fn::add(baseline, fn::mul_scalar(way, Scalar(node.place)), Scalar(1));
        const Tensor part = fn::mul_scalar(number.slope_at(x).gradient, Scalar(node.weight));
        mean = mean.defined() ? fn::add(mean, part, Scalar(1)) : part;
    }
    const Tensor values = fn::mul(way, mean);
    const double sum = item(fn::sum(fn::to_dtype(values, static_cast<std::int64_t>(ScalarType::Float64)))).to_double();
    const double at_baseline = number.value_at(baseline);
    const double difference = number.value() - at_baseline, gap = sum - difference;
    StudyOutcome out;
    out.result.title = concat("Integrated gradients of ", number.target().text);
    out.result.facts.push_back(concat(number.target().text, " = ", short_number(number.value()), "; of the baseline ",
                                      short_number(at_baseline)));
    out.result.facts.push_back(
        concat("Completeness: sum ", short_number(sum), ", f(x) - f(baseline) ", short_number(difference),
               ": they differ by ", short_number(std::abs(gap)),
               difference == 0 ? std::string() : concat(", ", short_number(std::abs(gap / difference) * 100), " %")));
    add_attribution(number, values, Reduction::Sum, true, "Integrated gradients", out);
    out.arrays.emplace_back("baseline", on_host(baseline));
    out.arrays.emplace_back("completeness", tensor_of<double>({sum, number.value(), at_baseline}, {3}));
    return out;
}

}  // namespace

const StudyRecord kIntegratedGradientsStudy{
    .name = "integrated-gradients",
    .title = "Integrated gradients",
    .what =
        "What each pixel or token adds to a number of the output, against a baseline; the parts add up to the "
        "difference.",
    .paper = "Sundararajan et al. 2017",
    .results = "map, tokens",
    .panel = {},
    .why_not = why_no_attribution,
    .options = options,
    .answer = answer,
};

}  // namespace loupe::session
