// SPDX-License-Identifier: Apache-2.0
// Passes that are wrong on purpose: which one it was is found, and what they left is kept to be looked at.
#include <QtTest>

#include <optional>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/model/pipelines.h"
#include "core/model/program.h"
#include "core/passes/pass.h"
#include "core/passes/pass_manager.h"
#include "core/session/queries/pass_bisect.h"
#include "core/session/queries/pass_check.h"
#include "core/session/queries/pass_trace.h"
#include "core/session/session.h"
#include "core/study/bisect_passes.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = LOUPE_SOURCE_DIR "/tests/fixtures/models/";

ir::Node* first_of(ir::Graph& graph, const char* kind) {
    for (ir::Node* node : graph.nodes()) {
        if (node->kind().str() == kind) return node;
    }
    return nullptr;
}

// The pooling passes on something else.
void put_behind_pool(ir::Graph& graph, const char* kind) {
    ir::Node* pool = first_of(graph, "aten::max_pool2d");
    if (pool == nullptr || pool->next()->kind().str() == kind) return;
    ir::Node* other = graph.create(ir::Symbol::intern(kind), {pool->output()})->insert_after(pool);
    pool->output()->replace_all_uses_after_with(other, other->output());
}

const passes::Pass kWrongNumbers{
    "WrongNumbers", "Takes the negative of what the pooling gives.",
    [](ir::Graph& graph, const passes::PassContext&) { put_behind_pool(graph, "aten::neg"); }};
const passes::Pass kWrongGradients{
    "WrongGradients", "Stops the gradient behind the pooling.",
    [](ir::Graph& graph, const passes::PassContext&) { put_behind_pool(graph, "aten::detach"); }};
const passes::Pass kUsesTooEarly{"UsesTooEarly", "Puts the pooling before what it reads.",
                                 [](ir::Graph& graph, const passes::PassContext&) {
                                     if (ir::Node* pool = first_of(graph, "aten::max_pool2d"))
                                         pool->move_before(*graph.nodes().begin());
                                 }};
const passes::Pass kFails{"Fails", "Changes the graph and throws.", [](ir::Graph& graph, const passes::PassContext&) {
                              put_behind_pool(graph, "aten::neg");
                              throw Error(ErrorKind::Run, "no more luck");
                          }};

struct Opened {
    std::shared_ptr<Program> program;
    std::vector<InputSpec> specs;

    explicit Opened(const char* name)
        : program(Program::open(kModels + name)), specs(program->default_inputs("forward")) {}
    const ir::Graph& graph() const { return *program->method("forward").graph(); }
    PassBisect bisect(const std::string& pipeline) const {
        PassBisectOptions options;
        options.pipeline = pipeline;
        return bisect_passes(options, graph(), program->script_module(),
                             [this] { return program->make_arguments(specs, "forward"); });
    }
};

// Waits for what a session replies.
template <typename T>
class Waiting {
  public:
    std::function<void(T)> reply() {
        return [this](T value) { value_ = std::move(value); };
    }
    T take(Session& session) {
        session.wait_idle();
        return std::move(value_.value());
    }

  private:
    std::optional<T> value_;
};

}  // namespace

class TestBisect : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void namesAreTaken();
    void findsWrongNumbers_data();
    void findsWrongNumbers();
    void findsWrongGradients();
    void findsNothing_data();
    void findsNothing();
    void leavesTheModuleAsItWas();
    void wrongGraphsAreKept();
    void failuresAreKept();
    void throughTheSession();
};

void TestBisect::initTestCase() {
    for (const passes::Pass* pass : {&kWrongNumbers, &kWrongGradients, &kUsesTooEarly, &kFails})
        passes::register_pass(*pass);
    QVERIFY(passes::find_pass("WrongNumbers") == &kWrongNumbers);
}

void TestBisect::namesAreTaken() {
    static const passes::Pass again{"DCE", "Another one.", [](ir::Graph&, const passes::PassContext&) {}};
    QVERIFY_THROWS_EXCEPTION(Error, passes::register_pass(again));
}

