// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/train_plots.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QEvent>
#include <QRegularExpression>
#include <QSet>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>
#include <array>
#include <cmath>
#include <utility>

#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

// The position of a title inside an axis rect.
QCPTextElement* titleOf(QCustomPlot* plot, const QString& words) {
    QFont font = Theme::instance().uiFont();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    auto* title = new QCPTextElement(plot, words, font);
    title->setTextFlags(Qt::AlignLeft);
    title->setMargins(QMargins(8, 2, 0, 0));
    return title;
}

// A gap where there is no number.
double drawable(double value) { return std::isfinite(value) ? value : std::nan(""); }

constexpr const char* kLogSteps = "train/logSteps";
constexpr const char* kLogLoss = "train/logLoss";

// Of another program's training the norm is there for some steps.
bool isMeasured(const session::TrainingStep& step) { return !(step.gradient_norm < 0); }

}  // namespace

TrainPlots::TrainPlots(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    makeBar(layout);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    curves_ = new QCustomPlot(splitter);
    makeCurves();
    makePages(splitter);
    splitter->setSizes({280, 190});
    splitter->setChildrenCollapsible(false);
    layout->addWidget(splitter, 1);
    hint_ = new EmptyHint(curves_);
    connect(&Theme::instance(), &Theme::changed, this, &TrainPlots::restyle);
    curves_->installEventFilter(this);
    arrange();
    restyle();
    show(nullptr);
}

// The plot owns what is in its layout.
TrainPlots::~TrainPlots() {
    for (QCPLayoutGrid* box : boxes_) {
        if (box->layout() == nullptr) curves_->plotLayout()->addElement(box);
    }
}

void TrainPlots::makeBar(QVBoxLayout* layout) {
    auto* bar = new PanelBar(this, {8, 2, 8, 2});
    last_ = bar->note(1);
    last_->setProperty("faint", false);
    last_->setObjectName(QStringLiteral("trainLast"));
    last_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    const QSettings settings;
    is_scale_chosen_ = settings.contains(QLatin1String(kLogLoss));
    const auto toggle = [&](const QString& words, const QString& tip, const char* key) {
        QToolButton* button = bar->toggle(words, tip);
        button->setChecked(settings.value(QLatin1String(key), false).toBool());
        button->setAccessibleName(tip);
        return button;
    };
    log_steps_ =
        toggle(tr("log x"), tr("Steps on a logarithmic axis: the first ones take most of the room"), kLogSteps);
    log_loss_ = toggle(tr("log y"), tr("Loss, learning rate and norms on logarithmic axes"), kLogLoss);
    connect(log_steps_, &QToolButton::toggled, this, [this](bool on) {
        QSettings().setValue(QLatin1String(kLogSteps), on);
        map_->setLogarithmic(on);
        setScales();
    });
    connect(log_loss_, &QToolButton::clicked, this, [this](bool on) {
        is_scale_chosen_ = true;
        QSettings().setValue(QLatin1String(kLogLoss), on);
    });
    connect(log_loss_, &QToolButton::toggled, this, &TrainPlots::setScales);
    smoothing_ = new QSlider(Qt::Horizontal, this);
    smoothing_->setRange(0, 99);
    smoothing_->setValue(80);
    smoothing_->setFixedWidth(64);
    smoothing_->setAccessibleName(tr("Smoothing of the loss"));
    smoothing_->setToolTip(tr("Smoothing: how much of the running mean stays at each step"));
    connect(smoothing_, &QSlider::valueChanged, this, &TrainPlots::smoothAll);
    bar->addWidget(smoothing_);
    layout->addLayout(bar);
}

