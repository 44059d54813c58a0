// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/step_map.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QVBoxLayout>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/elided_fields.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

using session::NormKind;
using session::ParameterNorms;
using session::Statistics;
using session::TrainingSample;

constexpr std::size_t kMostColumns = 400;

double exponentOf(std::size_t bin) { return static_cast<double>(bin) - 0.5 + Statistics::kLowest; }

NormKind normOf(int kind) {
    switch (kind) {
        case StepMap::UpdateNorms:
            return NormKind::Update;
        case StepMap::UpdateRatios:
            return NormKind::Ratio;
        case StepMap::WeightNorms:
            return NormKind::Weight;
        default:
            break;
    }
    return NormKind::Gradient;
}

}  // namespace

StepMap::StepMap(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* choice = new QHBoxLayout;
    choice->setContentsMargins(8, 3, 8, 2);
    choice->setSpacing(8);
    kind_ = new ElidedComboBox(this);
    kind_->setObjectName(QStringLiteral("trainKind"));
    kind_->addItems({tr("weights"), tr("gradients"), tr("activations"), tr("norms of gradients"),
                     tr("norms of updates"), tr("updates / weights"), tr("norms of weights")});
    kind_->setAccessibleName(tr("What is drawn over the steps"));
    kind_->setToolTip(
        tr("Histograms of the steps that were recorded whole, or norms of every parameter at every step"));
    kind_->setMinimumContentsLength(9);
    kind_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
        fillTensors();
        draw();
    });
    tensors_ = new ElidedComboBox(this);
    tensors_->setObjectName(QStringLiteral("trainTensors"));
    tensors_->setAccessibleName(tr("Tensor"));
    tensors_->setMinimumContentsLength(8);
    tensors_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    tensors_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(tensors_, &QComboBox::currentIndexChanged, this, &StepMap::draw);
    numbers_ = new ElidedLabel(this);
    numbers_->setProperty("faint", true);
    numbers_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    choice->addWidget(kind_);
    choice->addWidget(tensors_, 1);
    choice->addWidget(numbers_, 2);
    column->addLayout(choice);
    plot_ = new QCustomPlot(this);
    plot_->setMinimumHeight(40);
    plot_->setAccessibleName(tr("Tensors over steps"));
    map_ = new QCPColorMap(plot_->xAxis, plot_->yAxis);
    map_->setInterpolate(false);
    samples_ = plot_->addGraph();
    samples_->setLineStyle(QCPGraph::lsNone);
    mark_ = new QCPItemStraightLine(plot_);
    mark_->setVisible(false);
    plot_->axisRect()->setMinimumMargins(QMargins(44, 4, 10, 18));
    connect(plot_, &QCustomPlot::mousePress, this,
            [this](QMouseEvent* event) { pressed_ = event->position().toPoint(); });
    connect(plot_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
        const QPoint at = event->position().toPoint();
        if (event->button() != Qt::LeftButton || (at - pressed_).manhattanLength() >= QApplication::startDragDistance())
            return;
        if (const std::int64_t step = stepAt(at); step > 0) emit stepActivated(step);
    });
    connect(plot_, &QCustomPlot::mouseMove, this, &StepMap::hover);
    column->addWidget(plot_, 1);
    connect(&Theme::instance(), &Theme::changed, this, &StepMap::restyle);
    restyle();
    draw();
}

void StepMap::restyle() {
    const Theme& theme = Theme::instance();
    stylePlot(*plot_);
    samples_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssTriangleInverted, theme.colour(Theme::Colour::Accent),
                                              theme.colour(Theme::Colour::Accent), 6));
    mark_->setPen(QPen(theme.colour(Theme::Colour::Accent), 1.5, Qt::DashLine));
    draw();
}

void StepMap::show(const std::shared_ptr<const session::TrainingLog>& log) {
    const bool isOther = log != log_;
    log_ = log;
    const auto count = log_ ? static_cast<std::int64_t>(log_->step_count()) : 0;
    if (!isOther && count == drawn_) return;
    drawn_ = count;
    if (isOther) tensors_->clear();
    fillTensors();
    draw();
}

void StepMap::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    draw();
}

void StepMap::setLogarithmic(bool on) {
    axis_.is_log = on;
    draw();
}

void StepMap::mark(std::int64_t step) {
    if (marked_ == step) return;
    marked_ = step;
    draw();
}

