// SPDX-License-Identifier: Apache-2.0
#include "core/optim/line_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace loupe::optim {
namespace {

constexpr double kSufficientDecrease = 1e-4;
constexpr double kCurvature = 0.9;
constexpr int kMostEvaluations = 25;

// The minimum of the cubic through two points and their slopes (Nocedal and Wright, equation 3.59), inside the bounds.
double cubic_minimum(const LinePoint& a, const LinePoint& b, std::pair<double, double> bounds) {
    const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.distance - b.distance);
    const double square = d1 * d1 - a.slope * b.slope;
    if (!(square >= 0)) return (bounds.first + bounds.second) / 2;
    const double d2 = std::sqrt(square);
    const double at =
        a.distance <= b.distance
            ? b.distance - (b.distance - a.distance) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
            : a.distance - (a.distance - b.distance) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
    return std::min(std::max(at, bounds.first), bounds.second);
}

class Search {
  public:
    Search(const LineFunction& evaluate, const LinePoint& start) : evaluate_(evaluate), start_(start) {}

    LineResult run(double distance, double direction_size, double tolerance_change) {
        bracket(distance);
        zoom(direction_size, tolerance_change);
        return {ends_[low_], evaluations_};
    }

  private:
    LinePoint look(double distance) {
        ++evaluations_;
        return evaluate_(distance);
    }
    bool is_too_high(const LinePoint& p) const {
        return p.loss > start_.loss + kSufficientDecrease * p.distance * start_.slope;
    }
    bool is_flat_enough(const LinePoint& p) const { return std::abs(p.slope) <= -kCurvature * start_.slope; }
    void set_bracket(const LinePoint& a, const LinePoint& b) {
        ends_ = {a, b};
        order();
    }
    void order() { low_ = ends_[0].loss <= ends_[1].loss ? 0 : 1; }

    // Goes outward until a point is good, or two have a good one between them.
    void bracket(double distance) {
        LinePoint before = start_;
        before.distance = 0;
        LinePoint now = look(distance);
        for (; iterations_ < kMostEvaluations; ++iterations_) {
            if (is_too_high(now) || (iterations_ > 1 && now.loss >= before.loss)) return set_bracket(before, now);
            if (is_flat_enough(now)) {
                done_ = true;
                return set_bracket(now, now);
            }
            if (now.slope >= 0) return set_bracket(before, now);
            const double least = now.distance + 0.01 * (now.distance - before.distance);
            const double next = cubic_minimum(before, now, {least, now.distance * 10});
            before = std::exchange(now, look(next));
        }
        LinePoint origin = start_;
        origin.distance = 0;
        set_bracket(origin, now);
    }

    // A trial that lies too near an end of the bracket twice is moved inward.
    double inside(double trial, double left, double right) {
        const double margin = 0.1 * (right - left);
        if (std::min(right - trial, trial - left) >= margin) {
            is_stuck_ = false;
            return trial;
        }
        if (!is_stuck_ && trial < right && trial > left) {
            is_stuck_ = true;
            return trial;
        }
        is_stuck_ = false;
        return std::abs(trial - right) < std::abs(trial - left) ? right - margin : left + margin;
    }

    void zoom(double direction_size, double tolerance_change) {
        while (!done_ && iterations_ < kMostEvaluations) {
            const auto [left, right] = std::minmax({ends_[0].distance, ends_[1].distance});
            if ((right - left) * direction_size < tolerance_change) return;
            const LinePoint trial = look(inside(cubic_minimum(ends_[0], ends_[1], {left, right}), left, right));
            ++iterations_;
            LinePoint& low = ends_[low_];
            LinePoint& high = ends_[1 - low_];
            if (is_too_high(trial) || trial.loss >= low.loss) {
                high = trial;
                order();
                continue;
            }
            if (is_flat_enough(trial))
                done_ = true;
            else if (trial.slope * (high.distance - low.distance) >= 0)
                high = low;
            low = trial;
        }
    }

    const LineFunction& evaluate_;
    const LinePoint& start_;
    std::array<LinePoint, 2> ends_;
    std::size_t low_ = 0;
    int evaluations_ = 0;
    int iterations_ = 0;
    bool done_ = false;
    bool is_stuck_ = false;
};

}  // namespace

LineResult strong_wolfe(const LineFunction& evaluate, const LinePoint& start, double first_distance,
                        double direction_size, double tolerance_change) {
    return Search(evaluate, start).run(first_distance, direction_size, tolerance_change);
}

}  // namespace loupe::optim
