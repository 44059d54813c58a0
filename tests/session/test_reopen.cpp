// SPDX-License-Identifier: Apache-2.0
// A model source that is edited and opened again: breakpoints stay on what they were set on, weights, inputs and
// options stay.
#include <QTemporaryDir>
#include <QtTest>
#include <future>
#include <mutex>

#include "core/base/file.h"
#include "core/model/line_map.h"
#include "core/session/queries/load_weights.h"
#include "core/session/queries/save_weights.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const char* const kNet = R"(import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)

    def forward(self, x):
        y = self.first(x)
        y = torch.relu(y)
        y = y * 2
        return self.second(y)

model = Net()
example_inputs = (torch.ones(1, 4),)
)";

class Log final : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex_);
        entries_.push_back(entry);
    }
    void on_model(std::shared_ptr<const ModelInfo> model) override {
        const std::lock_guard lock(mutex_);
        was_gone_ = was_gone_ || model == nullptr;
    }
    QStringList texts() {
        const std::lock_guard lock(mutex_);
        QStringList out;
        for (const auto& entry : entries_) out << QString::fromStdString(entry.text);
        return out;
    }
    std::vector<LogEntry> entries() {
        const std::lock_guard lock(mutex_);
        return entries_;
    }
    bool was_gone() {
        const std::lock_guard lock(mutex_);
        return was_gone_;
    }

  private:
    std::mutex mutex_;
    std::vector<LogEntry> entries_;
    bool was_gone_ = false;
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    return at == std::string::npos ? std::string("no such place") : text.replace(at, what.size(), by);
}

std::vector<int> mapped(const char* before, const char* after) { return map_lines(before, after); }

}  // namespace

