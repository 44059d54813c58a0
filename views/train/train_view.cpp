// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/train_view.h"

#include <QFileDialog>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QToolTip>
#include <QVBoxLayout>

#include "core/session/queries/data_summary.h"
#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/save_checkpoint.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/training_checkpoint.h"
#include "views/common/elided_label.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/plot_style.h"

namespace loupe::views {

namespace {

// Scrolls up and down only: never narrower than the form.
class FormArea : public QScrollArea {
  public:
    using QScrollArea::QScrollArea;

    QSize minimumSizeHint() const override {
        constexpr int kLeast = 252;
        const QSize whole = QScrollArea::minimumSizeHint();
        if (widget() == nullptr) return whole;
        const int form = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
        return {std::max(kLeast, form), whole.height()};
    }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool is_taken = QScrollArea::eventFilter(watched, event);
        if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
        return is_taken;
    }
};

}  // namespace

ViewDescription TrainView::describe() {
    return {QStringLiteral("train"), tr("Train"),
            tr("Trains the model: data, loss, optimiser and schedule on the left, how it goes on the right. Pause "
               "stops inside a step, where every other panel shows it."),
            QStringLiteral("train"), Place::Centre};
}

TrainView::TrainView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* bar = makeBar();
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    auto* scroll = new FormArea(splitter);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    form_ = new TrainForm(scroll);
    scroll->setWidget(form_);
    scroll_ = scroll;
    plots_ = new TrainPlots(splitter);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({310, 394});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(makePastBar());
    layout->addWidget(makeWatchedBar());
    layout->addWidget(splitter, 1);

    data_timer_.setSingleShot(true);
    data_timer_.setInterval(300);
    connect(&form_->data(), &DataForm::changed, &data_timer_, qOverload<>(&QTimer::start));
    connect(&data_timer_, &QTimer::timeout, this, &TrainView::lookAtData);
    connect(&bridge, &SessionBridge::modelChanged, this, &TrainView::showModel);
    connect(&bridge, &SessionBridge::statusChanged, this, &TrainView::showState);
    connect(&bridge, &SessionBridge::trainingChanged, this, [this] {
        const auto& training = this->bridge().training();
        // One that came back with a session: the form has what it goes on with.
        const bool isBack = training && training != known_.lock() && !this->bridge().isTraining() && !isWatched();
        known_ = training;
        if (isBack) form_->setOptions(training->options());
        plots_->show(this->bridge().training());
        if (this->bridge().model())
            plots_->showTrainings(text(this->bridge().model()->path), this->bridge().session().trainings());
        showState();
    });
    connect(plots_, &TrainPlots::stepActivated, this, &TrainView::lookAt);
    for (QSpinBox* box : {form_->epochs(), form_->steps()})
        connect(box, &QSpinBox::valueChanged, this, &TrainView::showState);
    showModel();
    arrange();
}

PanelBar* TrainView::makeBar() {
    auto* bar = new PanelBar(this, {6, 3, 6, 3}, 4);
    const auto button = [&](const QString& icon, const QString& words, const QString& name, auto slot) {
        QToolButton* made = bar->button(themeIcon(icon), words, name);
        connect(made, &QToolButton::clicked, this, slot);
        return made;
    };
    start_ = button(QStringLiteral("run"), tr("Train", "the button"), QStringLiteral("trainStart"), &TrainView::train);
    pause_ = button(QStringLiteral("pause"), tr("Pause"), QStringLiteral("trainPause"), &TrainView::pauseOrGoOn);
    stop_ = button(QStringLiteral("stop"), tr("Stop"), QStringLiteral("trainStop"), [this] { this->bridge().stop(); });
    more_ = button(QStringLiteral("forward"), tr("Go on"), QStringLiteral("trainMore"), &TrainView::goOn);
    save_ = button(QStringLiteral("export"), tr("Save"), QStringLiteral("trainSave"), [] {});
    makeMenus();
    state_ = bar->note(1);
    state_->setObjectName(QStringLiteral("trainState"));
    settings_ = button(QStringLiteral("inputs"), tr("Settings"), QStringLiteral("trainSettings"), &TrainView::arrange);
    settings_->setToolTip(tr("Data, loss, optimiser and schedule, in place of the plots"));
    settings_->setCheckable(true);
    settings_->setChecked(true);
    settings_->setVisible(false);
    return bar;
}

