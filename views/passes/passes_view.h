// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The IR and passes panel.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>

#include <map>

#include "core/model/opened_graph.h"
#include "views/common/comparison.h"
#include "views/common/diff_pair.h"
#include "views/common/view.h"
#include "views/graph/graph_pane.h"
#include "views/passes/bisect_bar.h"
#include "views/passes/line_origins.h"

namespace loupe::views {

class PassesView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    PassesView(SessionBridge& bridge, QWidget* parent);

    void find() override;
    void addActions(QMenu& menu) override;
    bool isSettled() const override {
        return !waiting_ && !waiting_for_graphs_ && !left_graph_->isBusy() && !right_graph_->isBusy();
    }

    void comeIntoSight() override;

    void choosePipeline(const QString& pipeline);
    // Replaces a reply of the session, for tests.
    void showTrace(const session::PassTrace& trace);
    // Beside the chosen pass stands what another pipeline ends with; empty: the graph before the pass.
    void chooseOther(const QString& pipeline);
    void showOther(const session::PassTrace& trace);
    void showChecks(const session::PassChecks& checks);
    void check();
    QTreeWidget* list() { return list_; }
    // Only passes with this in their names are listed.
    QLineEdit* filter() { return filter_; }
    BisectBar* bisect() { return bisect_; }
    // The graph that the pinned run was of stands on the left, what this run was of on the right.
    void showBeside(bool beside_reference);
    bool hasReference() const;
    DiffPair& differences() { return *pair_; }
    DiffText* before() { return left_; }
    DiffText* after() { return right_; }
    GraphPane* graphBefore() { return left_graph_; }
    GraphPane* graphAfter() { return right_graph_; }
    void showAsGraph(bool as_graph) { as_graph_->setChecked(as_graph); }

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QLayout* makeBar();
    void makeList(QSplitter* parent);
    void makeSides(QSplitter* parent);
    void takeModel();
    void ask();
    void askOther();
    // Beside the reference: beside_reference.cpp.
    void takeReference();
    bool isBesideReference() const;
    void askForGraphs();
    void showReference();
    void markCurrent();
    void followReference(int left_line);
    void showDifferenceCount();
    bool hasOther() const { return other_.initial != nullptr; }
    int lastOfOther() const { return static_cast<int>(other_.steps.size()) - 1; }
    static std::shared_ptr<const session::GraphModel> graphAfterStep(const session::PassTrace& trace, int step);
    std::shared_ptr<const session::GraphModel> leftGraph() const;
    QString leftTitle() const;
    static QStringList linesOfGraph(const std::shared_ptr<const session::GraphModel>& graph);
    static QString withKernels(const QString& title, const session::KernelCount& count);
    const session::KernelCount& kernelsAfter(int step) const;
    void fillList();
    void showSummary(int changed, double seconds);
    void showCheckState();
    void showStep(int step);
    void showGraphs();
    // Lines of the left text that those of the right came from.
    LineOrigins originsOnTheLeft() const;
    // The graph after a pass; -1: the one before all passes.
    std::shared_ptr<const session::GraphModel> graphAfterStep(int step) const;
    void followRight(int line);
    void followLeft(int line);
    void search(bool again);
    void saveGraph();
    void filterList();
    void showSuspects(int low, int high);
    void choosePass(int step);
    void showCulprit(const session::PassBisect& found);

    QComboBox* pipeline_ = nullptr;
    QComboBox* other_choice_ = nullptr;
    QComboBox* method_ = nullptr;
    QToolButton* no_ops_ = nullptr;
    QLineEdit* search_ = nullptr;
    QLineEdit* filter_ = nullptr;
    QToolButton* find_ = nullptr;
    BisectBar* bisect_ = nullptr;
    int culprit_ = -1;  // the pass that changed the result
    QLabel* summary_ = nullptr;
    QTreeWidget* list_ = nullptr;
    QSplitter* outer_ = nullptr;
    QToolButton* as_graph_ = nullptr;
    QToolButton* check_ = nullptr;
    QStackedWidget* left_stack_ = nullptr;
    QStackedWidget* right_stack_ = nullptr;
    GraphPane* left_graph_ = nullptr;
    GraphPane* right_graph_ = nullptr;
    QLabel* left_title_ = nullptr;
    QLabel* right_title_ = nullptr;
    DiffText* left_ = nullptr;
    DiffText* right_ = nullptr;
    DiffPair* pair_ = nullptr;
    QLabel* count_ = nullptr;  // of lines that differ
    // Beside a pinned run: the line of each node, of its graph and of this run's.
    std::map<int, int> lines_there_;
    std::map<int, int> lines_here_;
    session::OpenedGraphs graphs_;
    std::weak_ptr<const session::RunDifferences> asked_for_;  // these differences' graphs were asked for
    session::PassTrace trace_;
    session::PassTrace other_;  // of another pipeline; empty: none is beside it
    int asked_other_ = 0;
    int step_ = -1;                             // -1: the graph before all passes
    std::map<int, session::PassCheck> checks_;  // by step
    bool waiting_ = false;
    bool waiting_for_graphs_ = false;
    int asked_ = 0;      // number of requests, to identify the last reply
    bool stale_ = true;  // requested when visible
};

}  // namespace loupe::views