const std::vector<TrainingSample::Row>& StepMap::rowsOf(const TrainingSample& sample) const {
    return kind_->currentIndex() == Weights     ? sample.weights
           : kind_->currentIndex() == Gradients ? sample.gradients
                                                : sample.activations;
}

void StepMap::fillTensors() {
    tensors_->setVisible(!showsNorms());
    const auto samples = log_ ? log_->samples() : std::vector<std::shared_ptr<const TrainingSample>>();
    if (samples.empty() || showsNorms()) return;
    const auto& rows = rowsOf(*samples.back());
    const bool isSame = tensors_->count() == static_cast<int>(rows.size()) &&
                        (rows.empty() || tensors_->itemText(0) == text(rows.front().name));
    if (isSame) return;
    const QSignalBlocker blocker(tensors_);
    const QString before = tensors_->currentText();
    tensors_->clear();
    for (const auto& row : rows) tensors_->addItem(text(row.name));
    const int again = tensors_->findText(before);
    tensors_->setCurrentIndex(again >= 0 ? again : 0);
}

void StepMap::draw() {
    numbers_->clear();
    samples_->data()->clear();
    map_->setVisible(false);
    if (log_ && log_->step_count() > 0) showsNorms() ? drawNorms() : drawHistograms();
    plot_->axisRect()->setVisible(map_->visible());  // no axes without data
    const auto at = axis_.position(static_cast<double>(marked_));
    mark_->setVisible(map_->visible() && marked_ > 0);
    mark_->point1->setCoords(at, 0);
    mark_->point2->setCoords(at, 1);
    numbers_->setToolTip(numbers_->text());
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

// The axis of steps, with numbers of steps on it.
void StepMap::setSteps(const StepAxis& axis) {
    axis_ = axis;
    const double half = axis_.is_log ? 0 : 0.5;
    plot_->xAxis->setRange(axis_.position(static_cast<double>(axis_.first)) - half,
                           axis_.position(static_cast<double>(axis_.last + 1)) - half);
    if (!axis_.is_log) return plot_->xAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (std::int64_t tick = 1; tick <= axis_.last; tick *= 10)
        ticker->addTick(axis_.position(static_cast<double>(tick)), countText(tick));
    plot_->xAxis->setTicker(ticker);
}

// A column of the axis shows the newest histogram up to its last step; triangles mark where they were taken.
void StepMap::drawHistograms() {
    const auto samples = log_->samples();
    if (samples.empty()) return;
    const auto steps = log_->steps(log_->step_count() - 1);
    setSteps({samples.front()->step, std::max(steps.back().step, samples.front()->step), axis_.is_log});
    const std::string name = tensors_->currentText().toStdString();
    Histograms found;
    for (const auto& sample : samples) {
        const auto& rows = rowsOf(*sample);
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& each) { return each.name == name; });
        found.add(sample->step, row == rows.end() ? nullptr : &row->statistics);
    }
    if (found.low > found.high) {
        if (found.statistics.back() != nullptr) numbers_->setText(finiteText(*found.statistics.back()));
        return;
    }
    drawColumns(found);
    drawExponents(found);
    for (const std::int64_t step : found.steps)
        samples_->addData(axis_.position(static_cast<double>(step)), plot_->yAxis->range().upper);
    numbers_->setText(wordsOf(found));
}

void StepMap::Histograms::add(std::int64_t step, const Statistics* found) {
    steps.push_back(step);
    statistics.push_back(found);
    for (std::size_t bin = 0; found != nullptr && bin < found->exponents.size(); ++bin) {
        if (found->exponents[bin] == 0) continue;
        low = std::min(low, bin);
        high = std::max(high, bin);
    }
}

