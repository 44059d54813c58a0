// SPDX-License-Identifier: Apache-2.0
// Model sources in a session: what it takes to build the model, and what lines gave names, as the window asks for them.
#include <QTemporaryDir>
#include <QtTest>
#include <future>

#include <mutex>

#include "core/base/file.h"
#include "core/session/condition.h"
#include "core/session/queries/line_values.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const char* const kNeedsArguments = R"(import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
    def forward(self, x):
        return self.fc(x)

class Net(nn.Module):
    'Blocks one after another.'
    def __init__(self, width: int, depth: "int" = 2, *, act=nn.ReLU, **options):
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.act = act()
    def forward(self, x):
        for block in self.blocks:
            x = self.act(block(x))
        return x
)";

const char* const kLines = R"(import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([1.0, 2.0]))
    def halve(self, value, by=2):
        half = value / by
        return half
    def forward(self, x):
        n, c = x.shape
        y = x * self.scale
        y += 1
        self.kept = [n, "a", None]
        for i in range(3):
            z = y + i
        with torch.no_grad() as guard:
            w = self.halve(z)
        return w

model = Net()
example_inputs = (torch.zeros(1, 2),)
)";

const char* const kLoads = R"(import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Points(Dataset):
    def __len__(self):
        return 6
    def __getitem__(self, i):
        return torch.full((3,), float(i)).sin(), torch.tensor([float(i)])

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)
    def forward(self, scale):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.01)
        for x, y in DataLoader(Points(), batch_size=2, num_workers=2):
            with torch.enable_grad():
                optimizer.zero_grad()
                loss = ((self.fc(x * scale) - y) ** 2).mean()
                loss.backward()
            optimizer.step()
        return loss.detach()

model = Net()
example_inputs = (torch.ones(1),)
)";

std::vector<FrameValues> values_now(Session& session) {
    std::promise<std::vector<FrameValues>> answer;
    session.ask("lines", LineValuesQuery{},
                [&](std::vector<FrameValues> frames) { answer.set_value(std::move(frames)); });
    return answer.get_future().get();
}

// "13 y = float32 1x2, 0 to 0", a line each.
QStringList lines_of(const FrameValues& frame) {
    QStringList out;
    for (const LineValue& line : frame.values)
        out << QString("%1 %2 = %3").arg(line.line).arg(line.name.c_str(), line.text.c_str());
    return out;
}

}  // namespace

class LogKeeper final : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex_);
        texts_ << QString::fromStdString(entry.text);
    }
    QStringList texts() const {
        const std::lock_guard lock(mutex_);
        return texts_;
    }

  private:
    mutable std::mutex mutex_;
    QStringList texts_;
};

