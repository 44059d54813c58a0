// SPDX-License-Identifier: Apache-2.0
// Grad-CAM (Selvaraju et al. 2017): the channels of a convolutional stage, weighed by the mean gradient of a number of
// the output, where their sum is above zero. Grad-CAM++ (Chattopadhyay et al. 2018) weighs places by higher powers of
// the gradient, as if the number were exp(score).

#include <algorithm>
#include <cmath>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/kept_history.h"
#include "core/study/share_groups.h"
#include "core/study/studies/attribution.h"
#include "core/study/studies/graph_convolutions.h"
#include "core/study/studies/module_outputs.h"
#include "core/study/studies/study_list.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

const OperatorHandle<> kUpsample("aten::upsample_bilinear2d");
constexpr double kLeastDenominator = 1e-6;  // of Grad-CAM++, as in its public implementations

bool is_maps(const Tensor& t) { return t.defined() && t.dim() == 4 && is_floating(t.dtype()); }

std::string why_not(const StudySubject& subject) {
    if (!graph_convolutions(subject).empty()) return {};
    if (!subject.has_parameter_of_rank(4)) return "no convolution: no parameter has four dimensions";
    return subject.info().modules.size() > 1 ? std::string()
                                             : "the model has no modules and no graph, so no stage can be named";
}

std::vector<StudyOption> options(const StudySubject& subject) {
    using Kind = StudyOption::Kind;
    std::vector<std::string> stages;
    for (const std::string& name : graph_convolutions(subject)) stages.push_back("%" + name);
    // Modules of a graph that has its convolutions itself only hold their weights.
    const bool is_plain = !stages.empty();
    for (const ModuleInfo& module : subject.info().modules)
        if (!is_plain && !module.path.empty() && has_convolution(subject.info(), module)) stages.push_back(module.path);
    std::vector<StudyOption> out = attribution_options(subject);
    std::erase_if(out, [](const StudyOption& each) { return each.name == "input"; });
    out.insert(out.begin(), {.name = "module",
                             .title = "Stage",
                             .what = "Whose output is weighed: a module that gives N x C x H x W, or a convolution of "
                                     "the graph by what it gives, as %conv2d_3. Empty: the last one of convolutions "
                                     "before pooling",
                             .kind = Kind::Text,
                             .value = {},
                             .choices = stages});
    out.push_back({.name = "method",
                   .title = "Method",
                   .what = "Grad-CAM, or Grad-CAM++, which finds several objects better",
                   .kind = Kind::Choice,
                   .value = "grad-cam",
                   .choices = {"grad-cam", "grad-cam++"}});
    return out;
}

bool has_places(const Tensor& t) { return is_maps(t) && t.size(2) * t.size(3) > 1; }

// The module of convolutions that ends last with more than one place, of modules in one another the outermost; in a
// graph that calls none the last convolution of its own.
std::string last_stage(const StudySubject& subject) {
    ModuleHooks hooks;
    std::string last, last_of_graph;
    for (const ModuleInfo& module : subject.info().modules) {
        if (module.path.empty() || !has_convolution(subject.info(), module)) continue;
        hooks.add(
            subject, module.path,
            [&last, path = module.path](const std::vector<IValue>&, const IValue& output) -> std::optional<IValue> {
                if (output.is_tensor() && has_places(output.to_tensor())) last = path;
                return std::nullopt;
            });
    }
    const std::vector<std::string> names = graph_convolutions(subject);
    ConvolutionObserver observer(names, [&](const std::string& name, const Tensor& output) {
        if (has_places(output)) last_of_graph = "%" + name;
    });
    const ObserverScope observed(&observer);
    run_subject(subject);
    if (!last.empty()) return last;
    if (last_of_graph.empty()) throw Error(ErrorKind::Run, "no convolution gives N x C x H x W with several places");
    return last_of_graph;
}

// A stage's output and the gradient that comes back to it.
struct Stage {
    Tensor maps;
    Tensor gradient;
    StudyTarget target;
    double value = 0;
};

// What a stage gave in a run, and a handle that gradients of it go to.
struct Watched {
    IValue result;
    Tensor maps;
    Tensor history;
};

void check_maps(const std::string& path, const Tensor& output) {
    if (!output.defined() || !is_maps(output))
        throw Error(ErrorKind::Usage,
                    concat(path, " gives ", output.defined() ? describe(output) : "no tensor", ", not N x C x H x W"));
}

Watched watch_module(const StudySubject& subject, const std::string& path) {
    Watched out;
    ModuleHooks hooks;
    hooks.add(subject, path, [&](const std::vector<IValue>&, const IValue& output) -> std::optional<IValue> {
        check_maps(path, output.is_tensor() ? output.to_tensor() : Tensor());
        out.maps = out.history = fn::clone(detach(output.to_tensor()));
        set_requires_grad(out.history, true);
        return IValue(fn::clone(out.history));  // no leaf: it may be written in place
    });
    out.result = run_subject(subject);
    return out;
}

// path: "%conv2d_3".
Watched watch_convolution(const StudySubject& subject, const std::string& path) {
    const std::vector<std::string> names = graph_convolutions(subject);
    if (std::ranges::find(names, path.substr(1)) == names.end())
        throw Error(ErrorKind::Usage, concat("no convolution ", path, " in the graph"));
    Watched out;
    ConvolutionObserver observer(names, [&](const std::string& name, const Tensor& output) {
        if (name != path.substr(1)) return;
        check_maps(path, output);
        if (!requires_grad(output)) set_requires_grad(output, true);
        out.maps = fn::clone(detach(output));
        out.history = kept_history(output);
    });
    // What a convolution gives has a history where its input has one: it may then be written in place.
    std::vector<IValue> arguments = subject.fresh_arguments();
    for (IValue& each : arguments) {
        if (!each.is_tensor() || !each.to_tensor().defined() || !is_floating(each.to_tensor().dtype())) continue;
        Tensor leaf = each.to_tensor();
        set_requires_grad(leaf, true);
        each = IValue(fn::clone(leaf));
    }
    const ObserverScope observed(&observer);
    out.result = PreparedMethod(subject.shared_program(), subject.method(), "none").forward(std::move(arguments));
    return out;
}

