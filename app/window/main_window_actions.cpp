// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands, its menus and its tool bar.
#include "app/window/main_window.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTimer>
#include <QToolBar>

#include "app/window/actions.h"
#include "app/window/attach_dialog.h"
#include "app/window/banner.h"
#include "app/window/chooser.h"
#include "app/window/docks.h"
#include "app/window/plugin_tables.h"
#include "app/window/rank_launcher.h"
#include "app/window/source_permissions.h"
#include "app/window/tour_guide.h"
#include "app/window/weights_loader.h"
#include "views/common/comparison.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/open_filter.h"
#include "views/common/panel_output.h"
#include "views/common/ranks.h"
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
    count->setRange(2, 1024);
    count->setValue(std::max(2, QSettings().value(QStringLiteral("ranks/count"), 4).toInt()));
    form->addRow(tr("Processes"), count);
    auto* command = new QLineEdit(RankLauncher::command(), &dialog);
    command->setMinimumWidth(520);
    command->setToolTip(
        tr("{ranks} and {engine} are filled in: mpirun or srun, with the options that your machines need"));
    form->addRow(tr("Launcher"), command);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Start"));
    for (const auto each : {QDialogButtonBox::Ok, QDialogButtonBox::Cancel}) buttons->button(each)->setIcon({});
    connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    form->addRow(buttons);
    if (dialog.exec() != QDialog::Accepted || !bridge_->model()) return;
    QSettings().setValue(QStringLiteral("ranks/count"), count->value());
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

