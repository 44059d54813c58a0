// SPDX-License-Identifier: Apache-2.0
#include "tests/support/derivative_check.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/samples.h"

namespace loupe::test {
namespace {

constexpr double kStep = 1e-6;

using Numbers = std::vector<std::complex<double>>;

Numbers numbers_of(const Tensor& t) {
    const GradModeScope no_grad(false);
    const Tensor wide = fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Complex128)), 0);
    const auto* first = wide.data<std::complex<double>>();
    return {first, first + wide.numel()};
}

// Re <a, b>, summed over the lists; undefined tensors are zero.
double inner(const TensorList& a, const TensorList& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a[i].defined() || !b[i].defined()) continue;
        const Numbers x = numbers_of(a[i]);
        const Numbers y = numbers_of(b[i]);
        for (std::size_t k = 0; k < x.size(); ++k) sum += (std::conj(x[k]) * y[k]).real();
    }
    return sum;
}

TensorList directions_for(Random& random, const TensorList& like) {
    TensorList out;
    for (const Tensor& t : like) out.push_back(random_tensor(random, t.sizes(), t.dtype()));
    return out;
}

Tensor moved(const Tensor& t, const Tensor& direction, double step) {
    return step == 0 ? fn::clone(t) : fn::add(t, fn::mul_scalar(direction, Scalar(step)), Scalar(1));
}

// Leaves at from + step * direction.
TensorList leaves_at(const TensorList& from, const TensorList& direction, double step, bool wants_grad) {
    const GradModeScope no_grad(false);
    TensorList leaves;
    for (std::size_t i = 0; i < from.size(); ++i) {
        leaves.push_back(moved(from[i], direction[i], step));
        if (wants_grad) set_requires_grad(leaves.back(), true);
    }
    return leaves;
}

TensorList results_of(const DifferentiableFunction& f, const TensorList& leaves) {
    TensorList out;
    for (const Tensor& t : f(leaves)) {
        const bool is_precise = t.dtype() == ScalarType::Float64 || t.dtype() == ScalarType::Complex128;
        if (is_precise && requires_grad(t)) out.push_back(t);
    }
    return out;
}

std::string disagreement(const char* what, double analytic, double numeric, double scale) {
    if (std::isnan(analytic) && std::isnan(numeric)) return {};
    if (std::abs(analytic - numeric) <= 2e-5 * std::max({1.0, scale, std::abs(numeric)})) return {};
    return concat(what, " ", analytic, " is not ", numeric);
}

// A point of the inputs and the cotangents, and a direction in both.
struct Line {
    TensorList inputs, direction;
    TensorList cotangents, turn;
};

struct Gradients {
    TensorList leaves, cotangent_leaves, values;
};
Gradients gradients_at(const DifferentiableFunction& f, const Line& line, double step, bool create_graph) {
    Gradients out;
    out.leaves = leaves_at(line.inputs, line.direction, step, true);
    out.cotangent_leaves = leaves_at(line.cotangents, line.turn, step, create_graph);
    const BackwardOptions options{.retain_graph = create_graph, .create_graph = create_graph};
    out.values = gradients_of(results_of(f, out.leaves), out.leaves, out.cotangent_leaves, options, true);
    return out;
}

// The derivative of <weights, gradients> along the line, by backward of backward.
double second_along(const Gradients& at, const Line& line, const TensorList& weights, const GraphWatcher& watcher) {
    TensorList defined, defined_weights;
    for (std::size_t i = 0; i < at.values.size(); ++i) {
        if (!at.values[i].defined() || !requires_grad(at.values[i])) continue;
        defined.push_back(at.values[i]);
        defined_weights.push_back(weights[i]);
    }
    if (defined.empty()) return 0;
    if (watcher) watcher(defined);
    TensorList variables = at.leaves;
    variables.insert(variables.end(), at.cotangent_leaves.begin(), at.cotangent_leaves.end());
    TensorList along = line.direction;
    along.insert(along.end(), line.turn.begin(), line.turn.end());
    return inner(gradients_of(defined, variables, defined_weights, {}, true), along);
}

}  // namespace

std::string check_first_derivative(const DifferentiableFunction& f, const TensorList& inputs, Random& random,
                                   const GraphWatcher& watcher) {
    const TensorList direction = directions_for(random, inputs);
    const TensorList leaves = leaves_at(inputs, direction, 0, true);
    const TensorList results = results_of(f, leaves);
    if (results.empty()) return {};
    if (watcher) watcher(results);
    const TensorList cotangents = directions_for(random, results);
    const TensorList gradients = gradients_of(results, leaves, cotangents, {}, true);
    const double ahead = inner(cotangents, results_of(f, leaves_at(inputs, direction, kStep, true)));
    const double behind = inner(cotangents, results_of(f, leaves_at(inputs, direction, -kStep, true)));
    return disagreement("directional derivative", inner(gradients, direction), (ahead - behind) / (2 * kStep),
                        std::abs(ahead) * 1e-3);
}

std::string check_second_derivative(const DifferentiableFunction& f, const TensorList& inputs, Random& random,
                                    const GraphWatcher& watcher) {
    Line line{inputs, directions_for(random, inputs), {}, {}};
    const TensorList results = results_of(f, leaves_at(inputs, line.direction, 0, true));
    if (results.empty()) return {};
    line.cotangents = directions_for(random, results);
    line.turn = directions_for(random, results);
    const TensorList weights = directions_for(random, inputs);
    const double analytic = second_along(gradients_at(f, line, 0, true), line, weights, watcher);
    const double ahead = inner(weights, gradients_at(f, line, kStep, false).values);
    const double behind = inner(weights, gradients_at(f, line, -kStep, false).values);
    return disagreement("second directional derivative", analytic, (ahead - behind) / (2 * kStep),
                        std::abs(ahead) * 1e-3);
}

}  // namespace loupe::test
