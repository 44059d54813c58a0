// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QProcess>
#include <QScreen>
#include <QSettings>
#include <QTimer>

#include "app/window/actions.h"
#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/far_connection.h"
#include "app/window/far_keeper.h"
#include "app/window/help_window.h"
#include "app/window/program_recorder.h"
#include "app/window/rank_launcher.h"
#include "app/window/session_keeper.h"
#include "app/window/source_permissions.h"
#include "app/window/source_watch.h"
#include "app/window/start_page.h"
#include "app/window/status_line.h"
#include "app/window/tour_guide.h"
#include "app/window/weights_loader.h"
#include "core/base/free_memory.h"
#include "core/session/watched_programs.h"
#include "core/study/verdict.h"
#include "views/common/engine_files.h"
#include "views/common/engine_words.h"
#include "views/common/failures.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/imports.h"
#include "views/common/panel_output.h"
#include "views/common/ranks.h"
#include "views/common/setting.h"
#include "views/common/theme.h"
#include "views/inputs/input_memory.h"
#include "views/inputs/inputs_view.h"

namespace loupe::window {

using session::RunState;
using views::Theme;

namespace {

constexpr int kMaxRecent = 12;

}  // namespace

MainWindow::MainWindow()
    : bridge_(new views::SessionBridge(this)),
      actions_(new Actions(this)),
      docks_(nullptr),
      banner_(new Banner(this)),
      start_(new StartPage(this)),
      weights_(new WeightsLoader(*bridge_, *banner_, this)),
      permissions_(new SourcePermissions(*bridge_, *banner_, this)) {
    setObjectName(QStringLiteral("mainWindow"));
    views::Failures::instance().setSink(bridge_, [this](const QString& text, const QString& place) {
        using Entry = views::SessionBridge::LogEntry;
        bridge_->addLog({Entry::Level::Error,
                         tr("An error inside the program, in %1: %2").arg(place, text).toStdString(),
                         0,
                         -1,
                         {},
                         {}});
    });
    setWindowTitle(QStringLiteral("Tensorloupe"));
    setWindowIcon(views::themeIcon(QStringLiteral("tensorloupe")));
    setAcceptDrops(true);
    resize(QSize(1440, 900).boundedTo(screen()->availableSize()));
    setCentralWidget(start_);
    makeFar();
    setStatusBar(new StatusLine(*bridge_, far_, this));
    docks_ = new Docks(this, *bridge_);
    keeper_ = new SessionKeeper(*bridge_, *docks_, *this);
    if (far_) far_keeper_ = new FarKeeper(*bridge_, *keeper_, far_->address(), this);
    guide_ = new TourGuide(*this, *bridge_, *docks_, *actions_);
    launcher_ = new RankLauncher(*bridge_, this);
    connect(launcher_, &RankLauncher::started, banner_, &Banner::dismiss);
    connect(launcher_, &RankLauncher::started, this, [this] {
        if (!far_) return;
        far_->setRanks(static_cast<int>(bridge_->seatCount()));
        views::EngineFiles::instance()->findOwnFolder();
    });
    connect(launcher_, &RankLauncher::failed, this, [this](const QString& why) {
        banner_->tell(why, {{tr("Change the launcher\u2026"), [this] { askForRanks(); }}});
    });
    connect(guide_, &TourGuide::openWanted, this, &MainWindow::openFile);
    makeFileActions();
    makeEditActions();
    makeSaveActions();
    makeSettingActions();
    makeRunActions();
    makeEngineActions();
    makeFormActions();
    makeCompareActions();
    makeGoActions();
    makeEventActions();
    makeViewActions();
    makeHelpActions();
    makeMenus();
    makeToolBar();
    docks_->hideAll();
    start_->setRecentFiles(recentFiles());
    restoreGeometry(QSettings().value(QStringLiteral("window/geometry")).toByteArray());
    connectBridge();
    connectParts();
    actions_->update();
}

// The window follows the session.
void MainWindow::connectBridge() {
    connect(bridge_, &views::SessionBridge::statusChanged, this, &MainWindow::onStatus);
    connect(bridge_, &views::SessionBridge::modelChanged, this, &MainWindow::onModel);
    for (const auto signal : {&views::SessionBridge::currentChanged, &views::SessionBridge::recordingChanged,
                              &views::SessionBridge::bookmarksChanged, &views::SessionBridge::timesChanged}) {
        connect(bridge_, signal, actions_, &Actions::update);
    }
    connect(bridge_, &views::SessionBridge::panelWanted, docks_, &Docks::show);
    connect(new SourceWatch(*bridge_, this), &SourceWatch::changed, this, [this](const QString& file) {
        banner_->note(tr("%1 was changed by another program.").arg(QFileInfo(file).fileName()),
                      {{tr("Run it as it is now"), [this] { bridge_->runAgain(); }},
                       {tr("Reload"), [this] { (*actions_)[QStringLiteral("reload")]->trigger(); }}});
    });
    connect(&views::Ranks::of(*bridge_), &views::Ranks::changed, actions_, &Actions::update);
    connect(&views::Ranks::of(*bridge_), &views::Ranks::moved, actions_, &Actions::update);
    connect(&views::Ranks::of(*bridge_), &views::Ranks::studied, this, &MainWindow::tellRanks);
    connect(&views::Ranks::of(*bridge_), &views::Ranks::moved, this, &MainWindow::tellDeadRank);
    connect(bridge_->undoStack(), &QUndoStack::indexChanged, actions_, &Actions::update);
    connect(bridge_, &views::SessionBridge::unsavedChanged, this, &MainWindow::showUnsaved);
    connect(bridge_, &views::SessionBridge::olderTextRuns, this, [this] { is_older_text_ = true; });
    connect(keeper_, &SessionKeeper::refused, this, [this](const QString& why) { banner_->tell(why, {}); });
    connect(keeper_, &SessionKeeper::sharedFound, this, [this](const QString& what) {
        banner_->note(what, {{tr("Show it as it was saved"), [this] { keeper_->takeShared(); }}});
    });
    connect(keeper_, &SessionKeeper::restored, this, [this](const QString& said, session::EventId reached) {
        std::vector<Banner::Link> links;
        if (reached != 0)
            links.push_back({tr("Run to the same place"),
                             [this, reached] { startRun([this, reached] { bridge_->runToEvent(reached + 1); }); }});
        // A banner takes its room from panels that have their sizes.
        docks_->whenSettled([this, said, links] { banner_->note(said, links); });
        showUnsaved();
    });
}

// The parts of the window follow each other.
void MainWindow::connectParts() {
    connect(weights_, &WeightsLoader::openWanted, this, &MainWindow::openFile);
    connect(permissions_, &SourcePermissions::openWanted, this, &MainWindow::openFile);
    connect(permissions_, &SourcePermissions::lineWanted, this, &MainWindow::showSource);
    connect(start_, &StartPage::openFile, this, &MainWindow::openFile);
    connect(start_, &StartPage::connectWanted, this, &MainWindow::connectTo);
    connect(start_, &StartPage::attachWanted, this, &MainWindow::chooseTraining);
    connect(start_, &StartPage::pageWanted, this, [this](const QString& page, const QString& heading) {
        showManual();
        manual_->showPage(page, heading);
    });
    connect(start_, &StartPage::openDialog, this, [this] { (*actions_)[QStringLiteral("open")]->trigger(); });
    connect(static_cast<views::InputsView*>(docks_->view(QStringLiteral("inputs"))), &views::InputsView::refused, this,
            [this](const QString& why) {
                banner_->tell(why, {{tr("Choose another file\u2026"), [this] {
                                         QMenu menu;
                                         docks_->view(QStringLiteral("inputs"))->addActions(menu);
                                         menu.actions().front()->trigger();
                                     }}});
            });
    connect(&views::Imports::of(*bridge_), &views::Imports::failed, this, [this](const QString& why) {
        banner_->tell(why, {{tr("Open another\u2026"), [this] { (*actions_)[QStringLiteral("open")]->trigger(); }}});
    });
    connect(&views::Imports::of(*bridge_), &views::Imports::readingChanged, this, [this] {
        const QString& file = views::Imports::of(*bridge_).reading();
        if (!file.isEmpty())
            banner_->note(tr("Reading %1\u2026").arg(QFileInfo(file).fileName()), {});
        else
            banner_->dismiss();
    });
    connect(banner_, &Banner::placeChosen, this, [this](const QString& file, int line) {
        showSource({file.toStdString(), line, 0});
    });
    connect(&Theme::instance(), &Theme::changed, actions_, &Actions::updateIcons);
    connect(docks_, &Docks::changed, actions_, &Actions::update);
    connect(docks_, &Docks::chosen, actions_, &Actions::update);
    connect(docks_, &Docks::helpWanted, this, &MainWindow::showPanelHelp);
    connect(start_, &StartPage::startTour, this, [this](const QString& name) {
        if (const Tour* tour = findTour(name)) guide_->start(*tour);
    });
    // Who attaches to a training wants to see its curves.
    connect(bridge_, &views::SessionBridge::trainingChanged, this,
            [this, known = std::weak_ptr<const session::TrainingLog>()]() mutable {
                const auto& training = bridge_->training();
                if (!training || training->origin().program.name.empty() || training == known.lock()) return;
                known = training;
                docks_->show(QStringLiteral("train"));
            });
    connect(bridge_, &views::SessionBridge::fileWanted, this,
            [](const QString& file) { QProcess::startDetached(QCoreApplication::applicationFilePath(), {file}); });
    connect(start_, &StartPage::restoreSession, this, [this](const QString& folder) { keeper_->restore(folder); });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        freeSpaceForButtons(now);
        actions_->update();
        (*actions_)[QStringLiteral("copy")]->setEnabled(qobject_cast<QAbstractItemView*>(now) != nullptr);
    });
}