Stage run_stage(const StudySubject& subject, const std::string& path, const std::string& target, std::int64_t sample) {
    const GradModeScope grad(true);
    const Watched watched = path.starts_with("%") ? watch_convolution(subject, path) : watch_module(subject, path);
    const IValue& result = watched.result;
    const Tensor& leaf = watched.history;
    if (!leaf.defined()) throw Error(ErrorKind::Run, concat("the model does not call ", loupe::quoted(path)));
    Stage out;
    out.target = choose_target(subject, result, target, sample);
    const Tensor number = out.target.of(result);
    out.value = item(detach(number)).to_double();
    const Tensor gradient = requires_grad(number) ? gradients_of({number}, {leaf}, {}, {}, true).front() : Tensor();
    if (!gradient.defined())
        throw Error(ErrorKind::Run, concat(out.target.text, " does not depend on the output of ", path));
    if (sample >= leaf.size(0))
        throw Error(ErrorKind::Usage, concat("no sample ", sample, ": ", path, " gives ", leaf.size(0)));
    const auto of_sample = [&](const Tensor& t) {
        return fn::select(on_host(fn::to_dtype(detach(t), static_cast<std::int64_t>(ScalarType::Float64))), 0, sample);
    };
    out.maps = of_sample(watched.maps);
    out.gradient = of_sample(gradient);
    return out;
}

IValue dims(std::vector<std::int64_t> which) { return IValue(std::move(which)); }

// One for each channel.
Tensor weights_of(const Stage& stage, bool is_plus) {
    if (!is_plus) return fn::mean_dim(stage.gradient, dims({1, 2}), true);
    const Tensor& g = stage.gradient;
    const Tensor square = fn::mul(g, g), cube = fn::mul(square, g);
    const Tensor sums = fn::sum_dim(stage.maps, dims({1, 2}), true);
    const Tensor below = fn::add_scalar(fn::add(fn::mul_scalar(square, Scalar(2.0)), fn::mul(sums, cube), Scalar(1)),
                                        Scalar(kLeastDenominator), Scalar(1));
    const Tensor share = fn::where(fn::ne_scalar(g, Scalar(0.0)), fn::div(square, below), fn::zeros_like(g));
    return fn::sum_dim(fn::mul(fn::relu(g), share), dims({1, 2}), true);
}

StudyOutcome answer(const StudySubject& subject, const StudyChoices& choices, const StudyReport& report) {
    report({0, 2, "run"});
    const std::int64_t sample = choices.has("sample") ? choices.integer("sample") : 0;
    const std::string path = choices.text("module").empty() ? last_stage(subject) : choices.text("module");
    check_cancelled();
    report({1, 2, "run"});
    const Stage stage = run_stage(subject, path, choices.text("target"), sample);
    const bool is_plus = choices.text("method") == "grad-cam++";
    const Tensor cam = fn::relu(fn::sum_dim(fn::mul(stage.maps, weights_of(stage, is_plus)), dims({0}), false));
    StudyOutcome out;
    StudyMap map;
    const auto place = subject.input_place();
    const Tensor input = place ? subject.arguments()[*place].to_tensor() : Tensor();
    const bool is_over_image = input.defined() && (input.dim() == 4 || input.dim() == 3);
    map.rows = is_over_image ? input.size(-2) : cam.size(0);
    map.columns = is_over_image ? input.size(-1) : cam.size(1);
    if (is_over_image) map.under = picture_of(image_of(input, sample));
    const Tensor large = fn::to_dtype(
        kUpsample(fn::unsqueeze(fn::unsqueeze(cam, 0), 0), dims({map.rows, map.columns}), false, IValue(), IValue()),
        static_cast<std::int64_t>(ScalarType::Float32));
    const float* data = large.data<float>();
    map.values.assign(data, data + large.numel());
    map.title = is_plus ? "Grad-CAM++" : "Grad-CAM";
    out.result.title = concat(map.title, " of ", stage.target.text, " at ", path);
    out.result.facts.push_back(concat(stage.target.text, " = ", short_number(stage.value)));
    out.result.facts.push_back(concat("Stage ", path, ": ", stage.maps.size(0), " channels of ", stage.maps.size(1),
                                      "x", stage.maps.size(2), is_over_image ? ", drawn over the input" : ""));
    if (item(fn::amax(cam)).to_double() <= 0)
        out.result.facts.push_back("Nothing in this stage speaks for it: the weighed sum is nowhere above zero");
    out.result.maps.push_back(std::move(map));
    out.arrays.emplace_back("cam", cam);
    out.arrays.emplace_back("map", fn::select(fn::select(large, 0, 0), 0, 0));
    return out;
}

}  // namespace

const StudyRecord kGradCamStudy{
    .name = "grad-cam",
    .title = "Grad-CAM",
    .what = "Where in the picture a convolutional stage sees what speaks for a class.",
    .paper = "Selvaraju et al. 2017; Chattopadhyay et al. 2018",
    .results = "map",
    .panel = {},
    .why_not = why_not,
    .options = options,
    .answer = answer,
};

}  // namespace loupe::session
