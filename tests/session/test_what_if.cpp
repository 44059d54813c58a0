// SPDX-License-Identifier: Apache-2.0
// Forecasts of memory: against runs that are done the other way, and against what can be counted by hand.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/model/program.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/what_if.h"
#include "core/session/session.h"
#include "core/study/measure_what_if.h"
#include "core/study/what_if.h"

using namespace loupe;
using namespace loupe::session;

namespace {

// Blocks of Linear, Tanh, Linear, Tanh on [batch, width] in float32.
std::string source(int batch, int width, int blocks) {
    return "import torch, torch.nn as nn\n"
           "class Block(nn.Module):\n"
           "    def __init__(self, n):\n"
           "        super().__init__()\n"
           "        self.a = nn.Linear(n, n)\n"
           "        self.b = nn.Linear(n, n)\n"
           "    def forward(self, x):\n"
           "        return torch.tanh(self.b(torch.tanh(self.a(x))))\n"
           "class Net(nn.Module):\n"
           "    def __init__(self):\n"
           "        super().__init__()\n"
           "        self.blocks = nn.Sequential(*[Block(" +
           std::to_string(width) + ") for _ in range(" + std::to_string(blocks) +
           ")])\n"
           "    def forward(self, x):\n"
           "        return self.blocks(x)\n"
           "model = Net()\n"
           "example_inputs = (torch.randn(" +
           std::to_string(batch) + ", " + std::to_string(width) +
           "),)\n"
           "def loss(y):\n"
           "    return y.sum()\n";
}

std::shared_ptr<const Recording> record(const std::string& path, bool backward = true,
                                        const std::vector<InputSpec>& inputs = {}) {
    Session session;
    session.open(path);
    session.wait_idle();
    RunOptions options;
    options.method = "forward";
    options.backward = backward;
    options.inputs = inputs;
    options.threads = 1;
    session.run(options);
    session.wait_idle();
    if (session.status().state != RunState::Finished) throw Error(ErrorKind::Run, session.status().error);
    return session.recording();
}

std::string write(const QTemporaryDir& folder, const char* name, const std::string& text) {
    const std::string path = folder.filePath(name).toStdString();
    std::ofstream(path) << text;
    return path;
}

}  // namespace

class TestWhatIf : public QObject {
    Q_OBJECT

  private slots:
    void nothing_changed_is_the_run_itself_data();
    void nothing_changed_is_the_run_itself();
    void a_larger_batch_is_as_measured_data();
    void a_larger_batch_is_as_measured();
    void a_checkpoint_drops_what_its_block_saved();
    void all_blocks_leave_one();
    void a_dropped_activation_comes_back_late();
    void changes_add_up();
    void advice_is_sorted();
    void refuses_with_a_reason();
    void what_is_measured_is_near_the_forecast_data();
    void what_is_measured_is_near_the_forecast();
    void measuring_leaves_the_model_as_it_was();
    void measuring_refuses_with_a_reason();
    void a_step_of_a_training_is_measured_on_its_batch();
    void models_of_a_file_are_measured_too();
    void runs_take_turns_once_both_are_warm();
    void what_is_offered_can_be_done_data();
    void what_is_offered_can_be_done();
};