MainWindow::~MainWindow() {
    // Qt deletes what is inside once this is a mere QWidget: no signal of it, nor of the focus that moves on, may come
    // here.
    disconnect(qApp, nullptr, this, nullptr);
    disconnect(bridge_->undoStack(), nullptr, this, nullptr);
    for (QObject* inside : findChildren<QObject*>()) disconnect(inside, nullptr, this, nullptr);
    actions_->clear();
}

// --- files

// Each host has its own.
QString MainWindow::recentKey() {
    const QString host = views::EngineFiles::host().replace(QLatin1Char('/'), QLatin1Char('|'));
    return host.isEmpty() ? QStringLiteral("recentFiles") : QStringLiteral("far/recentFiles/") + host;
}

QStringList MainWindow::recentFiles() { return QSettings().value(recentKey()).toStringList(); }

void MainWindow::openFile(const QString& file) {
    if (views::EngineFiles::areFar()) return openFar(file);
    const QFileInfo info(file);
    if (!info.exists()) {
        banner_->tell(tr("%1: no such file").arg(file),
                      {{tr("Open another\u2026"), [this] { (*actions_)[QStringLiteral("open")]->trigger(); }}});
        return;
    }
    if (const auto kind = session::imported_kind(file.toStdString()); kind != session::ImportedKind::None)
        return openBeside(info.absoluteFilePath(), kind);
    whenSaved(tr("Open %1").arg(info.fileName()), [this, path = info.absoluteFilePath()] { openNow(path); });
}

