// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands.
#include "app/window/main_window.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>

#include "app/window/actions.h"
#include "app/window/attach_dialog.h"
#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/rank_launcher.h"
#include "app/window/source_permissions.h"
#include "app/window/tour_guide.h"
#include "app/window/weights_loader.h"
#include "views/common/comparison.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/open_filter.h"
#include "views/common/panel_output.h"
#include "views/common/ranks.h"
#include "views/common/setting.h"
#include "views/common/theme.h"
#include "views/compare/compare_view.h"
#include "views/registry.h"

namespace loupe::window {

using session::RunState;
using views::Theme;

void MainWindow::makeFileActions() {
    const auto needModel = [this] { return bridge_->model() ? QString() : tr("no model is open"); };
    actions_->add(
        {"open",
         tr("&Open\u2026"),
         tr("Open a model file, a recorded run, a trace of PyTorch's profiler or a memory snapshot"),
         "open",
         {QKeySequence(Qt::CTRL | Qt::Key_O)},
         [this] {
             const QString file = views::EngineFiles::getOpenFileName(
                 this, tr("Open a model"), QFileInfo(recentFiles().value(0)).absolutePath(),
                 views::openFilter(tr("Models, recordings, traces and snapshots"),
                                   {QStringLiteral("*.zip"), QStringLiteral("*.json.gz"), QStringLiteral("*.pickle")}));
             if (!file.isEmpty()) openFile(file);
         },
         {}});
    actions_->add(
        {"open_folder",
         tr("Open a &folder\u2026"),
         tr("A folder of weights: .safetensors, pytorch_model.bin, or a checkpoint of torch.distributed.checkpoint"),
         "open",
         {},
         [this] {
             const QString folder = views::EngineFiles::getExistingDirectory(
                 this, tr("Open a folder"), QFileInfo(recentFiles().value(0)).absolutePath());
             if (!folder.isEmpty()) openFile(folder);
         },
         {}});
    actions_->add({"attach",
                   tr("&Attach to a training\u2026"),
                   tr("A PyTorch program that calls tensorloupe.watch(): its training is shown while it runs"),
                   "train",
                   {},
                   [this] { chooseTraining(); },
                   {}});
    makeFarActions();
    actions_->add({"reload",
                   tr("&Reload"),
                   tr("Open the file again"),
                   {},
                   {QKeySequence(Qt::CTRL | Qt::Key_R)},
                   [this] {
                       const auto& model = *bridge_->model();
                       openFile(QString::fromStdString(model.recorded_in.empty() ? model.path : model.recorded_in));
                   },
                   needModel});
    actions_->add({"keep_written",
                   tr("Save what the source &wrote\u2026"),
                   tr("Copy the files that the .py source has written, from its own folder to another"),
                   "export",
                   {},
                   [this] { permissions_->keepWritten(); },
                   [this] {
                       return permissions_->folder().isEmpty() ? tr("no source that is open has written a file")
                                                               : QString();
                   }});
    actions_->add(
        {"load_weights",
         tr("Load &weights into the model\u2026"),
         tr("A checkpoint (.pt, .pth, .safetensors, .npz) into the model that is open, as load_state_dict does"),
         "open",
         {},
         [this] { weights_->choose(); },
         [this] { return weights_->whyNot(); }});
    actions_->add({"close",
                   tr("&Close model"),
                   {},
                   {},
                   {QKeySequence(Qt::CTRL | Qt::Key_W)},
                   [this] { whenSaved(tr("Close the model"), [this] { bridge_->closeModel(); }); },
                   needModel});
    actions_->add({"quit", tr("&Quit"), {}, {}, {QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); }, {}});
}