// Which step of the past the model is at, and the two ways on.
QWidget* TrainView::makePastBar() {
    past_ = new QWidget(this);
    past_->setObjectName(QStringLiteral("trainPast"));
    auto* row = new QHBoxLayout(past_);
    row->setContentsMargins(8, 2, 8, 2);
    row->setSpacing(6);
    past_text_ = new QLabel(past_);
    past_text_->setWordWrap(true);
    past_text_->setMinimumWidth(1);
    const auto button = [&](const QString& words, const QString& name, const QString& tip, auto slot) {
        auto* made = new QToolButton(past_);
        made->setText(words);
        made->setObjectName(name);
        made->setAccessibleName(words);
        made->setToolTip(tip);
        connect(made, &QToolButton::clicked, this, slot);
        return made;
    };
    past_on_ =
        button(tr("Go on from here"), QStringLiteral("trainFromHere"),
               tr("Trains on from this step, with the settings as they are in the form, as a training of its own"),
               &TrainView::goOnFromHere);
    past_back_ = button(tr("Back to the end"), QStringLiteral("trainBack"),
                        tr("Model, optimiser and random numbers as they were at the end of the training"),
                        &TrainView::backToEnd);
    row->addWidget(past_text_, 1);
    row->addWidget(past_on_);
    row->addWidget(past_back_);
    past_->setVisible(false);
    return past_;
}

WatchedBar* TrainView::makeWatchedBar() {
    watched_ = new WatchedBar(this);
    connect(watched_, &WatchedBar::everyChosen, this,
            [this](qint64 steps) { bridge().session().measure_every(steps); });
    connect(watched_, &WatchedBar::recordWanted, this, [this] { bridge().session().record_step_of_program(); });
    connect(watched_, &WatchedBar::endWanted, this, [this] { bridge().session().end_watching(); });
    connect(watched_, &WatchedBar::openWanted, &bridge(), &SessionBridge::fileWanted);
    return watched_;
}

bool TrainView::isWatched() const {
    return bridge().training() != nullptr && !bridge().training()->origin().program.name.empty();
}

// There is nothing to set of it, and its model is not here.
void TrainView::showWatched() {
    watched_->show(isWatched() ? bridge().training()->origin().program : session::TrainingProgram());
    for (QToolButton* button : {start_, more_, save_}) button->setVisible(!isWatched());
    stop_->setText(isWatched() ? tr("Detach") : tr("Stop"));
    if (!isWatched()) return;
    const bool isLive = bridge().isTraining();
    pause_->setToolTip(!isLive ? tr("Not now: the program is not attached to")
                       : bridge().isPaused()
                           ? tr("The program trains on")
                           : tr("The program waits behind its next step, for every panel to look at"));
    stop_->setToolTip(isLive ? tr("Leaves the program, which trains on; it can be attached to again")
                             : tr("Not now: the program is not attached to"));
}

// Where there is no room for both, the form or the plots.
void TrainView::arrange() {
    const bool isNarrow = width() < 560;
    if (isNarrow != is_narrow_ && isNarrow) settings_->setChecked(bridge().training() == nullptr);
    is_narrow_ = isNarrow;
    settings_->setVisible(isNarrow && !isWatched());
    scroll_->setVisible((!isNarrow || settings_->isChecked()) && !isWatched());
    plots_->setVisible(!isNarrow || !settings_->isChecked() || isWatched());
    for (QToolButton* button : {start_, pause_, stop_, more_, save_}) {
        button->setToolButtonStyle(width() < 640 ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    }
}

void TrainView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    arrange();
}

void TrainView::lookAt(std::int64_t step) {
    if (bridge().model() == nullptr || bridge().training() == nullptr) return;
    // A training that runs is not ended by a click.
    if (!whyNotLookedAt().isEmpty()) return QToolTip::showText(QCursor::pos(), plots_->tipOf(step), plots_);
    bridge().lookAtStep(step);
}

// A step that is run again may give way to another one; what else runs does not.
QString TrainView::whyNotLookedAt() const {
    if (isWatched()) return tr("This training runs in another program: its steps cannot be run again here");
    if (!bridge().isBusy()) return {};
    if (!bridge().isTraining()) return tr("Something runs: stop it first to run this step again");
    const bool isReplay = bridge().status().training_end > 0;
    return isReplay ? QString() : tr("Pause or stop the training first to look inside this step");
}

