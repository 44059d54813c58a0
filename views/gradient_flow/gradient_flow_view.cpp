// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient_flow/gradient_flow_view.h"

#include <qcustomplot.h>

#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "core/session/queries/gradients.h"
#include "views/common/colour_map.h"
#include "views/common/comparison.h"
#include "views/common/elided_label.h"
#include "views/common/flow_layout.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/ranks.h"
#include "views/common/step_axis.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

// NaN where there is no number.
double meanOf(const session::GradientRow& row) { return row.finite ? row.finite->mean_abs : std::nan(""); }

// The first of each name.
using ByName = std::unordered_map<std::string_view, const session::Statistics*>;
ByName byName(const std::vector<session::TrainingSample::Row>& rows) {
    ByName all;
    for (const auto& row : rows) all.emplace(row.name, &row.statistics);
    return all;
}

// What a sample has of the parameters of the rows, in their order.
session::StepGradients stepOf(const session::TrainingSample& sample, const std::vector<session::GradientRow>& rows) {
    session::StepGradients step;
    step.step = sample.step;
    for (const auto& module : sample.activations) {
        const session::Statistics& given = module.statistics;
        if (given.count > 0 && given.zero_count == given.count) step.silent.push_back(module.name);
    }
    const auto gradients = byName(sample.gradients);
    const auto weights = byName(sample.weights);
    for (const session::GradientRow& now : rows) {
        session::GradientRow row;
        row.parameter = now.parameter;
        row.module = now.module;
        row.shape = now.shape;
        row.role = now.role;
        row.is_frozen = now.is_frozen;
        const auto weight = weights.find(now.parameter);
        if (weight != weights.end() && weight->second->finite) row.weight_norm = weight->second->finite->norm;
        const auto gradient = gradients.find(now.parameter);
        if (gradient != gradients.end()) row.set_gradient(*gradient->second);
        step.rows.push_back(std::move(row));
    }
    return step;
}

}  // namespace

ViewDescription GradientFlowView::describe() {
    return {QStringLiteral("gradient_flow"), tr("Gradient flow"),
            tr("The gradients of every parameter after a backward pass, from the first layer to the last, and what is "
               "wrong with them. Click a bar to look at that gradient, double click opens and closes a module."),
            QStringLiteral("gradient_flow"), Place::Bottom};
}

GradientFlowView::GradientFlowView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(makeBar());
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    makePlot(splitter);
    splitter->addWidget(plot_);
    makeHealth(splitter);
    splitter->addWidget(health_);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({700, 260});
    layout->addWidget(splitter, 1);

    listen();
    hint_ = new EmptyHint(this);
    showRows({});
    ask();
}