// A trace or a snapshot: the model that is open stays.
void MainWindow::openBeside(const QString& file, session::ImportedKind kind) {
    banner_->dismiss();
    remember(file);
    const QString panel =
        kind == session::ImportedKind::ProfileTrace ? QStringLiteral("timeline") : QStringLiteral("memory");
    start_->hide();
    docks_->showAll();
    docks_->show(panel);
    // Without a model the other panels are empty.
    if (!bridge_->model() && !docks_->isMaximised()) docks_->toggleMaximised(panel);
    views::Imports::of(*bridge_).open(file, kind);
}

void MainWindow::openNow(const QString& file) {
    banner_->dismiss();
    opening_ = file;
    bridge_->open(opening_, file.endsWith(QLatin1String(".py")) ? views::recallConstructor(file) : QString());
}

void MainWindow::chooseRecording(std::function<void()> then) {
    const QString name = QFileInfo(views::text(bridge_->model()->title)).completeBaseName() + QStringLiteral(".loupe");
    const QString file =
        views::EngineFiles::getSaveFileName(this, tr("Save the run"), name, tr("Recorded runs (*.loupe)"));
    if (!file.isEmpty()) saveRun(file, std::move(then));
}

void MainWindow::choosePicture() {
    views::View* view = docks_->focused();
    if (!view) return;
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save a picture of %1").arg(view->accessibleName()),
        view->objectName().section(QLatin1Char('.'), -1) + QStringLiteral(".png"), tr("Pictures (*.png *.svg *.pdf)"));
    if (file.isEmpty()) return;
    if (const QString error = views::savePanel(*view, file); !error.isEmpty()) banner_->tell(error, {});
}

