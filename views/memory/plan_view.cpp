// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/plan_view.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSplitter>
#include <QToolTip>
#include <QVBoxLayout>

#include "core/session/queries/forecast.h"
#include "core/session/queries/memory_plan.h"
#include "core/session/queries/what_if.h"
#include "views/common/elided_fields.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {

using Use = session::PlannedMemory::Use;

// --- the picture

PlanPicture::PlanPicture(QWidget* parent) : QWidget(parent) {
    setMinimumHeight(60);
    setMouseTracking(true);
    setAccessibleName(tr("Buffers of the program over its steps"));
}

void PlanPicture::setPart(const session::PlannedPart* part) {
    has_part_ = part != nullptr;
    part_ = part != nullptr ? *part : session::PlannedPart();
    update();
}

QRect PlanPicture::area() const { return rect().adjusted(64, 8, -10, -22); }

QRect PlanPicture::boxOf(int index) const {
    const QRect inside = area();
    const auto& buffer = part_.buffers[static_cast<std::size_t>(index)];
    const double steps = std::max<double>(1, static_cast<double>(part_.steps.size()));
    const double bytes = std::max<double>(1, static_cast<double>(part_.block_bytes));
    const double left = inside.left() + inside.width() * buffer.first / steps;
    const double right = inside.left() + inside.width() * (buffer.last + 1) / steps;
    const double top = inside.bottom() - inside.height() * static_cast<double>(buffer.offset + buffer.bytes) / bytes;
    const double bottom = inside.bottom() - inside.height() * static_cast<double>(buffer.offset) / bytes;
    return QRectF(left, top, std::max(1.0, right - left - 1), std::max(1.0, bottom - top - 1)).toRect();
}

int PlanPicture::bufferAt(const QPoint& point) const {
    for (std::size_t i = 0; i < part_.buffers.size(); ++i) {
        if (part_.buffers[i].use != Use::Result && boxOf(static_cast<int>(i)).contains(point))
            return static_cast<int>(i);
    }
    return -1;
}

void PlanPicture::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::instance();
    QPainter painter(this);
    painter.fillRect(rect(), theme.colour(Theme::Colour::Panel));
    if (!has_part_ || part_.steps.empty()) return;
    const QRect inside = area();
    painter.setFont(theme.monoFont());
    painter.setPen(theme.colour(Theme::Colour::Faint));
    for (int i = 0; i <= 2; ++i) {
        const int y = inside.bottom() - inside.height() * i / 2;
        painter.drawText(QRect(0, y - 9, 58, 18), Qt::AlignRight | Qt::AlignVCenter,
                         bytesText(static_cast<double>(part_.block_bytes) * i / 2));
    }
    painter.drawText(QRect(inside.left(), inside.bottom() + 3, inside.width(), 18), Qt::AlignRight | Qt::AlignVCenter,
                     counted(static_cast<std::int64_t>(part_.steps.size()), "step"));
    painter.setPen(theme.colour(Theme::Colour::Border));
    painter.drawRect(inside);
    for (std::size_t i = 0; i < part_.buffers.size(); ++i) {
        const auto& buffer = part_.buffers[i];
        if (buffer.use == Use::Result) continue;
        QColor colour =
            buffer.use == Use::Scratch ? theme.colour(Theme::Colour::Faint) : theme.series(static_cast<int>(i) % 7);
        colour.setAlpha(buffer.takes_over >= 0 ? 120 : 190);
        painter.fillRect(boxOf(static_cast<int>(i)), colour);
    }
    // Live bytes at each step, as a line over the boxes.
    QPolygonF line;
    for (std::size_t i = 0; i < part_.steps.size(); ++i) {
        const double x =
            inside.left() + inside.width() * (static_cast<double>(i) + 0.5) / static_cast<double>(part_.steps.size());
        const double part = static_cast<double>(part_.steps[i].live_bytes) /
                            std::max<double>(1, static_cast<double>(part_.block_bytes));
        line << QPointF(x, inside.bottom() - inside.height() * std::min(1.0, part));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.colour(Theme::Colour::Text), 1.2));
    painter.drawPolyline(line);
}