class TestReopen : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string path(const char* name = "net.py") const { return folder_.filePath(name).toStdString(); }
    void open(Session& session, const std::string& text) const {
        write_file_atomically(path(), text);
        session.open(path());
        session.wait_idle();
    }
    static int break_at(Session& session, const std::string& file, int line) {
        Breakpoint breakpoint;
        breakpoint.kind = Breakpoint::Kind::Line;
        breakpoint.text = file;
        breakpoint.line = line;
        return session.add_breakpoint(breakpoint);
    }
    static std::vector<int> lines(const Session& session) {
        std::vector<int> out;
        for (const Breakpoint& breakpoint : session.breakpoints()) out.push_back(breakpoint.line);
        return out;
    }
    static int node(const Session& session, const std::string& kind) {
        for (const GraphNode& each : session.model()->graph->nodes) {
            if (each.kind == kind) return each.id;
        }
        return -1;
    }
    static double weight(Session& session, const std::string& name) {
        std::promise<double> answer;
        TensorRequest request;
        request.name = name;
        session.ask("weight", TensorQuery{request}, [&](const TensorSlice& slice) {
            answer.set_value(slice.data.empty() ? -1 : slice.data[0].elements[0]);
        });
        return answer.get_future().get();
    }
    static std::string save(Session& session, const std::string& file) {
        std::promise<std::string> answer;
        session.ask("save", SaveWeightsQuery{file}, [&](std::string failure) { answer.set_value(std::move(failure)); });
        return answer.get_future().get();
    }
    static WeightsReport load(Session& session, const std::string& file) {
        std::promise<WeightsReport> answer;
        session.ask("load", LoadWeightsQuery{file, true},
                    [&](WeightsReport report) { answer.set_value(std::move(report)); });
        return answer.get_future().get();
    }

  private slots:
    void lines_are_found_again() {
        QCOMPARE(mapped("a\nb\nc", "a\nb\nc"), (std::vector<int>{0, 1, 2}));
        QCOMPARE(mapped("a\nb\nc", "new\na\nb\nc"), (std::vector<int>{1, 2, 3}));
        QCOMPARE(mapped("a\nb\nc", "a\nc"), (std::vector<int>{0, -1, 1}));
        // An edited line, and one that was put before it.
        QCOMPARE(mapped("x\n    y = self.fc(x)\nz", "x\n    y = self.fc(x + 1)\nz"), (std::vector<int>{0, 1, 2}));
        QCOMPARE(mapped("x\n    y = self.fc(x)\nz", "x\n    print('here')\n    y = self.fc(x + 1)\nz"),
                 (std::vector<int>{0, 2, 3}));
        // Two lines of which one became another: the like one stays, the other is gone.
        QCOMPARE(mapped("a\n    y = torch.relu(x)\n    print(y.shape)\nb", "a\n    y = torch.relu(x) * 2\nb"),
                 (std::vector<int>{0, 1, -1, 2}));
        // Blank lines are everywhere: they pull nothing along.
        QCOMPARE(mapped("def f():\n    a = 1\n\ndef g():\n    b = 2\n", "\n\ndef g():\n    b = 2\n"),
                 (std::vector<int>{-1, -1, 1, 2, 3, 4}));
        QCOMPARE(mapped("", "a"), (std::vector<int>{0}));
    }

    // Long files without a common line do not take long.
    void any_text_is_mapped() {
        std::string before;
        std::string after;
        for (int i = 0; i < 20000; ++i) {
            before += "old" + std::to_string(i * 7919 % 10007) + "\n";
            after += "new" + std::to_string(i) + "\n\n";
        }
        const std::vector<int> lines = map_lines(before, after);
        QCOMPARE(lines.size(), std::size_t{20001});
    }

    void breakpoints_move_with_their_lines_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("by");
        QTest::addColumn<QVector<int>>("lines");
        QTest::addColumn<QString>("said");
        QTest::newRow("inserted above") << "        y = torch.relu(y)\n"
                                        << "        print(1)\n        print(2)\n        y = torch.relu(y)\n"
                                        << QVector<int>{11, 14, 15} << "";
        QTest::newRow("deleted above") << "from torch import nn\n\n"
                                       << "from torch import nn\n"
                                       << QVector<int>{10, 11, 12} << "";
        QTest::newRow("edited") << "        y = torch.relu(y)\n"
                                << "        y = torch.relu(y + 1)\n"
                                << QVector<int>{11, 12, 13} << "";
        QTest::newRow("deleted") << "        y = torch.relu(y)\n"
                                 << "" << QVector<int>{11, 12}
                                 << "breakpoint 2 is gone with its line, which was line 12: y = torch.relu(y)";
    }
    void breakpoints_move_with_their_lines() {
        QFETCH(QString, what);
        QFETCH(QString, by);
        QFETCH(QVector<int>, lines);
        QFETCH(QString, said);
        Log log;
        Session session(&log);
        open(session, kNet);
        for (const int line : {11, 12, 13}) break_at(session, path(), line);
        open(session, replaced(kNet, what.toStdString(), by.toStdString()));
        QCOMPARE(TestReopen::lines(session), std::vector<int>(lines.begin(), lines.end()));
        QCOMPARE(log.texts().contains(said), !said.isEmpty());
        QVERIFY(!log.was_gone());  // the panels stay as they are
        session.run({});
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().next_source.line, lines.front());
    }

    // What an editor tells of while it edits is not moved once more when the file is opened again.
    void edits_are_told_as_they_are_made() {
        Log log;
        Session session(&log);
        open(session, kNet);
        break_at(session, path(), 12);
        const std::string once = replaced(kNet, "class Net", "# a line\nclass Net");
        session.move_breakpoints(path(), once);
        QTRY_COMPARE(lines(session), std::vector<int>{13});
        const std::string twice = replaced(once, "import torch\n", "import torch\n\n");
        session.move_breakpoints(path(), twice);
        QTRY_COMPARE(lines(session), std::vector<int>{14});
        open(session, twice);
        QTRY_COMPARE(lines(session), std::vector<int>{14});
        open(session, kNet);
        QTRY_COMPARE(lines(session), std::vector<int>{12});
        QVERIFY(log.texts().filter("breakpoint").isEmpty());
    }

    // A source that cannot be opened leaves all as it was; mended, the lines are found.
    void a_broken_source_between() {
        Session session;
        open(session, kNet);
        break_at(session, path(), 12);
        const std::string broken = replaced(kNet, "class Net", "broken = (1 +\nclass Net");
        session.move_breakpoints(path(), broken);
        open(session, broken);
        QCOMPARE(session.status().state, RunState::Failed);
        QVERIFY(session.model() != nullptr);
        QCOMPARE(lines(session), std::vector<int>{13});
        open(session, replaced(kNet, "class Net", "mended = 1\n\nclass Net"));
        QCOMPARE(lines(session), std::vector<int>{14});
    }

    void breakpoints_stay_on_their_nodes() {
        Log log;
        Session session(&log);
        open(session, kNet);
        Breakpoint breakpoint;
        breakpoint.kind = Breakpoint::Kind::Node;
        breakpoint.graph_node = node(session, "aten::mul");
        QVERIFY(breakpoint.graph_node >= 0);
        session.add_breakpoint(breakpoint);
        // One more of its kind before it: its line says which it is.
        open(session, replaced(kNet, "        y = self.first(x)\n", "        x = x * 3\n        y = self.first(x)\n"));
        session.run({});
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().next_op, std::string("aten::mul"));
        QCOMPARE(session.model()->graph->nodes[static_cast<std::size_t>(session.status().next_node)].source.line, 14);
        session.stop();
        session.wait_idle();
        // Gone: it rests, and comes back with its node.
        open(session, replaced(kNet, "y * 2", "y + 2"));
        QVERIFY(!session.breakpoints().front().enabled);
        QCOMPARE(log.texts().filter("breakpoint 1 rests: mul is not in the graph that runs").size(), 1);
        open(session, kNet);
        QVERIFY(session.breakpoints().front().enabled);
        QCOMPARE(session.breakpoints().front().graph_node, node(session, "aten::mul"));
        // Through a pipeline and back.
        RunOptions options;
        options.pipeline = "inference";
        session.run(options);
        session.wait_idle();
        session.stop();
        session.run({});
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().next_op, std::string("aten::mul"));
    }

    void breakpoints_are_of_their_model() {
        Session session;
        open(session, kNet);
        break_at(session, path(), 12);
        write_file_atomically(path("other.py"), kNet);
        session.open(path("other.py"));
        session.wait_idle();
        QVERIFY(session.breakpoints().empty());
        break_at(session, path("other.py"), 11);
        session.open(path());
        session.wait_idle();
        QCOMPARE(lines(session), std::vector<int>{12});
        QCOMPARE(QString::fromStdString(session.breakpoints().front().text), QString::fromStdString(path()));
    }

    void a_lost_module_is_told_of() {
        Log log;
        Session session(&log);
        open(session, kNet);
        Breakpoint breakpoint;
        breakpoint.kind = Breakpoint::Kind::Module;
        breakpoint.text = "second";
        session.add_breakpoint(breakpoint);
        open(session, replaced(kNet, "class Net", "\nclass Net"));
        QVERIFY(log.texts().filter("breakpoint").isEmpty());
        open(session, replaced(replaced(kNet, "self.second = nn", "self.last = nn"), "self.second(y)", "self.last(y)"));
        QCOMPARE(log.texts().filter("breakpoint 1 stops nowhere: there is no module second any more").size(), 1);
    }

    // As they were loaded, whatever the source draws; what does not fit is named.
    void loaded_weights_stay() {
        Log log;
        Session session(&log);
        open(session, kNet);
        const double drawn = weight(session, "first.weight");
        QCOMPARE(save(session, path("held.pt")), std::string());
        open(session, replaced(kNet, "model = Net()", "torch.manual_seed(5)\nmodel = Net()"));
        const double own = weight(session, "first.weight");
        QVERIFY(own != drawn);  // nothing was loaded: it is the source's
        QCOMPARE(load(session, path("held.pt")).error, std::string());
        QCOMPARE(weight(session, "first.weight"), drawn);
        open(session, replaced(kNet, "model = Net()", "torch.manual_seed(6)\nmodel = Net()"));
        QCOMPARE(weight(session, "first.weight"), drawn);
        QCOMPARE(log.texts().filter("4 tensors are as before (held.pt)").size(), 1);
        std::string wide = replaced(kNet, "self.second = nn.Linear(3, 2)",
                                    "self.second = nn.Linear(3, 5)\n        self.extra = nn.Linear(1, 1)");
        open(session, wide);
        QCOMPARE(weight(session, "first.weight"), drawn);
        const QStringList said =
            log.texts().filter("2 tensors are as before (held.pt); what did not fit is as the source makes it: ");
        QCOMPARE(said.size(), 1);
        QVERIFY2(said.front().contains("second.weight is 5x3, was 2x3") && said.front().contains("extra.weight is new"),
                 qPrintable(said.front()));
        // Closed and opened it begins with the source's own.
        session.close();
        session.wait_idle();
        open(session, replaced(kNet, "model = Net()", "torch.manual_seed(5)\nmodel = Net()"));
        QCOMPARE(weight(session, "first.weight"), own);
    }

    // Of which PyTorch it is built is said before it is opened, and holds until another is chosen.
    void builtAsByTheReleaseThatIsChosen() {
        Session session(nullptr);
        const std::string source =
            replaced(kNet, "nn.Linear(4, 3)", "nn.Linear(4, 3, bias=torch.__version__ >= (2, 0))");
        const auto has_bias = [&session] {
            const auto& modules = session.model()->modules;
            return std::any_of(modules.begin(), modules.end(), [](const auto& module) {
                return module.path == "first" &&
                       std::any_of(module.parameters.begin(), module.parameters.end(), [](const auto& parameter) {
                           return parameter.name.find("bias") != std::string::npos;
                       });
            });
        };
        open(session, source);
        QVERIFY(has_bias());
        session.set_torch_release(path(), "1.13");
        open(session, source);
        QVERIFY(!has_bias());
        session.set_torch_release(path(), "2.15");
        open(session, source);
        QVERIFY(has_bias());
        QVERIFY_THROWS_EXCEPTION(Error, session.set_torch_release(path(), "3.0"));
    }

    // A checkpoint that lies beside the source must fit when it is opened; while it is edited, what fits is taken.
    void weights_beside_an_edited_source() {
        Log log;
        Session session(&log);
        open(session, kNet);
        const double drawn = weight(session, "first.weight");
        QCOMPARE(save(session, path("net.pt")), std::string());
        open(session, replaced(kNet, "self.second = nn.Linear(3, 2)", "self.second = nn.Linear(3, 5)"));
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
        QCOMPARE(weight(session, "first.weight"), drawn);
        QCOMPARE(log.texts()
                     .filter("of the checkpoint beside net.py not all fits: second.weight is 5x3, was 2x3; second.bias "
                             "is 5, was 2")
                     .size(),
                 1);
        QVERIFY(QFile::remove(QString::fromStdString(path("net.pt"))));
    }

    void learned_weights_stay() {
        Session session;
        open(session, kNet);
        TrainOptions options;
        options.loss = "MSELoss()";
        options.max_steps = 3;
        options.data.shape = {4};
        options.data.classes = 0;
        options.loss = "CrossEntropyLoss()";
        options.data.classes = 2;
        options.look_every = -1;
        session.train(options);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        const double learned = weight(session, "first.weight");
        for (int i = 0; i < 2; ++i) {
            open(session, replaced(kNet, "class Net", "# again " + std::to_string(i) + "\nclass Net"));
            QCOMPARE(weight(session, "first.weight"), learned);
        }
    }

    // Chosen inputs stay while they are as many; those of the source are its own.
    void inputs_and_options_stay() {
        Log log;
        Session session(&log);
        open(session, kNet);
        open(session, replaced(kNet, "torch.ones(1, 4)", "torch.ones(6, 4)"));
        session.run({});
        session.wait_idle();
        QCOMPARE(session.recording()->value(session.recording()->event(1).outputs.front()).shape, (Shape{6, 3}));
        session.set_inputs({parse_input_spec("5x4:normal")});
        open(session, replaced(kNet, "class Net", "\nclass Net"));
        QCOMPARE(session.inputs().front().shape, (Shape{5, 4}));
        std::string two = replaced(replaced(kNet, "forward(self, x)", "forward(self, x, z)"), "(torch.ones(1, 4),)",
                                   "(torch.ones(1, 4), torch.ones(1))");
        open(session, two);
        QCOMPARE(session.inputs().size(), std::size_t{2});
        QCOMPARE(log.texts().filter("the model takes 2 inputs now, not 1").size(), 1);
    }

    // What is wrong is one line, with all lines and the place beside it.
    void errors_have_their_lines() {
        Log log;
        Session session(&log);
        open(session, replaced(kNet, "        return self.second(y)",
                               "        if y.sum() > 0:\n            z = 'a' + 1\n        return self.second(y)"));
        QVERIFY2(session.status().state == RunState::Failed || session.model() != nullptr, "opened");
        open(session, replaced(kNet, "y = y * 2", "y = y + missing"));
        std::string failure = "?";
        session.set_form(ModelForm::Scripted, [&](std::string why) { failure = std::move(why); });
        session.wait_idle();
        QVERIFY2(QString::fromStdString(failure).contains("undefined value missing (net.py:13)"), failure.c_str());
        const auto entry = log.entries().back();
        QCOMPARE(QString::fromStdString(entry.source.file), QString::fromStdString(path()));
        QCOMPARE(entry.source.line, 13);
        QVERIFY2(QString::fromStdString(entry.details).contains("y = y + missing\n") &&
                     QString::fromStdString(entry.details).contains("~~~~~~~ <--- HERE"),
                 entry.details.c_str());
        // Of text that is no program.
        open(session, replaced(kNet, "model = Net()", "model = (Net()"));
        QCOMPARE(session.status().state, RunState::Failed);
        QVERIFY(session.status().error.find('\n') == std::string::npos);
        QVERIFY2(QString::fromStdString(session.status().details).contains("<--- HERE"),
                 session.status().details.c_str());
        QVERIFY(session.status().error_source.line >= 16);
        // Of a program that fails: its traceback.
        open(session, replaced(kNet, "model = Net()", "model = Net(3)"));
        QVERIFY2(QString::fromStdString(session.status().details).startsWith("Traceback"),
                 session.status().details.c_str());
        QCOMPARE(session.status().error_source.line, 16);
    }
};

QTEST_GUILESS_MAIN(TestReopen)
#include "test_reopen.moc"