namespace {

// A session that has run the file forward and backward.
struct Ran {
    explicit Ran(const std::string& path) {
        session.open(path);
        session.wait_idle();
        RunOptions options;
        options.backward = true;
        options.statistics = false;
        options.threads = 1;
        session.run(options);
        session.wait_idle();
        if (session.status().state != RunState::Finished) throw Error(ErrorKind::Run, session.status().error);
    }
    WhatIfMeasurement measure(const std::vector<WhatIf>& changes) {
        WhatIfMeasurement out;
        session.ask("measure", WhatIfQuery{changes}, [&](WhatIfMeasurement found) { out = std::move(found); });
        session.wait_idle();
        return out;
    }
    std::string gradients_and_buffers() {
        std::string text;
        session.ask("g", GradientsQuery{}, [&](const std::vector<GradientRow>& rows) {
            for (const GradientRow& row : rows)
                text += row.parameter + " " + std::to_string(row.finite.value().norm) + " ";
        });
        for (const char* name : {"norm.running_mean", "norm.num_batches_tracked"}) {
            TensorRequest request;
            request.name = name;
            session.ask(name, TensorQuery{request}, [&](const TensorSlice& slice) {
                for (const double element : slice.data.empty() ? std::vector<double>() : slice.data[0].elements)
                    text += std::to_string(element) + " ";
            });
        }
        session.wait_idle();
        return text;
    }
    Session session;
};

}  // namespace

void TestWhatIf::what_is_measured_is_near_the_forecast_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("module");
    QTest::addColumn<double>("factor");
    QTest::addColumn<double>("error");
    QTest::newRow("twice the batch") << static_cast<int>(WhatIf::Kind::Batch) << "" << 2.0 << 0.03;
    QTest::newRow("half the batch") << static_cast<int>(WhatIf::Kind::Batch) << "" << 0.5 << 0.03;
    QTest::newRow("checkpoint of a block") << static_cast<int>(WhatIf::Kind::Checkpoint) << "blocks.1" << 1.0 << 0.08;
    QTest::newRow("checkpoint of all blocks") << static_cast<int>(WhatIf::Kind::Checkpoint) << "blocks" << 1.0 << 0.25;
    QTest::newRow("mixed precision") << static_cast<int>(WhatIf::Kind::MixedPrecision) << "" << 1.0 << 0.1;
}
void TestWhatIf::what_is_measured_is_near_the_forecast() {
    QFETCH(int, kind);
    QFETCH(QString, module);
    QFETCH(double, factor);
    QFETCH(double, error);
    const QTemporaryDir folder;
    Ran ran(write(folder, "net.py", source(2048, 96, 4)));
    const std::vector<WhatIf> changes{
        {.kind = static_cast<WhatIf::Kind>(kind), .module = module.toStdString(), .factor = factor}};
    const MemoryForecast forecast = forecast_memory(*ran.session.recording(), changes);
    const WhatIfMeasurement measured = ran.measure(changes);
    QCOMPARE(measured.error, std::string());
    const double before = static_cast<double>(forecast.peak_before) / static_cast<double>(measured.peak_before);
    QVERIFY2(
        std::abs(before - 1) < 0.02,
        qPrintable(QString("as it is: forecast %1, measured %2").arg(forecast.peak_before).arg(measured.peak_before)));
    const double after = static_cast<double>(forecast.peak) / static_cast<double>(measured.peak);
    QVERIFY2(std::abs(after - 1) < error, qPrintable(QString("forecast %1, measured %2, before %3")
                                                         .arg(forecast.peak)
                                                         .arg(measured.peak)
                                                         .arg(measured.peak_before)));
    QVERIFY(measured.seconds > 0 && measured.seconds_before > 0);
    // It is another run than before at all.
    QVERIFY(std::abs(static_cast<double>(measured.peak) / static_cast<double>(measured.peak_before) - 1) > 0.04);
}

