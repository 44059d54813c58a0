// SPDX-License-Identifier: Apache-2.0
// Sizes before a run: those that the run then has, and nothing is different for having looked.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/session/queries/graph_sizes.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kSource = LOUPE_SOURCE_DIR;

using Sizes = std::map<int, std::vector<std::string>>;

std::string words(const std::string& dtype, const std::vector<std::int64_t>& shape) {
    std::string text = dtype;
    for (const std::int64_t size : shape) text += " " + std::to_string(size);
    return text;
}

Sizes as_map(const GraphSizes& sizes) {
    Sizes map;
    for (const auto& node : sizes.nodes) {
        for (const auto& output : node.outputs) map[node.node].push_back(words(output.dtype, output.shape));
    }
    return map;
}

Sizes as_map(const Recording& recording) {
    Sizes map;
    for (EventId id = 1; id <= static_cast<EventId>(recording.event_count()); ++id) {
        const Event& event = recording.event(id);
        if (event.graph_node < 0 || event.phase != RunPhase::Forward) continue;
        map[event.graph_node].clear();
        for (const ValueId output : event.outputs) {
            const Value* value = output == 0 ? nullptr : &recording.value(output);
            map[event.graph_node].push_back(value == nullptr ? "" : words(std::string(value->dtype), value->shape));
        }
    }
    std::erase_if(map, [](const auto& entry) { return entry.second.empty(); });
    return map;
}

class Log final : public SessionListener {
  public:
    std::vector<std::string> texts;
    void on_log(const LogEntry& entry) override { texts.push_back(entry.text); }
};

GraphSizes sizes_of(Session& session) {
    GraphSizes sizes;
    session.ask("sizes", GraphSizesQuery{"forward"}, [&](GraphSizes found) { sizes = std::move(found); });
    session.wait_idle();
    return sizes;
}

void open(Session& session, const std::string& path) {
    session.open(path);
    session.wait_idle();
    QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
}

std::string write(const QTemporaryDir& folder, const char* text) {
    const std::string path = folder.filePath("net.py").toStdString();
    std::ofstream(path) << text;
    return path;
}

}  // namespace

class TestGraphSizes : public QObject {
    Q_OBJECT

  private slots:
    void are_those_of_the_run_data() {
        QTest::addColumn<QString>("file");
        for (const char* name :
             {"resources/models/digits.pt", "resources/models/gpt.pt", "resources/models/lstm.pt",
              "tests/fixtures/models/densenet.pt", "tests/fixtures/models/lstm.pt", "tests/fixtures/models/gru.pt",
              "tests/fixtures/models/batchnorm_train.pt", "tests/fixtures/models/transformer.pt",
              "tests/fixtures/models/resnet18_traced.pt", "tests/fixtures/models/vgg_train.pt",
              "tests/fixtures/exported/nested.pt2", "tests/fixtures/sources/convnet.py"})
            QTest::newRow(name) << QString::fromStdString(kSource + "/" + name);
    }
    void are_those_of_the_run() {
        QFETCH(QString, file);
        Session session;
        open(session, file.toStdString());
        const GraphSizes sizes = sizes_of(session);
        QCOMPARE(sizes.error, std::string());
        QVERIFY(!sizes.inputs.empty() && !sizes.inputs[0].dtype.empty());
        session.run({});
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        const Sizes ran = as_map(*session.recording());
        QVERIFY(!ran.empty());
        const Sizes before = as_map(sizes);
        for (const auto& [node, outputs] : ran) {
            const auto found = before.find(node);
            QVERIFY2(found != before.end(), std::to_string(node).c_str());
            QVERIFY2(found->second == outputs,
                     (std::to_string(node) + ": " + found->second[0] + ", ran " + outputs[0]).c_str());
        }
    }