FlowLayout* GradientFlowView::makeBar() {
    auto* bar = new FlowLayout;
    bar->setContentsMargins(6, 4, 6, 2);
    measure_ = new QComboBox(this);
    measure_->addItems({tr("mean and max |gradient|"), tr("norm"), tr("norm / weight norm"), tr("fraction of zeros"),
                        tr("mean |gradient| over runs"), tr("norm over steps of the training"), tr("norm by rank"),
                        tr("mean |gradient| by rank"), tr("NaN and Inf by rank")});
    measure_->setToolTip(tr("What the bars show"));
    measure_->setProperty("kept", true);
    measure_->setAccessibleName(tr("Measure of the gradients"));
    connect(measure_, &QComboBox::currentIndexChanged, this, [this] {
        fillHealth();
        draw();
    });
    bar->addWidget(measure_);
    grouping_ = new QComboBox(this);
    grouping_->addItems(
        {tr("Group: as room allows"), tr("Group: top modules"), tr("Group: every module"), tr("Group: none")});
    grouping_->setToolTip(
        tr("Which parameters are added up in one bar; double click on a bar opens a module or closes it again"));
    grouping_->setProperty("kept", true);
    grouping_->setAccessibleName(tr("Grouping of the parameters"));
    connect(grouping_, &QComboBox::currentIndexChanged, this, [this](int index) {
        columns_.setGrouping(static_cast<GradientGrouping>(index));
        arrange();
    });
    bar->addWidget(grouping_);
    search_ = new QLineEdit(this);
    search_->setPlaceholderText(tr("Find a parameter (Ctrl+F)"));
    search_->setClearButtonEnabled(true);
    search_->setAccessibleName(tr("Find a parameter"));
    search_->setMinimumWidth(150);
    search_->setMaximumWidth(220);
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
        columns_.setSearch(words);
        search_->setProperty("invalid", !words.trimmed().isEmpty() && columns_.matches() == 0);
        search_->style()->polish(search_);
        arrange();
        fillHealth();
    });
    bar->addWidget(search_);
    start_ = new QLabel(this);
    start_->setObjectName(QStringLiteral("backwardStart"));
    start_->setTextFormat(Qt::RichText);
    start_->setToolTip(tr("What backward started from; click to choose it in Inputs"));
    connect(start_, &QLabel::linkActivated, this, [this] { bridge().showPanel(QStringLiteral("inputs")); });
    bar->addWidget(start_);
    summary_ = new ElidedLabel(this);
    summary_->setProperty("faint", true);
    summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    summary_->setMinimumWidth(160);
    bar->addWidget(summary_);
    return bar;
}

void GradientFlowView::makePlot(QWidget* parent) {
    plot_ = new QCustomPlot(parent);
    plot_->setAccessibleName(tr("Gradients by parameter"));
    plot_->setMinimumHeight(80);
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->axisRect()->setRangeDrag(Qt::Horizontal);
    plot_->axisRect()->setRangeZoom(Qt::Horizontal);
    back_ = new QCPBars(plot_->xAxis, plot_->yAxis);
    front_ = new QCPBars(plot_->xAxis, plot_->yAxis);
    not_finite_ = new QCPBars(plot_->xAxis, plot_->yAxis);
    reference_ = new QCPBars(plot_->xAxis, plot_->yAxis);
    for (QCPBars* bars : {back_, front_, not_finite_, reference_}) {
        bars->setPen(Qt::NoPen);
        bars->setWidth(0.8);
    }
    map_ = new QCPColorMap(plot_->xAxis, plot_->yAxis);
    map_->setInterpolate(false);
    map_->setVisible(false);
    mark_ = new QCPItemStraightLine(plot_);
    mark_->setVisible(false);
    connect(plot_, &QCustomPlot::mouseRelease, this, &GradientFlowView::click);
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &GradientFlowView::doubleClick);
    connect(plot_, &QCustomPlot::mouseMove, this, &GradientFlowView::hover);
    connect(plot_, &QCustomPlot::beforeReplot, this, &GradientFlowView::drawNames);
}

void GradientFlowView::makeHealth(QWidget* parent) {
    health_ = new QListWidget(parent);
    health_->setObjectName(QStringLiteral("gradientHealth"));
    health_->setAccessibleName(tr("Health of the gradients"));
    health_->setWordWrap(true);
    connect(health_, &QListWidget::itemClicked, this, &GradientFlowView::follow);
    connect(health_, &QListWidget::itemActivated, this, &GradientFlowView::follow);
}

void GradientFlowView::listen() {
    connect(&bridge(), &SessionBridge::statusChanged, this, &GradientFlowView::ask);
    // A training shows the gradients of its newest step, as often as one is recorded.
    connect(&bridge(), &SessionBridge::recordingChanged, this, [this] {
        if (bridge().isTraining() && isInSight()) ask();
    });
    connect(&bridge(), &SessionBridge::trainingChanged, this, [this] {
        if (isInSight()) takeTraining();
    });
    connect(&bridge(), &SessionBridge::modelChanged, this, [this] {
        runs_.clear();
        steps_.clear();
        showRows({});
    });
    connect(&Ranks::of(bridge()), &Ranks::changed, this, &GradientFlowView::offerRanks);
    connect(&Ranks::of(bridge()), &Ranks::studied, this, &GradientFlowView::askRanks);
    connect(measure_, &QComboBox::currentIndexChanged, this, &GradientFlowView::askRanks);
    offerRanks();
    connect(&Comparison::of(bridge()), &Comparison::differencesChanged, this, &GradientFlowView::draw);
    connect(&bridge(), &SessionBridge::currentChanged, this, &GradientFlowView::markCurrent);
    connect(&Theme::instance(), &Theme::changed, this, &GradientFlowView::draw);
}