void TestWhatIf::measuring_leaves_the_model_as_it_was() {
    const QTemporaryDir folder;
    Ran ran(write(folder, "net.py",
                  "import torch, torch.nn as nn\n"
                  "class Net(nn.Module):\n"
                  "    def __init__(self):\n"
                  "        super().__init__()\n"
                  "        self.norm = nn.BatchNorm1d(4)\n"
                  "        self.out = nn.Linear(4, 2)\n"
                  "    def forward(self, x):\n"
                  "        return self.out(self.norm(x))\n"
                  "model = Net()\n"
                  "example_inputs = (torch.randn(8, 4),)\n"));
    const std::string before = ran.gradients_and_buffers();
    QVERIFY(before.find("norm.weight") != std::string::npos);
    for (const WhatIf& change : {WhatIf{.kind = WhatIf::Kind::Batch, .module = {}, .factor = 2},
                                 WhatIf{.kind = WhatIf::Kind::Checkpoint, .module = "norm"}}) {
        QCOMPARE(ran.measure({change}).error, std::string());
        QCOMPARE(ran.gradients_and_buffers(), before);
    }
    // The module is no longer checkpointed.
    const std::size_t events = ran.session.recording()->event_count();
    RunOptions again;
    again.backward = true;
    ran.session.run(again);
    ran.session.wait_idle();
    QCOMPARE(ran.session.recording()->event_count(), events);
}

void TestWhatIf::measuring_refuses_with_a_reason() {
    const QTemporaryDir folder;
    Ran ran(write(folder, "net.py", source(3, 4, 1)));
    QCOMPARE(ran.measure({{.kind = WhatIf::Kind::Batch, .module = {}, .factor = 0.5}}).error,
             std::string("3 examples x0.5 is no whole number of examples"));
    QVERIFY(ran.measure({{.kind = WhatIf::Kind::Checkpoint, .module = "nowhere"}}).error.find("nowhere") !=
            std::string::npos);
    QVERIFY(ran.measure({{.kind = WhatIf::Kind::Drop, .module = {}, .event = 1}}).error.find("only reckoned with") !=
            std::string::npos);
}

