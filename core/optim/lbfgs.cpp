// SPDX-License-Identifier: Apache-2.0
// L-BFGS (Liu and Nocedal 1989), as torch.optim.LBFGS after minFunc: all parameters are one vector.

#include <algorithm>
#include <cmath>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/optim/line_search.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

const OperatorHandle<> kMax("aten::max");
const OperatorHandle<> kFlatten("aten::view");

double number_in(const Tensor& t) { return item(t).to_double(); }
double slope_of(const Tensor& a, const Tensor& b) { return number_in(fn::dot(a, b)); }
double greatest(const Tensor& t) { return number_in(kMax(fn::abs(t))); }
// The number rounded to that dtype.
double rounded(double value, const Tensor& like) {
    return like.dtype() == ScalarType::Float64 ? value : static_cast<double>(static_cast<float>(value));
}

void complete(DictObject& dict) {
    const IValue* most = dict.find("max_eval");
    if (most->is_none()) dict.set("max_eval", dict.find("max_iter")->to_int() * 5 / 4);
}

// One vector made of all gradients, and steps along such vectors.
class Line {
  public:
    Line(TensorList parameters, const Closure& closure) : parameters_(std::move(parameters)), closure_(closure) {}

    Tensor gradient() const {
        TensorList rows;
        for (const Tensor& p : parameters_) {
            const Tensor g = grad_of(p);
            rows.push_back(
                kFlatten(g.defined() ? fn::contiguous(g, 0) : fn::zeros_like(fn::contiguous(detach(p), 0)), Dims{-1}));
        }
        return fn::cat(rows, 0);
    }
    void move(const Tensor& direction, double distance) const {
        std::int64_t offset = 0;
        for (const Tensor& p : parameters_) {
            const Tensor part = fn::narrow(direction, 0, offset, p.numel());
            fn::add_(p, kFlatten(part, to_dims(p.sizes())), Scalar(distance));
            offset += p.numel();
        }
    }
    TensorList copies() const {
        TensorList all;
        for (const Tensor& p : parameters_) all.push_back(fn::clone(detach(p)));
        return all;
    }
    void restore(const TensorList& values) const {
        for (std::size_t i = 0; i < parameters_.size(); ++i) fn::copy_(parameters_[i], values[i]);
    }
    double loss() const { return number_in(detach(closure_().to_tensor())); }

  private:
    TensorList parameters_;
    const Closure& closure_;
};

struct History {
    TensorList directions, steps;
    std::vector<Tensor> ro;
    Tensor diagonal;  // of the first guess of the inverse Hessian; undefined: 1
};

// (two-loop recursion; Nocedal and Wright, algorithm 7.4)
Tensor newton_direction(const Tensor& gradient, const History& h) {
    const Tensor q = fn::neg(gradient);
    std::vector<Tensor> alphas(h.ro.size());
    for (std::size_t i = h.ro.size(); i-- > 0;) {
        alphas[i] = fn::mul(fn::dot(h.steps[i], q), h.ro[i]);
        fn::add_(q, h.directions[i], Scalar(-number_in(alphas[i])));
    }
    const Tensor r = h.diagonal.defined() ? fn::mul(q, h.diagonal) : q;
    for (std::size_t i = 0; i < h.ro.size(); ++i) {
        const Tensor beta = fn::mul(fn::dot(h.directions[i], r), h.ro[i]);
        fn::add_(r, h.steps[i], Scalar(number_in(fn::sub(alphas[i], beta, Scalar(1)))));
    }
    return r;
}

void remember(History& h, const Tensor& change, const Tensor& moved, std::size_t size) {
    const Tensor product = fn::dot(change, moved);
    if (!(number_in(product) > 1e-10)) return;
    if (h.ro.size() == size && !h.ro.empty()) {
        h.directions.erase(h.directions.begin());
        h.steps.erase(h.steps.begin());
        h.ro.erase(h.ro.begin());
    }
    h.directions.push_back(change);
    h.steps.push_back(moved);
    h.ro.push_back(fn::reciprocal(product));
    h.diagonal = fn::div(product, fn::dot(change, change));
}

History read_history(const DictObject& state) {
    History h;
    if (const IValue* d = state.find("old_dirs")) h.directions = d->to_tensors();
    if (const IValue* s = state.find("old_stps")) h.steps = s->to_tensors();
    if (const IValue* r = state.find("ro")) {
        const TensorList ro = r->to_tensors();
        h.ro.assign(ro.begin(), ro.end());
    }
    if (const IValue* diagonal = state.find("H_diag"); diagonal != nullptr && diagonal->is_tensor())
        h.diagonal = diagonal->to_tensor();
    return h;
}
void write_history(DictObject& state, const History& h) {
    state.set("old_dirs", h.directions);
    state.set("old_stps", h.steps);
    state.set("ro", TensorList(h.ro.begin(), h.ro.end()));
    state.set("H_diag", h.diagonal.defined() ? IValue(h.diagonal) : IValue(1));
}
std::int64_t count(DictObject& state, const char* name, std::int64_t more) {
    const IValue* before = state.find(name);
    const std::int64_t now = (before == nullptr ? 0 : before->to_int()) + more;
    state.set(name, now);
    return now;
}