void GradientFlowView::ask() {
    // Requested whenever the engine is parked after a run.
    const auto state = bridge().status().state;
    if (!bridge().isTraining() && state != session::RunState::Paused && state != session::RunState::Finished &&
        state != session::RunState::Failed)
        return;
    if (!bridge().recording()) return;
    waiting_ = true;
    bridge().ask(QStringLiteral("gradient-flow"), session::GradientsQuery{}, this,
                 [this](std::vector<session::GradientRow> rows) { showRows(rows); });
}

void GradientFlowView::showRows(const std::vector<session::GradientRow>& rows) {
    waiting_ = false;
    if (rows.size() != rows_.size()) steps_.clear();
    rows_ = rows;
    noteRun();
    takeTraining();
    fillHealth();
    columns_.setRows(rows_);
    arrange();
}

// After a change of columns.
void GradientFlowView::arrange() {
    shown_.clear();
    for (std::size_t i = 0; i < columns_.all().size(); ++i) shown_.push_back(columns_.sum(static_cast<int>(i), rows_));
    draw();
    fit();
}

void GradientFlowView::toggle(int column) {
    if (columns_.toggle(column)) arrange();
}

void GradientFlowView::setMeasure(Measure measure) { measure_->setCurrentIndex(static_cast<int>(measure)); }

void GradientFlowView::draw() {
    stylePlot(*plot_);
    const Measure measure = this->measure();
    QVector<double> keys;
    QVector<double> first;
    QVector<double> second;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
        const session::GradientRow& row = shown_[i];
        if (!row.has_gradient) continue;
        keys << static_cast<double>(i);
        // Without finite elements there is no number: NaN is not drawn, the hatching marks it.
        const session::GradientRow::Magnitudes of =
            row.finite.value_or(session::GradientRow::Magnitudes{std::nan(""), std::nan(""), std::nan("")});
        switch (measure) {
            case Measure::MeanAndMax:
                first << of.mean_abs;
                second << of.max_abs;
                break;
            case Measure::Norm:
                first << of.norm;
                break;
            case Measure::Ratio:
                first << columns_.ratio(static_cast<int>(i), rows_).value_or(std::nan(""));
                break;
            case Measure::Zeros:
                first << (row.finite ? row.zero_fraction : std::nan(""));
                break;
            default:
                break;
        }
    }
    logarithmic_ = measure != Measure::Zeros;
    reference_->setData({}, {});
    plot_->legend->setVisible(false);
    map_->setVisible(measure >= Measure::Runs);
    if (isByRank())
        drawRanks();
    else if (measure == Measure::Runs)
        drawRuns();
    else if (measure == Measure::Steps)
        drawSteps();
    else
        drawBars(keys, first, second);
    markCurrent();
}

