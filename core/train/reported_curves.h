// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a program reports over its steps: scalars and histograms of a SummaryWriter, values of self.log.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/runtime/interpreter/curve.h"

namespace loupe::runtime {

auto fields(Like<CurvePoint> auto& it) { return std::tie(it.tag, it.values, it.step); }

}  // namespace loupe::runtime

namespace loupe::session {

struct ReportedCurve {
    std::string tag;  // "train/loss"
    struct Point {
        std::int64_t step = 0;
        double value = 0;  // of a histogram its mean
        double low = 0;    // its least and greatest; of a scalar the value
        double high = 0;
    };
    std::vector<Point> points;  // in the order of reporting
    bool is_histogram = false;
};
auto fields(Like<ReportedCurve::Point> auto& it) { return std::tie(it.step, it.value, it.low, it.high); }
auto fields(Like<ReportedCurve> auto& it) { return std::tie(it.tag, it.points, it.is_histogram); }

class ReportedCurves {
  public:
    static constexpr std::size_t kMostCurves = 512;
    static constexpr std::size_t kMostPoints = 100'000;  // of a curve: later ones are dropped

    // step: of a point that names none.
    void add(const runtime::CurvePoint& point, std::int64_t step);
    // The same, behind the last one of the tag.
    void add(const runtime::CurvePoint& point);
    const std::vector<ReportedCurve>& all() const { return curves_; }
    // In place of those there are.
    void set(std::vector<ReportedCurve> curves) { curves_ = std::move(curves); }

  private:
    ReportedCurve* curve_of(const std::string& tag);
    std::vector<ReportedCurve> curves_;
};

}  // namespace loupe::session