void TrainPlots::makeCurves() {
    curves_->setAccessibleName(tr("Loss, accuracy, learning rate and gradient norm over steps"));
    curves_->setMinimumHeight(90);
    curves_->plotLayout()->clear();
    const auto rect = [&](const QString& title) {
        auto* box = new QCPLayoutGrid;
        auto* axes = new QCPAxisRect(curves_);
        box->addElement(0, 0, titleOf(curves_, title));
        box->addElement(1, 0, axes);
        box->setRowStretchFactor(0, 0.01);
        box->setRowSpacing(0);
        axes->setMinimumMargins(QMargins(44, 2, 10, 18));
        axes->setRangeDrag(Qt::Horizontal);
        axes->setRangeZoom(Qt::Horizontal);
        rects_ << axes;
        boxes_ << box;
        return axes;
    };
    QCPAxisRect* loss = rect(tr("loss"));
    QCPAxisRect* accuracy = rect(tr("accuracy"));
    QCPAxisRect* rate = rect(tr("learning rate"));
    QCPAxisRect* norm = rect(tr("gradient norm"));
    shape_ = {2, 2};
    for (int i = 0; i < 4; ++i) curves_->plotLayout()->addElement(i / 2, i % 2, boxes_[i]);
    curves_->plotLayout()->setRowStretchFactor(0, 1.8);
    curves_->plotLayout()->setColumnSpacing(4);
    curves_->plotLayout()->setRowSpacing(0);
    curves_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    const auto graph = [&](QCPAxisRect* axes) {
        return curves_->addGraph(axes->axis(QCPAxis::atBottom), axes->axis(QCPAxis::atLeft));
    };
    loss_ = graph(loss);
    smooth_ = graph(loss);
    held_out_ = graph(loss);
    accuracy_ = graph(accuracy);
    held_out_accuracy_ = graph(accuracy);
    rate_ = graph(rate);
    norm_ = graph(norm);
    found_ = graph(loss);
    found_->setLineStyle(QCPGraph::lsNone);
    loss_->setName(tr("loss"));
    smooth_->setName(tr("loss, smoothed"));
    held_out_->setName(tr("loss, held out"));
    accuracy_->setName(tr("accuracy"));
    held_out_accuracy_->setName(tr("accuracy, held out"));
    rate_->setName(tr("learning rate"));
    norm_->setName(tr("gradient norm"));
    found_->setName(tr("found"));
    rate_->setLineStyle(QCPGraph::lsStepLeft);
    for (QCPAxisRect* axes : rects_) {
        auto* mark = new QCPItemStraightLine(curves_);
        for (QCPItemPosition* point : {mark->point1, mark->point2}) {
            point->setAxisRect(axes);
            point->setAxes(axes->axis(QCPAxis::atBottom), axes->axis(QCPAxis::atLeft));
            point->setTypeY(QCPItemPosition::ptAxisRectRatio);
        }
        mark->setClipAxisRect(axes);
        mark->setVisible(false);
        marks_ << mark;
        // One step axis for all four.
        connect(axes->axis(QCPAxis::atBottom), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
                [this](const QCPRange& range) {
                    for (QCPAxisRect* other : rects_) other->axis(QCPAxis::atBottom)->setRange(range);
                });
    }
    connect(curves_, &QCustomPlot::mousePress, this,
            [this](QMouseEvent* event) { pressed_ = event->position().toPoint(); });
    connect(curves_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
        const QPoint at = event->position().toPoint();
        if (event->button() != Qt::LeftButton) return;
        if ((at - pressed_).manhattanLength() >= QApplication::startDragDistance())
            follows_ = false;
        else if (const std::int64_t step = stepAt(at); step > 0)
            emit stepActivated(step);
    });
    connect(curves_, &QCustomPlot::mouseWheel, this, [this] { follows_ = false; });
    connect(curves_, &QCustomPlot::mouseMove, this, &TrainPlots::hover);
}