// As many labels as fit, outer modules first; zooming in shows the others.
void GradientFlowView::drawNames() {
    constexpr double kSteep = 55;  // degrees
    constexpr double kApart = 16;  // pixels between slanted names
    const auto& columns = columns_.all();
    const QFontMetricsF metrics(plot_->xAxis->tickLabelFont());
    const double letter = metrics.horizontalAdvance(QLatin1Char('n'));
    const QCPRange range = plot_->xAxis->range();
    // The rectangle has its new width only when the plot is drawn.
    const QMargins margins = plot_->axisRect()->margins();
    const double step = std::max(1, plot_->width() - margins.left() - margins.right()) / std::max(range.size(), 1e-9);
    // Names take at most a third of the height.
    const int most =
        std::max(6, static_cast<int>(plot_->height() * 0.33 / std::sin(qDegreesToRadians(kSteep)) / letter));
    const auto name = [&](int column, bool follows) {
        const QString full = columns_.label(column, follows);
        return full.size() > most ? QChar(0x2026) + full.right(most - 1) : full;
    };
    const int first = std::max(0, static_cast<int>(std::ceil(range.lower)));
    const int last = std::min(static_cast<int>(columns.size()) - 1, static_cast<int>(std::floor(range.upper)));
    double widest = 0;
    if (last - first < 40) {
        for (int i = first; i <= last; ++i) widest = std::max(widest, metrics.horizontalAdvance(name(i, i > first)));
    }
    const bool is_level = last - first < 40 && widest + 2 * letter < step;
    std::vector<std::pair<int, int>> order;  // depth, column
    for (int i = first; i <= last; ++i) order.emplace_back(columns_.depthOfChange(i), i);
    std::sort(order.begin(), order.end());
    const double apart = is_level ? 0 : kApart / std::max(step, 1e-9);  // in columns
    labels_.clear();
    for (const auto& [depth, column] : order) {
        const auto next = labels_.lower_bound(column);
        if (next != labels_.end() && next->first - column < apart) continue;
        if (next != labels_.begin() && column - std::prev(next)->first < apart) continue;
        labels_.emplace(column, QString());
    }
    for (auto& [column, label] : labels_) {
        label = name(column, labels_.contains(column - 1));
        if (columns[static_cast<std::size_t>(column)].is_group) label.prepend(QStringLiteral("\u25b8 "));
    }
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (const auto& [column, label] : labels_) ticker->addTick(column, label);
    plot_->xAxis->setTicker(ticker);
    plot_->xAxis->setTickLabelRotation(is_level ? 0 : kSteep);
    plot_->xAxis->grid()->setVisible(false);
}

void GradientFlowView::noteRun() {
    const auto& recording = bridge().recording();
    const bool any =
        std::any_of(rows_.begin(), rows_.end(), [](const session::GradientRow& row) { return row.has_gradient; });
    if (!any || !recording || bridge().isTraining() || bridge().status().state != session::RunState::Finished ||
        noted_.lock() == recording)
        return;
    noted_ = recording;
    if (!runs_.empty() && runs_.back().size() != rows_.size()) runs_.clear();
    constexpr std::size_t kMostRuns = 500;
    if (runs_.size() == kMostRuns) runs_.erase(runs_.begin());
    auto& run = runs_.emplace_back();
    for (const session::GradientRow& row : rows_) run.push_back(row.has_gradient ? meanOf(row) : -1);
}

// The gradients of the steps of the training that were recorded, in the order of the rows.
void GradientFlowView::takeTraining() {
    const auto& log = bridge().training();
    const auto samples = log ? log->samples() : std::vector<std::shared_ptr<const session::TrainingSample>>();
    const bool isNew =
        samples.size() != steps_.size() || (!samples.empty() && samples.back()->step != steps_.back().step);
    if (!isNew) {
        if (measure() == Measure::Steps && log && log->norm_range().last != drawn_step_) draw();
        return;
    }
    steps_.clear();
    for (const auto& sample : samples) steps_.push_back(stepOf(*sample, rows_));
    if (measure() != Measure::Steps) return;
    fillHealth();
    draw();
}

void GradientFlowView::drawRuns() {
    std::vector<std::vector<double>> cells;
    for (const auto& run : runs_) {
        auto& values = cells.emplace_back();
        for (std::size_t column = 0; column < shown_.size(); ++column) {
            values.push_back(columns_.mean(static_cast<int>(column), run));
        }
    }
    drawMap(cells, {});
}