bool PlanPicture::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = bufferAt(help->pos());
    if (index < 0) {
        QToolTip::hideText();
        return true;
    }
    const auto& buffer = part_.buffers[static_cast<std::size_t>(index)];
    const auto step = [&](int at) {
        return at >= 0 && at < static_cast<int>(part_.steps.size()) ? text(part_.steps[static_cast<std::size_t>(at)].op)
                                                                    : QString();
    };
    QString words =
        tr("%1 at %2 of the block\nfrom step %3 (%4) to %5 (%6)")
            .arg(bytesText(static_cast<double>(buffer.bytes)), bytesText(static_cast<double>(buffer.offset)))
            .arg(buffer.first)
            .arg(step(buffer.first))
            .arg(buffer.last)
            .arg(step(buffer.last));
    if (buffer.use == Use::Scratch) words += tr("\nscratch");
    if (buffer.takes_over >= 0) words += tr("\nwritten over buffer %1").arg(buffer.takes_over);
    QToolTip::showText(help->globalPos(), words, this);
    return true;
}

void PlanPicture::mousePressEvent(QMouseEvent* event) {
    if (const int index = bufferAt(event->pos()); index >= 0)
        emit stepChosen(part_.buffers[static_cast<std::size_t>(index)].first);
}

// --- the panel

ViewDescription PlanView::describe() {
    return {QStringLiteral("plan"), tr("Memory plan"),
            tr("A graph as a planned program: buffers in one block over its steps, the predicted and measured peak, "
               "where the graph breaks and why; and what a run would take done another way."),
            QStringLiteral("memory"), Place::Bottom};
}

PlanView::PlanView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(makeBar());
    layout->addLayout(makeChanges());
    layout->addWidget(makePicture(), 1);
    connect(&bridge, &SessionBridge::modelChanged, this, [this] {
        if (this->bridge().status().state != session::RunState::Running) show({});
    });
    connect(&bridge, &SessionBridge::statusChanged, this, [this] {
        showState();
        const auto state = this->bridge().status().state;
        if (state == session::RunState::Finished || state == session::RunState::Ready) fillChanges();
    });
    connect(&Theme::instance(), &Theme::changed, picture_, qOverload<>(&QWidget::update));
    show({});
    fillChanges();
}

QLayout* PlanView::makeBar() {
    auto* bar = new PanelBar(this);
    pipeline_ = bar->choice(tr("Pipeline"));
    for (const auto& name : session::list_pipelines()) pipeline_->addItem(text(name));
    pipeline_->setCurrentText(QStringLiteral("inference"));
    run_ = bar->action(tr("Plan"), QStringLiteral("planRun"));
    connect(run_, &QToolButton::clicked, this, &PlanView::plan);
    parts_ = bar->choice(tr("Part of the graph"));
    parts_->hide();
    connect(parts_, &QComboBox::currentIndexChanged, this, &PlanView::showPart);
    summary_ = bar->note();
    summary_->setProperty("faint", false);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return bar;
}

QLayout* PlanView::makeChanges() {
    auto* changes = new PanelBar(this, {6, 0, 6, 4});
    changes->addWidget(new QLabel(tr("What if"), this));
    change_ = new ElidedComboBox(this);
    change_->setAccessibleName(tr("What if"));
    change_->setMinimumContentsLength(26);
    connect(change_, &QComboBox::currentIndexChanged, this, &PlanView::forecastChange);
    changes->addWidget(change_);
    predict_ = changes->action(tr("Predict"), QStringLiteral("whatIfPredict"));
    measure_ = changes->action(tr("Measure"), QStringLiteral("whatIfMeasure"));
    connect(predict_, &QToolButton::clicked, this, &PlanView::predict);
    connect(measure_, &QToolButton::clicked, this, &PlanView::measure);
    forecast_ = changes->note();
    forecast_->setProperty("faint", false);
    forecast_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return changes;
}

QWidget* PlanView::makePicture() {
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    picture_ = new PlanPicture(splitter);
    hint_ = new EmptyHint(picture_);
    breaks_ = new QTreeWidget(splitter);
    breaks_->setObjectName(QStringLiteral("graphBreaks"));
    breaks_->setAccessibleName(tr("Graph breaks"));
    breaks_->setRootIsDecorated(false);
    breaks_->setHeaderLabels({tr("Graph break"), tr("Where"), tr("Why")});
    breaks_->setColumnWidth(0, 130);
    breaks_->setColumnWidth(1, 100);
    connect(breaks_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) {
        const auto& place = report_.breaks[item->data(0, Qt::UserRole).toUInt()];
        if (place.source.line > 0) {
            bridge().setCurrentSource(place.source);
            bridge().showPanel(QStringLiteral("source"));
        } else {
            bridge().setCurrentModule(text(place.scope));
        }
    });
    connect(picture_, &PlanPicture::stepChosen, this, [this](int step) {
        const auto& steps = report_.parts[static_cast<std::size_t>(parts_->currentIndex())].steps;
        const auto index = static_cast<std::size_t>(step);
        if (step >= 0 && index < steps.size()) bridge().setCurrentModule(text(steps[index].scope));
    });
    splitter->setSizes({640, 360});
    return splitter;
}

