// SPDX-License-Identifier: Apache-2.0
// Edit and continue: a run that is parked or has failed goes on with an edited source, and its numbers are those of a
// run of the edited source from the start.
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <future>

#include "core/base/file.h"
#include "core/session/queries/continue_edit.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const char* const kSource = R"(import torch
from torch import nn
import torch.nn.functional as F

SCALE = 2.0
EPS = 0.5

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2

class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 6)
        self.bn = nn.BatchNorm1d(6)
    def forward(self, x):
        return F.dropout(self.bn(self.fc(x)), 0.5, self.training)

class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 3)
        self.bn = nn.BatchNorm1d(3)
    def forward(self, x):
        y = F.dropout(x, 0.25, self.training)
        y = self.fc(y)  # the product
        y = self.bn(y) * SCALE
        return y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.stem = Stem()
        self.head = Head(6)
    def forward(self, x):
        y = self.stem(x)
        y = Double.apply(y)
        y = self.head(y)
        return self.finish(y)
    def finish(self, y):
        return y.sum() + EPS

model = Net()
model.train()
example_inputs = (torch.ones(5, 4) * torch.arange(5.0).reshape(5, 1),)
)";

std::string replaced(std::string text, const std::string& old, const std::string& now) {
    const auto at = text.find(old);
    Q_ASSERT(at != std::string::npos);
    return text.replace(at, old.size(), now);
}

int line_with(const std::string& text, const std::string& words) {
    return static_cast<int>(
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(words)), '\n')) +
           1;
}

template <typename Query>
typename Query::Answer ask(Session& session, Query query) {
    std::promise<typename Query::Answer> answer;
    session.ask("test", query, [&](typename Query::Answer got) { answer.set_value(std::move(got)); });
    return answer.get_future().get();
}

RunOptions options(bool backward = true) {
    RunOptions out;
    out.backward = backward;
    out.seed = 7;
    return out;
}

class LogKeeper final : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override { texts << QString::fromStdString(entry.text); }
    QStringList texts;  // read while the session is idle
};

// "#3 aten::linear stem.fc 0.25 1.5": each event with what it gave, to the last bit of mean and deviation.
QStringList numbers_of(const Session& session) {
    QStringList out;
    const auto recording = session.recording();
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        const Event& event = recording->event(id);
        QString line = QString("#%1 %2 %3")
                           .arg(id)
                           .arg(QString::fromUtf8(event.op.data(), static_cast<qsizetype>(event.op.size())),
                                QString::fromUtf8(event.scope.data(), static_cast<qsizetype>(event.scope.size())));
        for (const ValueId output : event.outputs) {
            const auto& statistics = recording->value(output).statistics;
            if (statistics)
                line += QString(" %1 %2 %3")
                            .arg(statistics->finite->mean, 0, 'g', 17)
                            .arg(statistics->finite->min, 0, 'g', 17)
                            .arg(statistics->finite->max, 0, 'g', 17);
        }
        out << line;
    }
    return out;
}

}  // namespace