// What the front bars show of a column.
double GradientFlowView::measured(const session::GradientRow& row, std::optional<double> ratio) const {
    const double none = std::nan("");
    switch (measure()) {
        case Measure::MeanAndMax:
            return row.finite ? row.finite->mean_abs : none;
        case Measure::Norm:
            return row.finite ? row.finite->norm : none;
        case Measure::Ratio:
            return ratio.value_or(none);
        case Measure::Zeros:
            return row.finite ? row.zero_fraction : none;
        default:
            break;
    }
    return none;
}

// Two bars a column while there is a reference: this run's and, thinner beside it, the reference's.
void GradientFlowView::drawReference() {
    const Comparison& comparison = Comparison::of(bridge());
    std::vector<session::GradientRow> rows;
    bool has_any = false;
    for (const session::GradientRow& own : rows_) {
        const session::ParameterDifference* found = comparison.ofParameter(own.parameter);
        session::GradientRow row;
        if (found != nullptr && found->gradient_there) row = *found->gradient_there;
        row.parameter = own.parameter;
        row.module = own.module;
        row.shape = own.shape;
        row.role = own.role;
        has_any = has_any || row.has_gradient;
        rows.push_back(std::move(row));
    }
    QVector<double> keys;
    QVector<double> values;
    for (std::size_t i = 0; has_any && i < shown_.size(); ++i) {
        const int column = static_cast<int>(i);
        const session::GradientRow row = columns_.sum(column, rows);
        if (!row.has_gradient) continue;
        keys << static_cast<double>(i) + 0.3;
        values << measured(row, columns_.ratio(column, rows));
    }
    for (QCPBars* bars : {back_, front_, not_finite_}) bars->setWidth(has_any ? 0.5 : 0.8);
    reference_->setWidth(0.22);
    reference_->setName(tr("reference"));
    reference_->setBrush(Theme::instance().series(1));
    reference_->setData(keys, values, true);
    if (!has_any) return;
    plot_->legend->clearItems();
    for (QCPBars* bars : {front_, reference_}) bars->addToLegend();
    plot_->legend->setTextColor(Theme::instance().colour(Theme::Colour::Text));
    plot_->legend->setBrush(Theme::instance().colour(Theme::Colour::Panel));
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->legend->setVisible(true);
}

// Over the bar of the finite elements, or over all of the height where there are none.
void GradientFlowView::hatchNotFinite(const QVector<double>& keys, const QVector<double>& first,
                                      const QVector<double>& second) {
    not_finite_->setBrush(Theme::instance().notFinite());
    not_finite_->setName(tr("NaN and Inf"));
    QVector<double> places;
    QVector<double> heights;
    for (qsizetype i = 0; i < keys.size(); ++i) {
        const session::GradientRow& row = shown_[static_cast<std::size_t>(keys[i])];
        if (!row.has_nan_or_inf()) continue;
        const double bar = second.isEmpty() ? first[i] : second[i];
        places << keys[i];
        heights << (std::isfinite(bar) && bar > 0 ? bar : plot_->yAxis->range().upper);
    }
    not_finite_->setData(places, heights, true);
}

