// SPDX-License-Identifier: Apache-2.0
// What a pipeline fused, as the window asks for it.

#include <QtTest>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>

#include "core/session/queries/fused_groups.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"

using namespace loupe::session;

namespace {

constexpr const char* kSource = R"(import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.BatchNorm1d(8)

    def forward(self, x):
        y = self.norm(self.linear(x))
        return torch.tanh(y * 2.0) + torch.sigmoid(y)

model = Net()
example_inputs = (torch.ones(4, 8),)
)";

FusedGroups ask(Session& session, const FusedGroupsRequest& request) {
    std::mutex mutex;
    std::condition_variable ready;
    std::optional<FusedGroups> answer;
    session.ask("groups", FusedGroupsQuery{request}, [&](FusedGroups groups) {
        const std::lock_guard lock(mutex);
        answer = std::move(groups);
        ready.notify_all();
    });
    std::unique_lock lock(mutex);
    ready.wait_for(lock, std::chrono::seconds(240), [&] { return answer.has_value(); });
    return answer.value();
}

}  // namespace

class TestFusedGroups : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", folder_.path().toLocal8Bit());
        std::ofstream(file()) << kSource;
    }

    // Operators of a graph that was made for training, and of its gradients, lead to the modules and lines they come
    // from.
    void steps_of_a_training_graph_have_their_places() {
        Session session;
        session.open(file());
        session.wait_idle();
        RunOptions options;
        options.backward = true;
        options.pipeline = "train_fused";
        session.run(options);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        const auto recording = session.recording();
        std::set<std::pair<std::string, RunPhase>> seen;
        bool in_backward = false;
        for (EventId id = 1; id <= static_cast<EventId>(recording->event_count()); ++id) {
            const Event& event = recording->event(id);
            in_backward = in_backward || event.phase == RunPhase::Backward;
            QVERIFY2(!in_backward || event.phase == RunPhase::Backward, std::string(event.op).c_str());
            seen.emplace(event.scope, event.phase);
            if (!event.op.starts_with("aten::") || event.scope.empty()) continue;
            QVERIFY2(event.source_line == 11 && event.source_file.ends_with("net.py"), std::string(event.op).c_str());
        }
        for (const RunPhase phase : {RunPhase::Forward, RunPhase::Backward}) {
            for (const char* scope : {"", "linear", "norm"}) QVERIFY2(seen.contains({scope, phase}), scope);
        }
    }

    // From the source through the group's graph to the statements of the kernel, and, where LLVM is there, to its
    // instructions.
    void lines_of_kernels_know_where_they_came_from() {
        Session session;
        const std::string path = folder_.filePath(QStringLiteral("eval.py")).toStdString();
        std::ofstream(path) << kSource << "model.eval()\n";
        session.open(path);
        session.wait_idle();
        const FusedGroups groups = ask(session, {.pipeline = "inference", .measure = false});
        QVERIFY2(groups.error.empty(), groups.error.c_str());
        QVERIFY(!groups.groups.empty());
        const auto lines_of = [](const std::string& text) {
            return QString::fromStdString(text).trimmed().split(QLatin1Char('\n'));
        };
        for (const FusedGroupView& group : groups.groups) {
            const QStringList graph = lines_of(group.graph);
            QCOMPARE(group.places.size(), static_cast<std::size_t>(graph.size()));
            std::set<int> lines;
            for (qsizetype i = 0; i < graph.size(); ++i) {
                if (!graph[i].contains(QLatin1String("aten::"))) continue;
                lines.insert(group.places[static_cast<std::size_t>(i)].line);
            }
            QVERIFY2(lines.contains(12), group.graph.c_str());
            QCOMPARE(group.reason, std::string());
            QVERIFY(!group.kernels.empty());
            for (const FusedKernelView& kernel : group.kernels) {
                const QStringList statements = lines_of(kernel.expression);
                QCOMPARE(kernel.from_graph.size(), static_cast<std::size_t>(statements.size() - 1));  // not "return"
                for (std::size_t i = 0; i < kernel.from_graph.size(); ++i) {
                    const QString statement = statements[static_cast<qsizetype>(i)];
                    if (!statement.contains(QLatin1String(" = "))) continue;
                    QCOMPARE(kernel.from_graph[i].size(), 1u);
                    const QString node = graph[kernel.from_graph[i].front()].toLower();
                    const QString name = statement.section(QLatin1String(" = "), 1).section(QLatin1Char('('), 0, 0);
                    if (name == QLatin1String("Tanh") || name == QLatin1String("Sigmoid"))
                        QVERIFY2(node.contains(name.toLower()), (statement + node).toUtf8());
                }
                if (kernel.backend != "llvm") continue;
                for (const auto& [text, of] :
                     {std::pair(kernel.ir, kernel.ir_of), std::pair(kernel.assembly, kernel.assembly_of)}) {
                    QCOMPARE(of.size(),
                             static_cast<std::size_t>(QString::fromStdString(text).count(QLatin1Char('\n'))));
                    QVERIFY2(text.find("!dbg") == std::string::npos && text.find(".loc") == std::string::npos &&
                                 text.find(".debug_") == std::string::npos,
                             text.c_str());
                    const std::set<int> known(of.begin(), of.end());
                    QVERIFY2(known.contains(static_cast<int>(kernel.from_graph.size()) - 1), text.c_str());
                    QVERIFY(*known.rbegin() < static_cast<int>(kernel.from_graph.size()));
                }
            }
        }
    }

    void groups_of_a_training_step() {
        Session session;
        session.open(file());
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Ready);
        const FusedGroups groups = ask(session, {.pipeline = "train_fused", .backward = true, .backend = "portable"});
        QCOMPARE(groups.error, std::string());
        const auto is_backward = [](const FusedGroupView& group) { return group.is_backward; };
        QVERIFY(std::any_of(groups.groups.begin(), groups.groups.end(), is_backward));
        QVERIFY(!std::all_of(groups.groups.begin(), groups.groups.end(), is_backward));
        for (const FusedGroupView& group : groups.groups) {
            QCOMPARE(group.error, std::string());
            QCOMPARE(group.reason, std::string());
            QCOMPARE(group.runs, 1);
            QVERIFY2(!group.sources.empty() && group.sources.front().line >= 11, group.graph.c_str());
            QVERIFY(!group.kernels.empty() && group.operators.size() >= 2 &&
                    group.graph.find("aten::") != std::string::npos);
            QCOMPARE(group.kernels[0].backend, std::string("portable"));
            QVERIFY(group.kernels[0].expression.find("return") != std::string::npos);
            QVERIFY2(group.kernels[0].program.find("for each ") != std::string::npos, group.kernels[0].program.c_str());
            QVERIFY(group.fused_seconds > 0 && group.unfused_seconds > 0);
            QVERIFY(!group.outputs.empty() && group.outputs[0].starts_with("float32 "));
        }
    }

    // Looking changes nothing: no gradients, the running mean as before.
    void the_model_stays_as_it_is() {
        Session session;
        session.open(file());
        session.wait_idle();
        const auto mean = [&] {
            TensorRequest request;
            request.name = "norm.running_mean";
            std::optional<TensorSlice> slice;
            session.ask("mean", TensorQuery{request}, [&](TensorSlice reply) { slice = std::move(reply); });
            session.wait_idle();
            return slice.value().data.at(0).elements;
        };
        const auto before = mean();
        QCOMPARE(ask(session, {.pipeline = "train_fused", .backward = true, .measure = false}).error, std::string());
        QCOMPARE(mean(), before);
        std::optional<std::vector<GradientRow>> rows;
        session.ask("gradients", GradientsQuery{}, [&](std::vector<GradientRow> reply) { rows = std::move(reply); });
        session.wait_idle();
        for (const GradientRow& row : rows.value()) QVERIFY(!row.has_gradient);
    }

    // The mode of the inputs holds here too, before anything has run in it; and no longer than this. Freezing, which
    // inference begins with, takes none that trains.
    void groups_are_of_the_mode_that_is_asked_for() {
        const auto find = [](Session& session, std::optional<bool> training) {
            return ask(session, {.pipeline = "inference", .measure = false, .training = training});
        };
        Session session;
        session.open(LOUPE_SOURCE_DIR "/tests/fixtures/models/densenet.pt");
        session.wait_idle();
        const std::size_t count = find(session, {}).groups.size();
        QVERIFY(count > 0);
        const FusedGroups training = find(session, true);
        QVERIFY(training.groups.empty() && training.error.find("eval mode") != std::string::npos);
        QCOMPARE(find(session, {}).groups.size(), count);
        session.open(LOUPE_SOURCE_DIR "/tests/fixtures/models/batchnorm_train.pt");
        session.wait_idle();
        QVERIFY(!find(session, {}).error.empty());
        QCOMPARE(find(session, false).error, std::string());
        QVERIFY(!find(session, {}).error.empty());
    }

    // Whoever meets none is told where there are some.
    void pipelines_that_fuse_are_named() {
        Session session;
        session.open(file());
        session.wait_idle();
        const FusedGroups none = ask(session, {.pipeline = "none", .backward = true, .measure = false});
        QCOMPARE(none.error, std::string());
        QVERIFY(none.groups.empty());
        QVERIFY(std::find(none.others.begin(), none.others.end(), "train_fused") != none.others.end());
        for (const std::string& other : none.others) {
            const FusedGroups some = ask(session, {.pipeline = other, .backward = true, .measure = false});
            QVERIFY2(!some.groups.empty() && some.others.empty(), other.c_str());
        }
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        session.wait_idle();
        const FusedGroups nowhere = ask(session, {.pipeline = "inference", .measure = false});
        QCOMPARE(nowhere.error, std::string());
        QVERIFY(nowhere.groups.empty() && nowhere.others.empty());
    }

    void what_cannot_be_asked() {
        Session session;
        QVERIFY(!ask(session, {}).error.empty());
        session.open(file());
        session.wait_idle();
        QVERIFY(!ask(session, {.pipeline = "no such pipeline"}).error.empty());
    }

    void fusers_are_listed() {
        const auto names = list_fusers();
        QVERIFY(std::find(names.begin(), names.end(), "portable") != names.end());
    }

  private:
    std::string file() const { return folder_.filePath("net.py").toStdString(); }
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestFusedGroups)
#include "test_fused_groups.moc"
