// SPDX-License-Identifier: Apache-2.0
#include "core/train/reported_curves.h"

#include <algorithm>

namespace loupe::session {

ReportedCurve* ReportedCurves::curve_of(const std::string& tag) {
    const auto found = std::ranges::find(curves_, tag, &ReportedCurve::tag);
    if (found != curves_.end()) return &*found;
    if (curves_.size() >= kMostCurves) return nullptr;
    curves_.emplace_back().tag = tag;
    return &curves_.back();
}

void ReportedCurves::add(const runtime::CurvePoint& point, std::int64_t step) {
    ReportedCurve* curve = point.values.empty() ? nullptr : curve_of(point.tag);
    if (curve == nullptr || curve->points.size() >= kMostPoints) return;
    curve->is_histogram = point.values.size() == 3;
    const auto [low, high] = std::ranges::minmax(point.values);
    curve->points.push_back({point.step.value_or(step), point.values.back(), low, high});
}

void ReportedCurves::add(const runtime::CurvePoint& point) {
    const ReportedCurve* curve = curve_of(point.tag);
    const bool is_first = curve == nullptr || curve->points.empty();
    add(point, is_first ? 0 : curve->points.back().step + 1);
}

}  // namespace loupe::session
