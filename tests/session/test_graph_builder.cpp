// SPDX-License-Identifier: Apache-2.0
// The graph that is shown of a method: all of a large one, and which node of it a running node is.
#include <QtTest>

#include "core/ir/graph.h"
#include "core/model/graph_builder.h"

using namespace loupe;
using namespace loupe::session;

class TestGraphBuilder : public QObject {
    Q_OBJECT

  private slots:
    // It ended at 200,000 nodes, constants counted, and did not say so.
    void shows_all_of_a_large_graph() {
        constexpr int kNodes = 250'000;
        const auto graph = make_ptr<ir::Graph>();
        ir::Value* value = graph->add_input("x");
        for (int i = 0; i < kNodes; ++i)
            value = graph->insert(graph->create(ir::Symbol::intern("aten::relu"), {value}))->output();
        graph->add_output(value);
        graph->lint();
        const BuiltGraph built = build_graph_model(*graph, nullptr, "forward");
        QCOMPARE(built.model->nodes.size(), std::size_t{kNodes});
        QCOMPARE(built.model->edges.size(), std::size_t{kNodes} + 1);
        const GraphEdge& last = built.model->edges.back();
        QCOMPARE(last.from, kNodes - 1);
        QCOMPARE(last.to, -1);
    }

    void finds_nodes_of_graphs_that_share_numbers() {
        const auto inner = make_ptr<ir::Graph>();
        ir::Node* relu = inner->insert(inner->create(ir::Symbol::intern("aten::relu"), {inner->add_input("y")}));
        inner->add_output(relu->output());
        const auto outer = make_ptr<ir::Graph>();
        ir::Node* group =
            outer->insert(outer->create(ir::Symbol::intern("prim::StaticSubgraph"), {outer->add_input("x")}));
        group->set_attribute(ir::attr::Subgraph, inner);
        ir::Node* tanh = outer->insert(outer->create(ir::Symbol::intern("aten::tanh"), {group->output()}));
        outer->add_output(tanh->output());
        QCOMPARE(relu->id(), group->id());
        const BuiltGraph built = build_graph_model(*outer, nullptr, "forward");
        const auto kind_of = [&](const ir::Node* site) {
            const int node = built.sites.find(SiteMap::kTop, site);
            return node < 0 ? std::string() : built.model->nodes[static_cast<std::size_t>(node)].kind;
        };
        QCOMPARE(kind_of(group), std::string("prim::StaticSubgraph"));
        QCOMPARE(kind_of(relu), std::string("aten::relu"));
        QCOMPARE(kind_of(tanh), std::string("aten::tanh"));
        QCOMPARE(built.sites.find(0, tanh), -1);
        // What goes into the second comes out of the first.
        const auto& edges = built.model->edges;
        QCOMPARE(edges[1].from, built.sites.find(SiteMap::kTop, relu));
        QCOMPARE(edges[1].to, built.sites.find(SiteMap::kTop, tanh));
    }
};

QTEST_APPLESS_MAIN(TestGraphBuilder)
#include "test_graph_builder.moc"