void TestWhatIf::a_step_of_a_training_is_measured_on_its_batch() {
    Ran ran(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
    TrainOptions options;
    options.data.path = LOUPE_SOURCE_DIR "/resources/models/digits_data.npz";
    options.epochs = 1;
    options.look_every = 0;
    ran.session.train(options);
    ran.session.wait_idle();
    QCOMPARE(ran.session.status().state, RunState::Finished);
    for (const WhatIf& change : {WhatIf{.kind = WhatIf::Kind::Batch, .module = {}, .factor = 2},
                                 WhatIf{.kind = WhatIf::Kind::Checkpoint, .module = "features"},
                                 WhatIf{.kind = WhatIf::Kind::MixedPrecision, .module = {}}}) {
        const MemoryForecast forecast = forecast_memory(*ran.session.recording(), {change});
        const WhatIfMeasurement measured = ran.measure({change});
        QCOMPARE(measured.error, std::string());
        const auto off = [](std::int64_t forecast_peak, std::int64_t peak) {
            return std::abs(static_cast<double>(forecast_peak) / static_cast<double>(peak) - 1);
        };
        const QByteArray numbers = QString("%1 to %2, measured %3 to %4")
                                       .arg(forecast.peak_before)
                                       .arg(forecast.peak)
                                       .arg(measured.peak_before)
                                       .arg(measured.peak)
                                       .toUtf8();
        QVERIFY2(off(forecast.peak_before, measured.peak_before) < 0.1 &&
                     off(forecast.peak, measured.peak) < (change.kind == WhatIf::Kind::MixedPrecision ? 0.1 : 0.15),
                 numbers.constData());
    }
    // The modules are as they were.
    QVERIFY(ran.session.model());
    QVERIFY(!ran.session.status().is_training);
}

void TestWhatIf::models_of_a_file_are_measured_too() {
    Ran ran(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
    // A first run also lays out weights for its kernels, which stay.
    RunOptions again;
    again.backward = true;
    ran.session.run(again);
    ran.session.wait_idle();
    const std::vector<WhatIf> changes{{.kind = WhatIf::Kind::Checkpoint, .module = "features"}};
    const MemoryForecast forecast = forecast_memory(*ran.session.recording(), changes);
    const WhatIfMeasurement measured = ran.measure(changes);
    QCOMPARE(measured.error, std::string());
    const double ratio = static_cast<double>(forecast.peak) / static_cast<double>(measured.peak);
    QVERIFY2(std::abs(ratio - 1) < 0.1, qPrintable(QString("forecast %1, measured %2, before %3")
                                                       .arg(forecast.peak)
                                                       .arg(measured.peak)
                                                       .arg(measured.peak_before)));
    // Its input has to stay and its result is another's input: nothing is gained by a lone ReLU.
    const std::vector<WhatIf> relu{{.kind = WhatIf::Kind::Checkpoint, .module = "features.relu2"}};
    QVERIFY(forecast_memory(*ran.session.recording(), relu).peak >= forecast.peak_before);
    QVERIFY(ran.measure(relu).peak >= measured.peak_before);
    QCOMPARE(ran.measure({{.kind = WhatIf::Kind::MixedPrecision, .module = {}}}).error, std::string());
}

// The first runs set kernels up: they are of both, and none is measured before they are over.
void TestWhatIf::runs_take_turns_once_both_are_warm() {
    const QTemporaryDir folder;
    const auto program = Program::open(write(folder, "net.py", source(4, 8, 1)));
    RunOptions options;
    options.method = "forward";
    options.inputs = program->default_inputs("forward");
    MeasuredRun run = run_to_measure(program, options);
    std::vector<std::int64_t> order;
    run.forward = [&order, forward = run.forward](std::vector<IValue> arguments) {
        order.push_back(arguments.front().to_tensor().size(0));
        return forward(std::move(arguments));
    };
    const WhatIfMeasurement measured =
        measure_what_if(program, run, {{.kind = WhatIf::Kind::Batch, .module = {}, .factor = 2}});
    QVERIFY(measured.seconds > 0 && measured.seconds_before > 0);
    QVERIFY(order.size() >= 10 && order.size() % 2 == 0);
    for (std::size_t i = 0; i < order.size(); ++i) QCOMPARE(order[i], std::int64_t{i % 2 == 0 ? 4 : 8});
}

void TestWhatIf::what_is_offered_can_be_done_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("offered");
    QTest::newRow("one example") << "nn.Linear(4, 2)"
                                 << "torch.randn(1, 4)"
                                 << "mixed precision (bfloat16), batch x2, batch x4";
    QTest::newRow("three") << "nn.Linear(4, 2)"
                           << "torch.randn(3, 4)"
                           << "mixed precision (bfloat16), batch x2, batch x4";
    QTest::newRow("four") << "nn.Linear(4, 2)"
                          << "torch.randn(4, 4)"
                          << "mixed precision (bfloat16), batch x2, batch x4, batch x0.5";
    QTest::newRow("bfloat16 already") << "nn.Linear(4, 2).bfloat16()"
                                      << "torch.randn(2, 4).bfloat16()"
                                      << "batch x2, batch x4, batch x0.5";
    QTest::newRow("no product") << "nn.Tanh()"
                                << "torch.randn(2, 4)"
                                << "batch x2, batch x4, batch x0.5";
    QTest::newRow("a number") << "nn.Tanh()"
                              << "torch.tensor(1.)"
                              << "";
}
void TestWhatIf::what_is_offered_can_be_done() {
    QFETCH(QString, model);
    QFETCH(QString, input);
    QFETCH(QString, offered);
    const QTemporaryDir folder;
    Ran ran(write(folder, "net.py",
                  "import torch, torch.nn as nn\n"
                  "class Net(nn.Module):\n"
                  "    def __init__(self):\n"
                  "        super().__init__()\n"
                  "        self.f = " +
                      model.toStdString() +
                      "\n"
                      "    def forward(self, x):\n"
                      "        return self.f(x)\n"
                      "model = Net()\n"
                      "example_inputs = (" +
                      input.toStdString() + ",)\n"));
    QStringList words;
    for (const WhatIf& change : possible_changes(*ran.session.recording(), 0)) {
        words << QString::fromStdString(what_if_text(change));
        QCOMPARE(ran.measure({change}).error, std::string());
    }
    QCOMPARE(words.join(", "), offered);
}

void TestWhatIf::nothing_changed_is_the_run_itself_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : {"digits.pt", "lstm.pt", "gpt.pt"}) QTest::newRow(model) << model;
}
void TestWhatIf::nothing_changed_is_the_run_itself() {
    QFETCH(QString, model);
    const auto recording = record(LOUPE_SOURCE_DIR "/resources/models/" + model.toStdString());
    const MemoryForecast forecast = forecast_memory(*recording, {});
    const double ratio = static_cast<double>(forecast.peak) / static_cast<double>(recording->peak_bytes());
    // What an operator lets go of before it ends counts with what it makes after: an LSTM has much of that.
    QVERIFY2(ratio > 0.98 && ratio < 1.15, qPrintable(QString::number(ratio)));
    QCOMPARE(forecast.peak, forecast.peak_before);
    QCOMPARE(forecast.seconds, forecast.seconds_before);
}

