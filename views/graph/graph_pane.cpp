// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_pane.h"

#include <QVBoxLayout>

#include "views/common/failures.h"
#include "views/common/graph_lines.h"

namespace loupe::views {

namespace {

constexpr int kBoxesAtFirst = 60;

}  // namespace

GraphPane::GraphPane(QWidget* parent) : QWidget(parent), canvas_(new GraphCanvas(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(canvas_);
    pool_.setMaxThreadCount(1);
    connect(canvas_, &GraphCanvas::nodeClicked, this, [this](int node) {
        canvas_->setCurrent(node);
        emit lineChosen(lineOf(node));
    });
    connect(canvas_, &GraphCanvas::toggleRequested, this, [this](int node) {
        if (!index_ || !index_->isGroup(node)) return;
        if (!open_.erase(node)) open_.insert(node);
        requestLayout(node);
    });
}

GraphPane::~GraphPane() {
    if (cancelled_) *cancelled_ = true;
    pool_.waitForDone();
}

void GraphPane::showGraph(std::shared_ptr<const session::GraphModel> model) {
    if (model == model_) return;
    model_ = std::move(model);
    index_.reset();
    line_of_node_.clear();
    open_.clear();
    canvas_->clear({});
    if (!model_ || model_->nodes.empty()) return;
    index_ = std::make_shared<GraphIndex>(model_, false);
    layouter_ = std::make_shared<GraphLayouter>(index_);
    open_ = index_->defaultOpen(kBoxesAtFirst);
    line_of_node_ = linesOfNodes(*model_);
    requestLayout(-1);
}

int GraphPane::lineOf(int node) const {
    const auto found = line_of_node_.find(node);
    return found == line_of_node_.end() ? -1 : found->second;
}

void GraphPane::markLines(const std::vector<int>& lines) {
    std::set<int> nodes;
    for (const auto& [node, line] : line_of_node_) {
        if (std::find(lines.begin(), lines.end(), line) != lines.end() && index_->isShown(node)) nodes.insert(node);
    }
    if (!nodes.empty()) canvas_->reveal(*nodes.begin());
    canvas_->setMatches(std::move(nodes));
}

void GraphPane::showChanges(const std::map<int, GraphChange>& by_line) {
    std::map<int, GraphChange> nodes;
    for (const auto& [node, line] : line_of_node_) {
        const auto found = by_line.find(line);
        if (found == by_line.end()) continue;
        nodes[node] = found->second;
        for (const int group : index_->ancestors(node)) nodes.try_emplace(group, GraphChange::Changed);
    }
    canvas_->setChanges(std::move(nodes));
}

void GraphPane::requestLayout(int keep) {
    if (cancelled_) *cancelled_ = true;
    auto cancelled = std::make_shared<std::atomic<bool>>(false);
    cancelled_ = cancelled;
    const std::uint64_t number = ++number_;
    busy_ = true;
    pool_.start([this, layouter = layouter_, index = index_, open = open_, cancelled, number, keep] {
        std::optional<Scene> scene;
        guarded(tr("Graph of a pass: layout"), [&] { scene = layouter->layout(open, *cancelled); });
        QMetaObject::invokeMethod(
            this,
            [this, index, number, keep, scene = std::move(scene)]() mutable {
                if (number != number_) return;
                busy_ = false;
                if (scene) canvas_->setScene(index, std::move(*scene), keep);
            },
            Qt::QueuedConnection);
    });
}

}  // namespace loupe::views