void MainWindow::saveRun(const QString& file, std::function<void()> then) {
    bridge_->saveRecording(
        file, keeper_->sharedState(), this, [this, file, then = std::move(then)](const std::string& error) {
            if (!error.empty())
                return banner_->tell(views::text(error), {{tr("Save elsewhere\u2026"), [this] { chooseRecording(); }}});
            tellSaved(file, tr("The run was written to %1"), then);
        });
}

void MainWindow::remember(const QString& file) {
    if (session::is_watched_socket(file.toStdString())) return;  // it ends with its program
    if (recorder_->holds(file)) return;                          // it ends with the window
    QStringList files = recentFiles();
    files.removeAll(file);
    files.prepend(file);
    while (files.size() > kMaxRecent) files.removeLast();
    QSettings().setValue(recentKey(), files);
    start_->setRecentFiles(files);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    takeFile(event->mimeData()->urls().front().toLocalFile());
}

// Arrays and images are inputs of the open model, checkpoints are loaded into it; other files are models.
void MainWindow::takeFile(const QString& file) {
    if (views::EngineFiles::areFar()) return takeFar(file);
    if (session::imported_kind(file.toStdString()) != session::ImportedKind::None) return openFile(file);
    if (!views::InputsView::feeds(file) && weights_->takes(file)) return weights_->load(file, true);
    if (!views::InputsView::feeds(file)) return openFile(file);
    if (!bridge_->model()) {
        banner_->tell(tr("%1 can feed a model, but none is open: open a model first.").arg(QFileInfo(file).fileName()),
                      {{tr("Open a model\u2026"), [this] { (*actions_)[QStringLiteral("open")]->trigger(); }}});
        return;
    }
    banner_->dismiss();
    docks_->show(QStringLiteral("inputs"));
    static_cast<views::InputsView*>(docks_->view(QStringLiteral("inputs")))->takeFile(file);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!may_close_ && !unsaved().empty() && !leavesAll()) {
        event->ignore();
        return whenSaved(tr("Quit"), [this] {
            may_close_ = true;
            close();
        });
    }
    keeper_->close();
    if (far_keeper_) far_keeper_->write();
    docks_->save();
    QSettings().setValue(QStringLiteral("window/geometry"), saveGeometry());
    // An engine far away goes on without the window.
    if (!far_) bridge_->stop();
    event->accept();
}

// --- signals of the session

void MainWindow::onStatus() {
    const session::Status& status = bridge_->status();
    const bool failed = status.state == RunState::Failed && last_state_ != RunState::Failed;
    const RunState before = last_state_;
    const bool finished = status.state == RunState::Finished && before != RunState::Finished;
    // What it says is of the run, or of the file, before.
    if (status.state == RunState::Opening && last_state_ != RunState::Opening) banner_->dismiss();
    if (status.state == RunState::Running && last_state_ != RunState::Running) {
        banner_->dismiss();
        if (std::exchange(is_older_text_, false)) {
            banner_->note(tr("What runs is the version on disk, without the edits in the editor, which are not saved."),
                          {{tr("Save the edits and run"), [this] { saveAndStart([this] { bridge_->run(); }); }}});
        }
    }
    const bool wasOpening = last_state_ == RunState::Opening;
    if (status.state == RunState::Running || status.state == RunState::Opening) was_training_ = status.is_training;
    last_state_ = status.state;
    (*actions_)[QStringLiteral("run")]->setText(bridge_->isPaused() ? tr("&Continue") : tr("&Run"));
    showUnsaved();
    const bool isStopped = bridge_->isPaused() && before != RunState::Paused;
    const bool isWorth = status.verdict && (status.verdict->severity >= session::Verdict::Severity::Warning ||
                                            status.verdict->answers_search);
    const bool isOpened = wasOpening && status.state == RunState::Ready;
    if ((finished || isStopped || isOpened) && isWorth) tellVerdict(*status.verdict);
    if (isOpened && !isWorth) tellGuesses();
    if (!failed || tellDeadRank()) return;
    if (const session::EngineEnd end = bridge_->session().engine_end(); end.kind != session::EngineEnd::Kind::None)
        return tellEngineEnd(end);
    std::vector<Banner::Link> links = permissions_->linksOfFailure();
    if (status.error_source.line > 0 && bridge_->model()) {
        links.push_back({tr("Show the line"), [this, place = status.error_source] { showSource(place); }});
    }
    if (wasOpening || !bridge_->model()) {
        links.push_back({tr("Open another\u2026"), [this] { (*actions_)[QStringLiteral("open")]->trigger(); }});
    } else {
        if (status.reached != 0) {
            links.push_back({tr("Show where"), [this, reached = status.reached] {
                                 bridge_->setCurrentEvent(reached);
                                 docks_->show(QStringLiteral("events"));
                             }});
        }
        if (was_training_)
            links.push_back({tr("Change the training"), [this] { docks_->show(QStringLiteral("train")); }});
        else
            links.push_back({tr("Change inputs"), [this] { docks_->show(QStringLiteral("inputs")); }});
    }
    banner_->tell(views::text(status.error), links, views::text(status.details));
}