class TestEditContinue : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int files_ = 0;
    std::string write(const std::string& text) {
        const std::string path = folder_.filePath(QString("net%1.py").arg(++files_)).toStdString();
        write_file_atomically(path, text);
        return path;
    }
    static void park(Session& session, const std::string& path, int line, bool backward = true) {
        Breakpoint at;
        at.kind = Breakpoint::Kind::Line;
        at.text = path;
        at.line = line;
        const int id = session.add_breakpoint(at);
        session.run(options(backward));
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Paused, session.status().error.c_str());
        session.remove_breakpoint(id);
    }
    static ContinuedEdit edit(Session& session, const std::string& path, const std::string& text,
                              bool only_checks = false) {
        ContinuedEdit out =
            ask(session, ContinueEditQuery{{.texts = {{path, text}}, .only_checks = only_checks, .pins = true}});
        session.wait_idle();
        return out;
    }
    // A run of this text from the start.
    QStringList fresh(const std::string& text, bool backward = true) {
        Session session;
        session.open(write(text));
        session.wait_idle();
        session.run(options(backward));
        session.wait_idle();
        if (session.status().state != RunState::Finished) return {QString::fromStdString(session.status().error)};
        return numbers_of(session);
    }

  private slots:
    // Dropout and batch norm before the edit, in the frame that begins again, and behind it.
    void theNumbersAreThoseOfARunFromTheStart() {
        const std::string path = write(kSource);
        LogKeeper log;
        Session session(&log);
        session.open(path);
        session.wait_idle();
        park(session, path, line_with(kSource, "* SCALE"));
        const auto before = session.recording();
        const QStringList kept = numbers_of(session);
        const std::string edited =
            replaced(kSource, "        y = self.fc(y)  # the product\n",
                     "        # twice\n        y = F.relu(self.fc(y))\n        y = F.dropout(y, 0.5, self.training)\n");
        const ContinuedEdit done = edit(session, path, edited);
        QVERIFY2(done.error.empty(), done.error.c_str());
        QCOMPARE(QString::fromStdString(done.function), "Head.forward");
        QCOMPARE(session.status().state, RunState::Finished);
        const QStringList now = numbers_of(session);
        QCOMPARE(now, fresh(edited));
        // What is before the frame has the numbers that it had.
        QVERIFY(done.from > 3 && done.from <= static_cast<EventId>(kept.size()));
        QCOMPARE(now.mid(0, static_cast<int>(done.from) - 1), kept.mid(0, static_cast<int>(done.from) - 1));
        QCOMPARE(log.texts.filter("came out the same").size(), 1);
        QVERIFY2(log.texts.filter("came out the same")[0].startsWith(
                     QString("continued at #%1, from the start of `Head.forward`").arg(done.from)),
                 qPrintable(log.texts.join("\n")));
        QVERIFY(done.before.id > 0 && done.before.events == kept.size());
        QVERIFY(session.recording() != before);
        // The recording knows where the edit took hold.
        QVERIFY(before->edit() == nullptr);
        const auto begun = session.recording()->edit();
        QVERIFY(begun != nullptr);
        QCOMPARE(begun->event, done.from);
        QCOMPARE(QString::fromStdString(begun->function), "Head.forward");
        QCOMPARE(begun->changed, std::vector<std::string>{"Head.forward"});
        QCOMPARE(begun->place.line, line_with(edited, "        y = F.dropout(x, 0.25") - 1);
        QCOMPARE(begun->place.file, path);
        QCOMPARE(session.model()->sources.front().text, edited);
        // Unchanged functions know their new lines.
        const auto recording = session.recording();
        QCOMPARE(recording->event(static_cast<EventId>(now.indexOf(QRegularExpression("#\\d+ aten::sum .*")) + 1))
                     .source_line,
                 line_with(edited, "y.sum()"));
    }

    // Running statistics are updated once, whatever was run to come here.
    void buffersAreUpdatedOnce() {
        const std::string path = write(kSource);
        Session session;
        session.open(path);
        session.wait_idle();
        park(session, path, line_with(kSource, "* SCALE"), false);
        const ContinuedEdit done = edit(session, path, replaced(kSource, "* SCALE", "* SCALE + 1"));
        QVERIFY2(done.error.empty(), done.error.c_str());
        TensorRequest request;
        request.name = "stem.bn.num_batches_tracked";
        const TensorSlice count = ask(session, TensorQuery{request});
        QVERIFY2(count.error.empty(), count.error.c_str());
        QCOMPARE(count.statistics.finite->mean, 1.0);
    }

    void aRunThatFailedIsMended() {
        const std::string wrong = replaced(kSource, "y = self.fc(y)  # the product", "y = self.fc(y[:, 1:])");
        const std::string path = write(wrong);
        Session session;
        session.open(path);
        session.wait_idle();
        session.run(options());
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Failed);
        const ContinuedEdit done = edit(session, path, kSource);
        QVERIFY2(done.error.empty(), done.error.c_str());
        QCOMPARE(QString::fromStdString(done.function), "Head.forward");
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        QCOMPARE(numbers_of(session), fresh(kSource));
    }

    void whatRanBeforeIsRefused_data() {
        QTest::addColumn<QString>("old");
        QTest::addColumn<QString>("now");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const char* old, const char* now, const char* why) {
            QTest::newRow(name) << QString(old) << QString(now) << QString(why);
        };
        row("__init__", "nn.Linear(width, 3)", "nn.Linear(width, 3, bias=False)",
            "`Head.__init__` changed: it ran before, when the model was made");
        row("finished", "F.dropout(self.bn", "F.relu(self.bn", "`Stem.forward` changed: it ran before, from #1 on");
        row("module", "model.train()", "model.eval()", "is gone: it ran before, when the source was loaded");
        row("live parameters", "    def forward(self, x):\n        y = F.dropout",
            "    def forward(self, x, z=None):\n        y = F.dropout",
            "the parameters of `Head.forward` changed: it is running, called as it was");
        row("live is gone", "    def forward(self, x):\n        y = F.dropout",
            "    def backward(self, x):\n        y = F.dropout",
            "`Head.forward` is gone: it is running, called as it was");
        row("bases", "class Stem(nn.Module)", "class Stem(nn.Sequential)", "the bases of class `Stem` changed");
        row("no Python", "y = self.fc(y)", "y = self.fc(y", "");
    }
    void whatRanBeforeIsRefused() {
        QFETCH(QString, old);
        QFETCH(QString, now);
        QFETCH(QString, why);
        const std::string path = write(kSource);
        Session session;
        session.open(path);
        session.wait_idle();
        park(session, path, line_with(kSource, "* SCALE"));
        const EventId reached = session.status().reached;
        const ContinuedEdit done = edit(session, path, replaced(kSource, old.toStdString(), now.toStdString()));
        QVERIFY2(QString::fromStdString(done.error).contains(why) && !done.error.empty(), done.error.c_str());
        QVERIFY(done.error.find('\n') == std::string::npos);
        if (why.isEmpty()) QVERIFY2(done.place.line > 0, done.error.c_str());
        QCOMPARE(done.may_restart, !why.isEmpty());
        // Nothing is lost: it stands where it stood, and goes on as it was.
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().reached, reached);
        session.resume();
        session.wait_idle();
        QCOMPARE(numbers_of(session), fresh(kSource));
    }

    void whatIsNewOrComesLaterIsTaken_data() {
        QTest::addColumn<QString>("old");
        QTest::addColumn<QString>("now");
        QTest::addColumn<QString>("function");
        const auto row = [](const char* name, const char* old, const char* now, const char* function) {
            QTest::newRow(name) << QString(old) << QString(now) << QString(function);
        };
        row("comment", "EPS = 0.5", "# moved\nEPS = 0.5  # by a comment", "");
        row("later function", "y.sum() + EPS", "y.mean() - EPS", "");
        row("later constant", "EPS = 0.5", "EPS = 0.25", "");
        row("constant of the frame", "SCALE = 2.0", "SCALE = 4.0", "Head.forward");
        row("new function", "class Head", "def halve(x):\n    return x / 2\n\nclass Head", "");
        row("new method", "    def finish(self, y):\n        return y.sum() + EPS",
            "    def total(self, y):\n        return y.sum()\n    def finish(self, y):\n        return self.total(y) + "
            "EPS",
            "");
        row("new import", "        y = self.fc(y)  # the product", "        y = self.fc(y) * math.pi", "Head.forward");
        row("backward", "return grad * 2", "return grad * 3", "");
        row("parameters of what comes later", "def finish(self, y):\n        return y.sum() + EPS",
            "def finish(self, y, by=3.0):\n        return y.sum() * by", "");
    }
    void whatIsNewOrComesLaterIsTaken() {
        QFETCH(QString, old);
        QFETCH(QString, now);
        QFETCH(QString, function);
        const std::string path = write(kSource);
        Session session;
        session.open(path);
        session.wait_idle();
        park(session, path, line_with(kSource, "* SCALE"));
        std::string edited = replaced(kSource, old.toStdString(), now.toStdString());
        if (now.contains("math.")) edited = "import math\n" + edited;
        const ContinuedEdit done = edit(session, path, edited);
        QVERIFY2(done.error.empty(), done.error.c_str());
        QCOMPARE(QString::fromStdString(done.function), function);
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        const auto begun = session.recording()->edit();
        QVERIFY(begun != nullptr && begun->event == done.from && begun->changed == done.changed);
        QVERIFY(done.changed.empty() || begun->place.line > 0);
        QCOMPARE(numbers_of(session), fresh(edited));
    }

    void parkedInBackwardForwardHasRun() {
        const std::string path = write(kSource);
        Session session;
        session.open(path);
        session.wait_idle();
        session.run(options(), RunTarget::first_of(RunPhase::Backward));
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        ContinuedEdit done = edit(session, path, replaced(kSource, "y = self.fc(y)", "y = F.relu(self.fc(y))"));
        QVERIFY2(QString::fromStdString(done.error).startsWith("`Head.forward` changed: it ran before"),
                 done.error.c_str());
        const std::string edited = replaced(kSource, "return grad * 2", "return grad * 3");
        done = edit(session, path, edited);
        QVERIFY2(done.error.empty(), done.error.c_str());
        QCOMPARE(numbers_of(session), fresh(edited));
    }

    // Back to the old text, parked where it was; and an edit of an edit.
    void anEditIsTakenBack() {
        const std::string path = write(kSource);
        Session session;
        session.open(path);
        session.wait_idle();
        park(session, path, line_with(kSource, "* SCALE"));
        const QStringList kept = numbers_of(session);
        const EventId reached = session.status().reached;
        const std::string edited = replaced(kSource, "y = self.fc(y)", "y = F.relu(self.fc(y))");
        QVERIFY(edit(session, path, edited).error.empty());
        QCOMPARE(session.status().state, RunState::Finished);
        const ContinuedEdit back =
            ask(session, ContinueEditQuery{{.texts = {{path, kSource}}, .is_undo = true, .parked_behind = reached}});
        session.wait_idle();
        QVERIFY2(back.error.empty(), back.error.c_str());
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().reached, reached);
        QCOMPARE(numbers_of(session), kept);
        const std::string other = replaced(kSource, "y = self.fc(y)", "y = F.gelu(self.fc(y))");
        QVERIFY(edit(session, path, other).error.empty());
        QCOMPARE(numbers_of(session), fresh(other));
    }

    void withoutARunThereIsNothingToContinue() {
        const std::string path = write(kSource);
        Session session;
        session.open(path);
        session.wait_idle();
        QVERIFY(QString::fromStdString(edit(session, path, kSource).error).startsWith("no run is parked"));
    }

    // An endless loop in the edit can be stopped.
    void anEndlessLoopIsStopped() {
        const std::string path = write(kSource);
        Session session;
        session.open(path);
        session.wait_idle();
        park(session, path, line_with(kSource, "* SCALE"));
        const EventId reached = session.status().reached;
        const std::string edited = replaced(kSource, "        y = self.fc(y)",
                                            "        while True:\n            pass\n        y = self.fc(y)");
        const ContinuedEdit done = ask(session, ContinueEditQuery{{.texts = {{path, edited}}}});
        QVERIFY2(done.error.empty(), done.error.c_str());
        QTest::qWait(300);
        session.stop();
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Ready);
        // Undone it is parked again.
        const ContinuedEdit undone =
            ask(session, ContinueEditQuery{{.texts = {{path, kSource}}, .is_undo = true, .parked_behind = reached}});
        QVERIFY2(undone.error.empty(), undone.error.c_str());
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().reached, reached);
    }
};

QTEST_GUILESS_MAIN(TestEditContinue)
#include "test_edit_continue.moc"