void TestWhatIf::a_larger_batch_is_as_measured_data() {
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("factor");
    QTest::newRow("64 to 128") << 64 << 2;
    QTest::newRow("256 to 1024") << 256 << 4;
    QTest::newRow("8 to 24") << 8 << 3;
}
void TestWhatIf::a_larger_batch_is_as_measured() {
    QFETCH(int, batch);
    QFETCH(int, factor);
    const QTemporaryDir folder;
    const auto small = record(write(folder, "small.py", source(batch, 128, 3)));
    const auto large = record(write(folder, "large.py", source(batch * factor, 128, 3)));
    const MemoryForecast forecast =
        forecast_memory(*small, {{.kind = WhatIf::Kind::Batch, .module = {}, .factor = static_cast<double>(factor)}});
    const double ratio = static_cast<double>(forecast.peak) / static_cast<double>(large->peak_bytes());
    QVERIFY2(std::abs(ratio - 1) < 0.03,
             qPrintable(QString("forecast %1, measured %2").arg(forecast.peak).arg(large->peak_bytes())));
}

void TestWhatIf::a_checkpoint_drops_what_its_block_saved() {
    const QTemporaryDir folder;
    constexpr int kBatch = 4096, kWidth = 64, kBlocks = 4;
    const auto recording = record(write(folder, "net.py", source(kBatch, kWidth, kBlocks)));
    const std::int64_t unit = kBatch * kWidth * 4;  // an activation
    const MemoryForecast forecast =
        forecast_memory(*recording, {{.kind = WhatIf::Kind::Checkpoint, .module = "blocks.1"}});
    // Of the two tanh that the block keeps, one is its result, which the next block needs all the same.
    const std::int64_t less = forecast.peak_before - forecast.peak;
    QVERIFY2(std::abs(less - unit) < unit / 20, qPrintable(QString("%1 less, expected %2").arg(less).arg(unit)));
    // Times of a first run predict nothing.
    QVERIFY(!recording->warm_times());
    QVERIFY(!forecast.seconds && !forecast.seconds_before);
}

void TestWhatIf::all_blocks_leave_one() {
    const QTemporaryDir folder;
    constexpr int kBatch = 4096, kWidth = 64, kBlocks = 8;
    const auto recording = record(write(folder, "net.py", source(kBatch, kWidth, kBlocks)));
    std::vector<WhatIf> changes;
    for (int i = 0; i < kBlocks; ++i)
        changes.push_back({.kind = WhatIf::Kind::Checkpoint, .module = "blocks." + std::to_string(i)});
    const MemoryForecast forecast = forecast_memory(*recording, changes);
    const std::int64_t unit = kBatch * kWidth * 4;
    // Results of all blocks stay, and what one block computes again, with what its forward has for a while.
    QVERIFY2(forecast.peak < forecast.peak_before - (kBlocks - 3) * unit, qPrintable(QString::number(forecast.peak)));
    QVERIFY(forecast.peak > kBlocks * unit);
}

