// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The picture of a graph with some groups open: laid out from the inside out, level by level, cached.

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "views/graph/graph_index.h"

namespace loupe::views {

struct SceneBox {
    int node = -1;  // -1 - i: the method's input i; below kOutputs: an output
    QRectF rect;
    QString title;
    QString subtitle;
    bool is_group = false;
    bool is_open = false;
    int parent = -1;     // index of the open group around it
    double detail = 0;   // of an open group: how high the boxes in it are on average
    int end = 0;         // behind the last box that is in it
    int lines_from = 0;  // of an open group: its level's lines
    int lines_to = 0;
};
struct SceneLine {
    std::vector<QPointF> curve;
    QRectF bounds;
    std::vector<GraphPort> values;  // one, but for a bundle
    int group = -1;                 // the group of its level
    int from =
        -1;  // boxes at its ends, by node; kBorder: it continues outside the group; kBundle: where a bundle branches
    int to = -1;
    std::vector<int> carries;  // of a bundle: the boxes that its values come from and go to, by node, in order
    int count = 1;
    bool has_arrow = true;

    // Leads to or from the box, be it in a bundle.
    bool concerns(int node) const;
};

// Node numbers of boxes that are no nodes.
inline constexpr int kBorder = -1'000'000'000;
inline constexpr int kBundle = kBorder + 1;
inline constexpr int kOutputs = -1'000'000;
constexpr int inputBox(int index) { return -1 - index; }
constexpr int outputBox(int index) { return kOutputs - index; }
constexpr bool isInputBox(int node) { return node < 0 && node > kOutputs; }
constexpr bool isOutputBox(int node) { return node <= kOutputs && node > kBundle; }

// Which way values go.
enum class GraphFlow { Down, Right };

struct Scene {
    QSizeF size;
    GraphFlow flow = GraphFlow::Down;
    std::vector<SceneBox> boxes;  // groups before their contents
    std::vector<SceneLine> lines;
    int top_from = 0;           // lines of the top level; behind them those along borders
    std::map<int, int> box_of;  // by node

    const SceneBox* find(int node) const;
    // Those that may be seen in a part of the scene; what is in a group out of sight is not looked at. Visit(index).
    template <typename Visit>
    void visitBoxes(const QRectF& seen, const Visit& visit) const {
        constexpr double kAround = 20;  // marks and lines reach over borders
        const QRectF wide = seen.adjusted(-kAround, -kAround, kAround, kAround);
        for (int i = 0; i < static_cast<int>(boxes.size());) {
            const SceneBox& box = boxes[static_cast<std::size_t>(i)];
            const bool is_seen = box.rect.intersects(wide);
            if (is_seen) visit(i);
            i = is_seen ? i + 1 : box.end;
        }
    }
    template <typename Visit>
    void visitLines(const QRectF& seen, const Visit& visit) const {
        for (auto i = static_cast<std::size_t>(top_from); i < lines.size(); ++i) visit(lines[i]);
        visitBoxes(seen, [&](int index) {
            const SceneBox& box = boxes[static_cast<std::size_t>(index)];
            for (int i = box.lines_from; i < box.lines_to; ++i) visit(lines[static_cast<std::size_t>(i)]);
        });
    }
};

class GraphLayouter {
  public:
    explicit GraphLayouter(std::shared_ptr<const GraphIndex> index, GraphFlow flow = GraphFlow::Down)
        : index_(std::move(index)), flow_(flow) {}

    // nullopt when `cancelled` became true meanwhile. One caller at a time.
    std::optional<Scene> layout(const std::set<int>& open, const std::atomic<bool>& cancelled);

    // Estimated width of a text; without fonts, for any thread. In points.
    static double textWidth(const QString& text, bool bold);

  private:
    // A level without the contents of its open groups: relative to its corner. Levels are laid out downwards; of a
    // flow to the right x and y change places at the end.
    struct Level {
        QSizeF size;
        std::vector<SceneBox> boxes;
        std::vector<SceneLine> lines;
    };
    struct Draft;
    const Level* level(int group, const std::set<int>& open, const std::atomic<bool>& cancelled);
    bool draftBoxes(Draft& draft, const std::set<int>& open, const std::atomic<bool>& cancelled);
    static Level place(Draft draft);
    void assemble(int group, QPointF corner, const std::set<int>& open, int parent, Scene& scene) const;
    std::vector<int> openInside(int group, const std::set<int>& open) const;
    SceneBox leafBox(int node) const;
    bool isAcross() const { return flow_ == GraphFlow::Right; }

    std::shared_ptr<const GraphIndex> index_;
    GraphFlow flow_;
    std::map<std::vector<int>, Level> kept_;  // by the group and all open ones inside it
};

}  // namespace loupe::views