void MainWindow::makeEditActions() {
    actions_->add({"copy",
                   tr("&Copy rows"),
                   tr("Copy the selected rows of the list that has the keyboard"),
                   {},
                   {QKeySequence(QKeySequence::Copy)},
                   [] {
                       if (const auto* view = qobject_cast<QAbstractItemView*>(QApplication::focusWidget())) {
                           QApplication::clipboard()->setText(views::selectedRowsText(*view));
                       }
                   },
                   {}});
    actions_->add({"save_picture",
                   tr("Save a &picture of the panel\u2026"),
                   tr("As PNG, SVG or PDF"),
                   "export",
                   {},
                   [this] { choosePicture(); },
                   [this] { return docks_ && docks_->focused() ? QString() : tr("no panel has the keyboard"); }});
    actions_->add({"undo",
                   tr("&Undo"),
                   tr("Undo the last change of breakpoints or layout"),
                   {},
                   {QKeySequence(Qt::CTRL | Qt::Key_Z)},
                   [this] { bridge_->undoStack()->undo(); },
                   [this] { return bridge_->undoStack()->canUndo() ? QString() : tr("nothing was changed"); }});
    actions_->add({"redo",
                   tr("&Redo"),
                   {},
                   {},
                   {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)},
                   [this] { bridge_->undoStack()->redo(); },
                   [this] { return bridge_->undoStack()->canRedo() ? QString() : tr("nothing was undone"); }});
}

void MainWindow::makeEngineActions() {
    actions_->add(
        {"stop_engine",
         tr("Stop the &engine"),
         tr("End the engine's process, whatever it does; what was recorded stays, and it can be started again"),
         {},
         {QKeySequence(QKeyCombination(Qt::CTRL | Qt::SHIFT, Qt::Key_F5))},
         [this] { bridge_->killEngine(); },
         [this] {
             if (!bridge_->session().has_engine_process()) return tr("the engine runs in the window's own process");
             const bool has_ended = bridge_->session().engine_end().kind != session::EngineEnd::Kind::None;
             return has_ended ? tr("the engine has ended") : QString();
         }});
}

// How many, and by which command.
void MainWindow::askForRanks() {
    QDialog dialog(this);
    dialog.setWindowTitle(tr("Run on N processes"));
    auto* form = new QFormLayout(&dialog);
    auto* count = new QSpinBox(&dialog);
    const views::Setting& kept = views::settings::kRankCount;
    count->setRange(kept.least, kept.most);
    count->setValue(kept.number());
    form->addRow(tr("Processes"), count);
    auto* command = new QLineEdit(RankLauncher::command(), &dialog);
    command->setMinimumWidth(520);
    command->setToolTip(
        tr("{ranks} and {engine} are filled in: mpirun or srun, with the options that your machines need"));
    form->addRow(tr("Launcher"), command);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Start"));
    connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    form->addRow(buttons);
    if (dialog.exec() != QDialog::Accepted || !bridge_->model()) return;
    kept.set(count->value());
    RankLauncher::setCommand(command->text());
    runOnRanks(views::text(bridge_->model()->path), count->value());
}

void MainWindow::makeRankActions() {
    actions_->add({"run_on_ranks",
                   tr("Run on &N processes\u2026"),
                   tr("Start the engine on several processes by mpirun or srun, and open this model in each"),
                   {},
                   {},
                   [this] { askForRanks(); },
                   [this]() -> QString {
                       if (!bridge_->model()) return tr("no model is open");
                       if (!bridge_->model()->recorded_in.empty()) return tr("a recording cannot be run");
                       return launcher_->isStarting() ? tr("processes are being started") : QString();
                   }});
    actions_->add({"order_all_ranks",
                   tr("Orders to &all ranks"),
                   tr("Run, step, stop and breakpoints are of all processes, or of the one that is shown"),
                   {},
                   {},
                   [this] { bridge_->setOrdersAllRanks(!bridge_->ordersAllRanks()); },
                   [this] { return bridge_->hasRunningRanks() ? QString() : tr("no processes run"); },
                   [this] { return bridge_->ordersAllRanks(); }});
}

static void addTimeAction(Actions& actions, views::SessionBridge& bridge) {
    actions.add({QStringLiteral("time_properly"),
                 MainWindow::tr("Ti&me it properly"),
                 MainWindow::tr(
                     "Repeat the run until it is warm, then time it: each operator gets the median and the spread, as "
                     "columns in Events, in Timeline, and in Graph's colours"),
                 {},
                 {},
                 [&bridge] { bridge.timeProperly(); },
                 [&bridge] { return bridge.whyNotTimed(); }});
}