// The process of the engine has ended: what it recorded is there, its elements are not.
void MainWindow::tellEngineEnd(const session::EngineEnd& end) {
    if (far_) return tellFarEnd(end);
    std::vector<Banner::Link> links;
    if (end.can_go_back) links.push_back({tr("Restart and go back there"), [this] { keeper_->restartEngine(true); }});
    links.push_back({tr("Restart"), [this] { keeper_->restartEngine(false); }});
    if (end.source.line > 0 && bridge_->model())
        links.push_back({tr("Show the line"), [this, place = end.source] { showSource(place); }});
    banner_->tell(views::text(end.text), links);
}

// A rank that has died is what the others failed by. Its engine alone cannot be started again. False: none has.
bool MainWindow::tellDeadRank() {
    views::Ranks& ranks = views::Ranks::of(*bridge_);
    const int seat = ranks.deadSeat();
    if (seat < 0) {
        dead_rank_.clear();
        return false;
    }
    const session::EngineEnd end = bridge_->sessionAt(static_cast<std::size_t>(seat)).engine_end();
    const QString said = tr("%1: %2").arg(ranks.nameOf(static_cast<std::size_t>(seat)), views::text(end.text));
    if (said == dead_rank_) return true;
    dead_rank_ = said;
    std::vector<Banner::Link> links{{tr("Show where"),
                                     [this, &ranks, seat] {
                                         ranks.goTo(static_cast<std::size_t>(seat));
                                         bridge_->setCurrentEvent(static_cast<session::EventId>(bridge_->eventCount()));
                                     }},
                                    {tr("Ranks"), [this] { docks_->show(QStringLiteral("ranks")); }}};
    if (bridge_->model()) {
        links.push_back(
            {tr("Start all again"), [this, file = views::text(bridge_->model()->path),
                                     count = static_cast<int>(bridge_->seatCount())] { runOnRanks(file, count); }});
    }
    banner_->tell(said, links);
    return true;
}

// What is wrong between the ranks of a run, once for each run.
void MainWindow::tellRanks() {
    const auto& report = views::Ranks::of(*bridge_).report();
    if (!report) {
        told_of_ranks_.clear();
        return;
    }
    if (report->findings.empty() && report->set.problems.empty()) return;
    if (views::Ranks::of(*bridge_).deadSeat() >= 0) return;  // the others are said to wait for it
    const bool isFinding = !report->findings.empty();
    const QString said = views::text(isFinding ? report->findings.front().text : report->set.problems.front());
    if (said == told_of_ranks_) return;
    told_of_ranks_ = said;
    std::vector<Banner::Link> links;
    if (isFinding)
        links.push_back({tr("Show where"),
                         [this, spot = report->findings.front().spot] { views::Ranks::of(*bridge_).goTo(spot); }});
    links.push_back({tr("Ranks"), [this] { docks_->show(QStringLiteral("ranks")); }});
    docks_->whenSettled(
        [this, said, links, isFinding] { isFinding ? banner_->tell(said, links) : banner_->note(said, links); });
}