void TrainPlots::makePages(QWidget* parent) {
    auto* below = new QWidget(parent);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    pages_ = new QTabBar(below);
    pages_->setObjectName(QStringLiteral("trainPages"));
    pages_->setDrawBase(false);
    pages_->setExpanding(false);
    pages_->addTab(tr("Over steps"));
    pages_->addTab(tr("Found"));
    pages_->addTab(tr("Trainings"));
    pages_->addTab(tr("Reported"));
    stack_ = new QStackedWidget(below);
    map_ = new StepMap(stack_);
    findings_ = new QListWidget(stack_);
    findings_->setObjectName(QStringLiteral("trainFound"));
    findings_->setAccessibleName(tr("What was found"));
    findings_->setWordWrap(true);
    findings_->setToolTip(tr("Click: the step is run again, to look inside"));
    trainings_ = new TrainingList(stack_);
    reported_ = new ReportedPlot(stack_);
    for (QWidget* page : std::initializer_list<QWidget*>{map_, findings_, trainings_, reported_})
        stack_->addWidget(page);
    connect(pages_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
    const auto follow = [this](QListWidgetItem* item) {
        if (const qint64 step = item->data(Qt::UserRole).toLongLong(); step > 0) emit stepActivated(step);
    };
    connect(findings_, &QListWidget::itemClicked, this, follow);
    connect(findings_, &QListWidget::itemActivated, this, follow);
    connect(trainings_, &TrainingList::chosenChanged, this, &TrainPlots::drawOverlays);
    connect(map_, &StepMap::stepActivated, this, &TrainPlots::stepActivated);
    map_->setLogarithmic(log_steps_->isChecked());
    column->addWidget(pages_);
    column->addWidget(stack_, 1);
}

// Two by two; a column where that is narrow; a row of as many as there is room for where it is low.
void TrainPlots::arrange() {
    constexpr int kLow = 190, kLeastWidth = 170;
    const QSize room = curves_->size();
    const QSize shape = room.height() < kLow ? QSize(std::clamp(room.width() / kLeastWidth, 1, 4), 1)
                        : room.width() < 420 && room.height() > 380 ? QSize(1, 4)
                                                                    : QSize(2, 2);
    if (shape == shape_) return;
    shape_ = shape;
    QCPLayoutGrid* grid = curves_->plotLayout();
    for (QCPLayoutGrid* box : boxes_) {
        if (box->layout() == grid) grid->take(box);
    }
    grid->simplify();
    // Loss and accuracy have most of the room; in one column or row the learning rate comes last.
    constexpr std::array<int, 4> kInLine = {0, 1, 3, 2};
    for (int i = 0; i < 4; ++i) {
        const int which = shape == QSize(2, 2) ? i : kInLine[static_cast<std::size_t>(i)];
        const bool is_shown = i < shape.width() * shape.height();
        for (QCPLayoutElement* element : boxes_[which]->elements(false)) element->setVisible(is_shown);
        if (is_shown) grid->addElement(i / shape.width(), i % shape.width(), boxes_[which]);
    }
    for (int row = 0; row < grid->rowCount(); ++row) grid->setRowStretchFactor(row, row == 0 ? 1.8 : 1);
    curves_->replot(QCustomPlot::rpQueuedReplot);
}

// The splitter resizes the curves too.
bool TrainPlots::eventFilter(QObject* watched, QEvent* event) {
    if (watched == curves_ && event->type() == QEvent::Resize) {
        arrange();
        setTickCounts();
    }
    return QWidget::eventFilter(watched, event);
}

// As many labels as there is room for.
void TrainPlots::setTickCounts() {
    constexpr int kBeside = 70;  // names of values, and the gap between plots
    constexpr int kBelow = 45;   // names of steps, and the title
    const int across = curves_->width() / shape_.width() - kBeside;
    for (qsizetype i = 0; i < rects_.size(); ++i) {
        const bool isFirstRow = shape_.height() == 1 || (shape_.width() == 2 ? i < 2 : i == 0);
        const double share = (isFirstRow ? 1.8 : 1.0) / (shape_.height() + 0.8);
        const int high = static_cast<int>(curves_->height() * share) - kBelow;
        rects_[i]->axis(QCPAxis::atBottom)->ticker()->setTickCount(std::clamp(across / 55, 2, 5));
        rects_[i]->axis(QCPAxis::atLeft)->ticker()->setTickCount(std::clamp(high / 32, 2, 4));
    }
}

void TrainPlots::restyle() {
    const Theme& theme = Theme::instance();
    stylePlot(*curves_);
    for (QCPAxisRect* axes : rects_) styleAxes(*axes);
    for (auto* title : curves_->findChildren<QCPTextElement*>())
        title->setTextColor(theme.colour(Theme::Colour::Faint));
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
    const QColor warning = theme.colour(Theme::Colour::Warning);
    found_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssTriangleInverted, warning, warning, 8));
    for (QCPItemStraightLine* mark : marks_) mark->setPen(QPen(theme.colour(Theme::Colour::Accent), 1.5, Qt::DashLine));
    shown_findings_ = 0;
    showFindings();
    setScales();
    drawOverlays();
}