void TrainView::goOnFromHere() {
    form_->remember();
    goOn();
}

void TrainView::backToEnd() { bridge().returnToEnd(); }

void TrainView::showPast() {
    const session::Status& status = bridge().status();
    const bool isPast = status.training_end > 0;
    past_->setVisible(isPast);
    plots_->mark(isPast || (bridge().isTraining() && bridge().isPaused()) ? status.training_step : 0);
    if (!isPast) return;
    const bool isInside = bridge().isPaused();
    past_text_->setText((isInside ? tr("Inside step <b>%1</b> of %2, run again.")
                                  : tr("The model is as it was after step <b>%1</b> of %2."))
                            .arg(status.training_step)
                            .arg(status.training_end));
    const bool isFree = isInside || !bridge().isBusy();
    past_on_->setEnabled(isFree);
    past_back_->setEnabled(isFree);
}

void TrainView::makeMenus() {
    auto* begin = new QMenu(start_);
    begin->addAction(tr("Train from the model as it is"), this, &TrainView::train);
    anew_ = begin->addAction(tr("Re-initialise the model and train"), this, &TrainView::trainAnew);
    resume_ = begin->addAction(tr("Resume from a checkpoint\u2026"), this, &TrainView::chooseResume);
    start_->setMenu(begin);
    start_->setPopupMode(QToolButton::MenuButtonPopup);
    auto* save = new QMenu(save_);
    save->setToolTipsVisible(true);
    save->addAction(tr("Weights\u2026"), this, &TrainView::chooseWeights)
        ->setToolTip(tr("The model's parameters and buffers: .pt, .pth, .safetensors, .npz"));
    save_checkpoint_ = save->addAction(tr("Checkpoint of the training\u2026"), this, &TrainView::chooseCheckpoint);
    save_->setMenu(save);
    save_->setPopupMode(QToolButton::InstantPopup);
}

// Describes the data when it is chosen.
void TrainView::lookAtData() {
    const session::DataSpec data = form_->data().data();
    bridge().setTrainingData(data);
    if (data.path.empty() || bridge().isTraining()) return;
    bridge().ask(QStringLiteral("train data"), session::DataSummaryQuery{data}, this,
                 [this, path = data.path](const session::DataSummary& summary) {
                     if (form_->data().data().path == path) form_->data().showSummary(summary);
                 });
}

void TrainView::showModel() {
    if (bridge().model() && !bridge().isTraining()) form_->setModel(*bridge().model());
    plots_->show(bridge().training());
    plots_->showTrainings(bridge().model() ? text(bridge().model()->path) : QString(), bridge().session().trainings());
    showState();
}

void TrainView::train() {
    form_->remember();
    settings_->setChecked(false);
    arrange();
    bridge().train(form_->options());
}

void TrainView::trainAnew() {
    bridge().ask(QStringLiteral("reset"), session::ResetParametersQuery{"", form_->options().seed}, this,
                 [this](const std::string& failure) {
                     if (!failure.empty()) return tellOf(failure, {});
                     bridge().tellWeightsChanged();
                     train();
                 });
}

std::int64_t TrainView::stepsDone() const {
    // At an earlier step: until there.
    if (bridge().isAtPastStep()) return bridge().status().training_step;
    return bridge().training() ? static_cast<std::int64_t>(bridge().training()->step_count()) : 0;
}

// From an earlier step it continues to its original end, a finished training for as many epochs, or steps, again.
session::TrainOptions TrainView::optionsToGoOn() const {
    session::TrainOptions options = form_->options();
    const auto& log = bridge().training();
    const std::int64_t steps = stepsDone();
    const auto done = log && log->steps_an_epoch() > 0 ? static_cast<int>(steps / log->steps_an_epoch()) : 0;
    if (done >= options.epochs) options.epochs += done;
    if (options.max_steps > 0 && steps >= options.max_steps) options.max_steps += steps;
    return options;
}

void TrainView::goOn() {
    const session::TrainOptions options = optionsToGoOn();
    bridge().trainOn(options);
    // In sight: what it goes on to.
    form_->epochs()->setValue(options.epochs);
    form_->steps()->setValue(static_cast<int>(options.max_steps));
}