void PlanView::showState() {
    const bool isFree = bridge().model() && !bridge().isBusy() && !bridge().isPaused();
    run_->setEnabled(isFree && !waiting_);
    run_->setToolTip(isFree ? tr("Runs the graph by the interpreter and as planned programs, and measures both")
                     : bridge().model() ? tr("Not now: a run is under way; stop it first")
                                        : tr("Not now: no model is open"));
    // What is being measured is shown under its own change.
    change_->setEnabled(!changes_.empty() && !measuring_);
    change_->setToolTip(measuring_         ? tr("Not now: a change is being measured")
                        : changes_.empty() ? tr("Not now: nothing has run yet")
                                           : QString());
    const bool hasChange = change_->currentIndex() > 0;
    measure_->setEnabled(isFree && hasChange && !measuring_);
    const QString noTime = bridge().whyNotTimed();
    predict_->setEnabled(isFree && hasChange && !measuring_ && noTime.isEmpty());
    predict_->setToolTip(!isFree             ? run_->toolTip()
                         : !hasChange        ? tr("Not now: choose a change first")
                         : !noTime.isEmpty() ? tr("Not now: %1").arg(noTime)
                                             : tr("Times the operators warm, those that would run in another dtype "
                                                  "alone in that dtype, and adds them up"));
    measure_->setToolTip(!isFree     ? run_->toolTip()
                         : hasChange ? tr("Runs the model as it is and changed, warm and several times each, and shows "
                                          "what they took beside the forecast")
                                     : tr("Not now: choose a change first"));
}

void PlanView::plan() {
    waiting_ = true;
    summary_->setText(tr("planning and measuring\u2026"));
    showState();
    bridge().ask(QStringLiteral("plan"),
                 session::MemoryPlanQuery{pipeline_->currentText().toStdString(), bridge().runOptions().method}, this,
                 [this](const session::MemoryPlanReport& report) { show(report); });
}

void PlanView::show(const session::MemoryPlanReport& report) {
    waiting_ = false;
    report_ = report;
    {
        const QSignalBlocker blocker(parts_);
        parts_->clear();
        for (std::size_t i = 0; i < report_.parts.size(); ++i) parts_->addItem(tr("part %1").arg(i + 1));
    }
    parts_->setVisible(report_.parts.size() > 1);
    breaks_->clear();
    for (std::size_t i = 0; i < report_.breaks.size(); ++i) {
        const auto& place = report_.breaks[i];
        const QString file = text(place.source.file).section(QLatin1Char('/'), -1);
        const QString where =
            place.source.line > 0 ? QStringLiteral("%1:%2").arg(file).arg(place.source.line) : scopeText(place.scope);
        auto* item = new QTreeWidgetItem(breaks_, {shortOpName(place.op), where, text(place.reason)});
        item->setData(1, Qt::ForegroundRole, Theme::themed(Theme::Colour::Accent));
        item->setData(0, Qt::UserRole, static_cast<uint>(i));
        for (int column = 0; column < 3; ++column) item->setToolTip(column, text(place.line()));
    }
    const QString words = text(report_.line());
    summary_->setText(words);
    summary_->setToolTip(words);
    hint_->say(report_.parts.empty()
                   ? (words.isEmpty() ? tr("Choose a pipeline and plan: buffers are drawn here where they lie in the "
                                           "program's one block")
                                      : words)
                   : QString());
    showPart();
    showState();
}

void PlanView::showPart() {
    const int index = parts_->currentIndex();
    const bool isThere = index >= 0 && static_cast<std::size_t>(index) < report_.parts.size();
    const session::PlannedPart* part = isThere ? &report_.parts[static_cast<std::size_t>(index)] : nullptr;
    picture_->setPart(part);
    if (part && !part->refusal.empty())
        hint_->say(tr("This part runs as before: %1").arg(text(part->refusal)));
    else if (part)
        hint_->say(QString());
}