void StepMap::drawColumns(const Histograms& found) {
    const std::vector<std::int64_t> edges = axis_.edges(kMostColumns);
    const int width = std::max<int>(2, static_cast<int>(edges.size()) - 1);
    map_->setVisible(true);
    map_->data()->setSize(width, found.height());
    const double left = plot_->xAxis->range().lower, right = plot_->xAxis->range().upper,
                 half = (right - left) / width / 2;
    map_->data()->setRange(QCPRange(left + half, right - half),
                           QCPRange(exponentOf(found.low), exponentOf(found.low) + found.height() - 1));
    double most = 0;
    std::size_t at = 0;
    for (int x = 0; x < width; ++x) {
        const std::int64_t last =
            std::max(edges[static_cast<std::size_t>(std::min<int>(x + 1, static_cast<int>(edges.size()) - 1))] - 1,
                     edges.front());
        while (at + 1 < found.steps.size() && found.steps[at + 1] <= last) ++at;
        const Statistics* column = found.statistics[at];
        for (int y = 0; y < found.height(); ++y) {
            const std::size_t bin = found.low + static_cast<std::size_t>(y);
            const double part = column == nullptr || column->count == 0 || bin > 63
                                    ? 0
                                    : static_cast<double>(column->exponents[bin]) / static_cast<double>(column->count);
            // Without finite elements the whole column has the colour of NaN.
            const bool none = column != nullptr && column->count > 0 && !column->finite;
            map_->data()->setCell(x, y, none ? std::nan("") : part);
            most = std::max(most, part);
        }
    }
    QCPColorGradient gradient;
    gradient.clearColorStops();
    for (int i = 0; i <= 16; ++i)
        gradient.setColorStopAt(i / 16.0, i == 0 ? Theme::instance().colour(Theme::Colour::Panel)
                                                 : QColor::fromRgb(colourAt(ColourMap::Viridis, i / 16.0)));
    gradient.setNanHandling(QCPColorGradient::nhNanColor);
    gradient.setNanColor(Theme::instance().colour(Theme::Colour::Bad));
    map_->setGradient(gradient);
    map_->setDataRange(QCPRange(0, std::max(most, 1e-6)));
}

// Labels of the vertical axis, below each other.
int StepMap::linesThatFit() const { return std::max(1, (plot_->height() - 26) / 15); }

// The axis of magnitudes, by powers of two.
void StepMap::drawExponents(const Histograms& found) {
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const auto fit = static_cast<std::size_t>(linesThatFit());
    const std::size_t each = std::max<std::size_t>(1, (found.high - found.low + fit) / fit);
    for (std::size_t bin = found.low; bin <= found.high; bin += each)
        ticker->addTick(exponentOf(bin), numberText(std::ldexp(1.0, static_cast<int>(bin) - 1 + Statistics::kLowest)));
    plot_->yAxis->setTicker(ticker);
    plot_->yAxis->setRangeReversed(false);
    plot_->yAxis->setRange(exponentOf(found.low) - 0.5, exponentOf(found.low) + found.height() - 0.5);
}

QString StepMap::wordsOf(const Histograms& found) const {
    const std::int64_t whole = axis_.last - axis_.first + 1;
    QString words =
        static_cast<std::int64_t>(found.steps.size()) == whole
            ? tr("every step was recorded")
            : tr("%1 of %2 steps recorded (\u25bc), each drawn until the next").arg(found.steps.size()).arg(whole);
    const Statistics* now = found.statistics.back();
    if (now == nullptr) return words;
    words += QStringLiteral("   ") + tr("last:");
    if (now->finite)
        words +=
            QLatin1Char(' ') + tr("mean %1   std %2   |max| %3")
                                   .arg(numberText(now->finite->mean), numberText(now->finite->standard_deviation()),
                                        numberText(now->finite->abs_max));
    if (const QString share = finiteText(*now); !share.isEmpty()) words += QStringLiteral("   ") + share;
    const double zeros =
        now->count > 0 ? 100.0 * static_cast<double>(now->zero_count) / static_cast<double>(now->count) : 0;
    return words + QStringLiteral("   ") + tr("zeros %1 %").arg(zeros, 0, 'f', 1);
}

