// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/train_plots.h"

#include <qcustomplot.h>

#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

using session::Statistics;

double exponentOf(std::size_t bin) { return static_cast<double>(bin) - 0.5 + Statistics::kLowest; }

// Where a title stands inside an axis rect.
QCPTextElement* titleOf(QCustomPlot* plot, const QString& words) {
    QFont font = Theme::instance().uiFont();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    auto* title = new QCPTextElement(plot, words, font);
    title->setTextFlags(Qt::AlignLeft);
    title->setMargins(QMargins(8, 2, 0, 0));
    return title;
}

}  // namespace

TrainPlots::TrainPlots(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 2, 8, 2);
    bar->setSpacing(8);
    last_ = new QLabel(this);
    last_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bar->addWidget(last_, 1);
    auto* label = new QLabel(tr("smoothing"), this);
    label->setProperty("faint", true);
    bar->addWidget(label);
    smoothing_ = new QSlider(Qt::Horizontal, this);
    smoothing_->setRange(0, 99);
    smoothing_->setValue(80);
    smoothing_->setFixedWidth(90);
    smoothing_->setAccessibleName(tr("Smoothing of the loss"));
    smoothing_->setToolTip(tr("How much of the running mean stays at each step"));
    connect(smoothing_, &QSlider::valueChanged, this, &TrainPlots::smoothAll);
    bar->addWidget(smoothing_);
    layout->addLayout(bar);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    curves_ = new QCustomPlot(splitter);
    makeCurves();
    auto* below = new QWidget(splitter);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* choice = new QHBoxLayout;
    choice->setContentsMargins(8, 3, 8, 2);
    choice->setSpacing(8);
    kind_ = new QComboBox(below);
    kind_->addItems({tr("weights"), tr("gradients"), tr("activations")});
    kind_->setAccessibleName(tr("Kind of tensors"));
    connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
        shown_samples_ = 0;
        fillTensors();
        drawMap();
    });
    tensors_ = new QComboBox(below);
    tensors_->setObjectName(QStringLiteral("trainTensors"));
    tensors_->setAccessibleName(tr("Tensor"));
    tensors_->setMinimumContentsLength(8);
    tensors_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(tensors_, &QComboBox::currentIndexChanged, this, &TrainPlots::drawMap);
    numbers_ = new QLabel(below);
    numbers_->setProperty("faint", true);
    numbers_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    choice->addWidget(kind_);
    choice->addWidget(tensors_, 1);
    choice->addWidget(numbers_, 1);
    column->addLayout(choice);
    map_plot_ = new QCustomPlot(below);
    makeMap();
    column->addWidget(map_plot_, 1);
    splitter->setSizes({280, 170});
    layout->addWidget(splitter, 1);
    hint_ = new EmptyHint(curves_);
    connect(&Theme::instance(), &Theme::changed, this, &TrainPlots::restyle);
    restyle();
    show(nullptr);
    drawMap();
}

