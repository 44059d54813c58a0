// SPDX-License-Identifier: Apache-2.0
// What composed operators are made of, recorded and stepped through.

#include <QtTest>
#include <map>

#include "core/session/queries/tensor.h"
#include "core/session/session.h"

using namespace loupe::session;

namespace {

const std::string kDigits = std::string(LOUPE_SOURCE_DIR) + "/resources/models/digits.pt";
const std::string kSource = std::string(LOUPE_SOURCE_DIR) + "/tests/fixtures/sources/mlp.py";

RunOptions with_parts() {
    RunOptions options;
    options.backward = true;
    options.opens_operators = true;
    return options;
}

std::shared_ptr<const Recording> run(Session& session, const std::string& file, const RunOptions& options) {
    session.open(file);
    session.wait_idle();
    session.run(options);
    session.wait_idle();
    return session.recording();
}

// Numbers of the frames of composed operators with that name.
std::vector<std::uint32_t> opened(const Recording& recording, std::string_view name) {
    std::vector<std::uint32_t> frames;
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) {
        if (recording.frame(id).class_name == name) frames.push_back(id);
    }
    return frames;
}

// A program as both kinds of model: of a graph, and evaluated.
void add_models() {
    QTest::addColumn<QString>("file");
    QTest::newRow("graph") << QString::fromStdString(kDigits);
    QTest::newRow("source") << QString::fromStdString(kSource);
}

}  // namespace

class TestParts : public QObject {
    Q_OBJECT

  private slots:
    void parts_stand_in_their_operator_data() { add_models(); }
    void parts_stand_in_their_operator();
    void numbers_are_those_of_a_plain_run_data() { add_models(); }
    void numbers_are_those_of_a_plain_run();
    void steps_go_into_operators_and_over_them_data() { add_models(); }
    void steps_go_into_operators_and_over_them();
    void a_breakpoint_of_the_operator_stops_once();
    void dropped_values_come_back();
};

void TestParts::parts_stand_in_their_operator() {
    QFETCH(QString, file);
    Session session;
    const auto recording = run(session, file.toStdString(), with_parts());
    QCOMPARE(session.status().state, RunState::Finished);
    const auto frames = opened(*recording, "aten::linear");
    QVERIFY(!frames.empty());
    for (const std::uint32_t id : frames) {
        const Frame& frame = recording->frame(id);
        const EventId end = recording->frame_end(id);
        QVERIFY(end >= frame.first_event);
        const Event& whole = recording->event(end + 1);
        QCOMPARE(whole.op, std::string_view("aten::linear"));
        QCOMPARE(whole.duration, 0.0);
        for (EventId part = frame.first_event; part <= end; ++part) {
            const Event& event = recording->event(part);
            QCOMPARE(event.graph_node, whole.graph_node);
            QCOMPARE(event.scope, whole.scope);
            QCOMPARE(event.source_line, whole.source_line);
            QVERIFY(event.depth > whole.depth);
            QVERIFY(event.frame >= id);
        }
        QCOMPARE(whole.outputs, recording->event(end).outputs);
    }
    // What ran in backward stands where its part stands.
    bool has_peer = false;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        const Event& event = recording->event(id);
        if (event.phase != RunPhase::Backward || event.peer == 0) continue;
        const std::uint32_t frame = recording->event(event.peer).frame;
        has_peer = has_peer || recording->frame(frame).class_name == "aten::linear";
    }
    QVERIFY(has_peer);
}

void TestParts::numbers_are_those_of_a_plain_run() {
    QFETCH(QString, file);
    const auto statistics = [&](bool opens) {
        Session session;
        RunOptions options = with_parts();
        options.opens_operators = opens;
        const auto recording = run(session, file.toStdString(), options);
        std::map<std::string, std::vector<Statistics>> all;
        for (EventId id = 1; id <= recording->event_count(); ++id) {
            const Event& event = recording->event(id);
            for (const ValueId value : event.outputs) {
                if (const auto& each = recording->value(value).statistics) all[std::string(event.op)].push_back(*each);
            }
        }
        return all;
    };
    auto plain = statistics(false);
    auto open = statistics(true);
    QVERIFY(!plain["aten::linear"].empty());
    QCOMPARE(open["aten::linear"].size(), plain["aten::linear"].size());
    for (std::size_t i = 0; i < plain["aten::linear"].size(); ++i)
        QCOMPARE(open["aten::linear"][i].finite, plain["aten::linear"][i].finite);
    QCOMPARE(open["AccumulateGrad"].size(), plain["AccumulateGrad"].size());
}

void TestParts::steps_go_into_operators_and_over_them() {
    QFETCH(QString, file);
    Session session;
    session.open(file.toStdString());
    session.wait_idle();
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::OperatorKind;
    breakpoint.text = "aten::linear";
    const int id = session.add_breakpoint(breakpoint);
    session.run(with_parts());
    session.wait_idle();
    QCOMPARE(session.status().next_op, std::string("aten::linear"));
    session.remove_breakpoint(id);
    const EventId before = session.status().reached;
    session.step(StepKind::Into);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.status().reached, before);  // its first part comes next
    QVERIFY(session.status().next_op != "aten::linear");
    session.step(StepKind::Out);
    session.wait_idle();
    const auto recording = session.recording();
    QCOMPARE(recording->event(static_cast<EventId>(session.status().reached)).op, std::string_view("aten::linear"));
    session.stop();
    session.wait_idle();

    session.add_breakpoint(breakpoint);
    session.run(with_parts());
    session.wait_idle();
    QCOMPARE(session.status().next_op, std::string("aten::linear"));
    session.step(StepKind::Over);
    session.wait_idle();
    const auto again = session.recording();
    QCOMPARE(again->event(static_cast<EventId>(session.status().reached)).op, std::string_view("aten::linear"));
    session.stop();
    session.wait_idle();
}

void TestParts::a_breakpoint_of_the_operator_stops_once() {
    Session session;
    session.open(kDigits);
    session.wait_idle();
    const auto model = session.model();
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::Node;
    for (const GraphNode& node : model->graph->nodes) {
        if (node.kind == "aten::linear") breakpoint.graph_node = node.id;
    }
    QVERIFY(breakpoint.graph_node >= 0);
    breakpoint.phase = RunPhase::Forward;
    session.add_breakpoint(breakpoint);
    session.run(with_parts());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.status().next_op, std::string("aten::linear"));
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

void TestParts::dropped_values_come_back() {
    Session session;
    RunOptions options = with_parts();
    options.memory_budget = 0;
    options.file_budget = 0;
    const auto recording = run(session, kDigits, options);
    QCOMPARE(session.status().state, RunState::Finished);
    int recomputed = 0;
    for (ValueId value = 1; value <= recording->value_count(); ++value) {
        TensorSlice slice;
        TensorRequest request;
        request.value = value;
        session.ask("look", TensorQuery{request}, [&slice](TensorSlice found) { slice = std::move(found); });
        session.wait_idle();
        QVERIFY2(slice.error.empty(), slice.error.c_str());
        recomputed += slice.is_recomputed ? 1 : 0;
        const auto& recorded = recording->value(value).statistics;
        if (recorded) QCOMPARE(slice.statistics.finite->max, recorded->finite->max);
    }
    QVERIFY(recomputed > 5);
}

QTEST_GUILESS_MAIN(TestParts)
#include "test_parts.moc"