void PlanView::fillChanges() {
    const QSignalBlocker blocker(change_);
    change_->clear();
    changes_.clear();
    ++filled_;
    forecast_->clear();
    forecast_text_.clear();
    const auto& recording = bridge().recording();
    change_->addItem(tr("nothing changes"));
    if (!recording || recording->event_count() == 0) return showState();
    const auto add = [&](session::WhatIf change) {
        change_->addItem(text(session::what_if_text(change)));
        changes_.push_back(std::move(change));
    };
    for (auto& change : session::possible_changes(*recording)) add(std::move(change));
    showState();
}

// Whether the change is the one chosen still, and of the same run.
bool PlanView::isChosen(int index, int filled) const {
    return filled == filled_ && index == change_->currentIndex() - 1;
}

void PlanView::measure() {
    const int index = change_->currentIndex() - 1;
    if (index < 0 || measuring_) return;
    measuring_ = true;
    if (forecast_text_.isEmpty()) forecastChange();
    forecast_text_ = forecast_text_.isEmpty() ? forecast_->text() : forecast_text_;
    forecast_->setText(tr("%1; measuring\u2026").arg(forecast_text_));
    showState();
    bridge().ask(QStringLiteral("what if"), session::WhatIfQuery{{changes_[static_cast<std::size_t>(index)]}}, this,
                 [this, index, filled = filled_](const session::WhatIfMeasurement& measured) {
                     measuring_ = false;
                     if (isChosen(index, filled)) showMeasured(measured);
                     showState();
                 });
}

void PlanView::showMeasured(const session::WhatIfMeasurement& measured) {
    const QString words = measured.error.empty()
                              ? tr("measured %1 \u2192 <b>%2</b>, %3 \u2192 <b>%4</b>")
                                    .arg(bytesText(static_cast<double>(measured.peak_before)),
                                         bytesText(static_cast<double>(measured.peak)),
                                         secondsText(measured.seconds_before), secondsText(measured.seconds))
                              : tr("not measured: %1").arg(text(measured.error).toHtmlEscaped());
    forecast_->setText(forecast_text_ + QStringLiteral("; ") + words);
}

void PlanView::forecastChange() {
    const int index = change_->currentIndex() - 1;
    const auto& recording = bridge().recording();
    forecast_text_.clear();
    showState();
    if (index < 0 || !recording || static_cast<std::size_t>(index) >= changes_.size()) return forecast_->clear();
    try {
        showForecast(session::forecast_memory(*recording, {changes_[static_cast<std::size_t>(index)]}));
    } catch (const std::exception& error) {
        forecast_->setText(text(error.what()));
    }
}

// Time is shown when all its kernels are measured; else what lacks.
void PlanView::showForecast(const session::MemoryForecast& found) {
    if (!found.error.empty()) return forecast_->setText(tr("not predicted: %1").arg(text(found.error)));
    const QString memory =
        (found.is_rough ? tr("predicted peak %1 \u2192 roughly <b>%2</b>") : tr("predicted peak %1 \u2192 <b>%2</b>"))
            .arg(bytesText(static_cast<double>(found.peak_before)), bytesText(static_cast<double>(found.peak)));
    const QString time =
        found.seconds && found.seconds_before
            ? tr("time %1 \u2192 <b>%2</b>").arg(secondsText(*found.seconds_before), secondsText(*found.seconds))
            : tr("time not predicted: %1").arg(text(found.no_time).toHtmlEscaped());
    forecast_->setText(tr("%1, %2").arg(memory, time));
    QStringList notes;
    for (const auto& note : found.notes) notes << text(note);
    if (!found.no_time.empty()) notes << tr("Time is not predicted: %1").arg(text(found.no_time));
    forecast_->setToolTip(notes.join(QLatin1Char('\n')));
}

void PlanView::predict() {
    const int index = change_->currentIndex() - 1;
    if (index < 0 || measuring_) return;
    measuring_ = true;
    forecast_->setText(tr("%1; measuring kernels\u2026").arg(forecast_->text()));
    showState();
    bridge().ask(QStringLiteral("forecast"), session::ForecastQuery{{changes_[static_cast<std::size_t>(index)]}}, this,
                 [this, index, filled = filled_](const session::MemoryForecast& found) {
                     measuring_ = false;
                     if (isChosen(index, filled)) {
                         showForecast(found);
                         forecast_text_ = forecast_->text();
                     }
                     bridge().tellTimesChanged();
                     showState();
                 });
}

void PlanView::addActions(QMenu& menu) {
    QAction* action = menu.addAction(tr("Plan the memory of the graph"), this, &PlanView::plan);
    action->setEnabled(run_->isEnabled());
    action->setToolTip(run_->toolTip());
}

}  // namespace loupe::views
