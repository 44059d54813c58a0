// SPDX-License-Identifier: Apache-2.0
// Models whose forward is evaluated from source, in a session: here it is C++ that stands for the source.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/formats/format_registry.h"
#include "core/model/convert.h"
#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/recorder.h"
#include "core/record/run_phases.h"
#include "core/runtime/interpreter/print.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

thread_local const ir::SourceRange* thread_range = nullptr;

Tensor full(std::initializer_list<std::int64_t> sizes, float value) {
    const std::vector<std::int64_t> all(sizes);
    const Tensor t = zeros(all);
    std::fill_n(t.data<float>(), t.numel(), value);
    return t;
}

nn::ModulePtr make(const char* name, std::function<IValue(nn::Module&, std::vector<IValue>)> forward) {
    const auto module = make_ptr<nn::Module>(name);
    module->set_forward(std::move(forward));
    return module;
}

// "x = self.fc(x)" on line 1, "return x.relu()" on line 2 of the file.
class TwoLines final : public EagerModel {
  public:
    explicit TwoLines(const std::shared_ptr<const ir::Source>& source) : lines_{{source, 0, 14}, {source, 15, 30}} {
        fc_ = make("Linear", [](nn::Module& self, std::vector<IValue> x) -> IValue {
            return OperatorHandle<>("aten::linear")(x[0], self.get_parameter("weight"));
        });
        const Tensor weight = full({2, 3}, 0.5F);
        set_requires_grad(weight, true);
        fc_->register_parameter("weight", weight);
        module = make("Net", [this](nn::Module&, std::vector<IValue> x) -> IValue {
            at(0);
            const IValue y = fc_->call({x[0]});
            at(1);
            return OperatorHandle<>("aten::relu")(y);
        });
        module->register_module("fc", fc_);
        schema_ = parse_schema("forward(Any self, Tensor x, float scale=2.) -> Tensor");
        examples_ = std::vector<IValue>{full({4, 3}, 1)};
    }

    IValue forward(std::vector<IValue> inputs) override {
        const IValue result = module->call(std::move(inputs));
        thread_range = nullptr;
        return result;
    }
    const FunctionSchema& schema() const override { return schema_; }
    const std::optional<std::vector<IValue>>& example_inputs() const override { return examples_; }
    int loss_arguments() const override { return 1; }
    IValue loss(std::vector<IValue> arguments) override { return OperatorHandle<>("aten::sum")(arguments.front()); }
    std::string repr() override { return "Net()"; }
    void set_statement_hook(StatementHook hook) override { hook_ = std::move(hook); }

    nn::ModulePtr module;

  private:
    void at(std::size_t line) {
        thread_range = &lines_[line];
        if (hook_) hook_({.range = lines_[line]});
    }

    std::vector<ir::SourceRange> lines_;
    nn::ModulePtr fc_;
    FunctionSchema schema_;
    std::optional<std::vector<IValue>> examples_;
    StatementHook hook_;
};

ModelFile open_two_lines(const Ptr<MappedFile>& file) {
    const auto source = std::make_shared<const ir::Source>("x = self.fc(x)\nreturn x.relu()\n", file->path().string());
    runtime::print_text("opening\n");
    ModelFile model;
    if (file->path().stem() == "program") return model;
    const auto eager = make_ptr<TwoLines>(source);
    model.module = eager->module;
    model.eager = eager;
    model.format = "two lines";
    model.sources = {source};
    return model;
}

struct Listener : SessionListener {
    QStringList log;
    std::mutex mutex;
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex);
        log << QString::fromStdString(entry.text);
    }
};

}  // namespace

