// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One dock for each panel of the registry, and their layout.

#include <QDockWidget>
#include <QMainWindow>
#include <QPointer>
#include <QSet>
#include <QTimer>
#include <QUndoStack>
#include <functional>
#include <vector>

#include "views/common/view.h"

namespace loupe::window {

class Docks : public QObject {
    Q_OBJECT

  public:
    Docks(QMainWindow* window, views::SessionBridge& bridge);

    const std::vector<QDockWidget*>& all() const { return docks_; }
    views::View* view(const QString& id) const;
    // The panel that was chosen last: by its tab or title, a click in it, or the keyboard; null at first.
    views::View* focused() const { return focused_; }
    // Opens the panel, raises it and gives it the focus; not while all are hidden.
    void show(const QString& id);
    // Hides all docks, or restores them.
    void hideAll();
    void showAll();
    void resetLayout();
    void save() const;
    // The layout of the panels, to be restored: without maximising.
    QByteArray layoutState() const;
    // False, without effect, when it is no layout of this program.
    bool takeLayout(const QByteArray& state);

    // Maximises one panel, or restores the others. id: of the panel; empty: the focused one.
    void toggleMaximised(const QString& id = {});
    // Panels slide to their place.
    void setAnimated(bool on);
    bool isMaximised() const { return maximised_ != nullptr; }
    // A bar beside the panels is about to be shown or hidden. When it goes every panel has the size of before, unless
    // the user resized one meanwhile.
    void makeRoom(bool is_shown);
    // No change of the layout is in progress.
    // When panels have the sizes of the layout that was just taken: at once where none was.
    void whenSettled(std::function<void()> work);
    bool isSettled() const {
        const bool are_sizes = !resizing_ && (!is_returning_ || maximised_ || hidden_);
        return !tidying_ && !changing_ && !arranging_ && are_sizes;
    }

  signals:
    // Panels were moved, floated, closed or maximised.
    void changed();
    // Another panel was chosen.
    void chosen();
    // Asked for in the menu of the panel's title.
    void helpWanted(const QString& id);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // Keeps the shares of columns, and of the row below, when the window is resized: Qt gives all to one of them.
    void noteShares();
    void keepShares();
    void holdShares();
    // Sizes of the panels in front, while a bar takes room from them.
    void holdSizes();
    // Of the bar of the group that the dock is in, or 0.
    int tabHeight(const QDockWidget* dock) const;
    bool restoreState(const QByteArray& state);
    void returnSizes();
    void choose(views::View* view);
    // Chosen by a click that moves no keyboard focus: on a tab, a title, a button.
    void chooseByClick(QWidget* clicked, const QPoint& at);
    QDockWidget* inFront(QDockWidget* dock) const;
    QDockWidget* first(views::Place place) const;
    void placeNewcomers();
    void takePlace();
    void arrange();
    void resizeToDefault(std::initializer_list<std::pair<QDockWidget*, int>> sizes, Qt::Orientation orientation);
    void tidySoon();
    // A panel was moved, floated or closed: that can be undone. Another tab in front cannot.
    void noteChange();
    void pushChange();
    void restore(const QByteArray& state);
    class LayoutEdit;
    void tidy();
    void maximise(QDockWidget* dock);
    void unmaximise();
    // The dock whose title or tab is at that position of the widget; null elsewhere.
    QDockWidget* titleAt(QObject* watched, const QPoint& at) const;
    void showTitleMenu(QDockWidget* dock, const QPoint& at);
    QDockWidget* dock(const QString& id) const;

    QMainWindow* window_;
    QUndoStack* undo_;
    std::vector<QDockWidget*> docks_;
    std::vector<views::Place> described_;
    std::vector<views::Place> places_;  // in this window, see arrange()
    QPointer<views::View> focused_;
    QPointer<QDockWidget> maximised_;
    QByteArray before_maximised_;
    QByteArray state_;
    bool hidden_ = false;
    bool tidying_ = false;
    std::vector<std::function<void()>> waiting_;
    QByteArray settled_;  // the layout before the current change
    QSet<QDockWidget*> closed_;
    bool arranging_ = false;
    bool changing_ = false;
    bool resizing_ = false;
    QTimer keeping_;
    QTimer calm_;
    QSize calm_size_;                                            // of the window, when it was resized last
    std::vector<std::pair<QPointer<QDockWidget>, QSize>> held_;  // empty: no bar is shown
    QSize held_window_;
    bool is_dragging_ = false;   // the user moves a border
    bool is_returning_ = false;  // the bar has gone, the sizes are not back yet
    double left_share_ = 0;
    double right_share_ = 0;
    double bottom_share_ = 0;
};

}  // namespace loupe::window