QString TrainView::doneText() const {
    const auto& log = bridge().training();
    const std::int64_t steps = stepsDone();
    if (!log || steps == 0 || log->steps_an_epoch() == 0) return {};
    const std::int64_t whole = steps / log->steps_an_epoch();
    const session::TrainOptions plan = optionsToGoOn();
    const std::int64_t all = plan.epochs * log->steps_an_epoch();
    const bool isCutShort = plan.max_steps > 0 && plan.max_steps < all;
    const bool isPart = steps % log->steps_an_epoch() != 0;
    const int wanted = form_->epochs()->value();
    QString done =
        whole >= wanted
            ? tr("%1 done (%2)").arg(counted(whole, "epoch"), counted(steps, "step"))
            : tr("%1 of %2 done (%3)").arg(countText(whole), counted(wanted, "epoch"), counted(steps, "step"));
    if (isPart) done += tr(", in the middle of epoch %1").arg(whole + 1);
    const QString more =
        isCutShort ? tr("%1, to step %2").arg(counted(plan.max_steps - steps, "more step")).arg(plan.max_steps)
        : isPart   ? tr("%1, to the end of epoch %2").arg(counted(all - steps, "more step")).arg(plan.epochs)
                   : tr("%1, to the end of epoch %2").arg(counted(plan.epochs - whole, "more epoch")).arg(plan.epochs);
    return tr("%1. Go on trains %2; Train begins a new training.").arg(done, more);
}

void TrainView::pauseOrGoOn() {
    if (bridge().isPaused())
        bridge().run();
    else
        bridge().session().pause();
}

void TrainView::showState() {
    const bool hasModel =
        bridge().model() != nullptr && bridge().model()->cannot_run.empty() && bridge().model()->recorded_in.empty();
    const bool isTraining = bridge().isTraining();
    const bool isPaused = bridge().isPaused();
    const bool isFree = hasModel && !bridge().isBusy() && !isPaused;
    const auto allow = [](QToolButton* button, bool can, const QString& tip, const QString& whyNot) {
        button->setEnabled(can);
        button->setToolTip(can ? tip : tr("Not now: %1").arg(whyNot));
    };
    const QString notFree = !hasModel ? tr("no model is open") : tr("something runs; stop it first");
    // A new training would lose the end of this one.
    const bool isPast = bridge().isAtPastStep();
    const QString past = tr("the model is at an earlier step; go on from there or back to the end");
    const QString start = tr("Trains from the model as it is now, with a new optimiser");
    allow(start_, isFree && !isPast, start, isPast ? past : notFree);
    allow(more_, isFree && bridge().training() != nullptr,
          tr("More steps with the same optimiser and data. %1").arg(doneText()).trimmed(),
          !bridge().training() ? tr("nothing was trained yet") : notFree);
    allow(pause_, isTraining,
          isPaused ? tr("Goes on from inside the step") : tr("Stops inside the next step, for every panel to look at"),
          tr("nothing is being trained"));
    pause_->setText(isPaused && isTraining ? tr("Continue") : tr("Pause"));
    pause_->setIcon(themeIcon(isPaused && isTraining ? QStringLiteral("run") : QStringLiteral("pause")));
    allow(stop_, isTraining, tr("Ends the training; the model keeps what it has learned"),
          tr("nothing is being trained"));
    allow(save_, hasModel, tr("Writes the weights as they are now, or the training with its optimiser"),
          tr("no model is open"));
    for (QAction* action : {anew_, resume_}) action->setEnabled(isFree && !isPast);
    save_checkpoint_->setEnabled(bridge().training() != nullptr);
    save_checkpoint_->setToolTip(
        bridge().training()
            ? tr("Model, optimiser, schedule, epoch, step and random numbers, for torch.load and to go on from")
            : tr("Not now: nothing was trained yet"));
    form_->setRunning(isTraining);
    form_->showDone(isTraining ? QString() : doneText());
    plots_->setWhyNotLookedAt(whyNotLookedAt());
    const session::Status& status = bridge().status();
    const QString inside =
        isWatched() ? text(status.why) : tr("inside step %1: %2").arg(status.training_step).arg(text(status.why));
    state_->setText(isPaused && isTraining ? inside : isTraining ? text(status.progress) : text(status.error));
    state_->setToolTip(state_->text());
    showPast();
    showWatched();
    arrange();
}

void TrainView::chooseWeights() {
    const QString file = EngineFiles::getSaveFileName(this, tr("Save weights"), QStringLiteral("weights.pt"),
                                                      tr("Weights (*.pt *.pth *.safetensors *.npz)"));
    if (!file.isEmpty()) saveWeights(file);
}