void TrainPlots::makeCurves() {
    curves_->setAccessibleName(tr("Loss, accuracy, learning rate and gradient norm over steps"));
    curves_->setMinimumHeight(120);
    curves_->plotLayout()->clear();
    const auto rect = [&](int row, int column, const QString& title) {
        auto* box = new QCPLayoutGrid;
        auto* axes = new QCPAxisRect(curves_);
        box->addElement(0, 0, titleOf(curves_, title));
        box->addElement(1, 0, axes);
        box->setRowStretchFactor(0, 0.01);
        box->setRowSpacing(0);
        axes->setMinimumMargins(QMargins(44, 2, 10, 18));
        axes->setRangeDrag(Qt::Horizontal);
        axes->setRangeZoom(Qt::Horizontal);
        curves_->plotLayout()->addElement(row, column, box);
        rects_ << axes;
        return axes;
    };
    QCPAxisRect* loss = rect(0, 0, tr("loss"));
    QCPAxisRect* accuracy = rect(0, 1, tr("accuracy"));
    QCPAxisRect* rate = rect(1, 0, tr("learning rate"));
    QCPAxisRect* norm = rect(1, 1, tr("gradient norm"));
    curves_->plotLayout()->setRowStretchFactor(0, 1.8);
    curves_->plotLayout()->setColumnSpacing(4);
    curves_->plotLayout()->setRowSpacing(0);
    curves_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    const auto graph = [&](QCPAxisRect* axes) { return curves_->addGraph(axes->axis(QCPAxis::atBottom), axes->axis(QCPAxis::atLeft)); };
    loss_ = graph(loss);
    smooth_ = graph(loss);
    held_out_ = graph(loss);
    accuracy_ = graph(accuracy);
    held_out_accuracy_ = graph(accuracy);
    rate_ = graph(rate);
    norm_ = graph(norm);
    loss_->setName(tr("loss"));
    smooth_->setName(tr("loss, smoothed"));
    held_out_->setName(tr("loss, held out"));
    accuracy_->setName(tr("accuracy"));
    held_out_accuracy_->setName(tr("accuracy, held out"));
    rate_->setName(tr("learning rate"));
    norm_->setName(tr("gradient norm"));
    rate_->setLineStyle(QCPGraph::lsStepLeft);
    // One step axis for all four.
    for (QCPAxisRect* axes : rects_) {
        connect(axes->axis(QCPAxis::atBottom), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this](const QCPRange& range) {
            for (QCPAxisRect* other : rects_) other->axis(QCPAxis::atBottom)->setRange(range);
        });
    }
}

void TrainPlots::makeMap() {
    map_plot_->setAccessibleName(tr("Histogram over steps"));
    map_plot_->setMinimumHeight(60);
    map_ = new QCPColorMap(map_plot_->xAxis, map_plot_->yAxis);
    map_->setInterpolate(false);
    map_plot_->axisRect()->setMinimumMargins(QMargins(44, 4, 10, 18));
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    map_plot_->yAxis->setTicker(ticker);
}

void TrainPlots::restyle() {
    const Theme& theme = Theme::instance();
    stylePlot(*curves_);
    stylePlot(*map_plot_);
    for (QCPAxisRect* axes : rects_) {
        for (QCPAxis* axis : axes->axes()) axis->ticker()->setTickCount(4);
    }
    for (auto* title : curves_->findChildren<QCPTextElement*>()) title->setTextColor(theme.colour(Theme::Colour::Faint));
    QColor faint = theme.series(0);
    faint.setAlpha(80);
    loss_->setPen(QPen(faint, 1));
    smooth_->setPen(QPen(theme.series(0), 2));
    held_out_->setPen(QPen(theme.series(1), 2));
    held_out_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
    QColor faintAccuracy = theme.series(2);
    accuracy_->setPen(QPen(faintAccuracy, 1.2));
    held_out_accuracy_->setPen(QPen(theme.series(1), 2));
    held_out_accuracy_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
    rate_->setPen(QPen(theme.series(3), 1.5));
    norm_->setPen(QPen(theme.series(4), 1.2));
    QCPColorGradient gradient;
    gradient.clearColorStops();
    for (int i = 0; i <= 16; ++i) gradient.setColorStopAt(i / 16.0, i == 0 ? theme.colour(Theme::Colour::Panel) : QColor::fromRgb(colourAt(ColourMap::Viridis, i / 16.0)));
    gradient.setNanHandling(QCPColorGradient::nhNanColor);
    gradient.setNanColor(Theme::instance().colour(Theme::Colour::Bad));
    map_->setGradient(gradient);
    curves_->replot(QCustomPlot::rpQueuedReplot);
    map_plot_->replot(QCustomPlot::rpQueuedReplot);
}

void TrainPlots::add(const session::TrainingStep& step) {
    const auto x = static_cast<double>(step.step);
    const double keep = smoothing_->value() / 100.0;
    average_ = has_average_ ? keep * average_ + (1 - keep) * step.loss : step.loss;
    has_average_ = true;
    loss_->addData(x, step.loss);
    smooth_->addData(x, average_);
    if (step.accuracy) accuracy_->addData(x, 100 * *step.accuracy);
    rate_->addData(x, step.learning_rate);
    norm_->addData(x, step.gradient_norm);
}