struct Limits {
    double lr, tolerance_grad, tolerance_change;
    std::int64_t max_iter, max_eval;
    std::size_t history_size;
    bool searches;
};
Limits limits_of(const Options& o) {
    const IValue& search = o["line_search_fn"];
    if (!search.is_none() && (!search.is_string() || search.to_string() != "strong_wolfe")) {
        throw Error(ErrorKind::Run, "only 'strong_wolfe' is supported");
    }
    return {o.number("lr"),
            o.number("tolerance_grad"),
            o.number("tolerance_change"),
            o["max_iter"].to_int(),
            o["max_eval"].to_int(),
            static_cast<std::size_t>(std::max<std::int64_t>(0, o["history_size"].to_int())),
            !search.is_none()};
}

// Where an iteration went, and how often it asked for the loss.
struct Moved {
    LinePoint point;
    std::int64_t evaluations = 0;
};

// To a point of the line that meets the strong Wolfe conditions.
Moved search(const Line& line, const Limits& limits, const LinePoint& from, const Tensor& direction) {
    const TensorList origin = line.copies();
    const auto evaluate = [&](double at) {
        const double to = rounded(at, from.gradient);
        line.move(direction, to);
        const double found = line.loss();
        const Tensor there = line.gradient();
        line.restore(origin);
        return LinePoint{to, found, there, slope_of(there, direction)};
    };
    const LineResult result = strong_wolfe(evaluate, {0, from.loss, fn::clone(from.gradient), from.slope},
                                           from.distance, greatest(direction), limits.tolerance_change);
    line.move(direction, result.point.distance);
    return {result.point, result.evaluations};
}

// As far as it was said; after the last iteration the loss is not needed.
Moved move_on(const Line& line, LinePoint point, const Tensor& direction, bool is_last) {
    line.move(direction, point.distance);
    if (is_last) return {point, 0};
    point.loss = line.loss();
    point.gradient = line.gradient();
    return {point, 1};
}

IValue step(Optimizer& optimizer, const Closure& closure) {
    if (!closure)
        fail_with_type(
            concat(is_older_torch() ? "" : "LBFGS.", "step() missing 1 required positional argument: 'closure'"));
    if (optimizer.param_groups()->elements.size() != 1) {
        throw Error(ErrorKind::Run, "LBFGS doesn't support per-parameter options (parameter groups)");
    }
    const DictObject& group = optimizer.param_groups()->elements.front().to_dict();
    const Limits limits = limits_of(Options(group));
    const TensorList parameters = parameters_of(group);
    const Ptr<DictObject> state = optimizer.state_of(parameters.front());
    const Line line(parameters, closure);

    const IValue first_loss = closure();
    double loss = number_in(detach(first_loss.to_tensor()));
    std::int64_t evaluations = 1;
    count(*state, "func_evals", 1);
    count(*state, "n_iter", 0);
    Tensor gradient = line.gradient();
    if (greatest(gradient) <= limits.tolerance_grad) return first_loss;

    History history = read_history(*state);
    Tensor direction = state->find("d") != nullptr ? state->find("d")->to_tensor() : Tensor();
    double distance = state->find("t") != nullptr ? state->find("t")->to_scalar().to_double() : 0;
    Tensor last_gradient =
        state->find("prev_flat_grad") != nullptr ? state->find("prev_flat_grad")->to_tensor() : Tensor();
    double last_loss = 0;
    for (std::int64_t i = 1; i <= limits.max_iter; ++i) {
        const bool is_first = count(*state, "n_iter", 1) == 1;
        if (is_first) {
            direction = fn::neg(gradient);
        } else {
            remember(history, fn::sub(gradient, last_gradient, Scalar(1)), fn::mul_scalar(direction, Scalar(distance)),
                     limits.history_size);
            direction = newton_direction(gradient, history);
        }
        last_gradient = fn::clone(gradient);
        last_loss = loss;
        distance = limits.lr;
        if (is_first) {
            const double size = number_in(fn::reciprocal(fn::sum(fn::abs(gradient))));
            distance = size < 1 ? rounded(size * limits.lr, gradient) : limits.lr;
        }
        const double slope = slope_of(gradient, direction);
        if (slope > -limits.tolerance_change) break;

        const bool is_last = i == limits.max_iter;
        const Moved moved = limits.searches ? search(line, limits, {distance, loss, gradient, slope}, direction)
                                            : move_on(line, {distance, loss, gradient, slope}, direction, is_last);
        loss = moved.point.loss;
        gradient = moved.point.gradient;
        distance = moved.point.distance;
        const bool is_optimal = moved.evaluations > 0 && greatest(gradient) <= limits.tolerance_grad;
        evaluations += moved.evaluations;
        count(*state, "func_evals", moved.evaluations);
        const bool is_stuck = greatest(fn::mul_scalar(direction, Scalar(distance))) <= limits.tolerance_change ||
                              std::abs(loss - last_loss) < limits.tolerance_change;
        if (evaluations >= limits.max_eval || is_optimal || is_stuck) break;
    }
    state->set("d", direction);
    state->set("t", distance);
    write_history(*state, history);
    state->set("prev_flat_grad", last_gradient);
    state->set("prev_loss", last_loss);
    return first_loss;
}

const OptimizerRecord kRecords[] = {
    {
        .name = "LBFGS",
        .summary = "Quasi-Newton steps from the last changes of the gradient (Liu and Nocedal 1989).",
        .constructor =
            "LBFGS(Any params, Scalar lr=1, int max_iter=20, int? max_eval=None, Scalar tolerance_grad=1e-07, Scalar "
            "tolerance_change=1e-09, int history_size=100, str? line_search_fn=None) -> Any",
        .complete = complete,
        .step = step,
    },
};

}  // namespace

std::span<const OptimizerRecord> lbfgs_records() { return kRecords; }

}  // namespace loupe::optim