void TestBisect::findsWrongNumbers_data() {
    QTest::addColumn<QString>("pipeline");
    QTest::addColumn<int>("step");
    QTest::newRow("alone") << "Inline, WrongNumbers" << 1;
    QTest::newRow("first") << "Inline, WrongNumbers, DCE, ConstantPropagation, CSE, PeepholeOptimize, ConstantPooling"
                           << 1;
    QTest::newRow("in the middle")
        << "Inline, ConstantPropagation, DCE, WrongNumbers, ConstantPooling, PeepholeOptimize" << 3;
    QTest::newRow("last") << "@freeze, WrongNumbers" << -1;
}
void TestBisect::findsWrongNumbers() {
    QFETCH(QString, pipeline);
    QFETCH(int, step);
    const Opened model("resnet18.pt");
    model.program->module().eval();
    const PassBisect found = model.bisect(pipeline.toStdString());
    QCOMPARE(QString::fromStdString(found.pass), QString("WrongNumbers"));
    if (step >= 0) QCOMPARE(found.step, step);
    QVERIFY2(found.verdict.find("out0") != std::string::npos, found.verdict.c_str());
    QVERIFY(found.before && found.after && found.after->text.find("aten::neg") != std::string::npos);
    QVERIFY(found.before->text.find("aten::neg") == std::string::npos);
    QVERIFY(!found.came_from.empty());
    QVERIFY(!found.runs.empty() && !found.runs[0].is_same && found.runs[0].worst == "out0");
    QVERIFY2(found.runs.size() <= 6, "by halves");
}

void TestBisect::findsWrongGradients() {
    const Opened model("resnet18.pt");
    model.program->module().eval();
    const PassBisect found = model.bisect("Inline, DCE, WrongGradients, ConstantPooling");
    QCOMPARE(QString::fromStdString(found.pass), QString("WrongGradients"));
    QVERIFY(found.has_gradients);
    QVERIFY2(found.verdict.find("grad.") != std::string::npos, found.verdict.c_str());
    PassBisectOptions outputs_only;
    outputs_only.pipeline = "Inline, DCE, WrongGradients, ConstantPooling";
    outputs_only.gradients = false;
    const PassBisect without = bisect_passes(outputs_only, model.graph(), model.program->script_module(),
                                             [&] { return model.program->make_arguments(model.specs, "forward"); });
    QCOMPARE(without.step, -1);
    QVERIFY(!without.has_gradients);
}

void TestBisect::findsNothing_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("training");
    QTest::addColumn<QString>("pipeline");
    QTest::newRow("evaluated") << "resnet18.pt" << false << "optimize";
    QTest::newRow("frozen") << "resnet18.pt" << false << "inference";
    QTest::newRow("statistics and dropout") << "mobilenet_v3_small.pt" << true << "optimize";
    QTest::newRow("a count of calls") << "language.pt" << false << "inline";
}
void TestBisect::findsNothing() {
    QFETCH(QString, model);
    QFETCH(bool, training);
    QFETCH(QString, pipeline);
    const Opened opened(qPrintable(model));
    opened.program->module().train(training);
    const PassBisect found = opened.bisect(pipeline.toStdString());
    QCOMPARE(found.step, -1);
    QVERIFY2(found.verdict.starts_with("no pass changed the result"), found.verdict.c_str());
    QCOMPARE(found.runs.size(), std::size_t(1));
    QVERIFY(found.runs[0].is_same);
    QCOMPARE(found.has_gradients, pipeline != "inference");
}

void TestBisect::leavesTheModuleAsItWas() {
    const Opened model("resnet18.pt");
    model.program->module().train(true);
    const auto sum_of = [&] {
        double sum = 0;
        for (const auto& [name, buffer] : model.program->module().named_buffers()) {
            for (std::int64_t i = 0; buffer.dtype() == ScalarType::Float32 && i < buffer.numel(); ++i)
                sum += double(buffer.data<float>()[i]) * double(i + 1);
        }
        return sum;
    };
    const double before = sum_of();
    model.bisect("Inline, WrongNumbers, DCE");
    QCOMPARE(sum_of(), before);
    for (const auto& [name, parameter] : model.program->module().named_parameters())
        QVERIFY(!grad_of(parameter).defined());
}

