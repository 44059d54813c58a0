// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_layout.h"

#include <QObject>
#include <algorithm>
#include <cctype>

#include "views/common/format.h"
#include "views/graph/level_layout.h"
#include "views/graph/line_bundles.h"

namespace loupe::views {
namespace {

constexpr double kLeafHeight = 24;
constexpr double kGroupHeight = 40;
constexpr double kHeader = 26;  // of an open group
constexpr double kMargin = 14;  // inside an open group
constexpr double kMaxText = 220;
constexpr double kMaxGhostText = 330;  // of a group that says what it lacks
constexpr std::size_t kMaxKept = 4000;

// "Conv2d" and "_convolution" are equivalent, as are "BatchNorm2d" and "batch_norm", "ReLU" and "relu_".
bool saysTheSame(std::string_view class_name, std::string_view op) {
    constexpr std::size_t kEnough = 4;
    const auto letters = [](std::string_view name) {
        std::string plain;
        for (const char c : name) {
            if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        return plain;
    };
    const std::string a = letters(class_name);
    const std::string b = letters(op);
    const auto same = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    return same >= std::min({a.size(), b.size(), kEnough});
}

}  // namespace

namespace {

template <typename T>
void sortOut(std::vector<T>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

bool SceneLine::concerns(int node) const {
    return from == node || to == node || std::binary_search(carries.begin(), carries.end(), node);
}

const SceneBox* Scene::find(int node) const {
    const auto found = box_of.find(node);
    return found == box_of.end() ? nullptr : &boxes[static_cast<std::size_t>(found->second)];
}

double GraphLayouter::textWidth(const QString& text, bool bold) {
    double width = 0;
    for (const QChar c : text) width += c.isUpper() || c == QLatin1Char('m') || c == QLatin1Char('w') ? 9.0 : 7.2;
    return bold ? width * 1.06 : width;
}

SceneBox GraphLayouter::leafBox(int id) const {
    const session::GraphNode& node = index_->node(id);
    SceneBox box;
    box.node = id;
    box.is_group = index_->isGroup(id);
    box.title = text(node.label.empty() ? node.kind : node.label);
    // "blocks.0" instead of "0".
    const bool is_number =
        std::all_of(node.label.begin(), node.label.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (node.is_group && is_number) box.title = text(node.scope).section(QLatin1Char('.'), -2);
    if (index_->isGhost(id)) box.title.prepend(QStringLiteral("\u2212 "));
    if (index_->repeats(id) > 1) box.title += QStringLiteral("  x%1").arg(index_->repeats(id));
    if (box.is_group) {
        const QString kind = node.kind == node.label ? QString() : text(node.kind) + QStringLiteral(" · ");
        const int inside = index_->operatorCount(id);
        const int ghosts = index_->ghostCount(id);
        QStringList counts;
        if (inside > 0 || ghosts == 0) counts << counted(inside, "op");
        if (ghosts > 0) counts << QObject::tr("%1 only in the reference").arg(ghosts);
        box.subtitle = kind + counts.join(QStringLiteral(", "));
    } else if (const int only = index_->onlyOperator(id); only >= 0) {
        const std::string& op = index_->node(only).label;
        box.subtitle = text(node.kind == node.label ? op : node.kind);
        if (node.kind != node.label && !saysTheSame(node.kind, op)) box.subtitle += QStringLiteral(" · ") + text(op);
    } else if (node.kind == "prim::Constant" && !node.attributes.empty()) {
        box.title = text(node.attributes.front()).section(QLatin1Char('='), 1).left(28);
    }
    const double width = std::max(textWidth(box.title, true), textWidth(box.subtitle, false) * 0.9);
    const double most = index_->ghostCount(id) > 0 ? kMaxGhostText : kMaxText;
    box.rect = QRectF(0, 0, std::clamp(width + 26, 64.0, most), box.subtitle.isEmpty() ? kLeafHeight : kGroupHeight);
    return box;
}

std::vector<int> GraphLayouter::openInside(int group, const std::set<int>& open) const {
    std::vector<int> all{group};
    for (int child : index_->level(group).children) {
        if (!open.contains(child) || !index_->isGroup(child)) continue;
        const auto inner = openInside(child, open);
        all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
}

// A level as it is given to the layout: boxes, and lines with what they carry.
struct GraphLayouter::Draft {
    const session::GraphModel& model;
    int group = -1;
    bool is_across = false;
    LevelRequest request = {};
    std::vector<SceneBox> boxes = {};                              // of the request
    std::map<int, int> place = {};                                 // node -> index of the box
    std::vector<std::vector<const GraphLevel::Edge*>> drawn = {};  // by line of the request
    std::vector<int> values = {};                                  // likewise: the value's number
    // Where values cross the border: at the top the method's inputs and outputs, elsewhere points without a size.
    // Values that go on to the same boxes come in through one point.
    std::map<GraphPort, std::vector<int>> takers = {};
    std::map<std::vector<int>, int> shared = {};  // boxes of entries by who takes their values
    std::map<GraphPort, int> entries = {};
    std::map<GraphPort, int> exits = {};
    std::map<std::pair<int, GraphPort>, int> numbers = {};
    std::map<std::pair<int, int>, std::size_t> from_shared = {};  // lines from points of entry, by their ends

    int add(SceneBox box);
    int addPoint(int node, const QString& title);
    int entryOf(const GraphPort& value);
    int exitOf(const GraphPort& value);
    void addEdges(const std::vector<GraphLevel::Edge>& edges);
    void addEdge(const GraphLevel::Edge& edge);
};

int GraphLayouter::Draft::add(SceneBox box) {
    if (is_across) box.rect.setSize(box.rect.size().transposed());
    const int index = static_cast<int>(request.boxes.size());
    place[box.node] = index;
    request.boxes.push_back(box.rect.size());
    boxes.push_back(std::move(box));
    return index;
}

int GraphLayouter::Draft::addPoint(int node, const QString& title) {
    SceneBox box;
    box.node = node;
    box.title = title;
    const double width = group < 0 ? std::clamp(textWidth(title, true) + 26, 50.0, kMaxText) : 2;
    box.rect = QRectF(0, 0, width, group < 0 ? kLeafHeight : 2);
    return add(std::move(box));
}

int GraphLayouter::Draft::entryOf(const GraphPort& value) {
    const auto [found, is_new] = entries.try_emplace(value, -1);
    if (!is_new) return found->second;
    if (group >= 0) {
        const auto [other, is_first] = shared.try_emplace(takers[value], -1);
        if (is_first) {
            other->second = addPoint(kBorder, {});
            request.first.push_back(other->second);
        }
        return found->second = other->second;
    }
    const auto index = static_cast<std::size_t>(value.port);
    const QString title = index < model.inputs.size() ? text(model.inputs[index]) : QStringLiteral("input");
    found->second = addPoint(inputBox(value.port), title);
    request.first.push_back(found->second);
    return found->second;
}

int GraphLayouter::Draft::exitOf(const GraphPort& value) {
    const auto [found, is_new] = exits.try_emplace(value, -1);
    if (!is_new) return found->second;
    const int index = static_cast<int>(exits.size()) - 1;
    const QString title = index == 0 ? QObject::tr("output") : QObject::tr("output %1").arg(index + 1);
    found->second = group < 0 ? addPoint(outputBox(index), title) : addPoint(kBorder, {});
    request.last.push_back(found->second);
    return found->second;
}

void GraphLayouter::Draft::addEdges(const std::vector<GraphLevel::Edge>& edges) {
    for (const GraphLevel::Edge& edge : edges) {
        if (group >= 0 && edge.from == GraphLevel::kOutside) takers[edge.value].push_back(edge.to);
    }
    for (const GraphLevel::Edge& edge : edges) addEdge(edge);
}

void GraphLayouter::Draft::addEdge(const GraphLevel::Edge& edge) {
    LevelRequest::Line line;
    line.from = edge.from == GraphLevel::kOutside ? entryOf(edge.value) : place.at(edge.from);
    line.to = edge.to == GraphLevel::kOutside ? exitOf(edge.value) : place.at(edge.to);
    if (line.from == line.to) return;
    const bool is_shared = edge.from == GraphLevel::kOutside && group >= 0;
    if (is_shared) {
        const auto [found, is_new] = from_shared.try_emplace({line.from, line.to}, request.lines.size());
        if (!is_new) return drawn[found->second].push_back(&edge);
    }
    request.lines.push_back(line);
    drawn.push_back({&edge});
    const std::pair<int, GraphPort> value(is_shared ? line.from : -1, is_shared ? GraphPort() : edge.value);
    values.push_back(numbers.try_emplace(value, static_cast<int>(numbers.size())).first->second);
}

// False when it was cancelled.
bool GraphLayouter::draftBoxes(Draft& draft, const std::set<int>& open, const std::atomic<bool>& cancelled) {
    for (int child : index_->level(draft.group).children) {
        SceneBox box = leafBox(child);
        if (box.is_group && open.contains(child)) {
            const Level* inner = level(child, open, cancelled);
            if (inner == nullptr) return false;
            box.is_open = true;
            const double header = textWidth(box.title, true) + textWidth(box.subtitle, false) * 0.9 + 46;
            const QSizeF inside = isAcross() ? inner->size.transposed() : inner->size;
            box.rect.setSize(
                {std::max(inside.width() + 2 * kMargin, std::min(header, 420.0)), inside.height() + kHeader + kMargin});
        }
        draft.add(std::move(box));
    }
    return !cancelled;
}

GraphLayouter::Level GraphLayouter::place(Draft draft) {
    const Bundles bundles = bundleLines(draft.request, draft.values);
    LevelRequest bundled = draft.request;
    bundled.boxes.resize(draft.boxes.size() + static_cast<std::size_t>(bundles.waypoints), QSizeF(2, 2));
    bundled.waypoints = bundles.waypoints;
    bundled.lines.clear();
    for (const BundledLine& line : bundles.lines) bundled.lines.push_back({line.from, line.to});
    const LevelResult placed = layoutLevel(bundled);
    Level result;
    result.size = placed.size;
    const auto nodeOf = [&](int box) {
        return box < static_cast<int>(draft.boxes.size()) ? draft.boxes[static_cast<std::size_t>(box)].node : kBundle;
    };
    for (std::size_t i = 0; i < bundles.lines.size(); ++i) {
        const BundledLine& bundle = bundles.lines[i];
        SceneLine line;
        line.curve = placed.curves[i];
        line.group = draft.group;
        line.from = nodeOf(bundle.from);
        line.to = nodeOf(bundle.to);
        line.has_arrow = line.to != kBorder && line.to != kBundle;
        int edges = 0;
        for (const int id : bundle.lines) {
            const auto index = static_cast<std::size_t>(id);
            for (const GraphLevel::Edge* edge : draft.drawn[index]) {
                line.values.push_back(edge->value);
                edges += edge->count;
            }
            line.carries.push_back(nodeOf(draft.request.lines[index].from));
            line.carries.push_back(nodeOf(draft.request.lines[index].to));
        }
        sortOut(line.values);
        sortOut(line.carries);
        line.count = bundle.lines.size() == 1 ? edges : static_cast<int>(line.values.size());
        result.lines.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < draft.boxes.size(); ++i) draft.boxes[i].rect.moveCenter(placed.centres[i]);
    std::erase_if(draft.boxes, [](const SceneBox& box) { return box.node == kBorder; });
    result.boxes = std::move(draft.boxes);
    return result;
}

const GraphLayouter::Level* GraphLayouter::level(int group, const std::set<int>& open,
                                                 const std::atomic<bool>& cancelled) {
    const std::vector<int> key = openInside(group, open);
    if (const auto found = kept_.find(key); found != kept_.end()) return &found->second;
    Draft draft{.model = index_->model(), .group = group, .is_across = isAcross()};
    if (!draftBoxes(draft, open, cancelled)) return nullptr;
    draft.addEdges(index_->level(group).edges);
    return &kept_.insert_or_assign(key, place(std::move(draft))).first->second;
}

void GraphLayouter::assemble(int group, QPointF corner, const std::set<int>& open, int parent, Scene& scene) const {
    const Level& content = kept_.at(openInside(group, open));
    double heights = 0;
    for (SceneBox box : content.boxes) {
        heights += isAcross() ? box.rect.width() : box.rect.height();
        box.rect.translate(corner);
        box.parent = parent;
        const int index = static_cast<int>(scene.boxes.size());
        scene.box_of[box.node] = index;
        box.end = index + 1;
        scene.boxes.push_back(box);
        if (!box.is_open) continue;
        const Level& inner = kept_.at(openInside(box.node, open));
        // The header is at the top, whichever way values go.
        const QSizeF slack = box.rect.size() - inner.size;
        const QPointF inset = isAcross() ? QPointF(kHeader, slack.height() / 2) : QPointF(slack.width() / 2, kHeader);
        assemble(box.node, box.rect.topLeft() + inset, open, index, scene);
        scene.boxes[static_cast<std::size_t>(index)].end = static_cast<int>(scene.boxes.size());
    }
    if (parent >= 0 && !content.boxes.empty()) {
        SceneBox& around = scene.boxes[static_cast<std::size_t>(parent)];
        around.detail = heights / static_cast<double>(content.boxes.size());
    }
    const int lines_from = static_cast<int>(scene.lines.size());
    for (SceneLine line : content.lines) {
        for (QPointF& point : line.curve) point += corner;
        scene.lines.push_back(std::move(line));
    }
    if (parent < 0) {
        scene.top_from = lines_from;
        return;
    }
    SceneBox& around = scene.boxes[static_cast<std::size_t>(parent)];
    around.lines_from = lines_from;
    around.lines_to = static_cast<int>(scene.lines.size());
}

namespace {

using Crossings = std::map<std::pair<int, GraphPort>, QPointF>;  // by the group's node and the value

// Where the values of a line cross the border of a box, from left to right.
std::vector<QPointF> crossingsOf(const Crossings& crossings, int node, const SceneLine& line) {
    std::vector<QPointF> points;
    for (const GraphPort& value : line.values) {
        const auto found = crossings.find({node, value});
        if (found != crossings.end() && std::find(points.begin(), points.end(), found->second) == points.end())
            points.push_back(found->second);
    }
    std::sort(points.begin(), points.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    return points;
}

// Lines that cross a border are drawn in pieces, one per level: the pieces meet in the point where the inner one ends.
void joinAtBorders(Scene& scene) {
    Crossings entering;
    Crossings leaving;
    for (SceneLine& line : scene.lines) {
        const SceneBox* box = line.group >= 0 ? scene.find(line.group) : nullptr;
        if (box == nullptr) continue;
        if (line.from == kBorder) {
            line.curve.front().setY(box->rect.top());
            for (const GraphPort& value : line.values) entering.try_emplace({line.group, value}, line.curve.front());
        }
        if (line.to == kBorder) {
            line.curve.back().setY(box->rect.bottom());
            for (const GraphPort& value : line.values) leaving.try_emplace({line.group, value}, line.curve.back());
        }
    }
    std::vector<SceneLine> rails;
    // A bundle that splits at a border does so along it.
    const auto rail = [&](const SceneLine& of, const std::vector<QPointF>& points) {
        if (points.size() < 2) return;
        SceneLine line = of;
        line.curve = {points.front(), points.front(), points.back(), points.back()};
        line.has_arrow = false;
        rails.push_back(std::move(line));
    };
    for (SceneLine& line : scene.lines) {
        if (const auto points = crossingsOf(entering, line.to, line); !points.empty()) {
            const QPointF end = points[points.size() / 2];
            line.curve[line.curve.size() - 2].setX(end.x());
            line.curve.back() = end;
            line.has_arrow = false;
            rail(line, points);
        }
        if (const auto points = crossingsOf(leaving, line.from, line); !points.empty()) {
            const QPointF start = points[points.size() / 2];
            line.curve[1].setX(start.x());
            line.curve.front() = start;
            rail(line, points);
        }
    }
    scene.lines.insert(scene.lines.end(), std::make_move_iterator(rails.begin()), std::make_move_iterator(rails.end()));
}

}  // namespace

namespace {

void transpose(Scene& scene) {
    scene.size.transpose();
    for (SceneBox& box : scene.boxes) {
        box.rect = QRectF(QPointF(box.rect.top(), box.rect.left()), box.rect.size().transposed());
    }
    for (SceneLine& line : scene.lines) {
        for (QPointF& point : line.curve) point = point.transposed();
    }
}

}  // namespace

std::optional<Scene> GraphLayouter::layout(const std::set<int>& open, const std::atomic<bool>& cancelled) {
    if (kept_.size() > kMaxKept) kept_.clear();
    const Level* top = level(-1, open, cancelled);
    if (top == nullptr || cancelled) return std::nullopt;
    Scene scene;
    scene.size = top->size;
    assemble(-1, {}, open, -1, scene);
    joinAtBorders(scene);
    scene.flow = flow_;
    if (isAcross()) transpose(scene);
    for (SceneLine& line : scene.lines) {
        QPolygonF all(QList<QPointF>(line.curve.begin(), line.curve.end()));
        line.bounds = all.boundingRect().adjusted(-4, -4, 4, 4);
    }
    return scene;
}

}  // namespace loupe::views
