// SPDX-License-Identifier: Apache-2.0
// A model source in its three forms: evaluated, scripted, traced; how far the trace stands for it; and compiling.
#include <QTemporaryDir>
#include <QtTest>
#include <future>

#include "core/base/file.h"
#include "core/model/program.h"
#include "core/session/queries/compile.h"
#include "core/session/queries/pass_bisect.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/trace_check.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

// Lines count: a number on 13, a branch on 14.
const char* const kNet = R"(import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.wide = nn.Linear(3, 2)

    def forward(self, x, scale: float = 2.0):
        y = self.fc(x)
        # A number, and a branch that depends on elements.
        top = float(y.abs().sum())
        if y.sum() > 0:
            y = y * 3
        return self.wide(torch.tanh(y * scale) + top)

model = Net().eval()
example_inputs = (torch.ones(6, 4), 2.0)
)";

struct Events : SessionListener {
    std::mutex mutex;
    std::vector<LogEntry> entries;
    std::vector<std::shared_ptr<const CompileReport>> reports;
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex);
        entries.push_back(entry);
    }
    void on_compiled(std::shared_ptr<const CompileReport> report) override {
        const std::lock_guard lock(mutex);
        reports.push_back(std::move(report));
    }
    QStringList texts() {
        const std::lock_guard lock(mutex);
        QStringList all;
        for (const LogEntry& entry : entries) all << QString("%1 %2").arg(entry.source.line).arg(entry.text.c_str());
        return all;
    }
};

std::string set_form(Session& session, ModelForm form) {
    std::promise<std::string> answer;
    session.set_form(form, [&](std::string failure) { answer.set_value(std::move(failure)); });
    auto failure = answer.get_future().get();
    session.wait_idle();
    return failure;
}

// Of the last value that a run made.
double first_output(Session& session) {
    session.run({});
    session.wait_idle();
    const auto recording = session.recording();
    if (recording == nullptr || recording->event_count() == 0) return -1;
    TensorRequest request;
    request.value = recording->event(static_cast<EventId>(recording->event_count())).outputs.front();
    std::promise<TensorSlice> answer;
    session.ask("out", TensorQuery{request}, [&](TensorSlice slice) { answer.set_value(std::move(slice)); });
    const TensorSlice slice = answer.get_future().get();
    return slice.data.empty() ? -1 : slice.data[0].elements[0];
}

}  // namespace

