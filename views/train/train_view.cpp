// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/train_view.h"

#include <QFileDialog>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/plot_style.h"

namespace loupe::views {

ViewDescription TrainView::describe() {
    return {QStringLiteral("train"), tr("Train"),
            tr("Trains the model: data, loss, optimiser and schedule on the left, how it goes on the right. Pause stops inside a step, where every other panel shows it."),
            QStringLiteral("train"), Place::Centre};
}

TrainView::TrainView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    const auto button = [this](const QString& icon, const QString& words, const QString& name, auto slot) {
        auto* made = new QToolButton(this);
        made->setObjectName(name);
        made->setIcon(themeIcon(icon));
        made->setText(words);
        made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        made->setAccessibleName(words);
        connect(made, &QToolButton::clicked, this, slot);
        return made;
    };
    start_ = button(QStringLiteral("run"), tr("Train"), QStringLiteral("trainStart"), &TrainView::train);
    pause_ = button(QStringLiteral("pause"), tr("Pause"), QStringLiteral("trainPause"), &TrainView::pauseOrGoOn);
    stop_ = button(QStringLiteral("stop"), tr("Stop"), QStringLiteral("trainStop"), [this] { this->bridge().session().stop(); });
    more_ = button(QStringLiteral("forward"), tr("Go on"), QStringLiteral("trainMore"), &TrainView::goOn);
    save_ = button(QStringLiteral("export"), tr("Save"), QStringLiteral("trainSave"), [] {});
    makeMenus();
    state_ = new QLabel(this);
    state_->setProperty("faint", true);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    bar->setSpacing(4);
    for (QWidget* widget : {start_, pause_, stop_, more_, save_}) bar->addWidget(widget);
    bar->addWidget(state_, 1);
    state_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    auto* splitter = new QSplitter(Qt::Horizontal, this);
    auto* scroll = new QScrollArea(splitter);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    form_ = new TrainForm(scroll);
    scroll->setWidget(form_);
    scroll->setMinimumWidth(252);
    plots_ = new TrainPlots(splitter);
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({264, 440});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter, 1);

    data_timer_.setSingleShot(true);
    data_timer_.setInterval(300);
    connect(&form_->data(), &DataForm::changed, &data_timer_, qOverload<>(&QTimer::start));
    connect(&data_timer_, &QTimer::timeout, this, &TrainView::lookAtData);
    connect(&bridge, &SessionBridge::modelChanged, this, &TrainView::showModel);
    connect(&bridge, &SessionBridge::statusChanged, this, &TrainView::showState);
    connect(&bridge, &SessionBridge::trainingChanged, this, [this] {
        plots_->show(this->bridge().training());
        showState();
    });
    showModel();
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
    save->addAction(tr("Weights\u2026"), this, &TrainView::chooseWeights)->setToolTip(tr("The model's parameters and buffers: .pt, .pth, .npz"));
    save_checkpoint_ = save->addAction(tr("Checkpoint of the training\u2026"), this, &TrainView::chooseCheckpoint);
    save_->setMenu(save);
    save_->setPopupMode(QToolButton::InstantPopup);
}

// What the data is, as soon as it is named.
void TrainView::lookAtData() {
    const session::DataSpec data = form_->data().data();
    bridge().setTrainingData(data);
    if (data.path.empty() || bridge().isTraining()) return;
    bridge().ask<session::DataSummary>(
        this,
        [this, path = data.path](const session::DataSummary& summary) {
            if (form_->data().data().path == path) form_->data().showSummary(summary);
        },
        [&](auto reply) { bridge().session().request_data_summary("train data", data, reply); });
}

void TrainView::showModel() {
    if (bridge().model() && !bridge().isTraining()) form_->setModel(*bridge().model());
    plots_->show(bridge().training());
    showState();
}

void TrainView::train() {
    form_->remember();
    bridge().train(form_->options());
}

void TrainView::trainAnew() {
    bridge().ask<std::string>(
        this,
        [this](const std::string& failure) {
            if (!failure.empty()) return tellOf(failure, {});
            bridge().tellWeightsChanged();
            train();
        },
        [&](auto reply) { bridge().session().request_reset_parameters("", form_->options().seed, reply); });
}

void TrainView::goOn() {
    session::TrainOptions options = form_->options();
    // A training that is done goes on for as many epochs again.
    const auto& log = bridge().training();
    const auto done = log && log->steps_an_epoch() > 0 ? static_cast<int>(static_cast<std::int64_t>(log->step_count()) / log->steps_an_epoch()) : 0;
    if (done >= options.epochs) options.epochs += done;
    bridge().trainOn(options);
}

void TrainView::pauseOrGoOn() {
    if (bridge().isPaused()) bridge().run();
    else bridge().session().pause();
}