void MainWindow::makeRunActions() {
    using session::StepKind;
    const views::Ranks& ranks = views::Ranks::of(*bridge_);
    const auto notBusy = [this, &ranks]() -> QString {
        if (!bridge_->model()) return tr("no model is open");
        if (!bridge_->model()->cannot_run.empty()) return views::text(bridge_->model()->cannot_run);
        if (bridge_->status().state == RunState::Opening) return tr("the model is still being opened");
        // A rank that is shown may wait for one that is parked.
        if (ranks.hasParked()) return {};
        return bridge_->isBusy() ? tr("the model is running; pause it first") : QString();
    };
    const auto busy = [this, &ranks] {
        return bridge_->isBusy() || ranks.hasRunning() ? QString() : tr("nothing is running");
    };
    const auto parked = [this, &ranks] {
        const bool is_under_way = bridge_->isBusy() || bridge_->isPaused() || ranks.hasParked() || ranks.hasRunning();
        return is_under_way ? QString() : tr("nothing is running");
    };
    const auto paused = [this, &ranks] {
        return bridge_->isPaused() || ranks.hasParked() ? QString() : tr("the run is not paused");
    };
    const auto add = [&](const char* id, const QString& text, const QString& tip, QKeyCombination key,
                         std::function<void()> run, std::function<QString()> whyNot) {
        actions_->add({id, text, tip, id, {QKeySequence(key)}, std::move(run), std::move(whyNot)});
    };
    add(
        "run", tr("&Run"), tr("Run the model, or continue"), Qt::Key_F5,
        [this] { startRun([this] { bridge_->run(); }); }, notBusy);
    makeRankActions();
    makeProgramActions();
    add(
        "pause", tr("&Pause"), tr("Pause before the next operator"), QKeyCombination(Qt::CTRL, Qt::Key_Pause),
        [this] { bridge_->pause(); }, busy);
    add(
        "stop", tr("&Stop"), tr("End the run; what was recorded stays"), QKeyCombination(Qt::SHIFT, Qt::Key_F5),
        [this] { bridge_->stop(); }, parked);
    add(
        "step_over", tr("Step &over"), tr("Run the next operator or module call"), Qt::Key_F10,
        [this] { startRun([this] { bridge_->step(StepKind::Over); }); }, notBusy);
    add(
        "step_into", tr("Step &into"), tr("Run the next operator, going into module calls"), Qt::Key_F11,
        [this] { startRun([this] { bridge_->step(StepKind::Into); }); }, notBusy);
    add(
        "step_out", tr("Step o&ut"), tr("Run to the end of this module call"), QKeyCombination(Qt::SHIFT, Qt::Key_F11),
        [this] { bridge_->step(StepKind::Out); }, paused);
    add(
        "step_back", tr("Step &back"), tr("Look at the event before this one"), QKeyCombination(Qt::SHIFT, Qt::Key_F10),
        [this] { bridge_->stepBack(); },
        [this] { return bridge_->currentEvent() > 1 ? QString() : tr("there is no event before"); });
    add(
        "run_here", tr("Run to &here"),
        tr("Run until before the current node; of a run of a session before, again until behind the current event"),
        QKeyCombination(Qt::CTRL, Qt::Key_F10), [this] { startRun([this] { runToHere(); }); },
        [this, notBusy] {
            const QString why = notBusy();
            if (!why.isEmpty()) return why;
            return bridge_->currentNode() >= 0 || isAtRestoredEvent() ? QString() : tr("no node is selected");
        });
    add(
        "run_nan", tr("Run to next &NaN or Inf"),
        tr("Run until an operator makes a NaN or an Inf; those that are passed on or meant are no stops"), Qt::Key_F6,
        [this] { startRun([this] { bridge_->runToNan(); }); }, notBusy);
    add(
        "origin", tr("Go to the &origin of this NaN or Inf"),
        tr("From the current event back to the one that made its NaN or Inf, over both phases"),
        QKeyCombination(Qt::SHIFT, Qt::Key_F6), [this] { bridge_->goToOrigin(); },
        [this] { return bridge_->whyNoOrigin(); });
    add(
        "run_backward", tr("Run to back&ward"), tr("Run until backward begins"), Qt::Key_F7,
        [this] { startRun([this] { bridge_->runToBackward(); }); }, notBusy);
    addTimeAction(*actions_, *bridge_);
    add(
        "breakpoint", tr("Toggle &breakpoint"),
        tr("Set or remove a breakpoint where the keyboard is, else at the current node"), Qt::Key_F9,
        [this] { toggleBreakpoint(); }, [this] { return bridge_->model() ? QString() : tr("no model is open"); });
}