void GradientFlowView::fit() {
    plot_->xAxis->setRange(-0.7, std::max(1.0, static_cast<double>(shown_.size())) - 0.3);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void GradientFlowView::markCurrent() {
    const std::string module = bridge().currentModule().toStdString();
    const session::EventId event = bridge().currentEvent();
    int row = -1;
    for (std::size_t i = 0; i < rows_.size() && row < 0; ++i) {
        if (event != 0 && rows_[i].event == event) row = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < rows_.size() && row < 0 && !module.empty(); ++i) {
        if (rows_[i].module == module) row = static_cast<int>(i);
    }
    const int column = columns_.columnOf(row);
    mark_->setVisible(column >= 0);
    QColor accent = Theme::instance().colour(Theme::Colour::Accent);
    mark_->setPen(QPen(accent, 1.5, Qt::DashLine));
    mark_->point1->setCoords(column, plot_->yAxis->range().lower);
    mark_->point2->setCoords(column, plot_->yAxis->range().upper);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

int GradientFlowView::columnAt(const QPoint& position) const {
    if (!plot_->axisRect()->rect().contains(position)) return -1;
    const int column = static_cast<int>(std::lround(plot_->xAxis->pixelToCoord(position.x())));
    return column >= 0 && column < static_cast<int>(shown_.size()) ? column : -1;
}

void GradientFlowView::click(QMouseEvent* event) {
    const int at = event->button() == Qt::LeftButton ? columnAt(event->position().toPoint()) : -1;
    if (at < 0) return;
    const GradientColumn& column = columns_.all()[static_cast<std::size_t>(at)];
    if (isByRank()) return selectOnRank(seatAt(event->position()), column);
    if (column.is_group)
        bridge().setCurrentModule(text(column.path));
    else
        select(column.rows.front());
}

void GradientFlowView::doubleClick(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) toggle(columnAt(event->position().toPoint()));
}

void GradientFlowView::hover(QMouseEvent* event) {
    const int at = columnAt(event->position().toPoint());
    if (at < 0) {
        plot_->setToolTip({});
        return;
    }
    const GradientColumn& column = columns_.all()[static_cast<std::size_t>(at)];
    if (isByRank()) return plot_->setToolTip(tipOfRank(seatAt(event->position()), at));
    const session::GradientRow& row = shown_[static_cast<std::size_t>(at)];
    QString tip = QStringLiteral("<b>%1</b><br>").arg(text(row.parameter).toHtmlEscaped());
    tip += column.is_group ? tr("%1 together; double click opens")
                                 .arg(counted(static_cast<std::int64_t>(column.rows.size()), "parameter"))
                           : shapeText(row.shape);
    if (row.has_gradient) {
        if (row.has_nan_or_inf())
            tip += tr("<br><b>%1</b>: %2 NaN, %3 Inf")
                       .arg(finiteText(row.count(), row.nan_count + row.inf_count), countText(row.nan_count),
                            countText(row.inf_count));
        if (row.finite) {
            tip += tr("<br>mean %1, max %2<br>norm %3")
                       .arg(numberText(row.finite->mean_abs), numberText(row.finite->max_abs),
                            numberText(row.finite->norm));
            if (row.weight_norm) tip += tr(", weights %1").arg(numberText(*row.weight_norm));
            tip += tr("<br>zeros %1 %").arg(row.zero_fraction * 100, 0, 'g', 3);
        }
    } else {
        tip += tr("<br>no gradient");
    }
    plot_->setToolTip(tip);
}

void GradientFlowView::find() {
    search_->setFocus();
    search_->selectAll();
}

void GradientFlowView::select(int at) {
    if (at < 0 || at >= static_cast<int>(rows_.size())) return;
    const session::GradientRow& row = rows_[static_cast<std::size_t>(at)];
    if (row.event != 0)
        bridge().setCurrentEvent(row.event);
    else
        bridge().setCurrentModule(text(row.module));
    if (row.value != 0) bridge().setCurrentValue(row.value);
}

void GradientFlowView::addActions(QMenu& menu) {
    menu.addAction(tr("Save gradient plot or data..."), this, [this] {
        if (const QString error = savePlotAs(*plot_, QStringLiteral("gradients")); !error.isEmpty())
            summary_->setText(error);
    });
    menu.addAction(tr("Read gradients again"), this, &GradientFlowView::ask);
    // Of the bar that was clicked last: its first NaN, or its greatest element.
    const auto value = bridge().currentValue();
    const bool isBar = value != 0 && std::any_of(rows_.begin(), rows_.end(), [value](const session::GradientRow& row) {
                           return row.value == value;
                       });
    menu.addAction(tr("Explain the gradient that is selected"), this, [this, value] { bridge().explain(value, {}); })
        ->setEnabled(isBar);
}

}  // namespace loupe::views