// A row a parameter, the first on top; colours by the logarithm, 0 grey, NaN and Inf red.
void StepMap::drawNorms() {
    const auto range = log_->norm_range();
    if (range.last == 0) {
        numbers_->setText(tr("no norms: these steps are of a checkpoint"));
        return;
    }
    setSteps({range.first, range.last, axis_.is_log});
    const std::vector<std::string> names = log_->parameters();
    const std::vector<std::int64_t> edges = axis_.edges(kMostColumns);
    const session::NormMap norms = log_->norms(normOf(kind_->currentIndex()), edges);
    double low = 1e300, high = 0;
    for (const double value : norms.values) {
        if (!(value > 0) || !std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (high == 0) low = high = 1;
    low = std::max(low, high * 1e-12);
    const double bottom = std::log10(low), top = std::max(std::log10(high), bottom + 0.1),
                 below = bottom - (top - bottom) / 15;
    const int width = std::max<int>(2, static_cast<int>(norms.buckets)),
              height = std::max<int>(2, static_cast<int>(norms.parameters));
    map_->setVisible(true);
    map_->data()->setSize(width, height);
    const double left = plot_->xAxis->range().lower, right = plot_->xAxis->range().upper,
                 half = (right - left) / width / 2;
    map_->data()->setRange(QCPRange(left + half, right - half), QCPRange(0, height - 1));
    map_->data()->fillAlpha(255);
    for (int x = 0; x < width; ++x) {
        for (int y = 0; y < height; ++y) {
            const bool isThere =
                static_cast<std::size_t>(x) < norms.buckets && static_cast<std::size_t>(y) < norms.parameters;
            const double value = isThere ? norms.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y)) : -1;
            map_->data()->setCell(x, y,
                                  value > 0 && std::isfinite(value) ? std::log10(std::max(value, low))
                                  : value <= 0                      ? below
                                                                    : std::nan(""));
            if (value < 0) map_->data()->setAlpha(x, y, 0);
        }
    }
    QCPColorGradient gradient;
    gradient.clearColorStops();
    gradient.setColorStopAt(0, Theme::instance().colour(Theme::Colour::Border));
    for (int i = 0; i <= 15; ++i)
        gradient.setColorStopAt((i + 1) / 16.0, QColor::fromRgb(colourAt(ColourMap::Viridis, i / 15.0)));
    gradient.setNanHandling(QCPColorGradient::nhNanColor);
    gradient.setNanColor(Theme::instance().colour(Theme::Colour::Bad));
    map_->setGradient(gradient);
    map_->setDataRange(QCPRange(below, top));
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const int fit = linesThatFit();
    const int every = std::max(1, (static_cast<int>(names.size()) + fit - 1) / fit);
    for (int y = 0; y < static_cast<int>(names.size()); y += every) {
        const QString name = text(names[static_cast<std::size_t>(y)]);
        ticker->addTick(y, name.size() > 22 ? QStringLiteral("\u2026") + name.right(21) : name);
    }
    plot_->yAxis->setTicker(ticker);
    plot_->yAxis->setRangeReversed(true);
    plot_->yAxis->setRange(-0.5, height - 0.5);
    const std::int64_t steps = range.last - range.first + 1;
    QString words = tr("%1 \u2026 %2, 0 grey, NaN and Inf red").arg(numberText(low), numberText(high));
    words += QStringLiteral("   ");
    if (!axis_.is_log && static_cast<std::int64_t>(norms.buckets) == steps && range.stride == 1)
        words += tr("every step");
    else
        words += tr("all of %1, the greatest of each column").arg(counted(steps, "step"));
    if (range.stride > 1)
        words +=
            tr("; behind step %1 one norm is kept for %2 steps, the greatest").arg(range.first + 99).arg(range.stride);
    numbers_->setText(words);
}

std::int64_t StepMap::stepAt(QPoint position) const {
    if (!map_->visible() || !plot_->axisRect()->rect().contains(position)) return 0;
    return std::clamp(axis_.stepAt(plot_->xAxis->pixelToCoord(position.x())), axis_.first, axis_.last);
}

QString StepMap::sampleTip(std::int64_t step) const {
    std::int64_t taken = 0;
    for (const auto& sample : log_->samples()) {
        if (sample->step <= step) taken = sample->step;
    }
    return taken == step ? tr("step %1").arg(step) : tr("step %1; the histogram is of step %2").arg(step).arg(taken);
}

QString StepMap::normTip(std::int64_t step, int row) const {
    const auto norms = log_->norms_at(step);
    const auto names = log_->parameters();
    if (row < 0 || row >= static_cast<int>(norms.size())) return tr("step %1").arg(step);
    const ParameterNorms& at = norms[static_cast<std::size_t>(row)];
    const QString gradient = at.gradient < 0 ? tr("none") : numberText(static_cast<double>(at.gradient));
    return tr("step %1, %2\ngradient %3, update %4, weights %5")
        .arg(step)
        .arg(text(names[static_cast<std::size_t>(row)]), gradient, numberText(static_cast<double>(at.update)),
             numberText(static_cast<double>(at.weight)));
}

void StepMap::hover(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    const std::int64_t step = stepAt(at);
    plot_->setCursor(step > 0 && why_not_.isEmpty() ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (step == 0) return plot_->setToolTip({});
    const QString tip = showsNorms() ? normTip(step, static_cast<int>(std::lround(plot_->yAxis->pixelToCoord(at.y()))))
                                     : sampleTip(step);
    const QString click = why_not_.isEmpty() ? tr("Click: run this step again, and look inside") : why_not_;
    plot_->setToolTip(tip + QLatin1Char('\n') + click);
}

}  // namespace loupe::views
