// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window: panels around one session, the commands, the start page.

#include <QMainWindow>
#include <functional>
#include <vector>

#include "app/window/unsaved_question.h"
#include "core/session/imported_file.h"
#include "views/common/session_bridge.h"

class QMenu;

namespace loupe::views {
struct Setting;
}

namespace loupe::window {

class Actions;
class Banner;
class Docks;
class FarConnection;
class FarKeeper;
class HelpWindow;
class ProgramRecorder;
class RankLauncher;
class SessionKeeper;
class StartPage;
class TourGuide;
class SourcePermissions;
class WeightsLoader;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    MainWindow();
    ~MainWindow() override;

    views::SessionBridge& bridge() { return *bridge_; }
    Docks& docks() { return *docks_; }
    WeightsLoader& weights() { return *weights_; }
    SourcePermissions& permissions() { return *permissions_; }
    SessionKeeper& keeper() { return *keeper_; }
    TourGuide& guide() { return *guide_; }

    // Starts saving the session, to be restored by the next window.
    void keepSession();
    // Restores the last session by setting or request; else the start page offers it.
    void restoreAtStart(bool is_wanted);

    // Asks first about unsaved changes.
    void openFile(const QString& file);
    // A program to attach to.
    void chooseTraining();
    // The same of the one that is called so, or the only one, where the engine is far away.
    void attachFar(const QString& name);
    // Files dropped on the window: a model is opened, an array or an image becomes an input, a checkpoint is loaded
    // into the open model.
    void takeFile(const QString& file);
    // Writes the last run as a recording; errors are shown in the banner.
    void saveRun(const QString& file, std::function<void()> then = {});
    // The target of Ctrl+S, by the focused panel.
    Unsaved saveTarget() const;
    // Starts that many engines by the launcher's command, and opens the file in each.
    void runOnRanks(const QString& file, int ranks);
    // Runs the source as a program on that many processes, and opens what they recorded.
    void recordProgram(const QString& file, int ranks);
    void openPalette();
    void showKeys();
    void showManual();
    // The manual at the section of that panel.
    void showPanelHelp(const QString& id);
    void openGoTo();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool event(QEvent* event) override;

  private:
    static QString recentKey();
    static QStringList recentFiles();
    void tellRanks();
    bool tellDeadRank();
    void askForRanks();
    void makeProgramActions();
    void askForProgram();
    void showProgram(const QString& recording, const QString& why);
    // Of an engine far away.
    void makeFar();
    void makeFarActions();
    void makeRankActions();
    void openFar(const QString& file);
    void takeFar(const QString& file);
    void sendThere(const QString& file, std::function<void(const QString& there)> then);
    void showCopying(const QString& what, double part);
    void tellFarEnd(const session::EngineEnd& end);
    void tellEarlierEnd(const session::EngineEnd& end);
    void showFar();
    void sayConnecting();
    bool leavesAll() const;
    QString titleOf(const QString& model) const;
    // Empty: it is asked for.
    void connectTo(const QString& address);
    // The engine has written a file for the user. done: with a place for its name.
    void tellSaved(const QString& file, const QString& done, const std::function<void()>& then);
    void connectBridge();
    void connectParts();
    void makeFileActions();
    void makeEditActions();
    void makeSaveActions();
    void makeSettingActions();
    void makeHelpActions();
    void makeRunActions();
    void makeEngineActions();
    void makeFormActions();
    void makeCompareActions();
    void makeGoActions();
    void makeEventActions();
    void makeViewActions();
    void makeMenus();
    void makeToolBar();
    void fillRecentMenu();
    void fillPanelMenu();
    void fillTourMenu(QMenu& menu);
    void toggleBreakpoint();
    void runToHere();
    bool isAtRestoredEvent() const;
    void showSource(const session::SourcePlace& place);
    void onStatus();
    // Where nothing says how a source's model is built.
    void tellEngineEnd(const session::EngineEnd& end);
    void tellGuesses();
    void tellVerdict(const session::Verdict& verdict);
    void onModel();
    void openBeside(const QString& file, session::ImportedKind kind);
    void openNow(const QString& file);
    // Runs the action when no unsaved changes are lost: at once, or after the user has saved or discarded them.
    void whenSaved(const QString& title, std::function<void()> then);
    std::vector<UnsavedQuestion::Item> unsaved() const;
    void saveAll(std::vector<Unsaved> which, std::function<void()> then);
    void saveTraining(std::function<void()> then);
    void saveFocused();
    // Starts a run; an edited source is saved first, or the user chooses what to run.
    void startRun(std::function<void()> go);
    void saveAndStart(std::function<void()> go);
    void showUnsaved();
    void offerLastSession();
    bool restoreLast(bool is_wanted);
    void lookForLast(bool is_wanted, int times);
    void fitScreen();
    void chooseRecording(std::function<void()> then = {});
    void choosePicture();
    void remember(const QString& file);
    void setThemeMode(int mode);
    void showSettings();
    void takeSetting(const views::Setting* setting);
    void freeSpaceForButtons(QWidget* focused);

    views::SessionBridge* bridge_;
    Actions* actions_;
    FarConnection* far_ = nullptr;  // null: the engine is on this machine
    FarKeeper* far_keeper_ = nullptr;
    bool was_connected_ = false;
    int copying_note_ = 0;  // of the banner, about a file that is copied; 0: none is
    Docks* docks_;
    Banner* banner_;
    StartPage* start_;
    WeightsLoader* weights_;
    SourcePermissions* permissions_;
    SessionKeeper* keeper_ = nullptr;
    TourGuide* guide_ = nullptr;
    RankLauncher* launcher_ = nullptr;
    ProgramRecorder* recorder_ = nullptr;
    HelpWindow* manual_ = nullptr;  // created on first use
    QMenu* recent_menu_ = nullptr;
    QMenu* panel_menu_ = nullptr;
    QString opening_;
    session::RunState last_state_ = session::RunState::Empty;
    bool was_training_ = false;  // the last run
    bool may_close_ = false;     // the user has confirmed, or nothing is unsaved
    bool was_shown_ = false;
    bool is_older_text_ = false;  // the source was edited since it was opened
    QString told_of_ranks_;       // what was said of the ranks of this run
    QString dead_rank_;           // what was said of it
};

}  // namespace loupe::window