// Runs beside one another.
void MainWindow::makeCompareActions() {
    views::Comparison& comparison = views::Comparison::of(*bridge_);
    const auto pinned = [&comparison] { return comparison.isOn() ? QString() : tr("no reference is pinned"); };
    actions_->add(
        {"pin_run",
         tr("&Pin this run"),
         tr("Keep this run as the reference: every panel shows how later runs, and other models, differ from it"),
         "compare",
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
         [this, &comparison] {
             comparison.pin({});
             docks_->show(QStringLiteral("compare"));
         },
         [this] { return bridge_->eventCount() > 0 ? QString() : tr("nothing has run yet"); }});
    actions_->add({"unpin",
                   tr("&Unpin the reference"),
                   tr("Panels show this run alone again"),
                   {},
                   {},
                   [&comparison] { comparison.unpin(0); },
                   pinned});
    const auto add = [&](const char* id, const QString& text, const QString& tip, QKeyCombination key,
                         session::RunPhase phase) {
        actions_->add({id,
                       text,
                       tip,
                       {},
                       {QKeySequence(key)},
                       [&comparison, phase] { comparison.goToDivergence(phase); },
                       [&comparison, phase] { return comparison.whyNoDivergence(phase); }});
    };
    add("divergence", tr("First &divergence"), tr("The first event that differs from the reference beyond tolerance"),
        QKeyCombination(Qt::CTRL, Qt::Key_D), session::RunPhase::Forward);
    add("backward_divergence", tr("First divergence in &backward"), tr("The same in backward"),
        QKeyCombination(Qt::CTRL | Qt::SHIFT, Qt::Key_D), session::RunPhase::Backward);
    connect(&comparison, &views::Comparison::pinFailed, this, [this] { docks_->show(QStringLiteral("compare")); });
    connect(&comparison, &views::Comparison::referencesChanged, actions_, &Actions::update);
    connect(&comparison, &views::Comparison::differencesChanged, actions_, &Actions::update);
}

// How to make a graph of a model source.
void MainWindow::makeFormActions() {
    using session::ModelForm;
    const struct {
        const char* id;
        QString text;
        QString tip;
        ModelForm form;
    } forms[] = {
        {"script", tr("Script this &model"),
         tr("Compile the source as torch.jit.script does; the panel Source says where it cannot"), ModelForm::Scripted},
        {"trace", tr("&Trace with these inputs"),
         tr("Run the source once on the inputs and keep the operators that ran, as torch.jit.trace does"),
         ModelForm::Traced},
        {"evaluate", tr("&Evaluate the source"), tr("Run the source statement by statement again"),
         ModelForm::Evaluated}};
    for (const auto& each : forms) {
        actions_->add({each.id,
                       each.text,
                       each.tip,
                       {},
                       {},
                       [this, form = each.form] {
                           bridge_->setForm(form);
                           docks_->show(QStringLiteral("compile"));
                       },
                       [this, form = each.form]() -> QString {
                           const auto& model = bridge_->model();
                           if (!model) return tr("no model is open");
                           if (model->form == ModelForm::AsRead)
                               return model->constructors.empty()
                                          ? tr("only a .py source is scripted or traced")
                                          : tr("the source does not say how its model is built");
                           if (bridge_->isBusy() || bridge_->isPaused()) return tr("the run is not at its end");
                           if (model->form != form) return {};
                           return form == ModelForm::Scripted ? tr("it is scripted")
                                  : form == ModelForm::Traced ? tr("it is traced")
                                                              : tr("it is evaluated");
                       }});
    }
    connect(bridge_, &views::SessionBridge::formRefused, this, [this](const QString& why) {
        // The log has the full text already.
        const auto& entry = bridge_->log().back();
        std::vector<Banner::Link> links;
        if (entry.source.line > 0)
            links.push_back({tr("Show the line"), [this, place = entry.source] { showSource(place); }});
        links.push_back({tr("Show in the log"), [this] { docks_->show(QStringLiteral("log")); }});
        banner_->tell(why, links, views::text(entry.details));
    });
}

