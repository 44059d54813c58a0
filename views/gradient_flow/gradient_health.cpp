// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient_flow/gradient_health.h"

#include <QObject>
#include <algorithm>
#include <map>

#include "views/common/format.h"

namespace loupe::views {
namespace {

constexpr double kVanishing = 1e-7;
constexpr double kGreatNorm = 1000;
constexpr double kGreatRatio = 100;

}  // namespace

std::vector<GradientFinding> findTroubles(const std::vector<session::GradientRow>& rows) {
    using Kind = GradientFinding::Kind;
    std::vector<GradientFinding> found;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const session::GradientRow& row = rows[i];
        const int at = static_cast<int>(i);
        const QString name = text(row.parameter);
        if (!row.has_gradient) {
            found.push_back({Kind::Unused, at, QObject::tr("%1 got no gradient: nothing in this run used it, or it is frozen").arg(name)});
            continue;
        }
        if (row.nan_count > 0) found.push_back({Kind::NotANumber, at, QObject::tr("%1: %2 NaN").arg(name, countText(row.nan_count))});
        if (row.inf_count > 0) found.push_back({Kind::Infinite, at, QObject::tr("%1: %2 Inf").arg(name, countText(row.inf_count))});
        if (row.nan_count > 0 || row.inf_count > 0) continue;
        const double ratio = row.weight_norm > 0 ? row.norm / row.weight_norm : 0;
        if (row.norm > kGreatNorm || (ratio > kGreatRatio && row.norm > 1)) {
            found.push_back({Kind::Exploding, at, QObject::tr("%1 is exploding: norm %2, %3 times the weights'").arg(name, numberText(row.norm), numberText(ratio))});
        } else if (row.max_abs == 0) {
            found.push_back({Kind::AllZero, at, QObject::tr("%1: every element is zero").arg(name)});
        } else if (row.mean_abs < kVanishing) {
            found.push_back({Kind::Vanishing, at, QObject::tr("%1 is vanishing: mean |gradient| %2").arg(name, numberText(row.mean_abs))});
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return found;
}

namespace {

QString kindText(GradientFinding::Kind kind) {
    using Kind = GradientFinding::Kind;
    switch (kind) {
        case Kind::NotANumber: return QObject::tr("has NaN");
        case Kind::Infinite: return QObject::tr("has Inf");
        case Kind::Exploding: return QObject::tr("is exploding");
        case Kind::Vanishing: return QObject::tr("is vanishing");
        case Kind::AllZero: return QObject::tr("is all zero");
        case Kind::Unused: return QObject::tr("got no gradient");
    }
    return {};
}

}  // namespace

std::vector<GradientFinding> troublesOverSteps(const std::vector<StepGradients>& steps) {
    struct Count {
        std::size_t steps = 0;
        std::int64_t first = 0;
    };
    std::map<std::pair<GradientFinding::Kind, int>, Count> counts;
    for (const StepGradients& step : steps) {
        for (const GradientFinding& finding : findTroubles(step.rows)) {
            Count& count = counts[{finding.kind, finding.row}];
            if (count.steps++ == 0) count.first = step.step;
        }
    }
    std::vector<GradientFinding> found;
    for (const auto& [what, count] : counts) {
        const QString name = text(steps.front().rows[static_cast<std::size_t>(what.second)].parameter);
        found.push_back({what.first, what.second,
                         QObject::tr("%1 %2 in %3 of %4 steps, first at step %5").arg(name, kindText(what.first)).arg(count.steps).arg(steps.size()).arg(count.first)});
    }
    return found;
}

}  // namespace loupe::views
