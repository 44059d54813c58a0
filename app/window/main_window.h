// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window: panels around one session, the commands, the start page.

#include <QMainWindow>

#include "views/common/session_bridge.h"

class QMenu;

namespace loupe::window {

class Actions;
class Banner;
class Docks;
class StartPage;
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

    void openFile(const QString& file);
    // What is dropped on the window: a model is opened, an array or a picture becomes an input, a checkpoint is loaded
    // into the model there is.
    void takeFile(const QString& file);
    // Writes the last run as a recording; an error is told in the banner.
    void saveRun(const QString& file);
    void openPalette();
    void openGoTo();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

  private:
    void makeFileActions();
    void makeRunActions();
    void makeFormActions();
    void makeGoActions();
    void makeViewActions();
    void makeMenus();
    void makeToolBar();
    void fillRecentMenu();
    void fillPanelMenu();
    void toggleBreakpoint();
    void runToHere();
    void showSource(const session::SourcePlace& place);
    void onStatus();
    void tellVerdict(const session::Verdict& verdict);
    void onModel();
    void chooseRecording();
    void choosePicture();
    void remember(const QString& file);
    void setThemeMode(int mode);
    void freeSpaceForButtons(QWidget* focused);

    views::SessionBridge* bridge_;
    Actions* actions_;
    Docks* docks_;
    Banner* banner_;
    StartPage* start_;
    WeightsLoader* weights_;
    SourcePermissions* permissions_;
    QMenu* recent_menu_ = nullptr;
    QMenu* panel_menu_ = nullptr;
    QString opening_;
    session::RunState last_state_ = session::RunState::Empty;
    bool was_training_ = false;  // what ran last
};

}  // namespace loupe::window