void MainWindow::makeGoActions() {
    const auto needModel = [this] { return bridge_->model() ? QString() : tr("no model is open"); };
    actions_->add({"palette",
                   tr("Command &palette\u2026"),
                   tr("Find any command"),
                   "palette",
                   {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
                   [this] { openPalette(); },
                   {}});
    actions_->add({"goto",
                   tr("&Go to node or module\u2026"),
                   {},
                   "search",
                   {QKeySequence(Qt::CTRL | Qt::Key_P)},
                   [this] { openGoTo(); },
                   needModel});
    const auto needRanks = [this] {
        return views::Ranks::of(*bridge_).isOn() ? QString() : tr("the run has one process");
    };
    actions_->add({"next_rank",
                   tr("Next &rank"),
                   tr("Look at the next process of a distributed run, at the same event"),
                   {},
                   {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Right), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Down)},
                   [this] { views::Ranks::of(*bridge_).step(1); },
                   needRanks});
    actions_->add({"previous_rank",
                   tr("Pre&vious rank"),
                   tr("Look at the process before, at the same event"),
                   {},
                   {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Left), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Up)},
                   [this] { views::Ranks::of(*bridge_).step(-1); },
                   needRanks});
    actions_->add({"find",
                   tr("&Find in this panel"),
                   {},
                   {},
                   {QKeySequence(Qt::CTRL | Qt::Key_F)},
                   [this] {
                       if (auto* view = docks_->focused()) view->find();
                   },
                   needModel});
    actions_->add({"fit",
                   tr("Fit &everything"),
                   tr("Show all of this panel"),
                   {},
                   {QKeySequence(Qt::Key_Space)},
                   [this] {
                       if (auto* view = docks_->focused()) view->fit();
                   },
                   needModel});
}

void MainWindow::makeEventActions() {
    const auto needModel = [this] { return bridge_->model() ? QString() : tr("no model is open"); };
    const auto needEvent = [this] { return bridge_->currentEvent() ? QString() : tr("no event is selected"); };
    actions_->add({"back",
                   tr("&Back"),
                   tr("The event that was current before"),
                   "back",
                   {QKeySequence(Qt::ALT | Qt::Key_Left)},
                   [this] { bridge_->goBack(); },
                   [this] { return bridge_->canGoBack() ? QString() : tr("nothing was selected before"); }});
    actions_->add({"forward",
                   tr("&Forward"),
                   {},
                   "forward",
                   {QKeySequence(Qt::ALT | Qt::Key_Right)},
                   [this] { bridge_->goForward(); },
                   [this] { return bridge_->canGoForward() ? QString() : tr("you have not gone back"); }});
    actions_->add({"bookmark",
                   tr("Toggle book&mark"),
                   tr("Mark the current event"),
                   "bookmark",
                   {QKeySequence(Qt::CTRL | Qt::Key_B)},
                   [this] { bridge_->toggleBookmark(bridge_->currentEvent()); },
                   needEvent});
    actions_->add({"next_bookmark",
                   tr("&Next bookmark"),
                   {},
                   {},
                   {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B)},
                   [this] {
                       const auto& marks = bridge_->bookmarks();
                       const auto next = std::upper_bound(marks.begin(), marks.end(), bridge_->currentEvent());
                       bridge_->setCurrentEvent(next == marks.end() ? marks.front() : *next);
                   },
                   [this] { return bridge_->bookmarks().empty() ? tr("there are no bookmarks") : QString(); }});
    actions_->add({"documentation",
                   tr("&Documentation of the operator"),
                   tr("What the current node or event computes"),
                   "help",
                   {QKeySequence(Qt::Key_F1)},
                   [this] { docks_->show(QStringLiteral("documentation")); },
                   needModel});
    actions_->add({"peer",
                   tr("&Peer event"),
                   tr("From a backward event to its forward one, and back"),
                   {},
                   {QKeySequence(Qt::CTRL | Qt::Key_J)},
                   [this] {
                       const auto& recording = *bridge_->recording();
                       const auto& event = recording.event(bridge_->currentEvent());
                       const auto peer =
                           event.phase == session::RunPhase::Forward ? recording.backward_peer(event.id) : event.peer;
                       if (peer != 0) bridge_->setCurrentEvent(peer);
                   },
                   needEvent});
}

