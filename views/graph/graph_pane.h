// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A graph in another panel than Graph: laid out in the background, groups open and close, nodes can be marked.

#include <QThreadPool>
#include <atomic>
#include <map>
#include <memory>
#include <set>

#include "views/graph/graph_canvas.h"

namespace loupe::views {

class GraphPane : public QWidget {
    Q_OBJECT

  public:
    explicit GraphPane(QWidget* parent);
    ~GraphPane() override;

    void showGraph(std::shared_ptr<const session::GraphModel> model);
    GraphCanvas* canvas() { return canvas_; }
    bool isBusy() const { return busy_; }

    // Nodes are identified by the lines of the graph's text that define their outputs.
    void markLines(const std::vector<int>& lines);
    int lineOf(int node) const;
    // What became of the nodes, by their lines.
    void showChanges(const std::map<int, GraphChange>& by_line);

  signals:
    // The line of the clicked node; -1 when it has none.
    void lineChosen(int line);

  private:
    void requestLayout(int keep);

    GraphCanvas* canvas_;
    std::shared_ptr<const session::GraphModel> model_;
    std::shared_ptr<const GraphIndex> index_;
    std::shared_ptr<GraphLayouter> layouter_;
    std::set<int> open_;
    std::map<int, int> line_of_node_;
    QThreadPool pool_;
    std::shared_ptr<std::atomic<bool>> cancelled_;
    std::uint64_t number_ = 0;
    bool busy_ = false;
};

}  // namespace loupe::views