void TestBisect::wrongGraphsAreKept() {
    const Opened model("resnet18.pt");
    model.program->module().eval();
    passes::PassManager manager;
    const auto graph = model.graph().copy();
    QVERIFY_THROWS_EXCEPTION(Error, manager.run(*graph, passes::pipeline_of("Inline, UsesTooEarly, DCE")));
    const passes::PassTrace& failed = manager.failed_trace();
    QCOMPARE(failed.records.size(), std::size_t(2));
    QVERIFY2(failed.records[1].error.find("pass UsesTooEarly (Inline, UsesTooEarly, DCE) left a wrong graph") !=
                 std::string::npos,
             failed.records[1].error.c_str());
    QVERIFY(failed.records[0].error.empty() && failed.records[0].after->graph);
    QVERIFY(failed.records[1].after && !failed.records[1].after->graph);
    QVERIFY(failed.records[1].after->text != failed.records[0].after->text);

    const PassTrace trace =
        trace_pipeline("Inline, UsesTooEarly, DCE", model.graph(), model.program->script_module(), "forward");
    QCOMPARE(trace.steps.size(), std::size_t(2));
    QVERIFY(!trace.error.empty());
    QVERIFY(!trace.steps[1].error.empty() && trace.steps[1].graph->text.find("aten::max_pool2d") != std::string::npos);
    QVERIFY(trace.steps[0].error.empty() && trace.steps[0].graph);

    const PassBisect found = model.bisect("Inline, UsesTooEarly, DCE");
    QCOMPARE(QString::fromStdString(found.pass), QString("UsesTooEarly"));
    QCOMPARE(found.step, 1);
    QVERIFY(found.before->text != found.after->text);
    QVERIFY2(found.verdict.find("left a wrong graph") != std::string::npos, found.verdict.c_str());
}

void TestBisect::failuresAreKept() {
    const Opened model("resnet18.pt");
    const PassTrace trace = trace_pipeline("Inline, Fails", model.graph(), model.program->script_module(), "forward");
    QCOMPARE(trace.steps.size(), std::size_t(2));
    QCOMPARE(QString::fromStdString(trace.steps[1].error), QString("no more luck"));
    QVERIFY(trace.steps[1].graph->text.find("aten::neg") != std::string::npos);
}

void TestBisect::throughTheSession() {
    if (std::getenv("LOUPE_TEST_ENGINE") != nullptr) QSKIP("the pass is one of this process");
    Session session;
    session.open(kModels + "resnet18.pt");
    session.wait_idle();
    Waiting<PassBisect> bisect;
    PassBisectOptions options;
    options.pipeline = "Inline, WrongNumbers, DCE";
    session.ask("bisect", PassBisectQuery{options}, bisect.reply());
    const PassBisect found = bisect.take(session);
    QVERIFY2(found.error.empty(), found.error.c_str());
    QCOMPARE(QString::fromStdString(found.pass), QString("WrongNumbers"));
    options.pipeline = "NoSuchPass";
    session.ask("bisect", PassBisectQuery{options}, bisect.reply());
    QVERIFY(bisect.take(session).error.find("NoSuchPass") != std::string::npos);
    Waiting<PassTrace> traced;
    session.ask("passes", PassTraceQuery{"Inline, UsesTooEarly, DCE", "forward"}, traced.reply());
    const PassTrace trace = traced.take(session);
    QVERIFY(trace.error.find("UsesTooEarly") != std::string::npos);
    QVERIFY(!trace.steps.empty() && !trace.steps.back().error.empty() && trace.steps.back().graph);
    Waiting<PassChecks> checked;
    session.ask("check", PassCheckQuery{"Inline, UsesTooEarly, DCE", "forward"}, checked.reply());
    const PassChecks checks = checked.take(session);
    QVERIFY(!checks.steps.empty() && !checks.steps.back().error.empty());
}

QTEST_GUILESS_MAIN(TestBisect)
#include "test_bisect.moc"