void MainWindow::makeViewActions() {
    const struct {
        const char* id;
        QString text;
        Theme::Mode mode;
    } themes[] = {{"theme_system", tr("&System theme"), Theme::Mode::System},
                  {"theme_dark", tr("&Dark theme"), Theme::Mode::Dark},
                  {"theme_light", tr("&Light theme"), Theme::Mode::Light}};
    for (const auto& theme : themes) {
        actions_->add({theme.id,
                       theme.text,
                       {},
                       {},
                       {},
                       [this, mode = theme.mode] { setThemeMode(static_cast<int>(mode)); },
                       {},
                       [mode = theme.mode] { return Theme::instance().mode() == mode; }});
    }
    actions_->add({"reset_layout",
                   tr("&Reset layout"),
                   tr("Put all panels where they were at first"),
                   {},
                   {},
                   [this] { docks_->resetLayout(); },
                   [this] { return bridge_->model() ? QString() : tr("no model is open"); }});
    actions_->add({"maximise",
                   tr("&Maximise the panel"),
                   tr("Give the panel that has the keyboard the room of all, or show all again: also a double click on "
                      "its title"),
                   {},
                   {QKeySequence(Qt::CTRL | Qt::Key_F11)},
                   [this] { docks_->toggleMaximised(); },
                   [this] { return bridge_->model() ? QString() : tr("no model is open"); },
                   [this] { return docks_->isMaximised(); }});
    for (const auto& entry : views::registry().entries()) {
        const auto& description = entry.description;
        actions_->add({QStringLiteral("panel.") + description.id,
                       description.title,
                       description.tip,
                       description.icon,
                       {},
                       [this, id = description.id] { docks_->show(id); },
                       [this] { return bridge_->model() ? QString() : tr("no model is open"); }});
    }
}

void MainWindow::chooseTraining() {
    auto* dialog = new AttachDialog(*bridge_, this);
    connect(dialog, &AttachDialog::chosen, this, &MainWindow::openFile);
    dialog->open();
}

// A button is pressed with Space; everywhere else it fits the view.
void MainWindow::freeSpaceForButtons(QWidget* focused) {
    const bool button = qobject_cast<QAbstractButton*>(focused) != nullptr;
    (*actions_)[QStringLiteral("fit")]->setShortcut(button ? QKeySequence() : QKeySequence(Qt::Key_Space));
}

void MainWindow::toggleBreakpoint() {
    if (auto* view = docks_->focused(); view && view->toggleBreakpoint()) return;
    if (bridge_->currentNode() >= 0) {
        bridge_->toggleNodeBreakpoint(bridge_->currentNode());
    } else {
        banner_->tell(tr("No node is selected to break at: select an event, a node in the graph or a line of source."),
                      {});
    }
}

// The event of a run of a session before: again until behind it.
bool MainWindow::isAtRestoredEvent() const {
    return bridge_->status().is_restored && bridge_->currentEvent() != 0 && !bridge_->training();
}

void MainWindow::runToHere() {
    if (isAtRestoredEvent()) return bridge_->runToEvent(bridge_->currentEvent() + 1);
    bridge_->runToNode(bridge_->currentNode());
}

}  // namespace loupe::window
