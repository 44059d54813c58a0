// SPDX-License-Identifier: Apache-2.0
// How many kernels a graph starts.

#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <set>

#include "core/model/kernel_count.h"
#include "core/model/pipelines.h"
#include "core/model/program.h"

using namespace loupe::session;

namespace {

void add(GraphModel& graph, int parent, const char* kind, bool is_group = false, bool is_plumbing = false) {
    GraphNode node;
    node.id = static_cast<int>(graph.nodes.size());
    node.parent = parent;
    node.kind = kind;
    node.is_group = is_group;
    node.is_plumbing = is_plumbing;
    graph.nodes.push_back(node);
}

}  // namespace

class TestKernelCount : public QObject {
    Q_OBJECT
  private slots:
    // Views start none, a group is one, plumbing counts nothing.
    void counts() {
        GraphModel graph;
        add(graph, -1, "Conv2d", true);
        add(graph, 0, "aten::conv2d");
        add(graph, -1, "aten::view");
        add(graph, -1, "prim::Constant", false, true);
        add(graph, -1, "prim::TensorExprGroup", true);
        add(graph, 4, "aten::mul");
        add(graph, 4, "aten::relu");
        const KernelCount count = count_kernels(graph);
        QCOMPARE(count.operators, 4);
        QCOMPARE(count.kernels, 2);
        QCOMPARE(count.fusion_groups, 1);
        QCOMPARE(count.str(), std::string("2 kernels (1 of fusion groups), 4 operators"));
        QCOMPARE(count_kernels({}).str(), std::string("0 kernels, 0 operators"));
    }

    // Before the first pass, calls of modules are unfolded; after each pass, and with each line's place.
    void a_pipeline_step_by_step() {
        const auto program = Program::open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        const PassTrace trace =
            trace_pipeline("inference", *program->method("forward").graph(), program->script_module(), "forward");
        QVERIFY(trace.initial_kernels.kernels > 3);
        QCOMPARE(trace.initial_kernels.fusion_groups, 0);
        QVERIFY2(trace.last_kernels().kernels < trace.initial_kernels.kernels, trace.last_kernels().str().c_str());
        const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
        QCOMPARE(trace.initial_from_source.size(), static_cast<std::size_t>(lines(trace.initial->text)));
        std::set<int> seen;
        for (const PassStep& step : trace.steps) {
            if (!step.graph) continue;
            QCOMPARE(step.from_source.size(), static_cast<std::size_t>(lines(step.graph->text)));
            for (const auto& places : step.from_source) seen.insert(places.begin(), places.end());
        }
        QVERIFY(!seen.empty() && *seen.begin() >= 0 && *seen.rbegin() < static_cast<int>(trace.places.size()));
    }
};

QTEST_GUILESS_MAIN(TestKernelCount)
#include "test_kernel_count.moc"
