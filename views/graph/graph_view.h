// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Graph panel.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QThreadPool>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <atomic>
#include <memory>
#include <optional>
#include <set>

#include "core/study/run_differences.h"
#include "views/common/view.h"
#include "views/graph/ghosted_graph.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/module_map_canvas.h"

namespace loupe::views {

class PanelBar;
struct Setting;

class GraphView : public View {
    Q_OBJECT

  public:
    static ViewDescription describe();
    GraphView(SessionBridge& bridge, QWidget* parent);
    ~GraphView() override;

    void find() override;
    void fit() override;
    bool toggleBreakpoint() override;
    void addActions(QMenu& menu) override;
    bool isSettled() const override { return !busy_; }
    // Open groups and the part in sight too.
    QJsonObject keptState() const override;
    void takeState(const QJsonObject& state) override;

    const NodeMetrics& metrics() const { return metrics_; }
    GraphCanvas* canvas() { return canvas_; }
    // The text in the corner: how much is shown, or found.
    QString note() const { return state_->text(); }
    const std::set<int>& openGroups() const { return open_; }
    void setOpen(int group, bool open);
    void openAll();
    void closeAll();
    // Consecutive identical layers are drawn once, with a count.
    void setFoldRepeats(bool fold);
    void setColouring(GraphColouring colouring);
    void setFlow(GraphFlow flow);
    // What only the pinned reference has is drawn too.
    void setGhostsShown(bool shown) { ghosts_->setChecked(shown); }
    const GraphIndex* index() const { return index_.get(); }
    // Modules as tiles, whose areas are shares of time, memory or operators.
    void setMapShown(bool shown);
    bool isMapShown() const { return pages_->currentWidget() == map_; }
    ModuleMapCanvas* map() { return map_; }
    // Writes the whole scene; the format follows the name: .svg, .png, .pdf. Empty, or the error.
    QString exportTo(const QString& file);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void buildToolBar(QVBoxLayout* layout);
    void makeButtons(PanelBar& bar);
    void makeOptions();
    QAction* addOption(const Setting& setting);
    void makeMap();
    void addPathActions(QMenu& menu, int node);
    void showWays(int from, int to);
    void openByZoom(int group, bool open);
    void takeMetrics();
    void zoomBy(double factor);
    void takeModel();
    void takeRecording();
    void takeDifferences();
    void colourByDifference();
    GhostedGraph ghostedGraph();
    void takeGhosts();
    // The graph with ghosts that was made last, and of what.
    struct Ghosts {
        std::shared_ptr<const session::GraphModel> own, there;
        std::shared_ptr<const session::RunDifferences> differences;
        std::shared_ptr<const session::Recording> recording;
        std::optional<GhostedGraph> graph;
    };
    Ghosts made_ghosts_;
    void showGhostMenu(int node, const QPoint& at);
    void askForSizes();
    void takeCurrent();
    void takeReached();
    void askForTokens();
    void takeBreakpoints();
    void rebuildIndex();
    void requestLayout(int keep);
    void finishLayout(std::uint64_t number, std::optional<Scene> scene, int keep);
    void search(const QString& text);
    void showNextMatch();
    void click(int node);
    void showMenu(int node, const QPoint& at);
    void followLinks(int direction);
    void openPathTo(int node);
    void chooseExport();
    void tellCounts();
    void tell(const QString& words);

    GraphCanvas* canvas_ = nullptr;
    ModuleMapCanvas* map_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QToolButton* map_button_ = nullptr;
    QMenu* map_sizes_ = nullptr;
    QLineEdit* search_ = nullptr;
    QLabel* state_ = nullptr;
    QComboBox* colour_choice_ = nullptr;
    QToolButton* plumbing_ = nullptr;
    QToolButton* follow_ = nullptr;
    QToolButton* ghosts_ = nullptr;
    QAction* minimap_ = nullptr;
    QAction* repeats_ = nullptr;
    QAction* across_ = nullptr;
    QAction* zoom_opens_ = nullptr;
    std::shared_ptr<const GraphIndex> index_;
    std::shared_ptr<GraphLayouter> layouter_;
    NodeMetrics metrics_;
    std::shared_ptr<const session::Recording> tokens_of_;  // whose axes of tokens were asked for
    std::set<int> open_;
    std::set<int> zoom_opened_;  // of the open ones: by the zoom
    int settle_after_ = -1;      // a group that the zoom has opened or closed
    std::vector<int> matches_;
    std::size_t match_at_ = 0;
    // One layout at a time; a newer one cancels the current one.
    QThreadPool pool_;
    std::shared_ptr<std::atomic<bool>> cancelled_;
    std::uint64_t layout_number_ = 0;
    int reveal_after_ = -1;
    bool search_after_ = false;  // nodes have other numbers
    std::optional<GraphCanvas::Outlook> outlook_after_;
    bool colours_difference_ = false;  // a reference is pinned
    int colouring_before_ = 0;
    bool busy_ = false;
    QTimer slow_;  // shows a note when a layout takes long
};

}  // namespace loupe::views