class TestEager : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }

  private slots:
    void initTestCase() {
        ir::set_evaluated_range([] { return thread_range == nullptr ? ir::SourceRange() : *thread_range; });
        FormatRegistry::instance().add({"two lines",
                                        {".lines"},
                                        [](const Ptr<MappedFile>& f) { return f->path().extension() == ".lines"; },
                                        open_two_lines});
        write_file_atomically(path("net.lines"), "two lines");
        write_file_atomically(path("program.lines"), "no model");
    }

    void info() {
        const auto program = Program::open(path("net.lines"));
        const ModelInfo& info = *program->info();
        QCOMPARE(info.methods.size(), std::size_t{1});
        QCOMPARE(info.methods[0].name, std::string("forward"));
        QCOMPARE(info.sources.size(), std::size_t{1});
        QVERIFY(info.sources[0].is_editable);
        QVERIFY(info.graph && info.graph->text.find("aten::relu") != std::string::npos);
        const auto inputs = program->default_inputs("forward");
        QCOMPARE(inputs.size(), std::size_t{1});
        QCOMPARE(input_spec_text(inputs[0]), std::string("example_inputs[0]"));
    }

    void aSourceWithoutAModelJustRuns() {
        QVERIFY(Program::open_or_run(path("program.lines")) == nullptr);
        QVERIFY_THROWS_EXCEPTION(Error, Program::open(path("program.lines")));
    }

    // Events have module, line and the node of the traced graph that stands for them.
    void recording() {
        const auto program = Program::open(path("net.lines"));
        const PreparedMethod method(program, "forward", "none");
        Recorder recorder({}, method.build_graph(), nullptr, nullptr);
        const std::vector<IValue> arguments = program->make_arguments(program->default_inputs("forward"), "forward");
        QCOMPARE(arguments.size(), std::size_t{2});
        name_existing_tensors(recorder, program->module(), arguments, method.schema());
        {
            const ObserverScope observed(&recorder);
            const BackwardSource backward({}, method);
            run_phases(method, arguments, &backward);
        }
        recorder.finish();
        const Recording& recording = *recorder.recording();
        QStringList lines;
        for (EventId id = 1; id <= recording.event_count(); ++id) {
            const Event& event = recording.event(id);
            const QString node =
                event.graph_node < 0
                    ? ""
                    : QString::fromStdString(recorder.graph().nodes[static_cast<std::size_t>(event.graph_node)].kind);
            lines << QString("%1 '%2' %3 %4")
                         .arg(QString::fromStdString(std::string(event.op)),
                              QString::fromStdString(std::string(event.scope)))
                         .arg(event.source_line)
                         .arg(node);
        }
        QCOMPARE(lines.mid(0, 3).join('\n'),
                 "aten::linear 'fc' 1 aten::linear\naten::relu '' 2 aten::relu\naten::sum '' 0 ");
        QVERIFY(lines.contains("ReluBackward0 '' 2 aten::relu"));
    }

    void passesRunOnTheTrace() {
        const auto program = Program::open(path("net.lines"));
        program->module().eval();
        QVERIFY(program->trace_with(program->make_arguments(program->default_inputs("forward"), "forward")));
        const PreparedMethod method(program, "forward", "inference");
        const IValue x = full({5, 3}, 2);
        const Tensor result = method.forward({x, 2.0}).to_tensor();
        QCOMPARE(result.sizes()[0], 5);
        QCOMPARE(*result.data<float>(), 3.0f);
        convert(path("net.lines"), path("net.pt"));
        const auto again = Program::open(path("net.pt"));
        QVERIFY(!again->is_eager());
        QCOMPARE(*PreparedMethod(again, "forward", "none").forward({x}).to_tensor().data<float>(), 3.0f);
    }

    // Lines are where a run stops; a step goes to the next line, a step into to what the line calls.
    void stepping() {
        if (std::getenv("LOUPE_TEST_ENGINE") != nullptr) QSKIP("the format is one of this process");
        Listener listener;
        Session session(&listener);
        session.open(path("net.lines"));
        session.wait_idle();
        QVERIFY(listener.log.contains("opening"));
        Breakpoint breakpoint;
        breakpoint.kind = Breakpoint::Kind::Line;
        breakpoint.text = path("net.lines");
        breakpoint.line = 1;
        session.add_breakpoint(breakpoint);
        RunOptions options;
        session.run(options);
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().reached, EventId{0});
        session.step(StepKind::Over);
        session.wait_idle();
        QCOMPARE(session.status().reached, EventId{1});
        QCOMPARE(session.status().next_op, std::string());
        QCOMPARE(session.status().next_source.line, 2);
        session.step(StepKind::Into);
        session.wait_idle();
        QCOMPARE(session.status().next_op, std::string("aten::relu"));
        session.resume();
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Finished);
        QCOMPARE(session.status().reached, EventId{2});
    }

    // Values that were not kept are computed again by evaluating the source again.
    void droppedValues() {
        if (std::getenv("LOUPE_TEST_ENGINE") != nullptr) QSKIP("the format is one of this process");
        Session session;
        session.open(path("net.lines"));
        session.wait_idle();
        RunOptions options;
        options.memory_budget = 0;
        options.file_budget = 0;
        session.run(options);
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Finished);
        TensorRequest request;
        request.value = session.recording()->event(1).outputs[0];
        TensorSlice slice;
        session.ask("look", TensorQuery{request}, [&](TensorSlice found) { slice = std::move(found); });
        session.wait_idle();
        QCOMPARE(slice.error, std::string());
        QVERIFY(slice.is_recomputed);
        QCOMPARE(slice.data.at(0).elements.at(0), 1.5);
    }

    // Editing does not forget the inputs.
    void openedAgain() {
        if (std::getenv("LOUPE_TEST_ENGINE") != nullptr) QSKIP("the format is one of this process");
        Session session;
        session.open(path("net.lines"));
        session.wait_idle();
        session.set_inputs({parse_input_spec("7x3")});
        session.open(path("net.lines"));
        session.wait_idle();
        session.run({});
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Finished);
        QCOMPARE(session.recording()->value(session.recording()->event(1).outputs[0]).shape, (Shape{7, 2}));
    }
};

QTEST_APPLESS_MAIN(TestEager)
#include "test_eager.moc"