void TestWhatIf::a_dropped_activation_comes_back_late() {
    const QTemporaryDir folder;
    const auto recording = record(write(folder, "net.py", source(4096, 64, 4)));
    EventId tanh = 0;
    for (EventId id = 1; id <= recording->event_count() && tanh == 0; ++id) {
        if (recording->event(id).op == "aten::tanh" && recording->event(id).scope == "blocks.0") tanh = id;
    }
    QVERIFY(tanh != 0);
    const MemoryForecast forecast =
        forecast_memory(*recording, {{.kind = WhatIf::Kind::Drop, .module = {}, .event = tanh}});
    const std::int64_t unit = 4096 * 64 * 4;
    QVERIFY(std::abs(forecast.peak_before - forecast.peak - unit) < unit / 20);
}

void TestWhatIf::changes_add_up() {
    const QTemporaryDir folder;
    const auto recording = record(write(folder, "net.py", source(1024, 64, 4)));
    const WhatIf checkpoint{.kind = WhatIf::Kind::Checkpoint, .module = "blocks.1"};
    const WhatIf twice{.kind = WhatIf::Kind::Batch, .module = {}, .factor = 2};
    const MemoryForecast both = forecast_memory(*recording, {checkpoint, twice});
    const MemoryForecast only_twice = forecast_memory(*recording, {twice});
    QVERIFY(both.peak < only_twice.peak);
    QVERIFY(both.peak > forecast_memory(*recording, {checkpoint}).peak);
    QVERIFY(!both.seconds && !only_twice.seconds);  // no kernel was measured with that batch
}

void TestWhatIf::advice_is_sorted() {
    const QTemporaryDir folder;
    const auto recording = record(write(folder, "net.py", source(4096, 64, 3)));
    const auto advice = advise_checkpoints(*recording);
    QVERIFY(!advice.empty());
    for (std::size_t i = 1; i < advice.size(); ++i) QVERIFY(advice[i].bytes_less <= advice[i - 1].bytes_less);
    for (const CheckpointAdvice& row : advice) {
        const MemoryForecast alone =
            forecast_memory(*recording, {{.kind = WhatIf::Kind::Checkpoint, .module = row.module}});
        QCOMPARE(alone.peak_before - alone.peak, row.bytes_less);
    }
    QVERIFY(advise_checkpoints(*record(write(folder, "no.py", source(8, 8, 1)), false)).empty());
}

void TestWhatIf::refuses_with_a_reason() {
    const QTemporaryDir folder;
    const std::string path = write(folder, "net.py", source(8, 8, 1));
    const auto recording = record(path);
    const auto message = [](const Recording& of, const WhatIf& change) -> std::string {
        try {
            forecast_memory(of, {change});
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Usage ? error.message() : "";
        }
        return {};
    };
    QCOMPARE(message(*recording, {.kind = WhatIf::Kind::Checkpoint, .module = "blocks.7"}),
             std::string("the run did not call 'blocks.7'"));
    QCOMPARE(message(*recording, {.kind = WhatIf::Kind::Drop, .module = {}, .event = 100000}),
             std::string("#100000 is no event of the forward"));
    QCOMPARE(message(*recording, {.kind = WhatIf::Kind::Batch, .module = {}, .factor = 0}),
             std::string("the batch's factor must be a positive number"));
    QCOMPARE(message(*recording, {.kind = WhatIf::Kind::Batch, .module = {}, .factor = std::nan("")}),
             std::string("the batch's factor must be a positive number"));
    QCOMPARE(message(*record(path, false), {.kind = WhatIf::Kind::Checkpoint, .module = "blocks.0"}),
             std::string("the recording has no backward"));
}

QTEST_GUILESS_MAIN(TestWhatIf)
#include "test_what_if.moc"