void TrainPlots::smoothAll() {
    smooth_->data()->clear();
    const double keep = smoothing_->value() / 100.0;
    double average = 0;
    bool isFirst = true;
    for (auto point = loss_->data()->constBegin(); point != loss_->data()->constEnd(); ++point) {
        average = isFirst ? point->value : keep * average + (1 - keep) * point->value;
        isFirst = false;
        smooth_->addData(point->key, average);
    }
    average_ = average;
    curves_->replot(QCustomPlot::rpQueuedReplot);
}

void TrainPlots::showEpochs() {
    held_out_->data()->clear();
    held_out_accuracy_->data()->clear();
    for (const session::TrainingEpoch& epoch : log_->epochs()) {
        const auto x = static_cast<double>(epoch.last_step);
        if (epoch.held_out_loss) held_out_->addData(x, *epoch.held_out_loss);
        if (epoch.held_out_accuracy) held_out_accuracy_->addData(x, 100 * *epoch.held_out_accuracy);
    }
}

void TrainPlots::show(const std::shared_ptr<const session::TrainingLog>& log) {
    if (log != log_) {
        log_ = log;
        shown_ = shown_samples_ = 0;
        last_sample_ = 0;
        has_average_ = false;
        for (int i = 0; i < curves_->graphCount(); ++i) curves_->graph(i)->data()->clear();
        tensors_->clear();
        last_->clear();
        drawMap();
    }
    hint_->say(log_ ? QString() : tr("Choose data and press Train: loss, accuracy, learning rate and gradient norm are drawn here as the model learns"));
    if (!log_) return curves_->replot(QCustomPlot::rpQueuedReplot);
    const auto steps = log_->steps(shown_);
    for (const session::TrainingStep& step : steps) add(step);
    shown_ += steps.size();
    showEpochs();
    if (!steps.empty()) {
        const session::TrainingStep& step = steps.back();
        QString words = tr("loss <b>%1</b>").arg(numberText(average_));
        const auto epochs = log_->epochs();
        if (!epochs.empty() && epochs.back().held_out_accuracy) words += tr(" &nbsp; held out <b>%1 %</b>").arg(100 * *epochs.back().held_out_accuracy, 0, 'f', 1);
        else if (!epochs.empty() && epochs.back().accuracy) words += tr(" &nbsp; accuracy <b>%1 %</b>").arg(100 * *epochs.back().accuracy, 0, 'f', 1);
        words += QStringLiteral(" &nbsp; %1").arg(tr("%1 a step").arg(secondsText(step.seconds)));
        last_->setText(words);
        // One step alone makes no line.
        const QCPScatterStyle dots = shown_ < 2 ? QCPScatterStyle(QCPScatterStyle::ssDisc, 5) : QCPScatterStyle();
        for (QCPGraph* graph : {smooth_, accuracy_, rate_, norm_}) graph->setScatterStyle(dots);
        for (int i = 0; i < curves_->graphCount(); ++i) curves_->graph(i)->rescaleValueAxis(i == 1 || i == 2 || i == 4);
        curves_->graph(0)->rescaleKeyAxis();
        rects_[0]->axis(QCPAxis::atBottom)->setRange(0.5, static_cast<double>(std::max<std::int64_t>(2, step.step)) + 0.5);
        bool isFound = false;
        const QCPRange rates = rate_->getValueRange(isFound);
        rate_->valueAxis()->setRange(0, isFound && rates.upper > 0 ? 1.15 * rates.upper : 1);
        norm_->valueAxis()->setRange(0, norm_->valueAxis()->range().upper);
        accuracy_->valueAxis()->setRange(std::min(accuracy_->valueAxis()->range().lower, 95.0) - 1, 101);
    }
    curves_->replot(QCustomPlot::rpQueuedReplot);
    const auto samples = log_->samples();
    const std::int64_t newest = samples.empty() ? 0 : samples.back()->step;
    if (newest == last_sample_) return;
    last_sample_ = newest;
    fillTensors();
    drawMap();
}

const std::vector<session::TrainingSample::Row>& TrainPlots::rowsOf(const session::TrainingSample& sample) const {
    return kind_->currentIndex() == 0 ? sample.weights : kind_->currentIndex() == 1 ? sample.gradients : sample.activations;
}

