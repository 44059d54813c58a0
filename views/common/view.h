// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a panel is, and the list of all panels. A view is a class with a static describe() and one line in registry.cpp.

#include <QJsonObject>
#include <QMenu>
#include <QWidget>
#include <functional>
#include <vector>

#include "views/common/cut_texts.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

// Where a panel stands in the default layout.
enum class Place { Left, LeftBelow, Centre, Right, Bottom };

struct ViewDescription {
    QString id;     // "events": of settings, reports and tests
    QString title;  // "Events"
    QString tip;    // what one is looking at, and what it lets one do
    QString icon;   // of views/common/icons.h
    Place place = Place::Bottom;
};

class View : public QWidget {
    Q_OBJECT

  public:
    View(SessionBridge& bridge, QWidget* parent) : QWidget(parent), bridge_(bridge) {}

    SessionBridge& bridge() const { return bridge_; }

    // Ctrl+F: puts the keyboard where this panel is searched.
    virtual void find() {}
    // Space: shows all of it.
    virtual void fit() {}
    // F9 while this panel has the keyboard. False: it has nothing to break at, the current node is taken.
    virtual bool toggleBreakpoint() { return false; }
    // What the panel can do beyond the actions of the window ("Export as CSV..."): for menus and the command palette.
    virtual void addActions(QMenu&) {}
    // Why the panel has nothing to show, while it has nothing: the hint that stands in it. A report leaves it out then.
    virtual QString emptyNote() const;
    // False while something is still being computed that a picture of the panel would lack.
    virtual bool isSettled() const { return true; }
    // The panel has come into sight: what is not needed before can be computed now. A tab behind another is not in sight,
    // though Qt calls it visible.
    virtual void comeIntoSight() {}
    // How the panel is set up, to come back with a session: by default splitters, columns, and fields with the property
    // "kept". What takeState() gets may be anybody's.
    virtual QJsonObject keptState() const;
    virtual void takeState(const QJsonObject& state);
    bool isInSight() const { return isVisible() && !visibleRegion().isEmpty(); }

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
