// SPDX-License-Identifier: GPL-3.0-or-later
// What only a pinned reference has, in the Graph panel.

#include <QApplication>
#include <QClipboard>
#include <QMenu>

#include "views/common/comparison.h"
#include "views/common/format.h"
#include "views/graph/add_ghosts.h"
#include "views/graph/graph_view.h"

namespace loupe::views {

// While a run goes on, what it has not come to yet is no ghost.
GhostedGraph GraphView::ghostedGraph() {
    const GhostedGraph plain(bridge().model()->graph);
    const Comparison& comparison = Comparison::of(bridge());
    const session::PinnedReference* reference = comparison.current();
    const auto& recording = bridge().recording();
    const bool has_any = ghosts_->isChecked() && reference != nullptr && reference->model && reference->model->graph &&
                         comparison.differences() != nullptr && recording && recording->is_complete();
    if (!has_any) return plain;
    const auto& there = reference->model->graph;
    const bool is_made = made_ghosts_.own == plain.model && made_ghosts_.there == there &&
                         made_ghosts_.differences == comparison.differences() && made_ghosts_.recording == recording;
    if (!is_made)
        made_ghosts_ = {plain.model, there, comparison.differences(), recording,
                        addGhosts(plain.model, *there, *comparison.differences(), [&](session::EventId event) {
                            return event <= recording->event_count() ? recording->event(event).graph_node : -1;
                        })};
    return *made_ghosts_.graph;
}

void GraphView::takeGhosts() {
    if (!index_ || !bridge().model() || bridge().model()->graph == nullptr) return;
    const GhostedGraph next = ghostedGraph();
    if (next.ghosts == index_->ghosts()) return;
    // Other ghosts have other numbers.
    std::erase_if(open_, [&](int group) { return group >= static_cast<int>(next.own); });
    std::erase_if(zoom_opened_, [&](int group) { return group >= static_cast<int>(next.own); });
    canvas_->setPath({});
    canvas_->setMatches({});
    search_after_ = true;
    canvas_->setCurrent(bridge().currentNode());
    rebuildIndex();
    requestLayout(bridge().currentNode());
}

void GraphView::showGhostMenu(int node, const QPoint& at) {
    click(node);
    QMenu menu(this);
    const session::GraphNode& chosen = index_->node(node);
    if (index_->isGroup(node)) {
        const bool is_open = open_.contains(node);
        menu.addAction(is_open ? tr("Close group\t-") : tr("Open group\t+"), this,
                       [this, node, is_open] { setOpen(node, !is_open); });
    }
    if (const Ghost* ghost = index_->ghost(node); ghost->event != 0) {
        menu.addAction(tr("Show the reference's value"), this, [this, event = ghost->event] {
            bridge().showPanel(QStringLiteral("tensor"));
            Comparison::of(bridge()).showReferenceEvent(event);
        });
    }
    menu.addAction(tr("Copy name"), this, [chosen] {
        QGuiApplication::clipboard()->setText(text(chosen.scope.empty() ? chosen.kind : chosen.scope));
    });
    menu.addSeparator();
    addActions(menu);
    menu.exec(at);
}

}  // namespace loupe::views