void MainWindow::runOnRanks(const QString& file, int ranks) {
    whenSaved(tr("Run on %1 processes").arg(ranks), [this, file, ranks] {
        banner_->note(tr("Starting %1 processes\u2026").arg(ranks), {});
        launcher_->start(far_ ? file : QFileInfo(file).absoluteFilePath(), ranks);
    });
}

void MainWindow::tellGuesses() {
    const auto& model = bridge_->model();
    // What is there already concerns more.
    if (!model || model->guessed_from.empty() || !banner_->isHidden()) return;
    const QString said = views::areGuessed(*model, bridge_->inputs())
                             ? tr("Nothing says how this model is built: %1 is guessed (%2), and so are its inputs.")
                             : tr("Nothing says how this model is built: %1 is guessed (%2).");
    const auto show = [this] {
        docks_->show(QStringLiteral("inputs"));
        // Panels have their sizes afterwards.
        docks_->whenSettled(
            [this] { static_cast<views::InputsView*>(docks_->view(QStringLiteral("inputs")))->showConstructor(); });
    };
    const QString message = said.arg(views::text(model->built_as), views::engineWord(model->guessed_from));
    docks_->whenSettled([this, message, show] { banner_->note(message, {{tr("Change it"), show}}); });
}

void MainWindow::tellVerdict(const session::Verdict& verdict) {
    std::vector<Banner::Link> links;
    if (verdict.event != 0) {
        links.push_back({tr("Show where"), [this, event = verdict.event] {
                             bridge_->setCurrentEvent(event);
                             docks_->show(QStringLiteral("events"));
                         }});
    }
    if (verdict.source.line > 0 && bridge_->model())
        links.push_back({tr("Show the line"), [this, event = verdict.event, place = verdict.source] {
                             if (event != 0) bridge_->setCurrentEvent(event);
                             showSource(place);
                         }});
    if (verdict.answers_search && !bridge_->session().run_options().backward && !bridge_->isTraining()) {
        links.push_back({tr("Search backward too"), [this] {
                             session::RunOptions options = bridge_->runOptions();
                             options.backward = true;
                             bridge_->setRunOptions(options);
                             bridge_->runToNan();
                         }});
    }
    using Severity = session::Verdict::Severity;
    if (verdict.severity == Severity::Error)
        banner_->tell(views::text(verdict.line()), links);
    else
        banner_->note(views::text(verdict.line()), links);
}

void MainWindow::showSource(const session::SourcePlace& place) {
    // A program has paths as given; the panel needs absolute ones.
    session::SourcePlace known = place;
    if (const auto& model = bridge_->model()) {
        for (const auto& source : model->sources) {
            const bool isIt =
                source.name == place.file || QFileInfo(views::text(source.name)).fileName() == views::text(place.file);
            if (isIt) known.file = source.name;
        }
    }
    bridge_->setCurrentSource(known);
    docks_->show(QStringLiteral("source"));
}

void MainWindow::onModel() {
    const auto& model = bridge_->model();
    setWindowFilePath(model ? QString::fromStdString(model->path) : QString());
    setWindowTitle(titleOf(model ? views::text(model->title) : QString()));
    showUnsaved();
    if (model) {
        remember(QString::fromStdString(model->recorded_in.empty() ? model->path : model->recorded_in));
        start_->hide();
        docks_->showAll();
        if (!model->missing_operators.empty()) {
            QStringList missing;
            for (const auto& op : model->missing_operators) missing += views::text(op);
            banner_->tell(tr("This model cannot run: the engine lacks %1. You can still look at it.")
                              .arg(missing.join(QStringLiteral(", "))),
                          {});
        }
    } else if (views::Imports::of(*bridge_).isEmpty()) {
        docks_->hideAll();
        start_->show();
        offerLastSession();
    }
    actions_->update();
    // When what was shown of the model before has gone from every panel.
    QTimer::singleShot(1000, this, [] { return_free_memory(); });
}

void MainWindow::setThemeMode(int mode) {
    Theme::instance().setMode(static_cast<Theme::Mode>(mode));  // also where a word of the command line set another
    views::settings::kTheme.set(mode);
    actions_->update();
}

}  // namespace loupe::window
