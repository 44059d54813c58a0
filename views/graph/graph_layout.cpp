// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_layout.h"

#include <algorithm>

#include "views/common/format.h"
#include "views/graph/level_layout.h"

namespace loupe::views {
namespace {

constexpr double kLeafHeight = 24;
constexpr double kGroupHeight = 40;
constexpr double kHeader = 26;   // of an open group
constexpr double kMargin = 14;   // inside an open group
constexpr double kMaxText = 220;
constexpr std::size_t kMaxKept = 4000;

}  // namespace

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
    // "0" says little: "blocks.0".
    const bool is_number = std::all_of(node.label.begin(), node.label.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (node.is_group && is_number) box.title = text(node.scope).section(QLatin1Char('.'), -2);
    if (index_->repeats(id) > 1) box.title += QStringLiteral("  \u00d7%1").arg(index_->repeats(id));
    if (box.is_group) {
        const int inside = index_->operatorCount(id);
        const QString kind = node.kind == node.label ? QString() : text(node.kind) + QStringLiteral(" · ");
        box.subtitle = kind + (inside == 1 ? QStringLiteral("1 op") : QStringLiteral("%1 ops").arg(inside));
    } else if (node.kind == "prim::Constant" && !node.attributes.empty()) {
        box.title = text(node.attributes.front()).section(QLatin1Char('='), 1).left(28);
    }
    const double width = std::max(textWidth(box.title, true), textWidth(box.subtitle, false) * 0.9);
    box.rect = QRectF(0, 0, std::clamp(width + 26, 64.0, kMaxText), box.is_group ? kGroupHeight : kLeafHeight);
    return box;
}

std::vector<int> GraphLayouter::openInside(int group, const std::set<int>& open) const {
    std::vector<int> all{group};
    for (int child : index_->level(group).children) {
        if (!open.contains(child)) continue;
        const auto inner = openInside(child, open);
        all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
}

const GraphLayouter::Level* GraphLayouter::level(int group, const std::set<int>& open,
                                                 const std::atomic<bool>& cancelled) {
    const std::vector<int> key = openInside(group, open);
    if (const auto found = kept_.find(key); found != kept_.end()) return &found->second;

    const GraphLevel& content = index_->level(group);
    const session::GraphModel& model = index_->model();
    Level result;
    LevelRequest request;
    std::map<int, int> place;  // node -> index of the box
    const auto add = [&](SceneBox box) {
        const int index = static_cast<int>(request.boxes.size());
        place[box.node] = index;
        request.boxes.push_back(box.rect.size());
        result.boxes.push_back(std::move(box));
        return index;
    };
    for (int child : content.children) {
        SceneBox box = leafBox(child);
        if (box.is_group && open.contains(child)) {
            const Level* inner = level(child, open, cancelled);
            if (inner == nullptr) return nullptr;
            box.is_open = true;
            const double header = textWidth(box.title, true) + textWidth(box.subtitle, false) * 0.9 + 46;
            box.rect.setSize({std::max(inner->size.width() + 2 * kMargin, std::min(header, 420.0)),
                              inner->size.height() + kHeader + kMargin});
        }
        add(std::move(box));
    }
    if (cancelled) return nullptr;

    // Where values cross the border: at the top the method's inputs and outputs, elsewhere points without a size.
    std::map<GraphPort, int> entries;
    std::map<GraphPort, int> exits;
    std::vector<const GraphLevel::Edge*> drawn;
    for (const GraphLevel::Edge& edge : content.edges) {
        LevelRequest::Line line;
        if (edge.from == GraphLevel::kOutside) {
            const auto [found, is_new] = entries.try_emplace(edge.value, -1);
            if (is_new) {
                SceneBox box;
                box.node = group < 0 ? inputBox(edge.value.port) : kBorder;
                box.rect = QRectF(0, 0, 2, 2);
                if (group < 0) {
                    const auto index = static_cast<std::size_t>(edge.value.port);
                    box.title = index < model.inputs.size() ? text(model.inputs[index]) : QStringLiteral("input");
                    box.rect = QRectF(0, 0, std::clamp(textWidth(box.title, true) + 26, 50.0, kMaxText), kLeafHeight);
                }
                found->second = add(std::move(box));
                request.first.push_back(found->second);
            }
            line.from = found->second;
        } else {
            line.from = place.at(edge.from);
        }
        if (edge.to == GraphLevel::kOutside) {
            const auto [found, is_new] = exits.try_emplace(edge.value, -1);
            if (is_new) {
                SceneBox box;
                const int index = static_cast<int>(exits.size()) - 1;
                box.node = group < 0 ? outputBox(index) : kBorder;
                box.rect = QRectF(0, 0, 2, 2);
                if (group < 0) {
                    box.title = index == 0 ? QStringLiteral("output") : QStringLiteral("output %1").arg(index + 1);
                    box.rect = QRectF(0, 0, std::clamp(textWidth(box.title, true) + 26, 50.0, kMaxText), kLeafHeight);
                }
                found->second = add(std::move(box));
                request.last.push_back(found->second);
            }
            line.to = found->second;
        } else {
            line.to = place.at(edge.to);
        }
        if (line.from == line.to) continue;
        request.lines.push_back(line);
        drawn.push_back(&edge);
    }

    const LevelResult placed = layoutLevel(request);
    result.size = placed.size;
    for (std::size_t i = 0; i < result.boxes.size(); ++i) result.boxes[i].rect.moveCenter(placed.centres[i]);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        SceneLine line;
        line.curve = placed.curves[i];
        line.value = drawn[i]->value;
        line.count = drawn[i]->count;
        line.from = result.boxes[static_cast<std::size_t>(request.lines[i].from)].node;
        line.to = result.boxes[static_cast<std::size_t>(request.lines[i].to)].node;
        line.has_arrow = line.to != kBorder;
        result.lines.push_back(std::move(line));
    }
    std::erase_if(result.boxes, [](const SceneBox& box) { return box.node == kBorder; });
    return &kept_.insert_or_assign(key, std::move(result)).first->second;
}

void GraphLayouter::assemble(int group, QPointF corner, const std::set<int>& open, Scene& scene) const {
    const Level& content = kept_.at(openInside(group, open));
    for (SceneBox box : content.boxes) {
        box.rect.translate(corner);
        scene.box_of[box.node] = static_cast<int>(scene.boxes.size());
        scene.boxes.push_back(box);
        if (!box.is_open) continue;
        const Level& inner = kept_.at(openInside(box.node, open));
        const double slack = box.rect.width() - inner.size.width();
        assemble(box.node, box.rect.topLeft() + QPointF(slack / 2, kHeader), open, scene);
    }
    for (SceneLine line : content.lines) {
        for (QPointF& point : line.curve) point += corner;
        scene.lines.push_back(std::move(line));
    }
}

namespace {

// Lines that cross a border are drawn in pieces, one a level: the pieces meet in the point where the inner one ends.
void joinAtBorders(Scene& scene) {
    std::map<std::pair<int, GraphPort>, std::vector<QPointF>> entering;  // by box of the group
    std::map<std::pair<int, GraphPort>, std::vector<QPointF>> leaving;
    const auto groupAround = [&](int node, const QPointF& point) {
        int best = kBorder;
        double area = 1e300;
        (void)node;
        for (const SceneBox& box : scene.boxes) {
            const double size = box.rect.width() * box.rect.height();
            if (box.is_open && box.rect.contains(point) && size < area) {
                best = box.node;
                area = size;
            }
        }
        return best;
    };
    for (SceneLine& line : scene.lines) {
        if (line.from == kBorder) {
            const int group = groupAround(line.to, line.curve.back());
            if (const SceneBox* box = scene.find(group)) {
                line.curve.front().setY(box->rect.top());
                entering[{group, line.value}].push_back(line.curve.front());
            }
        }
        if (line.to == kBorder) {
            const int group = groupAround(line.from, line.curve.front());
            if (const SceneBox* box = scene.find(group)) {
                line.curve.back().setY(box->rect.bottom());
                leaving[{group, line.value}].push_back(line.curve.back());
            }
        }
    }
    for (SceneLine& line : scene.lines) {
        if (const auto found = entering.find({line.to, line.value}); found != entering.end()) {
            const QPointF end = found->second.front();
            line.curve[line.curve.size() - 2].setX(end.x());
            line.curve.back() = end;
            line.has_arrow = false;
        }
        if (const auto found = leaving.find({line.from, line.value}); found != leaving.end()) {
            const QPointF start = found->second.front();
            line.curve[1].setX(start.x());
            line.curve.front() = start;
        }
    }
}

}  // namespace

std::optional<Scene> GraphLayouter::layout(const std::set<int>& open, const std::atomic<bool>& cancelled) {
    if (kept_.size() > kMaxKept) kept_.clear();
    const Level* top = level(-1, open, cancelled);
    if (top == nullptr || cancelled) return std::nullopt;
    Scene scene;
    scene.size = top->size;
    assemble(-1, {}, open, scene);
    joinAtBorders(scene);
    for (SceneLine& line : scene.lines) {
        QPolygonF all(QList<QPointF>(line.curve.begin(), line.curve.end()));
        line.bounds = all.boundingRect().adjusted(-4, -4, 4, 4);
    }
    return scene;
}

}  // namespace loupe::views