    // Buffers, counters, random numbers, what is printed.
    void leave_no_trace() {
        const QTemporaryDir folder;
        const std::string path = write(folder,
                                       "import torch\n"
                                       "from torch import nn\n"
                                       "class Net(nn.Module):\n"
                                       "    def __init__(self):\n"
                                       "        super().__init__()\n"
                                       "        self.norm = nn.BatchNorm1d(4)\n"
                                       "        self.drop = nn.Dropout(0.5)\n"
                                       "        self.calls = 0\n"
                                       "        self.register_buffer('sums', torch.zeros(4))\n"
                                       "    def forward(self, x):\n"
                                       "        self.calls += 1\n"
                                       "        y = self.drop(self.norm(x))\n"
                                       "        self.sums.add_(y.detach().sum(0))\n"
                                       "        print('called', self.calls)\n"
                                       "        return y * self.calls\n"
                                       "torch.manual_seed(3)\n"
                                       "model = torch.jit.script(Net().train())\n"
                                       "example_inputs = (torch.randn(200, 4),)\n");
        const auto run = [&](bool looks) {
            Log log;
            Session session(&log);
            open(session, path);
            std::vector<std::string> seen;
            if (looks) {
                for (int i = 0; i < 3; ++i) seen.push_back(sizes_of(session).error);
            }
            const std::size_t lines = log.texts.size();
            session.run({});
            session.wait_idle();
            std::vector<double> numbers;
            TensorRequest request;
            for (const char* name : {"norm.running_mean", "norm.num_batches_tracked", "sums"}) {
                request.name = name;
                session.ask(name, TensorQuery{request}, [&](const TensorSlice& slice) {
                    if (!slice.data.empty())
                        numbers.insert(numbers.end(), slice.data[0].elements.begin(), slice.data[0].elements.end());
                });
            }
            session.wait_idle();
            std::vector<std::string> printed(log.texts.begin() + static_cast<std::ptrdiff_t>(lines), log.texts.end());
            return std::tuple(numbers, lines, printed);
        };
        const auto plain = run(false), looked = run(true);
        QVERIFY(!std::get<0>(plain).empty());
        QVERIFY(std::get<0>(plain) == std::get<0>(looked));
        QCOMPARE(std::get<1>(looked), std::get<1>(plain));
        QVERIFY(std::get<2>(plain) == std::get<2>(looked));
    }

    // What is before an operator whose result depends on elements is known.
    void end_where_elements_decide() {
        const QTemporaryDir folder;
        const std::string path = write(folder,
                                       "import torch\n"
                                       "from torch import nn\n"
                                       "class Net(nn.Module):\n"
                                       "    def __init__(self):\n"
                                       "        super().__init__()\n"
                                       "        self.fc = nn.Linear(40, 30)\n"
                                       "    def forward(self, x):\n"
                                       "        y = self.fc(x)\n"
                                       "        return y[y > 0].sqrt()\n"
                                       "model = torch.jit.script(Net())\n");
        Session session;
        open(session, path);
        const GraphSizes sizes = sizes_of(session);
        QVERIFY2(sizes.error.find("depend on what tensors hold") != std::string::npos, sizes.error.c_str());
        QVERIFY(sizes.nodes.size() >= 2);
        const Sizes known = as_map(sizes);
        QVERIFY(std::ranges::any_of(known, [](const auto& entry) { return entry.second[0] == "float32 1 30"; }));
        QVERIFY(std::ranges::any_of(known, [](const auto& entry) { return entry.second[0] == "bool 1 30"; }));
    }

    // One is endless, one asks for a terabyte, some fail.
    void any_program_is_looked_at_and_left() {
        for (const char* folder : {"/tests/fixtures/models", "/tests/fixtures/exported"}) {
            for (const auto& entry : std::filesystem::directory_iterator(kSource + folder)) {
                if (entry.path().extension() != ".pt" && entry.path().extension() != ".pt2") continue;
                Session session;
                session.open(entry.path());
                session.wait_idle();
                if (session.model() == nullptr) continue;
                QElapsedTimer time;
                time.start();
                sizes_of(session);
                // Half a second and a busy machine.
                QVERIFY2(time.elapsed() < 20'000, entry.path().c_str());
                QVERIFY2(session.status().state == RunState::Ready, entry.path().c_str());
            }
        }
        Session session;
        open(session, kSource + "/tests/fixtures/models/endless.pt");
        QVERIFY(!sizes_of(session).error.empty());
    }
};

QTEST_GUILESS_MAIN(TestGraphSizes)
#include "test_graph_sizes.moc"
