// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The base of panels, and their list. A view is a class with a static describe() and one line in registry.cpp.

#include <QJsonObject>
#include <QMenu>
#include <QWidget>
#include <functional>
#include <vector>

#include "views/common/cut_texts.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

// The position of a panel in the default layout.
enum class Place { Left, LeftBelow, Centre, Right, Bottom };

struct ViewDescription {
    QString id;     // "events": of settings, reports and tests
    QString title;  // "Events"
    QString tip;    // the contents and purpose of the panel
    QString icon;   // of views/common/icons.h
    Place place = Place::Bottom;
};

class View : public QWidget {
    Q_OBJECT

  public:
    View(SessionBridge& bridge, QWidget* parent);

    SessionBridge& bridge() const { return bridge_; }

    // Ctrl+F: puts the keyboard where this panel is searched.
    virtual void find() {}
    // Space: shows all of it.
    virtual void fit() {}
    // F9 in this panel. False: it has no breakpoint target, the current node is used.
    virtual bool toggleBreakpoint() { return false; }
    // Actions of the panel beyond those of the window ("Export as CSV..."): for menus and the command palette.
    virtual void addActions(QMenu&) {}
    // Why the panel is empty, while it is: its hint. A report omits it then.
    virtual QString emptyNote() const;
    // False while a computation for the panel's contents is running.
    virtual bool isSettled() const { return true; }
    // The panel has become visible: deferred computations can start. A hidden tab is not, although Qt calls it
    // visible.
    virtual void comeIntoSight() {}
    // The panel's settings, to be restored with a session: by default splitters, columns, and fields, buttons and
    // choices with the property "kept". takeState() must not trust its argument.
    virtual QJsonObject keptState() const;
    virtual void takeState(const QJsonObject& state);
    // A tab behind another lies outside of its window. What covers the panel from inside, such as its hint, does not
    // count.
    bool isInSight() const {
        return isVisible() && window()->rect().intersects(QRect(mapTo(window(), QPoint()), size()));
    }

  private:
    SessionBridge& bridge_;
};

class ViewRegistry {
  public:
    struct Entry {
        ViewDescription description;
        std::function<View*(SessionBridge&, QWidget*)> create;
    };

    template <typename T>
    void add() {
        entries_.push_back({T::describe(), [](SessionBridge& bridge, QWidget* parent) -> View* {
                                auto* view = new T(bridge, parent);
                                tipWhatIsCutIn(*view);
                                return view;
                            }});
    }
    const std::vector<Entry>& entries() const { return entries_; }

  private:
    std::vector<Entry> entries_;
};

}  // namespace loupe::views
