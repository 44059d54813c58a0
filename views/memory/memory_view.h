// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Memory panel.

#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <array>
#include <optional>

#include "views/common/empty_hint.h"
#include "views/common/view.h"
#include "views/memory/address_map.h"
#include "views/memory/alive_model.h"
#include "views/memory/memory_series.h"
#include "views/memory/module_memory_model.h"
#include "views/memory/snapshot_pane.h"

class QCustomPlot;
class QCPGraph;
class QCPItemStraightLine;
class QCPItemTracer;

namespace loupe::views {

class PanelBar;
class MemoryView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    MemoryView(SessionBridge& bridge, QWidget* parent);

    void fit() override;
    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !redraw_.isActive() && !(is_stale_ && isInSight()); }
    void comeIntoSight() override { catchUp(); }
    // The widget beside the plot too.
    QJsonObject keptState() const override;
    void takeState(const QJsonObject& state) override;

    // The widgets beside the plot.
    enum class Side { Blocks, Modules, Categories, Addresses, Ranks };
    void showSide(Side side);
    Side side() const { return static_cast<Side>(stack_->currentIndex()); }

    AliveModel* model() { return model_; }
    ModuleMemoryModel* modules() { return modules_; }
    CategoryMemoryModel* categories() { return categories_; }
    const MemorySeries& series() const { return series_; }
    QCustomPlot* plot() { return plot_; }
    SnapshotPane* snapshots() { return pane_; }
    QComboBox* source() { return source_; }
    QComboBox* other() { return other_; }

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void fitBytes();
    void takeEvents();
    void catchUp();
    void copyBlocks();
    void savePlot();
    void makeSides(PanelBar& head);
    void makeSources();
    void takeSnapshots();
    void showPage();
    SnapshotPtr snapshotOf(const QComboBox& choice) const;
    void makePlot(QWidget* parent);
    QTreeView* makeBlocks();
    void goTo(const session::Allocation& block, session::EventId event);
    QTreeView* makeModules();
    QTreeView* makeCategories();
    QTreeView* makeRanks();
    void offerRanks();
    void fillSide();
    void showAliveTitle();
    void draw();
    void drawCategories();
    void drawReference();
    void showPeak();
    void followCurrent();
    void takeCurrent();
    void click(QMouseEvent* event);
    session::EventId shownEvent() const;

    QWidget* sources_ = nullptr;   // the bar above, while snapshots are open
    QComboBox* source_ = nullptr;  // the run, or a snapshot
    QComboBox* other_ = nullptr;   // what a snapshot is compared with
    QToolButton* close_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    SnapshotPane* pane_ = nullptr;
    QCustomPlot* plot_ = nullptr;
    std::array<QCPGraph*, session::kCategories> graphs_{};
    QCPGraph* reference_ = nullptr;  // of the run that this one is compared with
    QCPItemStraightLine* mark_ = nullptr;
    EmptyHint* hint_ = nullptr;
    AddressMap* map_ = nullptr;
    std::array<QToolButton*, 5> sides_{};
    QStackedWidget* stack_ = nullptr;
    QTreeView* module_tree_ = nullptr;
    ModuleMemoryModel* modules_ = nullptr;
    CategoryMemoryModel* categories_ = nullptr;
    QString alive_text_;
    QCPItemTracer* peak_mark_ = nullptr;
    QLabel* summary_ = nullptr;
    QLabel* alive_title_ = nullptr;
    QTreeView* table_ = nullptr;
    AliveModel* model_ = nullptr;
    QSortFilterProxyModel* sorted_ = nullptr;
    MemorySeries series_;
    std::shared_ptr<const session::Recording> counted_;  // the recording of the book
    std::optional<session::MemoryBook> book_;
    QTimer redraw_;          // a growing run redraws a few times a second
    bool is_stale_ = false;  // behind the run: nothing is added up while hidden
};

}  // namespace loupe::views
