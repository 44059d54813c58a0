// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Events: the run as a tree by module scope or as a flat list, with a filter.

#include "views/common/view.h"

#include <QTimer>

class QLabel;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace loupe::views {

class PanelBar;
class EmptyHint;
class EventModel;

class EventsView : public View {
    Q_OBJECT

  public:
    EventsView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    EventModel& model() { return *model_; }
    QTreeView& tree() { return *tree_; }
    // Writes the run as Chrome's trace in the background; the log reports the result.
    void writeTrace(const QString& file);

    void find() override;
    void fit() override;
    bool toggleBreakpoint() override;
    void addActions(QMenu& menu) override;
    bool isSettled() const override;
    void comeIntoSight() override { reveal(); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makeFilter(PanelBar& bar);
    void makeButtons(PanelBar& bar);
    void makeTree();
    void applyFilter();
    void setFlat(bool flat);
    void showCurrent();
    void takeReached();
    // Scrolls to the current row, unless the user has scrolled away from it.
    void reveal();
    void onSelected(const QModelIndex& index);
    void showCount();
    void showTimes();
    void showDifferences();
    void showRanks();
    void showContextMenu(const QPoint& at);
    void takeMarks();
    void editNote(session::EventId event);
    void fillFilterMenu();
    void copySelected();
    void exportCsv();
    void exportTrace();
    void expandTop();

    EventModel* model_;
    QTreeView* tree_;
    QLineEdit* filter_;
    QToolButton* flat_ = nullptr;
    QToolButton* saved_ = nullptr;
    QToolButton* time_ = nullptr;
    QLabel* count_;
    EmptyHint* hint_ = nullptr;
    QTimer typing_;
    bool selecting_ = false;
    bool follows_ = true;      // the user has not scrolled away from the current row
    bool is_awaited_ = false;  // the current event is not in the model yet
};

}  // namespace loupe::views
