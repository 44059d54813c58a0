// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Compare panel: which runs are pinned, what the comparison came to, and the lists of it.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTableView>
#include <QTreeWidget>

#include "views/common/comparison.h"
#include "views/common/empty_hint.h"
#include "views/common/view.h"
#include "views/compare/layer_table_model.h"

class QToolButton;

namespace loupe::views {

class PanelBar;

class CompareView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    CompareView(SessionBridge& bridge, QWidget* parent);

    void addActions(QMenu& menu) override;
    void comeIntoSight() override { show(); }

    enum class Tab { Layers, Changes, Parameters, Costs };
    void setTab(Tab tab) { tabs_->setCurrentIndex(static_cast<int>(tab)); }
    // Fills a menu with all that can be pinned.
    static void fillPinMenu(QMenu& menu, SessionBridge& bridge, QWidget* window);

  private:
    void makeBar(PanelBar& bar);
    void makeTabs();
    void show();
    void showReferences();
    void showHeadline();
    void takeTolerance();
    void followItem(QTreeWidgetItem* item);
    void showChangeMenu(const QPoint& at);
    void align(session::EventId here, session::EventId there);
    void alignModules();
    void saveTable();

    Comparison& comparison_;
    QToolButton* pin_ = nullptr;
    QComboBox* choice_ = nullptr;
    QToolButton* unpin_ = nullptr;
    QToolButton* forward_ = nullptr;
    QToolButton* backward_ = nullptr;
    QLineEdit* tolerance_ = nullptr;
    QLabel* headline_ = nullptr;
    QLabel* facts_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QTableView* layers_ = nullptr;
    LayerTableModel* layer_model_ = nullptr;
    QTreeWidget* changes_ = nullptr;
    QTreeWidget* parameters_ = nullptr;
    QTreeWidget* costs_ = nullptr;
    EmptyHint* hint_ = nullptr;
    session::EventId waiting_here_ = 0;  // chosen to be aligned by hand with an event of the reference
    session::EventId waiting_there_ = 0;
};

}  // namespace loupe::views