// Linear or logarithmic, as chosen. Accuracies stay linear.
void TrainPlots::setScales() {
    for (QCPAxisRect* axes : rects_) {
        QCPAxis* steps = axes->axis(QCPAxis::atBottom);
        QCPAxis* values = axes->axis(QCPAxis::atLeft);
        const auto set = [&](QCPAxis* axis, bool isLog) {
            axis->setScaleType(isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
            axis->setTicker(isLog ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                  : QSharedPointer<QCPAxisTicker>::create());
            axis->setNumberFormat(QStringLiteral("gb"));
            axis->setNumberPrecision(isLog ? 3 : 4);
        };
        set(steps, log_steps_->isChecked());
        set(values, log_loss_->isChecked() && axes != rects_[1]);
    }
    setTickCounts();
    fitAxes();
    markLines();
}

void TrainPlots::add(const session::TrainingStep& step) {
    const auto x = static_cast<double>(step.step);
    const double keep = smoothing_->value() / 100.0;
    if (std::isfinite(step.loss)) {
        average_ = has_average_ ? keep * average_ + (1 - keep) * step.loss : step.loss;
        has_average_ = true;
    }
    loss_->addData(x, drawable(step.loss));
    smooth_->addData(x, std::isfinite(step.loss) ? average_ : std::nan(""));
    if (step.accuracy) accuracy_->addData(x, 100 * *step.accuracy);
    measures_accuracy_ = measures_accuracy_ || step.accuracy.has_value();
    rate_->addData(x, drawable(step.learning_rate));
    if (isMeasured(step)) norm_->addData(x, drawable(step.gradient_norm));
    last_step_ = step.step;
}

void TrainPlots::smoothAll() {
    smooth_->data()->clear();
    const double keep = smoothing_->value() / 100.0;
    double average = 0;
    bool isFirst = true;
    for (auto point = loss_->data()->constBegin(); point != loss_->data()->constEnd(); ++point) {
        if (std::isfinite(point->value)) {
            average = isFirst ? point->value : keep * average + (1 - keep) * point->value;
            isFirst = false;
        }
        smooth_->addData(point->key, std::isfinite(point->value) ? average : std::nan(""));
    }
    average_ = average;
    if (log_ && shown_ > 0) {
        if (const auto step = log_->step(last_step_)) showLast(*step);
    }
    drawOverlays();
}

void TrainPlots::showEpochs() {
    held_out_->data()->clear();
    held_out_accuracy_->data()->clear();
    for (const session::TrainingEpoch& epoch : log_->epochs()) {
        const auto x = static_cast<double>(epoch.last_step);
        if (epoch.held_out_loss) held_out_->addData(x, drawable(*epoch.held_out_loss));
        if (epoch.held_out_accuracy) held_out_accuracy_->addData(x, 100 * *epoch.held_out_accuracy);
    }
}

// A training of the source's own, or one that is watched, reports its accuracy by a name that it chose: "accuracy",
// "train/acc", "val_acc". As parts of 1, or as percent.
void TrainPlots::showReportedAccuracy() {
    static const QRegularExpression isAccuracy(QStringLiteral("(^|[/_ .-])acc(uracy)?$"),
                                               QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression isHeldOut(QStringLiteral("val|test|eval|held"),
                                              QRegularExpression::CaseInsensitiveOption);
    QSet<QCPGraph*> drawn;
    for (const session::ReportedCurve& curve : log_->reported()) {
        const QString tag = text(curve.tag);
        if (curve.is_histogram || !isAccuracy.match(tag).hasMatch()) continue;
        QCPGraph* graph = isHeldOut.match(tag).hasMatch() ? held_out_accuracy_ : accuracy_;
        if (drawn.contains(graph)) continue;  // the first of the kind; all are in Reported
        drawn.insert(graph);
        const bool isPart =
            std::all_of(curve.points.begin(), curve.points.end(), [](const auto& point) { return !(point.value > 1); });
        graph->data()->clear();
        for (const auto& point : curve.points)
            graph->addData(static_cast<double>(point.step), (isPart ? 100 : 1) * point.value);
    }
}

void TrainPlots::showLast(const session::TrainingStep& step) {
    // As the log says it; the mean is what the curve shows.
    QString words = tr("step %1 &nbsp; loss <b>%2</b>").arg(countText(step.step), text(session::loss_text(step.loss)));
    if (has_average_ && smoothing_->value() > 0 && shown_ > 1)
        words += tr(", smoothed %1").arg(text(session::loss_text(average_)));
    const auto epochs = log_->epochs();
    if (!epochs.empty() && epochs.back().held_out_accuracy)
        words += tr(" &nbsp; held out <b>%1 %</b>").arg(100 * *epochs.back().held_out_accuracy, 0, 'f', 1);
    else if (!epochs.empty() && epochs.back().accuracy)
        words += tr(" &nbsp; accuracy <b>%1 %</b>").arg(100 * *epochs.back().accuracy, 0, 'f', 1);
    if (width() > 460) words += QStringLiteral(" &nbsp; %1").arg(tr("%1 a step").arg(secondsText(step.seconds)));
    const session::TrainingVerdict verdict = log_->verdict();
    if (!verdict.is_good) words = text(verdict.text).toHtmlEscaped();
    Theme::setTone(*last_, verdict.is_good ? Theme::Colour::Text : Theme::Colour::Warning);
    last_->setText(words);
    last_->setToolTip(verdict.text.empty() ? QString()
                                           : QStringLiteral("<p>%1</p>").arg(text(verdict.text).toHtmlEscaped()));
}

void TrainPlots::showFindings() {
    const auto findings = log_ ? log_->findings() : std::vector<session::TrainingFinding>();
    std::size_t ended = 0;
    for (const auto& finding : findings) ended += finding.last_step > 0 ? 1 : 0;
    const std::size_t state = findings.size() * 100'000 + ended + 1;
    if (state == shown_findings_) return;
    shown_findings_ = state;
    using Kind = session::TrainingFinding::Kind;
    found_->data()->clear();
    findings_->clear();
    for (const auto& finding : findings) {
        QString words = tr("step %1: %2").arg(finding.step).arg(text(finding.text));
        if (finding.last_step > 0 && finding.kind != Kind::DeadUnits)
            words += finding.last_step == finding.step ? QString() : tr(" (until step %1)").arg(finding.last_step);
        auto* item = new QListWidgetItem(words, findings_);
        item->setData(Qt::UserRole, static_cast<qlonglong>(finding.step));
        const bool lasts = finding.last_step == 0;
        item->setData(Qt::ForegroundRole, Theme::themed(!lasts                             ? Theme::Colour::Faint
                                                        : finding.kind <= Kind::Divergence ? Theme::Colour::Bad
                                                                                           : Theme::Colour::Warning));
        if (const auto step = log_->step(finding.step); step && std::isfinite(step->loss))
            found_->addData(static_cast<double>(finding.step), step->loss);
    }
    pages_->setTabText(Found, findings.empty() ? tr("Found") : tr("Found (%1)").arg(findings.size()));
    pages_->setTabTextColor(Found, findings.empty() ? QColor() : Theme::instance().colour(Theme::Colour::Warning));
    if (findings.empty() && log_) {
        auto* item = new QListWidgetItem(tr("Nothing so far: no jump or plateau of the loss, no NaN, every parameter "
                                            "gets a gradient, no dead units."),
                                         findings_);
        item->setData(Qt::ForegroundRole, Theme::themed(Theme::Colour::Faint));
    }
}

void TrainPlots::show(const Log& log) {
    if (log != log_) {
        log_ = log;
        shown_ = 0;
        last_step_ = 0;
        first_step_ = 1;
        follows_ = true;
        has_average_ = false;
        measures_accuracy_ = false;
        shown_findings_ = 0;
        for (QCPGraph* graph : {loss_, smooth_, held_out_, accuracy_, held_out_accuracy_, rate_, norm_, found_})
            graph->data()->clear();
        last_->clear();
    }
    hint_->say(log_ ? QString()
                    : tr("Choose data and press Train: loss, accuracy, learning rate and gradient norm are drawn here "
                         "as the model learns"));
    map_->show(log_);
    reported_->show(log_);
    pages_->setTabVisible(Reported, reported_->count() > 0);
    showFindings();
    if (!log_) return curves_->replot(QCustomPlot::rpQueuedReplot);
    const auto steps = log_->steps(shown_);
    if (shown_ == 0 && !steps.empty()) first_step_ = steps.front().step;
    for (const session::TrainingStep& step : steps) add(step);
    shown_ += steps.size();
    showEpochs();
    if (!measures_accuracy_) showReportedAccuracy();
    if (!steps.empty()) {
        showLast(steps.back());
        // A single step makes no line.
        const QCPScatterStyle dots = shown_ < 2 ? QCPScatterStyle(QCPScatterStyle::ssDisc, 5) : QCPScatterStyle();
        for (QCPGraph* graph : {smooth_, accuracy_, rate_, norm_}) graph->setScatterStyle(dots);
        // A loss over many powers of ten is no line on a linear axis.
        bool isFound = false;
        const QCPRange range = loss_->data()->valueRange(isFound, QCP::sdPositive);
        if (!is_scale_chosen_ && isFound && range.lower > 0) log_loss_->setChecked(range.upper > 1000 * range.lower);
        fitAxes();
    }
    curves_->replot(QCustomPlot::rpQueuedReplot);
}

// The step axis to all steps, unless zoomed with the mouse; the others to the drawn data.
void TrainPlots::fitAxes() {
    const bool isLogSteps = log_steps_->isChecked();
    std::int64_t last = std::max<std::int64_t>(first_step_ + 1, last_step_);
    for (const QCPGraph* graph : overlays_) {
        if (!graph->data()->isEmpty())
            last = std::max(last, static_cast<std::int64_t>((graph->data()->constEnd() - 1)->key));
    }
    if (follows_)
        rects_[0]
            ->axis(QCPAxis::atBottom)
            ->setRange(isLogSteps ? static_cast<double>(first_step_) * 0.95 : static_cast<double>(first_step_) - 0.5,
                       static_cast<double>(last) * (isLogSteps ? 1.05 : 1) + (isLogSteps ? 0 : 0.5));
    const bool isLog = log_loss_->isChecked();
    for (int i = 0; i < rects_.size(); ++i) {
        QCPAxis* axis = rects_[i]->axis(QCPAxis::atLeft);
        const bool isLogAxis = isLog && i != 1;
        double low = 1e300, high = -1e300;
        for (QCPGraph* graph : rects_[i]->graphs()) {
            bool isFound = false;
            const QCPRange range = graph->getValueRange(isFound, isLogAxis ? QCP::sdPositive : QCP::sdBoth);
            if (!isFound) continue;
            low = std::min(low, range.lower);
            high = std::max(high, range.upper);
        }
        if (low > high) {
            axis->setRange(isLogAxis ? 0.1 : 0, 1);
        } else if (isLogAxis) {
            axis->setRange(low / 1.3, high * 1.3);
        } else if (i == 1) {
            axis->setRange(std::min(low, 95.0) - 1, 101);
        } else if (i == 0) {
            const double margin = std::max(0.04 * (high - low), 1e-9 + 0.01 * std::abs(high));
            axis->setRange(low - margin, high + margin);
        } else {
            axis->setRange(0, high > 0 ? 1.1 * high : 1);
        }
    }
    curves_->replot(QCustomPlot::rpQueuedReplot);
}

void TrainPlots::showTrainings(const QString& model, const std::vector<Log>& trainings) {
    trainings_->show(model, trainings, log_);
    pages_->setTabText(Trainings, trainings.size() > 1 ? tr("Trainings (%1)").arg(trainings.size()) : tr("Trainings"));
    drawOverlays();
}

// Loss (smoothed as the other), accuracy, rate and norm of the trainings that are ticked.
void TrainPlots::drawOverlays() {
    for (QCPGraph* graph : overlays_) curves_->removeGraph(graph);
    overlays_.clear();
    const double keep = smoothing_->value() / 100.0;
    for (const Log& log : trainings_->chosen()) {
        QCPGraph* graphs[4];
        for (int i = 0; i < 4; ++i) {
            graphs[i] = curves_->addGraph(rects_[i]->axis(QCPAxis::atBottom), rects_[i]->axis(QCPAxis::atLeft));
            graphs[i]->setPen(QPen(TrainingList::colourOf(*log), 1.3));
            graphs[i]->setName(tr("training %1").arg(log->origin().number));
            overlays_ << graphs[i];
        }
        graphs[2]->setLineStyle(QCPGraph::lsStepLeft);
        double average = 0;
        bool isFirst = true;
        for (const session::TrainingStep& step : log->steps()) {
            const auto x = static_cast<double>(step.step);
            if (std::isfinite(step.loss)) {
                average = isFirst ? step.loss : keep * average + (1 - keep) * step.loss;
                isFirst = false;
            }
            graphs[0]->addData(x, std::isfinite(step.loss) ? average : std::nan(""));
            if (step.accuracy) graphs[1]->addData(x, 100 * *step.accuracy);
            graphs[2]->addData(x, drawable(step.learning_rate));
            if (isMeasured(step)) graphs[3]->addData(x, drawable(step.gradient_norm));
        }
    }
    fitAxes();
}

void TrainPlots::mark(std::int64_t step) {
    map_->mark(step);
    if (marked_ == step) return;
    marked_ = step;
    markLines();
    curves_->replot(QCustomPlot::rpQueuedReplot);
}

void TrainPlots::markLines() {
    for (QCPItemStraightLine* line : marks_) {
        line->setVisible(marked_ > 0);
        line->point1->setCoords(static_cast<double>(marked_), 0);
        line->point2->setCoords(static_cast<double>(marked_), 1);
    }
}

std::int64_t TrainPlots::stepAt(QPoint position) const {
    if (!log_ || last_step_ == 0) return 0;
    for (QCPAxisRect* axes : rects_) {
        if (!axes->rect().contains(position)) continue;
        const double at = axes->axis(QCPAxis::atBottom)->pixelToCoord(position.x());
        return std::clamp(static_cast<std::int64_t>(std::llround(at)), first_step_, last_step_);
    }
    return 0;
}

void TrainPlots::hover(QMouseEvent* event) {
    const std::int64_t at = stepAt(event->position().toPoint());
    const auto step = at > 0 ? log_->step(at) : std::nullopt;
    curves_->setCursor(step && why_not_.isEmpty() ? Qt::PointingHandCursor : Qt::ArrowCursor);
    curves_->setToolTip(step ? tipOf(at) : QString());
}

QString TrainPlots::tipOf(std::int64_t number) const {
    const auto step = log_ ? log_->step(number) : std::nullopt;
    QString tip = tr("step %1").arg(number);
    if (step) {
        if (step->epoch > 0) tip += tr(", epoch %1").arg(step->epoch);
        tip += tr("\nloss %1").arg(numberText(step->loss));
        if (isMeasured(*step)) tip += tr(", gradient norm %1").arg(numberText(step->gradient_norm));
        tip += tr(", learning rate %1").arg(numberText(step->learning_rate));
        if (step->accuracy) tip += tr(", accuracy %1 %").arg(100 * *step->accuracy, 0, 'f', 1);
    }
    const QString click = why_not_.isEmpty() ? tr("Click: run this step again, and look inside") : why_not_;
    return tip + QLatin1Char('\n') + click;
}

void TrainPlots::setWhyNotLookedAt(const QString& why) {
    why_not_ = why;
    map_->setWhyNotLookedAt(why);
}

}  // namespace loupe::views