class TestSourceModels : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string write(const char* name, const std::string& text) const {
        const std::string path = folder_.filePath(name).toStdString();
        write_file_atomically(path, text);
        return path;
    }

  private slots:
    // Opening traces it on its example inputs, for a limited time.
    void aForwardThatDoesNotEndIsOpened() {
        const std::string path = write("endless.py",
                                       "import torch\n"
                                       "class Net(torch.nn.Module):\n"
                                       "    def forward(self, x):\n"
                                       "        while True:\n"
                                       "            x = x + 1\n"
                                       "example_inputs = (torch.ones(1),)\n");
        Session session;
        session.open(path);
        session.wait_idle();
        QVERIFY(session.status().state == RunState::Ready);
        QVERIFY(session.model() != nullptr && session.model()->cannot_run.empty());
        session.run({});
        QTRY_VERIFY(session.status().state == RunState::Running);
        session.stop();
        session.wait_idle();
        QVERIFY(session.status().state != RunState::Running);
    }
    void constructorsAreListed() {
        const std::string path = write("needs.py", kNeedsArguments);
        Session session;
        session.open(path);
        session.wait_idle();
        QVERIFY(session.status().state == RunState::Ready);
        const auto info = session.model();
        QVERIFY(info != nullptr && info->cannot_run.empty());
        QCOMPARE(QString::fromStdString(info->built_as), "Net(width=64)");
        QCOMPARE(QString::fromStdString(info->guessed_from), "names and uses");
        QCOMPARE(QString::fromStdString(info->constructors[0].parameters[0].guess), "64");
        QCOMPARE(info->constructors.size(), 2U);
        const ConstructorInfo& net = info->constructors[0];
        QCOMPARE(QString::fromStdString(net.class_name), "Net");
        QCOMPARE(QString::fromStdString(net.doc), "Blocks one after another.");
        QCOMPARE(net.source.line, 13);
        QCOMPARE(net.parameters.size(), 3U);
        QCOMPARE(QString::fromStdString(net.parameters[0].name + ":" + net.parameters[0].annotation), "width:int");
        QVERIFY(!net.parameters[0].default_value.has_value());
        QCOMPARE(QString::fromStdString(net.parameters[1].default_value.value()), "2");
        QCOMPARE(QString::fromStdString(net.parameters[2].default_value.value()), "nn.ReLU");
        QVERIFY(net.parameters[2].is_keyword_only && !net.parameters[1].is_keyword_only);
        QVERIFY(net.takes_keywords && !net.takes_rest);
        QCOMPARE(QString::fromStdString(info->constructors[1].class_name), "Block");
    }

    // As of a program that begins with torch.manual_seed(0), whatever was drawn before.
    void theSameSourceHasTheSameWeights() {
        const std::string path = write("drawn.py",
                                       "import torch\nfrom torch import nn\n"
                                       "class Net(nn.Module):\n"
                                       "    def __init__(self):\n"
                                       "        super().__init__()\n"
                                       "        self.fc = nn.Linear(4, 4)\n"
                                       "    def forward(self, x):\n"
                                       "        return self.fc(x).sum()\n"
                                       "example_inputs = (torch.ones(2, 4),)\n");
        Session session;
        for (int i = 0; i < 3; ++i) {
            session.open(path);
            session.wait_idle();
            session.run({});
            session.wait_idle();
            const auto recording = session.recording();
            const Event last = recording->event(static_cast<EventId>(recording->event_count()));
            const auto& finite = recording->value(last.outputs.at(0)).statistics->finite;
            QVERIFY(finite.has_value());
            QVERIFY2(std::abs(finite->min + 2.8077139854431152) < 1e-6, std::to_string(finite->min).c_str());
        }
    }

    void theModelIsBuiltAndBuiltAgain() {
        const std::string path = write("built.py", kNeedsArguments);
        Session session;
        session.open(path, "Net(4, depth=3)");
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
        QCOMPARE(session.model()->parameter_count, 3 * (16 + 4));
        QCOMPARE(QString::fromStdString(session.model()->built_with), "Net(4, depth=3)");
        QCOMPARE(session.model()->constructors.size(), 2U);  // to build it otherwise

        session.open(path);  // edited: built as before
        session.wait_idle();
        QCOMPARE(session.model()->parameter_count, 3 * (16 + 4));
        session.open(path, "Net(2)");
        session.wait_idle();
        QCOMPARE(session.model()->parameter_count, 2 * (4 + 2));
    }

    void namesShowWhatTheirLinesGave() {
        const std::string path = write("lines.py", kLines);
        Session session;
        session.open(path);
        session.wait_idle();
        QVERIFY(values_now(session).empty());
        Breakpoint at;
        at.kind = Breakpoint::Kind::Line;
        at.text = path;
        at.line = 10;  // return half
        session.add_breakpoint(at);
        session.run({});
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Paused, session.status().error.c_str());

        const auto frames = values_now(session);
        QCOMPARE(frames.size(), 2U);
        QCOMPARE(QString::fromStdString(frames[0].function), "Net.halve");
        QCOMPARE(frames[0].source.line, 10);
        QCOMPARE(lines_of(frames[0]), (QStringList{"8 self = Net", "8 value = float32 1x2, 3 to 3", "8 by = 2",
                                                   "9 half = float32 1x2, 1.5 to 1.5"}));
        QVERIFY(frames[0].values.back().value != 0);
        QCOMPARE(QString::fromStdString(frames[1].function), "Net.forward");
        QCOMPARE(frames[1].source.line, 19);
        QCOMPARE(lines_of(frames[1]), (QStringList{"11 self = Net", "11 x = float32 1x2, 0 to 0", "12 n = 1",
                                                   "12 c = 2", "13 y = float32 1x2, 0 to 0",
                                                   "14 y = float32 1x2, 1 to 1", "15 self.kept = [1, 'a', None]",
                                                   "16 i = 2", "17 z = float32 1x2, 3 to 3", "18 guard = None"}));

        session.stop();
        session.wait_idle();
        QVERIFY(values_now(session).empty());
    }

    // Where a run with one breakpoint stops: "line operator of module", from stop to stop.
    QStringList stopsOf(Session& session, Breakpoint at) {
        for (const Breakpoint& old : session.breakpoints()) session.remove_breakpoint(old.id);
        session.add_breakpoint(at);
        QStringList stops;
        session.run({});
        session.wait_idle();
        for (int i = 0; i < 20 && session.status().state == RunState::Paused; ++i) {
            const Status status = session.status();
            const Event* const last = status.reached == 0 ? nullptr : &session.recording()->event(status.reached);
            const bool is_before = !status.next_source.file.empty();
            stops << (is_before
                          ? QString("before %1").arg(status.next_source.line)
                          : QString("behind %1%2")
                                .arg(QString::fromUtf8(last->op.data(), static_cast<qsizetype>(last->op.size())),
                                     last->scope.empty()
                                         ? QString()
                                         : " of " + QString::fromUtf8(last->scope.data(),
                                                                      static_cast<qsizetype>(last->scope.size()))));
            session.resume();
            session.wait_idle();
        }
        return stops;
    }

    // A source that trains with a loader: its workers take turns on the engine's thread, and the recording says so.
    void loadersOfASourceAreRecorded() {
        const std::string path = write("loads.py", kLoads);
        Session session;
        session.open(path);
        session.wait_idle();
        session.run({});
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        const auto recording = session.recording();
        const std::vector<LoadSpan> loads = recording->loads();
        QCOMPARE(loads.size(), std::size_t{6});
        for (std::size_t i = 0; i < loads.size(); i += 2) {
            const LoadSpan& made = loads[i];
            const LoadSpan& waited = loads[i + 1];
            QCOMPARE(made.kind, data::LoadKind::InTurn);
            QCOMPARE(waited.kind, data::LoadKind::Wait);
            QCOMPARE(made.batch, std::uint64_t{i / 2});
            QCOMPARE(made.worker, static_cast<std::uint32_t>(i / 2 % 2));
            QVERIFY(waited.start >= 0 && waited.start <= made.start && made.end <= waited.end);
            // The samples' own operators ran inside.
            bool has_event = false;
            for (EventId id = 1; id <= recording->event_count(); ++id) {
                const Event& event = recording->event(id);
                has_event = has_event || (event.start >= made.start && event.end() <= made.end);
            }
            QVERIFY(has_event);
        }
    }

    void conditionsStopLines() {
        const std::string path = LOUPE_SOURCE_DIR "/tests/session/conditions.py";
        LogKeeper log;
        Session session(&log);
        session.open(path);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
        const auto stops = [&](int line, const char* condition) {
            Breakpoint at;
            at.kind = Breakpoint::Kind::Line;
            at.text = path;
            at.line = line;
            at.condition = condition;
            const ConditionProblem problem = check_condition(at, session.model().get());
            return problem.text.empty() ? stopsOf(session, at)
                                        : QStringList{"refused: " + QString::fromStdString(problem.text)};
        };
        // Variables: before the line. The line that only calls a module: behind the operator inside it.
        QCOMPARE(stops(26, "i == 1"), (QStringList{"before 26"}));
        QCOMPARE(stops(26, "i >= 1 and x.shape[1] == 2"), (QStringList{"before 26", "before 26"}));
        QCOMPARE(stops(26, "absmax > 5 and i == 2"),
                 (QStringList{"behind aten::linear of inner.fc", "behind aten::relu of inner"}));
        QCOMPARE(stops(28, "absmax > 50"), (QStringList{"behind aten::mul"}));  // a function of the source
        QCOMPARE(stops(31, "shape differs"), (QStringList{"behind aten::cat"}));
        QCOMPARE(stops(31, "len(parts) == 2"), (QStringList{"before 31"}));
        QCOMPARE(stops(31, "any(p.numel() > 1 for p in parts) and n == 2"), (QStringList{"before 31"}));
        // Names in f-strings, and a name that a comprehension uses for its own too.
        QCOMPARE(stops(26, "f'{i}' == '1'"), (QStringList{"before 26"}));
        QCOMPARE(stops(31, "any(n > 5 for n in (1, 6)) and n == 2"), (QStringList{"before 31"}));
        QCOMPARE(stops(31, "any((m := n + k) > 2 for k in (0, 1)) and m == 3"), (QStringList{"before 31"}));
        QVERIFY(stops(26, "f'{j}' == '1'")[0].startsWith("refused: 'j' is neither a name in conditions.py"));
        QVERIFY(stops(26, "j == 1")[0].startsWith("refused: 'j' is neither a name in conditions.py"));
        // A name of another function, and of another line's, is none here; one that has a value only later may be.
        QVERIFY2(stops(11, "parts == 1")[0].startsWith("refused: 'parts' has no value at line 11 of conditions.py"),
                 qPrintable(stops(11, "parts == 1")[0]));
        QVERIFY(stops(26, "fc.absmax >= 0")[0].startsWith("refused: 'fc' has no value at line 26"));
        QCOMPARE(log.texts().filter("could not be evaluated once").size(), 0);
        QCOMPARE(stops(26, "n == 1"), QStringList());
        const QStringList never = log.texts().filter("could not be evaluated once");
        QCOMPARE(never.size(), 1);
        QVERIFY2(never[0].contains("n == 1"), qPrintable(never[0]));
        QCOMPARE(stops(31, "len(parts) == 1 and y is not None"), (QStringList{"before 31"}));
        QCOMPARE(log.texts().filter("could not be evaluated once").size(), 1);
        QCOMPARE(session.status().state, RunState::Finished);
        const auto events = session.recording()->event_count();
        // A condition computes aside: it is no event, and draws no number of the run's.
        QCOMPARE(stops(26, "(x + torch.rand(1)).sum() > 1e9"), QStringList());
        QCOMPARE(session.recording()->event_count(), events);
        // What cannot be judged is said once, and the run goes on.
        QCOMPARE(stops(28, "x.missing == 1"), QStringList());
        QCOMPARE(session.status().state, RunState::Finished);
        const QStringList complaints = log.texts().filter("does not stop").filter("x.missing");
        QCOMPARE(complaints.size(), 1);
        QVERIFY2(complaints[0].contains("x.missing == 1"), qPrintable(complaints[0]));
    }
};

QTEST_GUILESS_MAIN(TestSourceModels)
#include "test_source_models.moc"
