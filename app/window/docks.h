// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One dock for each panel of the registry, and how they stand.

#include <QDockWidget>
#include <QMainWindow>
#include <QPointer>
#include <QSet>
#include <QTimer>
#include <QUndoStack>
#include <vector>

#include "views/common/view.h"

namespace loupe::window {

class Docks : public QObject {
    Q_OBJECT

  public:
    Docks(QMainWindow* window, views::SessionBridge& bridge);

    const std::vector<QDockWidget*>& all() const { return docks_; }
    views::View* view(const QString& id) const;
    // The panel that has, or last had, the keyboard; null at first.
    views::View* focused() const { return focused_; }
    // Opens the panel, brings it to the front and gives it the keyboard.
    void show(const QString& id);
    // All docks away, to be brought back as they were.
    void hideAll();
    void showAll();
    void resetLayout();
    void save() const;
    // Something that comes or goes beside the panels takes or leaves them room: they keep their shares of it.
    void holdShares();
    // No change of the layout is under way.
    bool isSettled() const { return !tidying_ && !changing_ && !arranging_ && !resizing_; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // A window that grows or shrinks leaves each column, and the row below, its share: alone it gives all to one of them.
    void noteShares();
    void keepShares();
    QDockWidget* inFront(QDockWidget* dock) const;
    QDockWidget* first(views::Place place) const;
    void placeNewcomers();
    void arrange();
    void resizeToDefault(std::initializer_list<std::pair<QDockWidget*, int>> sizes, Qt::Orientation orientation);
    void tidySoon();
    // A panel was moved, floated or closed: that can be undone. Another tab in front cannot.
    void noteChange();
    void pushChange();
    void restore(const QByteArray& state);
    class LayoutEdit;
    void tidy();
    QDockWidget* dock(const QString& id) const;

    QMainWindow* window_;
    QUndoStack* undo_;
    std::vector<QDockWidget*> docks_;
    std::vector<views::Place> places_;
    QPointer<views::View> focused_;
    QByteArray state_;
    bool hidden_ = false;
    bool tidying_ = false;
    QByteArray settled_;  // how the panels stood before the change under way
    QSet<QDockWidget*> closed_;
    bool arranging_ = false;
    bool changing_ = false;
    bool resizing_ = false;
    QTimer keeping_;
    QTimer calm_;
    QSize calm_size_;  // of the window, when it was resized last
    double left_share_ = 0;
    double right_share_ = 0;
    double bottom_share_ = 0;
};

}  // namespace loupe::window
