// SPDX-License-Identifier: GPL-3.0-or-later
// The gradients of a training in the Gradient flow panel: a column a parameter, a row a step or a bucket of steps.
#include <qcustomplot.h>

#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/step_axis.h"
#include "views/common/theme.h"
#include "views/gradient_flow/gradient_flow_view.h"

namespace loupe::views {

// Norms at every step of the training, on an even axis: a row is a step, or the greatest of those that share it.
void GradientFlowView::drawSteps() {
    const auto& log = bridge().training();
    const auto range = log ? log->norm_range() : session::TrainingLog::NormRange{};
    std::vector<std::vector<double>> cells;
    std::vector<std::int64_t> labels;
    drawn_step_ = range.last;
    if (range.last > 0) {
        constexpr std::size_t kMostRows = 120;
        const std::vector<std::int64_t> edges = StepAxis{range.first, range.last}.edges(kMostRows);
        const session::NormMap norms = log->norms(session::NormKind::Gradient, edges);
        const std::vector<std::string> names = log->parameters();
        std::unordered_map<std::string_view, std::size_t> place;
        for (std::size_t i = 0; i < names.size(); ++i) place.emplace(names[i], i);
        std::vector<double> by_row(rows_.size());
        for (std::size_t bucket = 0; bucket < norms.buckets; ++bucket) {
            for (std::size_t row = 0; row < rows_.size(); ++row) {
                const auto found = place.find(rows_[row].parameter);
                by_row[row] = found != place.end() ? norms.at(bucket, found->second) : -1;
            }
            labels.push_back(edges[bucket]);
            auto& values = cells.emplace_back();
            for (std::size_t column = 0; column < shown_.size(); ++column) {
                values.push_back(columns_.norm(static_cast<int>(column), by_row));
            }
        }
    }
    drawMap(cells, labels);
    if (labels.empty()) return;
    const std::int64_t steps = range.last - range.first + 1;
    const bool isEach = static_cast<std::int64_t>(labels.size()) == steps;
    const QString what = isEach ? tr("norms at every step, %1 of them upwards")
                                : tr("norms at all %1 steps upwards, of each parameter the greatest in a row");
    const QString colours = summary_->text().section(QLatin1Char(';'), 1).prepend(QLatin1Char(';'));
    summary_->setText(what.arg(countText(steps)) + colours);
}

// Colours by the logarithm.
void GradientFlowView::drawMap(const std::vector<std::vector<double>>& cells, const std::vector<std::int64_t>& labels) {
    for (QCPBars* bars : {back_, front_, not_finite_}) bars->setData(QVector<double>(), QVector<double>(), true);
    const int columns = static_cast<int>(shown_.size());
    const int count = static_cast<int>(cells.size());
    double low = 1e300;
    double high = 0;
    for (const auto& row : cells) {
        for (const double value : row) {
            if (!(value > 0) || !std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    low = std::max(low, high * 1e-12);
    // A map needs two rows: one run fills both.
    map_->data()->setSize(std::max(2, columns), std::max(2, count));
    map_->data()->setRange(QCPRange(0, std::max(1, columns - 1)), QCPRange(1, std::max(2, count)));
    map_->data()->fillAlpha(255);
    for (int x = 0; x < columns; ++x) {
        for (int y = 0; y < std::max(2, count); ++y) {
            const double value =
                count == 0 ? std::nan("")
                           : cells[static_cast<std::size_t>(std::min(y, count - 1))][static_cast<std::size_t>(x)];
            const bool isNumber = std::isfinite(value);
            map_->data()->setCell(x, y,
                                  !isNumber   ? std::nan("")
                                  : value > 0 ? std::log10(std::max(value, low))
                                              : std::log10(low));
            if (value < 0) map_->data()->setAlpha(x, y, 0);  // no gradient
        }
    }
    QCPColorGradient gradient;
    gradient.clearColorStops();
    for (int i = 0; i <= 16; ++i)
        gradient.setColorStopAt(i / 16.0, QColor::fromRgb(colourAt(ColourMap::Viridis, i / 16.0)));
    gradient.setNanHandling(QCPColorGradient::nhNanColor);
    gradient.setNanColor(Theme::instance().colour(Theme::Colour::Bad));
    map_->setGradient(gradient);
    map_->setDataRange(high > 0 ? QCPRange(std::log10(low), std::max(std::log10(high), std::log10(low) + 0.1))
                                : QCPRange(0, 1));
    plot_->yAxis->setScaleType(QCPAxis::stLinear);
    if (labels.empty()) {
        const auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
        ticker->setTickStep(1);
        ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
        plot_->yAxis->setTicker(ticker);
    } else {
        const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
        const int every = std::max(1, count / 8);
        for (int y = 0; y < count; y += every)
            ticker->addTick(y + 1, QString::number(labels[static_cast<std::size_t>(y)]));
        plot_->yAxis->setTicker(ticker);
    }
    plot_->yAxis->setNumberFormat(QStringLiteral("f"));
    plot_->yAxis->setNumberPrecision(0);
    plot_->yAxis->setRange(0.5, std::max(2, count) + 0.5);
    if (!labels.empty()) {
        summary_->setText(
            tr("%1 upwards; dark %2, bright %3").arg(counted(count, "step")).arg(numberText(low), numberText(high)));
    } else if (measure() == Measure::Steps) {
        summary_->setText(tr("Nothing was trained yet: train the model in the Train panel"));
    } else {
        summary_->setText(
            count < 2 ? tr("One run so far: run backward again, with other inputs or modes, to compare")
                      : tr("%1 runs upwards; dark %2, bright %3").arg(count).arg(numberText(low), numberText(high)));
    }
}

void GradientFlowView::drawBars(const QVector<double>& keys, const QVector<double>& first,
                                const QVector<double>& second) {
    Theme& theme = Theme::instance();
    QColor behind = theme.series(0);
    behind.setAlphaF(0.35f);
    back_->setBrush(behind);
    front_->setBrush(theme.series(0));
    back_->setName(tr("max"));
    front_->setName(second.isEmpty() ? measure_->currentText() : tr("mean"));
    front_->setData(keys, first, true);
    back_->setData(second.isEmpty() ? QVector<double>() : keys, second, true);
    double low = 1e300;
    double high = 0;
    for (const auto& values : {first, second}) {
        for (double value : values) {
            if (!std::isfinite(value) || value <= 0) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    drawReference();
    if (!reference_->data()->isEmpty()) {
        for (const QCPBarsData& bar : *reference_->data()) {
            if (!std::isfinite(bar.value) || bar.value <= 0) continue;
            low = std::min(low, bar.value);
            high = std::max(high, bar.value);
        }
    }
    if (high <= 0) low = 1e-3, high = 1;
    if (logarithmic_) {
        low = std::pow(10.0, std::floor(std::log10(std::max(low, high * 1e-12))));
        plot_->yAxis->setScaleType(QCPAxis::stLogarithmic);
        plot_->yAxis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        plot_->yAxis->setNumberFormat(QStringLiteral("eb"));
        plot_->yAxis->setNumberPrecision(0);
        for (QCPBars* bars : {back_, front_, not_finite_, reference_}) bars->setBaseValue(low);
        plot_->yAxis->setRange(low, high * 1.5);
    } else {
        plot_->yAxis->setScaleType(QCPAxis::stLinear);
        plot_->yAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
        plot_->yAxis->setNumberFormat(QStringLiteral("g"));
        plot_->yAxis->setNumberPrecision(3);
        for (QCPBars* bars : {back_, front_, not_finite_, reference_}) bars->setBaseValue(0);
        plot_->yAxis->setRange(0, 1);
    }
    hatchNotFinite(keys, first, second);
}

}  // namespace loupe::views