void TrainView::chooseCheckpoint() {
    const QString file = EngineFiles::getSaveFileName(this, tr("Save the training"), QStringLiteral("checkpoint.pt"),
                                                      tr("Checkpoints (*.pt *.pth)"));
    if (!file.isEmpty()) saveCheckpoint(file);
}

void TrainView::chooseResume() {
    const QString file = EngineFiles::getOpenFileName(this, tr("Go on with a training"), {},
                                                      tr("Checkpoints (*.pt *.pth);;All files (*)"));
    if (!file.isEmpty()) resume(file);
}

void TrainView::tellOf(const std::string& failure, const QString& done) {
    const bool failed = !failure.empty();
    bridge().addLog({.level = failed ? SessionBridge::LogEntry::Level::Error : SessionBridge::LogEntry::Level::Info,
                     .text = failed ? failure : done.toStdString(),
                     .scope = {},
                     .source = {}});
    state_->setText(failed ? text(failure) : done);
    state_->setToolTip(state_->text());
}

// done: with a place for the file.
void TrainView::tellOfSaved(const std::string& failure, const QString& file, const QString& done) {
    if (!failure.empty()) return tellOf(failure, {});
    EngineFiles::saved(file,
                       [this, guard = QPointer<TrainView>(this), done](const QString& shown, const QString& error) {
                           if (guard) tellOf(error.toStdString(), done.arg(shown));
                       });
}

void TrainView::saveWeights(const QString& file) {
    bridge().ask(QStringLiteral("save weights"), session::SaveWeightsQuery{file.toStdString()}, this,
                 [this, file, isPast = bridge().isAtPastStep()](const std::string& failure) {
                     // The end of the training is still in no file.
                     if (failure.empty())
                         bridge().setUnsaved(isPast && bridge().hasUnsavedTraining(), bridge().hasUnsavedRun());
                     tellOfSaved(failure, file, tr("weights written to %1"));
                 });
}

void TrainView::saveCheckpoint(const QString& file) {
    bridge().ask(QStringLiteral("save checkpoint"), session::SaveCheckpointQuery{file.toStdString()}, this,
                 [this, file, isPast = bridge().isAtPastStep()](const std::string& failure) {
                     if (failure.empty())
                         bridge().setUnsaved(isPast && bridge().hasUnsavedTraining(), bridge().hasUnsavedRun());
                     tellOfSaved(failure, file, tr("the training was written to %1"));
                 });
}

void TrainView::resume(const QString& file) {
    bridge().ask(QStringLiteral("resume"), session::TrainingCheckpointQuery{file.toStdString(), form_->options()}, this,
                 [this](const session::TrainingCheckpoint& found) {
                     if (!found.error.empty()) return tellOf(found.error, {});
                     session::TrainOptions options = found.options;
                     // A finished one continues for as many epochs again.
                     const int planned = options.epochs;
                     if (found.epoch >= options.epochs) options.epochs += found.epoch;
                     if (options.max_steps > 0 && found.step >= options.max_steps) options.max_steps = 0;
                     tellOf({}, tr("%1 of %2 done (%3); resuming trains %4 more, to the end of epoch %5")
                                    .arg(found.epoch)
                                    .arg(counted(planned, "epoch"), counted(found.step, "step"),
                                         counted(options.epochs - found.epoch, "epoch"))
                                    .arg(options.epochs));
                     form_->setOptions(options);
                     form_->remember();
                     bridge().train(options);
                 });
}

void TrainView::addActions(QMenu& menu) {
    for (QToolButton* button : {start_, pause_, stop_, more_}) {
        QAction* action = menu.addAction(button->text(), button, &QToolButton::click);
        action->setEnabled(button->isEnabled());
        action->setToolTip(button->toolTip());
    }
    menu.addSeparator();
    menu.addAction(anew_);
    menu.addAction(resume_);
    for (QAction* action : save_->menu()->actions())
        menu.addAction(tr("Save: %1").arg(action->text()), action, &QAction::trigger)
            ->setEnabled(action->isEnabled() && save_->isEnabled());
    menu.addSeparator();
    menu.addAction(tr("Save the curves as picture or CSV\u2026"), this,
                   [this] { savePlotAs(*plots_->curves(), QStringLiteral("training")); });
}

}  // namespace loupe::views
