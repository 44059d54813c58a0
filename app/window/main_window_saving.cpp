// SPDX-License-Identifier: GPL-3.0-or-later
// The window: marks unsaved changes and asks about them; a run always uses the visible text.

#include <QAbstractButton>
#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QTimer>

#include "app/window/actions.h"
#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/far_connection.h"
#include "app/window/help_window.h"
#include "app/window/keys_dialog.h"
#include "app/window/main_window.h"
#include "app/window/session_keeper.h"
#include "app/window/start_page.h"
#include "core/session/queries/save_checkpoint.h"
#include "core/session/queries/save_weights.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/ranks.h"
#include "views/common/setting.h"
#include "views/common/theme.h"
#include "views/source/source_view.h"
#include "views/watch/watch_view.h"

namespace loupe::window {

using session::RunState;
namespace settings = views::settings;

namespace {

QString namesOf(const std::map<QString, QString>& edits) {
    QStringList names;
    for (const auto& [file, text] : edits) names += QFileInfo(file).fileName();
    return names.join(QStringLiteral(", "));
}

}  // namespace

void MainWindow::makeSaveActions() {
    const auto noEdits = [this] { return bridge_->sourceEdits().empty() ? tr("no source was edited") : QString(); };
    const auto noModel = [this]() -> QString {
        const auto& model = bridge_->model();
        if (!model) return tr("no model is open");
        if (!model->recorded_in.empty()) return tr("this is a recorded run");
        return model->cannot_run.empty() ? QString() : tr("what is open is no model with a program");
    };
    const auto noRun = [this]() -> QString {
        if (bridge_->eventCount() == 0) return tr("nothing has run yet");
        return bridge_->isBusy() || bridge_->isPaused() ? tr("the run is not at its end") : QString();
    };
    actions_->add({"save",
                   tr("&Save"),
                   tr("Save what has the keyboard: in Source the source, in Train and Modules the model, else the run"),
                   "export",
                   {QKeySequence(Qt::CTRL | Qt::Key_S)},
                   [this] { saveFocused(); },
                   [this, noEdits, noModel, noRun] {
                       switch (saveTarget()) {
                           case Unsaved::Source:
                               return noEdits();
                           case Unsaved::Training:
                               return noModel();
                           case Unsaved::Run:
                               return noRun();
                       }
                       return QString();
                   }});
    actions_->add({"save_source",
                   tr("Save the &source"),
                   tr("Write what was edited in Source into its file"),
                   {},
                   {},
                   [this] { saveAll({Unsaved::Source}, {}); },
                   noEdits});
    actions_->add({"save_model",
                   tr("Save the &model\u2026"),
                   tr("Write the weights as they are now, or the training to go on from"),
                   {},
                   {},
                   [this] { saveTraining({}); },
                   noModel});
    actions_->add({"save_run",
                   tr("Save the &run\u2026"),
                   tr("Write events, statistics and values into a file that can be opened later, here or elsewhere"),
                   "export",
                   {},
                   [this] { chooseRecording(); },
                   noRun});
    actions_->add({"save_all_runs",
                   tr("Save the runs of all &ranks\u2026"),
                   tr("Write the run of every rank: step.loupe, step.rank1.loupe, ..., which open together"),
                   "export",
                   {},
                   [this] {
                       const QString name = QFileInfo(views::text(bridge_->model()->title)).completeBaseName();
                       const QString file = views::EngineFiles::getSaveFileName(this, tr("Save the runs of all ranks"),
                                                                                name + QStringLiteral(".loupe"),
                                                                                tr("Recorded runs (*.loupe)"));
                       if (file.isEmpty()) return;
                       views::Ranks::of(*bridge_).saveAll(
                           file, keeper_->sharedState(), this, [this, file](const QStringList& failures) {
                               if (!failures.isEmpty()) return banner_->tell(failures.join(QStringLiteral("; ")), {});
                               tellSaved(file, tr("The runs of all ranks were written to %1 and beside it"), {});
                           });
                   },
                   [this] { return views::Ranks::of(*bridge_).whyNotSaved(); }});
}

void MainWindow::makeHelpActions() {
    actions_->add({"keys",
                   tr("&Keys and commands\u2026"),
                   tr("Every command with its keys, to search in"),
                   {},
                   {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
                   [this] { showKeys(); },
                   {}});
    actions_->add({"manual",
                   tr("&Manual"),
                   tr("The pages of documentation, with a search over all of them"),
                   "help",
                   {},
                   [this] { showManual(); },
                   {}});
    actions_->add({"panel_help",
                   tr("Help on this &panel"),
                   tr("The section of the manual about the panel that has the focus"),
                   "help",
                   {QKeySequence(Qt::CTRL | Qt::Key_F1)},
                   [this] { showPanelHelp(docks_->focused()->objectName().section(QLatin1Char('.'), 1)); },
                   [this] { return docks_->focused() ? QString() : tr("no panel was chosen yet"); }});
    actions_->add(
        {"about",
         tr("&About Tensorloupe"),
         tr("The version, and where this comes from"),
         {},
         {},
         [this] {
             auto* box = new QMessageBox(
                 QMessageBox::NoIcon, tr("About Tensorloupe"),
                 tr("<b>Tensorloupe %1</b><p>A desktop inspector for neural networks: opens a model, runs it forward "
                    "and backward one operator at a time, and shows everything "
                    "on the way.</p><p>The engine is under Apache-2.0, the window under GPL-3.0-or-later.</p>")
                     .arg(QCoreApplication::applicationVersion()),
                 QMessageBox::Close, this);
             box->setAttribute(Qt::WA_DeleteOnClose);
             box->open();
         },
         {}});
}

void MainWindow::showKeys() { (new KeysDialog(this))->show(); }

void MainWindow::showManual() {
    if (!manual_) {
        manual_ = new HelpWindow(allHelpPages(), this);
        connect(manual_, &HelpWindow::panelWanted, docks_, &Docks::show);
        connect(manual_, &HelpWindow::fileWanted, this, &MainWindow::takeFile);
    }
    manual_->setVisible(true);
    manual_->raise();
    manual_->activateWindow();
}

void MainWindow::showPanelHelp(const QString& id) {
    showManual();
    manual_->showPage(QStringLiteral("panels"), headingOfPanel(manual_->pages(), id));
}

// --- unsaved changes

// The mark in the title.
void MainWindow::showUnsaved() {
    setWindowModified(!unsaved().empty());
    actions_->update();
}

std::vector<UnsavedQuestion::Item> MainWindow::unsaved() const {
    std::vector<UnsavedQuestion::Item> items;
    const auto& edits = bridge_->sourceEdits();
    if (!edits.empty()) {
        items.push_back(
            {Unsaved::Source,
             edits.size() == 1 ? tr("%1 was edited").arg(namesOf(edits)) : tr("%1 were edited").arg(namesOf(edits)),
             QStringList([&] {
                 QStringList files;
                 for (const auto& [file, text] : edits) files += file;
                 return files;
             }())
                 .join(QLatin1Char('\n'))});
    }
    if (bridge_->hasUnsavedTraining()) {
        const auto steps = bridge_->training() ? static_cast<std::int64_t>(bridge_->training()->step_count()) : 0;
        items.push_back({Unsaved::Training,
                         steps > 0 ? tr("The model has learned for %1").arg(views::counted(steps, "step"))
                                   : tr("The model has learned"),
                         tr("Its weights are in no file")});
    }
    if (bridge_->hasUnsavedRun() && !bridge_->isBusy() && settings::kAskForRuns.isOn()) {
        items.push_back(
            {Unsaved::Run,
             tr("The run of %1").arg(views::counted(static_cast<std::int64_t>(bridge_->eventCount()), "event")),
             tr("It is in no file; the session keeps it until another model is opened")});
    }
    return items;
}

void MainWindow::whenSaved(const QString& title, std::function<void()> then) {
    if (findChild<UnsavedQuestion*>()) return;  // the question is open
    const auto items = unsaved();
    if (items.empty()) return then();
    auto* question = new UnsavedQuestion(title, items, this);
    connect(question, &UnsavedQuestion::save, this,
            [this, then](const std::vector<Unsaved>& chosen) { saveAll(chosen, then); });
    connect(question, &UnsavedQuestion::discard, this, [this, then] {
        bridge_->discardSourceEdits();
        bridge_->setUnsaved(false, false);
        then();
    });
    question->show();
}

// In sequence; stops at a failure or when cancelled.
void MainWindow::saveAll(std::vector<Unsaved> which, std::function<void()> then) {
    if (which.empty()) {
        // Unticked ones are discarded.
        if (then) then();
        return;
    }
    const Unsaved first = which.front();
    which.erase(which.begin());
    const auto rest = [this, which, then] { saveAll(which, then); };
    switch (first) {
        case Unsaved::Source: {
            const QString names = namesOf(bridge_->sourceEdits());
            if (const QString failure = bridge_->saveSourceEdits(); !failure.isEmpty())
                return banner_->tell(failure, {});
            if (!names.isEmpty())
                bridge_->addLog({.text = tr("%1 was saved").arg(names).toStdString(), .scope = {}, .source = {}});
            return rest();
        }
        case Unsaved::Training:
            return saveTraining(rest);
        case Unsaved::Run:
            return chooseRecording(rest);
    }
}

void MainWindow::saveTraining(std::function<void()> then) {
    const QString checkpoint = tr("The training, to go on from (*.pt *.pth)");
    const QString weights = tr("The weights alone (*.pt *.pth *.safetensors *.npz)");
    const bool hasTraining = bridge_->training() != nullptr;
    QString chosen = hasTraining ? checkpoint : weights;
    const QString name = QFileInfo(views::text(bridge_->model()->title)).completeBaseName() +
                         (hasTraining ? QStringLiteral("-trained.pt") : QStringLiteral("-weights.pt"));
    const QString file = views::EngineFiles::getSaveFileName(
        this, tr("Save the model"), name, hasTraining ? checkpoint + QStringLiteral(";;") + weights : weights, &chosen);
    if (file.isEmpty()) return;
    // One that goes on is ended: what it has learned until then is what is saved.
    if (then && bridge_->isTraining()) bridge_->stop();
    // While an earlier step is looked at, that is what is saved; where the end would be lost, the end.
    const bool isPast = bridge_->isAtPastStep() && !then;
    if (bridge_->isAtPastStep() && then) bridge_->returnToEnd();
    const bool isWeights = file.endsWith(QLatin1String(".npz")) || file.endsWith(QLatin1String(".safetensors"));
    const bool isCheckpoint = chosen == checkpoint && hasTraining && !isWeights;
    const auto done = [this, file, isPast, then = std::move(then)](const std::string& failure) {
        if (!failure.empty())
            return banner_->tell(views::text(failure),
                                 {{tr("Save elsewhere\u2026"), [this, then] { saveTraining(then); }}});
        bridge_->setUnsaved(isPast && bridge_->hasUnsavedTraining(), bridge_->hasUnsavedRun());
        tellSaved(file, tr("the model was written to %1"), then);
    };
    if (isCheckpoint)
        bridge_->ask(QStringLiteral("save checkpoint"), session::SaveCheckpointQuery{file.toStdString()}, this, done);
    else
        bridge_->ask(QStringLiteral("save weights"), session::SaveWeightsQuery{file.toStdString()}, this, done);
}

Unsaved MainWindow::saveTarget() const {
    const views::View* view = docks_ ? docks_->focused() : nullptr;
    const QString id = view ? view->objectName().section(QLatin1Char('.'), -1) : QString();
    if (id == QLatin1String("source") && static_cast<const views::SourceView*>(view)->isEditable())
        return Unsaved::Source;
    if (id == QLatin1String("train") || id == QLatin1String("modules")) return Unsaved::Training;
    return Unsaved::Run;
}

void MainWindow::saveFocused() {
    switch (saveTarget()) {
        case Unsaved::Source:
            return saveAll({Unsaved::Source}, {});
        case Unsaved::Training:
            return saveTraining({});
        case Unsaved::Run:
            return chooseRecording();
    }
}

// --- running edited sources

void MainWindow::startRun(std::function<void()> go) {
    static_cast<views::WatchView*>(docks_->view(QStringLiteral("watch")))->takeTyped();
    const bool isNew = !bridge_->isPaused();
    if (!isNew) return go();
    if (bridge_->sourceEdits().empty())
        return bridge_->isModelBehindSource() ? bridge_->openAgainThen(std::move(go)) : go();
    if (settings::kSaveBeforeRun.isOn()) return saveAndStart(std::move(go));
    if (findChild<QMessageBox*>(QStringLiteral("runEdited"))) return;
    const QString names = namesOf(bridge_->sourceEdits());
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("Run an edited source"),
                        tr("%1 has edits that are not saved. Run it with them?").arg(names), QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("runEdited"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("\"Save and run\" writes the edits to disk first. Without them the version on disk "
           "runs; the edits stay in the editor, not saved."));
    auto* save = box->addButton(tr("Save and run"), QMessageBox::AcceptRole);
    auto* older = box->addButton(tr("Run the version on disk, without your edits"), QMessageBox::DestructiveRole);
    box->setDefaultButton(save);
    auto* always = new QCheckBox(tr("Save before every run from now on (Run menu)"), box);
    always->setChecked(true);
    box->setCheckBox(always);
    connect(save, &QAbstractButton::clicked, this, [this, always, go] {
        if (always->isChecked()) settings::kSaveBeforeRun.set(true);
        saveAndStart(go);
    });
    connect(older, &QAbstractButton::clicked, this, go);
    box->open();
}

void MainWindow::saveAndStart(std::function<void()> go) {
    saveAll({Unsaved::Source}, [this, go = std::move(go)] {
        if (bridge_->isPaused() || bridge_->isBusy()) bridge_->stop();
        bridge_->openAgainThen(go);
    });
}

// --- sessions

void MainWindow::keepSession() { keeper_->start(); }

void MainWindow::offerLastSession() { start_->setLastSession(keeper_->isKeeping() ? keeper_->last() : std::nullopt); }

void MainWindow::restoreAtStart(bool is_wanted) {
    if (restoreLast(is_wanted)) return;
    start_->focusFirst();
    lookForLast(is_wanted, 15);
}

// The start page offers it; true: it is being restored.
bool MainWindow::restoreLast(bool is_wanted) {
    const auto last = keeper_->last();
    start_->setLastSession(last);
    const bool isAtOnce = last && (is_wanted || (settings::kRestoreAtStart.isOn() && last->may_be_at_once));
    if (isAtOnce) keeper_->restore(last->folder);
    return isAtOnce;
}

// A killed process holds its lock until the system has released its resources, which may take seconds.
void MainWindow::lookForLast(bool is_wanted, int times) {
    if (times == 0) return;
    QTimer::singleShot(1000, this, [this, is_wanted, times] {
        const bool isStart = !bridge_->model() && !bridge_->isBusy() && !keeper_->isRestoring();
        if (isStart && !restoreLast(is_wanted)) lookForLast(is_wanted, times - 1);
    });
}

// --- the screen

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (was_shown_) return;
    was_shown_ = true;
    // The window manager puts its frame around a window a while after it is shown.
    for (const int after : {0, 100, 400, 1000}) QTimer::singleShot(after, this, &MainWindow::fitScreen);
}

// The first panel that draws with OpenGL has the window made anew, which loses the keyboard where no window manager
// gives it back.
bool MainWindow::event(QEvent* event) {
    if (event->type() == QEvent::WinIdChange && was_shown_) QTimer::singleShot(0, this, [this] { activateWindow(); });
    return QMainWindow::event(event);
}

// Keeps the window with its frame on the screen.
void MainWindow::fitScreen() {
    if (isMaximized() || isFullScreen() || !screen()) return;
    const QRect room = screen()->availableGeometry();
    const QRect frame = frameGeometry();
    if (room.contains(frame)) return;
    const QSize around = frame.size() - size();
    const QSize inside = size().boundedTo(room.size() - around);
    if (inside != size()) resize(inside);
    const int x = std::max(room.left(), std::min(frame.x(), room.right() + 1 - inside.width() - around.width()));
    const int y = std::max(room.top(), std::min(frame.y(), room.bottom() + 1 - inside.height() - around.height()));
    if (QPoint(x, y) != frame.topLeft()) move(x, y);
}

}  // namespace loupe::window