class TestForms : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QTemporaryDir cache_;
    std::string write(const char* name, const std::string& text) const {
        const std::string path = folder_.filePath(name).toStdString();
        write_file_atomically(path, text);
        return path;
    }

  private slots:
    void initTestCase() { qputenv("XDG_CACHE_HOME", cache_.path().toUtf8()); }

    void formsGiveTheSame() {
        const std::string path = write("same.py", kNet);
        Session session;
        session.open(path);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
        QCOMPARE(session.model()->form, ModelForm::Evaluated);
        const double evaluated = first_output(session);

        QCOMPARE(set_form(session, ModelForm::Scripted), std::string());
        QVERIFY(session.status().state == RunState::Ready);
        const auto scripted = session.model();
        QCOMPARE(scripted->form, ModelForm::Scripted);
        QVERIFY(scripted->graph->text.find("prim::If") != std::string::npos);
        bool has_line = false;
        for (const GraphNode& node : scripted->graph->nodes)
            has_line |= node.kind == "aten::tanh" && node.source.file == path && node.source.line == 16;
        QVERIFY(has_line);
        QVERIFY(scripted->sources.front().is_editable && scripted->sources.front().is_original);
        QCOMPARE(first_output(session), evaluated);

        QCOMPARE(set_form(session, ModelForm::Traced), std::string());
        const auto traced = session.model();
        QCOMPARE(traced->form, ModelForm::Traced);
        QVERIFY(traced->graph->text.find("prim::If") == std::string::npos);
        QCOMPARE(traced->methods.front().arguments.size(), 1U);  // numbers are no arguments of a trace
        QCOMPARE(session.inputs().size(), 1U);
        QCOMPARE(first_output(session), evaluated);

        QCOMPARE(set_form(session, ModelForm::Evaluated), std::string());
        QCOMPARE(session.model()->form, ModelForm::Evaluated);
        QCOMPARE(session.inputs().size(), 2U);
        QCOMPARE(first_output(session), evaluated);
    }

    void warningsHaveLines() {
        const std::string path = write("warned.py", kNet);
        Events events;
        Session session(&events);
        session.open(path);
        session.wait_idle();
        QCOMPARE(set_form(session, ModelForm::Traced), std::string());
        std::vector<int> lines;
        for (const SourceNote& note : session.model()->trace_warnings) {
            QCOMPARE(note.source.file, path);
            lines.push_back(note.source.line);
        }
        QCOMPARE(lines, (std::vector<int>{13, 14}));
        QVERIFY(!events.texts().filter("14 TracerWarning: Converting a tensor to a Python boolean").isEmpty());
    }

    void traceIsCheckedOnOtherInputs() {
        const std::string path = write("checked.py", kNet);
        Session session;
        session.open(path);
        session.wait_idle();
        QCOMPARE(set_form(session, ModelForm::Traced), std::string());
        std::promise<TraceCheck> answer;
        session.ask("check", TraceCheckQuery{}, [&](TraceCheck check) { answer.set_value(std::move(check)); });
        const TraceCheck check = answer.get_future().get();
        QVERIFY2(check.error.empty(), check.error.c_str());
        QVERIFY(!check.is_same());
        QVERIFY(check.cases.size() >= 4);
        QCOMPARE(check.cases[0].what, std::string("the inputs themselves"));
        QVERIFY(check.cases[0].differences.empty());
        QCOMPARE(check.cases[1].what, std::string("other numbers"));
        QVERIFY(!check.cases[1].differences.empty());
        bool has_place = false;
        for (const SourceNote& note : check.cases[1].differences)
            has_place |= note.source.file == path && note.source.line > 0;
        QVERIFY(has_place);
        // Half the features is nothing that the source takes.
        const TraceCheckCase& shorter = check.cases.back();
        QVERIFY(shorter.differences.empty());
        QVERIFY2(shorter.refused.find("mat1 and mat2") != std::string::npos, shorter.refused.c_str());
    }

    void whatCannotBeScriptedRunsAsBefore() {
        const std::string path = write("refused.py", R"(import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        try:
            return x + 1
        except ValueError:
            return x

example_inputs = (torch.ones(2),)
)");
        Events events;
        Session session(&events);
        session.open(path);
        session.wait_idle();
        const std::string failure = set_form(session, ModelForm::Scripted);
        QVERIFY2(failure.find("try") != std::string::npos || failure.find("Try") != std::string::npos, failure.c_str());
        QVERIFY(session.status().state == RunState::Ready);
        QCOMPARE(session.model()->form, ModelForm::Evaluated);
        QVERIFY(!events.texts().filter(QRegularExpression("^6 ")).isEmpty());
        QCOMPARE(first_output(session), 2.0);

        Session archive;
        archive.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        archive.wait_idle();
        QVERIFY(set_form(archive, ModelForm::Traced).find("only a model source") != std::string::npos);
        QVERIFY(archive.status().state == RunState::Ready);
    }

    void anEditedSourceKeepsItsForm() {
        const std::string path = write("edited.py", kNet);
        Session session;
        session.open(path);
        session.wait_idle();
        set_form(session, ModelForm::Scripted);
        std::string text = kNet;
        text.replace(text.find("y * 3"), 5, "y * 4");
        write("edited.py", text);
        session.open(path);
        session.wait_idle();
        QCOMPARE(session.model()->form, ModelForm::Scripted);
        set_form(session, ModelForm::Traced);
        session.open(path);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
        QCOMPARE(session.model()->form, ModelForm::Traced);
    }

    void modesAreCompiledAndRun() {
        Events events;
        Session session(&events);
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        session.wait_idle();
        const double expected = first_output(session);
        for (const std::string& mode : compile_modes()) {
            std::promise<CompileReport> answer;
            session.ask("compile", CompileQuery{{.mode = mode}},
                        [&](CompileReport report) { answer.set_value(std::move(report)); });
            const CompileReport report = answer.get_future().get();
            QVERIFY2(report.error.empty(), report.error.c_str());
            QCOMPARE(report.mode, mode);
            QVERIFY(!report.pipeline.empty() && report.seconds > 0 && report.seconds_before > 0);
            QCOMPARE(report.tried.size() > 1, mode == "max-autotune");
            QCOMPARE(!report.file.empty(), mode == "max-autotune");

            RunOptions options;
            options.compile_mode = mode;
            session.run(options);
            session.wait_idle();
            QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
            QCOMPARE(session.model()->graph->pipeline, report.pipeline);
            const auto recording = session.recording();
            QVERIFY(recording->event_count() > 0);
            TensorRequest request;
            request.value = recording->event(static_cast<EventId>(recording->event_count())).outputs.front();
            std::promise<TensorSlice> out;
            session.ask("out", TensorQuery{request}, [&](TensorSlice slice) { out.set_value(std::move(slice)); });
            QVERIFY(std::abs(out.get_future().get().data[0].elements[0] - expected) < 1e-4);
        }
        const std::lock_guard lock(events.mutex);
        QCOMPARE(events.reports.size(), 6U);
        QVERIFY(events.reports.back()->is_from_disk);
    }

    void whatCannotBeCompiledIsTold() {
        const std::string path = write("breaks.py", R"(import torch
from torch import nn

class Pick(nn.Module):
    def forward(self, x):
        y = torch.relu(x) * 2
        rows = torch.nonzero(y)
        return torch.tanh(y).sum() + rows.sum()

model = Pick().eval()
example_inputs = (torch.ones(3, 4),)
)");
        Events events;
        Session session(&events);
        session.open(path);
        session.wait_idle();
        RunOptions options;
        options.compile_mode = "reduce-overhead";
        session.run(options);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        QVERIFY(!events.texts().filter(QRegularExpression("^7 graph break: aten::nonzero")).isEmpty());
        const std::lock_guard lock(events.mutex);
        QCOMPARE(events.reports.size(), 1U);
        QCOMPARE(events.reports[0]->breaks.size(), 1U);
        QCOMPARE(events.reports[0]->breaks[0].source.line, 7);
    }

    // What only a run shows splits a part as well: the rest of it is planned.
    void masksSplitAPart() {
        const std::string path = write("mask.py", R"(import torch
from torch import nn

class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        y = torch.relu(self.fc(x)) * 2 + 1
        z = y[y > 1.5]
        return torch.tanh(y) * torch.sigmoid(y) + z.sum()

model = Mask().eval()
example_inputs = (torch.ones(3, 4),)
)");
        Session session;
        session.open(path);
        session.wait_idle();
        QCOMPARE(set_form(session, ModelForm::Scripted), std::string());
        const double expected = first_output(session);
        std::promise<CompileReport> answer;
        session.ask("compile", CompileQuery{{.mode = "reduce-overhead"}},
                    [&](CompileReport report) { answer.set_value(std::move(report)); });
        const CompileReport report = answer.get_future().get();
        QVERIFY2(report.error.empty(), report.error.c_str());
        QCOMPARE(report.breaks.size(), 1U);
        QCOMPARE(report.breaks[0].op, std::string("aten::index"));
        QCOMPARE(report.breaks[0].source.line, 10);
        QVERIFY2(report.breaks[0].reason.find("mask") != std::string::npos, report.breaks[0].reason.c_str());
        RunOptions options;
        options.compile_mode = "reduce-overhead";
        session.run(options);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        const auto graph = session.model()->graph;
        QCOMPARE(std::count_if(graph->nodes.begin(), graph->nodes.end(),
                               [](const GraphNode& node) { return node.kind == "prim::StaticSubgraph"; }),
                 2);
        QVERIFY(graph->text.find("graph_break") == std::string::npos);
        TensorRequest request;
        request.value =
            session.recording()->event(static_cast<EventId>(session.recording()->event_count())).outputs.front();
        std::promise<TensorSlice> out;
        session.ask("out", TensorQuery{request}, [&](TensorSlice slice) { out.set_value(std::move(slice)); });
        QVERIFY(std::abs(out.get_future().get().data[0].elements[0] - expected) < 1e-5);
    }

    void bisectTellsHowFarItIs() {
        Session session;
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        session.wait_idle();
        std::vector<PassBisectProgress> told;
        std::promise<PassBisect> answer;
        session.ask(
            "bisect", PassBisectQuery{{.pipeline = "inference", .rtol = 0, .atol = 0}},
            [&](PassBisect found) { answer.set_value(std::move(found)); },
            [&](PassBisectProgress progress) { told.push_back(std::move(progress)); });
        const PassBisect found = answer.get_future().get();
        QVERIFY2(found.step >= 0, found.verdict.c_str());  // no tolerance: folding moves last bits
        QVERIFY(told.size() >= 3);
        QCOMPARE(told.front().passes, 0U);
        QCOMPARE(told.size(), found.runs.size() + 1);
        for (std::size_t i = 1; i < told.size(); ++i) {
            QCOMPARE(told[i].passes, found.runs[i - 1].passes);
            QVERIFY(!told[i].pass.empty());
            QCOMPARE(told[i].runs.size(), i - 1);
            QVERIFY(told[i].left + 1 + i >= told.size());
            QVERIFY(static_cast<int>(told[i].low) <= found.step && found.step <= static_cast<int>(told[i].high));
        }
        QCOMPARE(told.back().left, 0U);
    }
};

QTEST_GUILESS_MAIN(TestForms)
#include "test_forms.moc"