void TrainView::showState() {
    const bool hasModel = bridge().model() != nullptr && bridge().model()->cannot_run.empty() && bridge().model()->recorded_in.empty();
    const bool isTraining = bridge().isTraining();
    const bool isPaused = bridge().isPaused();
    const bool isFree = hasModel && !bridge().isBusy() && !isPaused;
    const auto allow = [](QToolButton* button, bool can, const QString& tip, const QString& whyNot) {
        button->setEnabled(can);
        button->setToolTip(can ? tip : tr("Not now: %1").arg(whyNot));
    };
    const QString notFree = !hasModel ? tr("no model is open") : tr("something runs; stop it first");
    allow(start_, isFree, tr("Trains from the model as it is now, with a new optimiser"), notFree);
    allow(more_, isFree && bridge().training() != nullptr, tr("More steps with the same optimiser and data"), !bridge().training() ? tr("nothing was trained yet") : notFree);
    allow(pause_, isTraining, isPaused ? tr("Goes on from inside the step") : tr("Stops inside the next step, for every panel to look at"), tr("nothing is being trained"));
    pause_->setText(isPaused && isTraining ? tr("Continue") : tr("Pause"));
    pause_->setIcon(themeIcon(isPaused && isTraining ? QStringLiteral("run") : QStringLiteral("pause")));
    allow(stop_, isTraining, tr("Ends the training; the model keeps what it has learned"), tr("nothing is being trained"));
    allow(save_, hasModel, tr("Writes the weights as they are now, or the training with its optimiser"), tr("no model is open"));
    for (QAction* action : {anew_, resume_}) action->setEnabled(isFree);
    save_checkpoint_->setEnabled(bridge().training() != nullptr);
    save_checkpoint_->setToolTip(bridge().training() ? tr("Model, optimiser, schedule, epoch, step and random numbers, for torch.load and to go on from") : tr("Not now: nothing was trained yet"));
    form_->setRunning(isTraining);
    const session::Status& status = bridge().status();
    state_->setText(isPaused && isTraining ? tr("inside a step: %1").arg(text(status.why)) : isTraining ? text(status.progress) : text(status.error));
    state_->setToolTip(state_->text());
}

void TrainView::chooseWeights() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save weights"), QStringLiteral("weights.pt"), tr("Weights (*.pt *.pth *.npz)"));
    if (!file.isEmpty()) saveWeights(file);
}

void TrainView::chooseCheckpoint() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the training"), QStringLiteral("checkpoint.pt"), tr("Checkpoints (*.pt *.pth)"));
    if (!file.isEmpty()) saveCheckpoint(file);
}

void TrainView::chooseResume() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Go on with a training"), {}, tr("Checkpoints (*.pt *.pth);;All files (*)"));
    if (!file.isEmpty()) resume(file);
}

void TrainView::tellOf(const std::string& failure, const QString& done) {
    const bool failed = !failure.empty();
    bridge().addLog({.level = failed ? SessionBridge::LogEntry::Level::Error : SessionBridge::LogEntry::Level::Info, .text = failed ? failure : done.toStdString(), .scope = {}, .source = {}});
    state_->setText(failed ? text(failure) : done);
    state_->setToolTip(state_->text());
}

void TrainView::saveWeights(const QString& file) {
    bridge().ask<std::string>(
        this,
        [this, file](const std::string& failure) {
            if (failure.empty()) bridge().setUnsaved(false, bridge().hasUnsavedRun());
            tellOf(failure, tr("weights written to %1").arg(file));
        },
        [&](auto reply) { bridge().session().request_save_weights("save weights", file.toStdString(), reply); });
}

void TrainView::saveCheckpoint(const QString& file) {
    bridge().ask<std::string>(
        this,
        [this, file](const std::string& failure) {
            if (failure.empty()) bridge().setUnsaved(false, bridge().hasUnsavedRun());
            tellOf(failure, tr("the training was written to %1").arg(file));
        },
        [&](auto reply) { bridge().session().request_save_checkpoint("save checkpoint", file.toStdString(), reply); });
}

void TrainView::resume(const QString& file) {
    bridge().ask<session::TrainingCheckpoint>(
        this,
        [this](const session::TrainingCheckpoint& found) {
            if (!found.error.empty()) return tellOf(found.error, {});
            session::TrainOptions options = found.options;
            // One that is done goes on for as many epochs again.
            if (found.epoch >= options.epochs) options.epochs += found.epoch;
            if (options.max_steps > 0 && found.step >= options.max_steps) options.max_steps = 0;
            form_->setOptions(options);
            form_->remember();
            bridge().train(options);
        },
        [&](auto reply) { bridge().session().request_training_checkpoint("resume", file.toStdString(), form_->options(), reply); });
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
    for (QAction* action : save_->menu()->actions()) menu.addAction(tr("Save: %1").arg(action->text()), action, &QAction::trigger)->setEnabled(action->isEnabled() && save_->isEnabled());
    menu.addSeparator();
    menu.addAction(tr("Save the curves as picture or CSV\u2026"), this, [this] { savePlotAs(*plots_->curves(), QStringLiteral("training")); });
}

}  // namespace loupe::views