void MainWindow::makeRunActions() {
    using session::StepKind;
    const auto notBusy = [this]() -> QString {
        if (!bridge_->model()) return tr("no model is open");
        if (!bridge_->model()->cannot_run.empty()) return views::text(bridge_->model()->cannot_run);
        if (bridge_->status().state == RunState::Opening) return tr("the model is still being opened");
        return bridge_->isBusy() ? tr("the model is running; pause it first") : QString();
    };
    const auto busy = [this] { return bridge_->isBusy() ? QString() : tr("nothing is running"); };
    const auto parked = [this] {
        return bridge_->isBusy() || bridge_->isPaused() ? QString() : tr("nothing is running");
    };
    const auto paused = [this] { return bridge_->isPaused() ? QString() : tr("the run is not paused"); };
    const auto add = [&](const char* id, const QString& text, const QString& tip, QKeyCombination key,
                         std::function<void()> run, std::function<QString()> whyNot) {
        actions_->add({id, text, tip, id, {QKeySequence(key)}, std::move(run), std::move(whyNot)});
    };
    add(
        "run", tr("&Run"), tr("Run the model, or continue"), Qt::Key_F5,
        [this] { startRun([this] { bridge_->run(); }); }, notBusy);
    makeRankActions();
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
    actions_->add({QStringLiteral("time_properly"),
                   tr("Ti&me it properly"),
                   tr("Repeat the run until it is warm, then time it: each operator gets the median and the spread, as "
                      "columns in Events, in Timeline, and in Graph's colours"),
                   {},
                   {},
                   [this] { bridge_->timeProperly(); },
                   [this] { return bridge_->whyNotTimed(); }});
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

void MainWindow::fillTourMenu(QMenu& menu) {
    for (const Tour& tour : shippedTours()) {
        QAction* action = menu.addAction(tour.title, this, [this, name = tour.name] {
            if (const Tour* found = findTour(name)) guide_->start(*found);
        });
        action->setToolTip(tour.summary);
    }
    menu.setToolTipsVisible(true);
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

void MainWindow::makeMenus() {
    const auto fill = [this](QMenu* menu, std::initializer_list<const char*> ids) {
        menu->setToolTipsVisible(true);
        for (const char* id : ids) {
            if (*id) {
                menu->addAction((*actions_)[QLatin1String(id)]);
            } else {
                menu->addSeparator();
            }
        }
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    fill(file, {"open", "open_folder", "attach", "connect"});
    recent_menu_ = file->addMenu(tr("Open &recent"));
    connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    fill(file, {"reload", "", "save", "save_source", "save_model", "save_run", "keep_written", "save_picture", "",
                "load_weights", "", "restore_at_start", "ask_for_runs", "", "close", "quit"});
    fill(menuBar()->addMenu(tr("&Edit")), {"undo", "redo", "", "copy", "find"});
    fill(menuBar()->addMenu(tr("&Run")), {"run",
                                          "pause",
                                          "stop",
                                          "stop_engine",
                                          "reconnect",
                                          "",
                                          "run_on_ranks",
                                          "order_all_ranks",
                                          "",
                                          "step_over",
                                          "step_into",
                                          "step_out",
                                          "step_back",
                                          "",
                                          "run_here",
                                          "run_nan",
                                          "run_backward",
                                          "",
                                          "time_properly",
                                          "",
                                          "breakpoint",
                                          "",
                                          "save_before_run",
                                          "",
                                          "script",
                                          "trace",
                                          "evaluate"});
    QMenu* compare = menuBar()->addMenu(tr("&Compare"));
    fill(compare, {"pin_run"});
    QMenu* pin = compare->addMenu(tr("Pin &another"));
    connect(pin, &QMenu::aboutToShow, this, [this, pin] {
        pin->clear();
        views::CompareView::fillPinMenu(*pin, *bridge_, this);
    });
    fill(compare, {"unpin", "", "divergence", "backward_divergence", "", "panel.compare"});
    fill(menuBar()->addMenu(tr("&Go")), {"goto", "palette", "", "back", "forward", "peer", "origin", "documentation",
                                         "", "bookmark", "next_bookmark", "", "next_rank", "previous_rank"});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    view->setToolTipsVisible(true);
    for (const auto& entry : views::registry().entries()) {
        view->addAction((*actions_)[QStringLiteral("panel.") + entry.description.id]);
    }
    new PluginTables(view->addMenu(tr("Tables of plugins")), *bridge_, this);
    fill(view, {"", "fit", "maximise", "reset_layout", "", "theme_system", "theme_dark", "theme_light"});
    panel_menu_ = menuBar()->addMenu(tr("&Panel"));
    panel_menu_->setObjectName(QStringLiteral("panelMenu"));
    panel_menu_->setToolTipsVisible(true);
    connect(panel_menu_, &QMenu::aboutToShow, this, &MainWindow::fillPanelMenu);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    fill(help, {"manual", "keys", "documentation", "", "about"});
    auto* tours = new QMenu(tr("Guided &tours"), help);
    fillTourMenu(*tours);
    help->insertMenu(help->actions()[3], tours);
}

void MainWindow::makeToolBar() {
    QToolBar* bar = addToolBar(tr("Run"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    for (const char* id :
         {"open",     "",          "run", "pause",        "stop",    "",         "step_over", "step_into",
          "step_out", "step_back", "",    "run_backward", "run_nan", "run_here", "",          "breakpoint",
          "bookmark", "pin_run",   "",    "back",         "forward"}) {
        if (*id) {
            bar->addAction((*actions_)[QLatin1String(id)]);
        } else {
            bar->addSeparator();
        }
    }
    auto* gap = new QWidget(bar);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(gap);
    bar->addAction((*actions_)[QStringLiteral("goto")]);
    bar->addAction((*actions_)[QStringLiteral("palette")]);

    addToolBarBreak();
    QToolBar* row = addToolBar(tr("Messages"));
    row->setObjectName(QStringLiteral("bannerBar"));
    row->setMovable(false);
    row->setContextMenuPolicy(Qt::PreventContextMenu);
    banner_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    QAction* holder = row->addWidget(banner_);
    holder->setVisible(false);
    row->hide();
    connect(banner_, &Banner::shown, docks_, &Docks::makeRoom);
    connect(banner_, &Banner::shown, row, &QWidget::setVisible);
    connect(banner_, &Banner::shown, holder, &QAction::setVisible);
}

void MainWindow::chooseTraining() {
    auto* dialog = new AttachDialog(*bridge_, this);
    connect(dialog, &AttachDialog::chosen, this, &MainWindow::openFile);
    dialog->open();
}

void MainWindow::fillRecentMenu() {
    recent_menu_->clear();
    for (const QString& file : recentFiles()) {
        connect(recent_menu_->addAction(file), &QAction::triggered, this, [this, file] { openFile(file); });
    }
    if (recent_menu_->isEmpty()) recent_menu_->addAction(tr("No files yet"))->setEnabled(false);
}

void MainWindow::fillPanelMenu() {
    panel_menu_->clear();
    if (auto* view = docks_->focused()) view->addActions(*panel_menu_);
    panel_menu_->addSeparator();
    actions_->update();
    panel_menu_->addAction((*actions_)[QStringLiteral("save_picture")]);
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

void MainWindow::openPalette() {
    std::vector<Chooser::Item> items;
    for (QAction* action : actions_->all()) {
        const QString title = QString(action->text()).remove(QLatin1Char('&'));
        const bool panel = action->objectName().startsWith(QLatin1String("action.panel."));
        items.push_back({panel ? tr("Show panel: %1").arg(title) : title,
                         action->shortcut().toString(QKeySequence::NativeText), action->icon(), action->isEnabled(),
                         action->toolTip(), [action] { action->trigger(); }});
    }
    // The panels' actions; the menus are owned with the list.
    auto chooser = [this](std::vector<Chooser::Item> all) {
        auto* dialog = new Chooser(tr("Type a command"), std::move(all), this);
        dialog->show();
        return dialog;
    };
    std::vector<QMenu*> menus;
    // Entries of menus inside it by their title too: "Pin another: In bfloat16".
    const std::function<void(const QString&, QMenu&)> addAll = [&](const QString& title, QMenu& menu) {
        for (QAction* action : menu.actions()) {
            const QString name = QStringLiteral("%1: %2").arg(title, QString(action->text()).remove(QLatin1Char('&')));
            if (action->isSeparator()) continue;
            if (action->menu() != nullptr) {
                addAll(name, *action->menu());
                continue;
            }
            items.push_back({name, action->shortcut().toString(QKeySequence::NativeText), action->icon(),
                             action->isEnabled(), action->toolTip(), [action = QPointer<QAction>(action)] {
                                 if (action) action->trigger();
                             }});
        }
    };
    menus.push_back(new QMenu);
    views::CompareView::fillPinMenu(*menus.back(), *bridge_, this);
    addAll(tr("Pin another"), *menus.back());
    for (QDockWidget* dock : docks_->all()) {
        menus.push_back(new QMenu);
        static_cast<views::View*>(dock->widget())->addActions(*menus.back());
        addAll(dock->windowTitle(), *menus.back());
    }
    Chooser* dialog = chooser(std::move(items));
    // Deleted after the chosen action has run.
    connect(dialog, &QObject::destroyed, this, [this, menus] {
        for (QMenu* menu : menus) {
            menu->setParent(this, Qt::Popup);
            QTimer::singleShot(0, menu, &QObject::deleteLater);
        }
    });
}

void MainWindow::openGoTo() {
    const auto& model = bridge_->model();
    if (!model) return;
    std::vector<Chooser::Item> items;
    const QIcon moduleIcon = views::themeIcon(QStringLiteral("modules"));
    const QIcon nodeIcon = views::themeIcon(QStringLiteral("graph"));
    for (const auto& module : model->modules) {
        const QString path = QString::fromStdString(module.path);
        items.push_back({path.isEmpty() ? tr("(model)") : path,
                         QString::fromStdString(module.class_name),
                         moduleIcon,
                         true,
                         {},
                         [this, path] { bridge_->setCurrentModule(path); }});
    }
    if (model->graph) {
        for (const auto& node : model->graph->nodes) {
            if (node.is_group || node.is_plumbing) continue;
            const QString scope = QString::fromStdString(node.scope);
            items.push_back({QString::fromStdString(node.label), scope, nodeIcon, true, {}, [this, id = node.id] {
                                 bridge_->setCurrentNode(id);
                             }});
        }
    }
    (new Chooser(tr("Go to a module or a node"), std::move(items), this))->show();
}

}  // namespace loupe::window