void TrainPlots::fillTensors() {
    if (!log_) return;
    const auto samples = log_->samples();
    if (samples.empty()) return;
    const auto& rows = rowsOf(*samples.back());
    const bool isSame = tensors_->count() == static_cast<int>(rows.size()) && (rows.empty() || tensors_->itemText(0) == text(rows.front().name));
    if (isSame) return;
    const QSignalBlocker blocker(tensors_);
    const QString before = tensors_->currentText();
    tensors_->clear();
    for (const auto& row : rows) tensors_->addItem(text(row.name));
    const int again = tensors_->findText(before);
    tensors_->setCurrentIndex(again >= 0 ? again : 0);
}

// A column a sample, a row a power of two; colours by the part of the elements.
void TrainPlots::drawMap() {
    const auto samples = log_ ? log_->samples() : std::vector<std::shared_ptr<const session::TrainingSample>>();
    const std::string name = tensors_->currentText().toStdString();
    std::vector<const Statistics*> columns;
    for (const auto& sample : samples) {
        const auto& rows = rowsOf(*sample);
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
        columns.push_back(found == rows.end() ? nullptr : &found->statistics);
    }
    std::size_t low = 63;
    std::size_t high = 0;
    for (const Statistics* column : columns) {
        for (std::size_t bin = 0; column != nullptr && bin < column->exponents.size(); ++bin) {
            if (column->exponents[bin] == 0) continue;
            low = std::min(low, bin);
            high = std::max(high, bin);
        }
    }
    map_->setVisible(low <= high && !columns.empty());
    numbers_->clear();
    map_plot_->axisRect()->setVisible(map_->visible());  // axes of nothing tell nothing
    if (!map_->visible()) {
        if (!columns.empty() && columns.back() != nullptr) numbers_->setText(finiteText(*columns.back()));
        return map_plot_->replot(QCustomPlot::rpQueuedReplot);
    }
    const int width = std::max<int>(2, static_cast<int>(columns.size()));
    const int height = std::max<int>(2, static_cast<int>(high - low + 1));
    map_->data()->setSize(width, height);
    const double last = std::max(2.0, static_cast<double>(samples.back()->step));
    map_->data()->setRange(QCPRange(static_cast<double>(samples.front()->step), last), QCPRange(exponentOf(low), exponentOf(low) + height - 1));
    double most = 0;
    for (int x = 0; x < width; ++x) {
        const Statistics* column = columns[static_cast<std::size_t>(std::min<int>(x, static_cast<int>(columns.size()) - 1))];
        for (int y = 0; y < height; ++y) {
            const std::size_t bin = low + static_cast<std::size_t>(y);
            const double part = column == nullptr || column->count == 0 || bin > 63 ? 0 : static_cast<double>(column->exponents[bin]) / static_cast<double>(column->count);
            // Where nothing is finite the whole column is in the colour of NaN.
            const bool none = column != nullptr && column->count > 0 && !column->finite;
            map_->data()->setCell(x, y, none ? std::nan("") : part);
            most = std::max(most, part);
        }
    }
    map_->setDataRange(QCPRange(0, std::max(most, 1e-6)));
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (std::size_t bin = low; bin <= high; bin += std::max<std::size_t>(1, (high - low) / 5)) {
        ticker->addTick(exponentOf(bin), numberText(std::ldexp(1.0, static_cast<int>(bin) - 1 + Statistics::kLowest)));
    }
    map_plot_->yAxis->setTicker(ticker);
    map_plot_->rescaleAxes();
    if (const Statistics* now = columns.back()) {
        QStringList parts;
        if (now->finite) parts << tr("mean %1   std %2   |max| %3").arg(numberText(now->finite->mean), numberText(now->finite->standard_deviation()), numberText(now->finite->abs_max));
        if (const QString share = finiteText(*now); !share.isEmpty()) parts << share;
        parts << tr("zeros %1 %").arg(now->count > 0 ? 100.0 * static_cast<double>(now->zero_count) / static_cast<double>(now->count) : 0, 0, 'f', 1);
        numbers_->setText(parts.join(QStringLiteral("   ")));
    }
    map_plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace loupe::views
