// SPDX-License-Identifier: Apache-2.0
// What a recording accounts for: set-up apart from operators, warm times, who keeps memory for backward, sums by
// module.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "core/base/error.h"
#include "core/record/memory_sums.h"
#include "core/record/recording_writer.h"
#include "core/session/queries/forecast.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/operator_times.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"
#include "core/session/wire/wire.h"
#include "core/study/what_if.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kDigits = LOUPE_SOURCE_DIR "/resources/models/digits.pt";

struct Ran {
    explicit Ran(const std::string& path) {
        session.open(path);
        session.wait_idle();
        run();
    }
    void run() {
        RunOptions options;
        options.backward = true;
        session.run(options);
        session.wait_idle();
        if (session.status().state != RunState::Finished) throw Error(ErrorKind::Run, session.status().error);
    }
    const Recording& recording() { return *(kept = session.recording()); }
    OperatorTimesReport time(int repeats = 3) {
        OperatorTimesReport out;
        session.ask("times", OperatorTimesQuery{{.warmup = 1, .repeats = repeats, .seconds = 60}},
                    [&](OperatorTimesReport report) { out = std::move(report); });
        session.wait_idle();
        return out;
    }
    MemoryForecast forecast(const WhatIf& change) {
        MemoryForecast out;
        session.ask("forecast", ForecastQuery{{change}}, [&](MemoryForecast found) { out = std::move(found); });
        session.wait_idle();
        return out;
    }
    std::string gradients() {
        std::string text;
        session.ask("g", GradientsQuery{}, [&](const std::vector<GradientRow>& rows) {
            for (const GradientRow& row : rows)
                text += row.parameter + " " + std::to_string(row.finite ? row.finite->norm : -1) + " ";
        });
        session.wait_idle();
        return text;
    }
    Session session;
    std::shared_ptr<const Recording> kept;
};

double setup_of(const Recording& recording, std::initializer_list<Setup> kinds) {
    double sum = 0;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        for (const Setup kind : kinds)
            sum += static_cast<double>(recording.event(id).setup.seconds[static_cast<std::size_t>(kind)]);
    }
    return sum;
}

std::size_t cold_events(const Recording& recording) {
    std::size_t count = 0;
    for (EventId id = 1; id <= recording.event_count(); ++id) count += recording.event(id).is_cold;
    return count;
}

// A convolution whose result a norm keeps, a result that two keep, and a loss.
constexpr const char* kNet =
    "import torch, torch.nn as nn\n"
    "class Block(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.conv = nn.Conv2d(3, 8, 3, padding=1)\n"
    "        self.norm = nn.BatchNorm2d(8)\n"
    "    def forward(self, x):\n"
    "        return torch.relu(self.norm(self.conv(x)))\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.block = Block()\n"
    "        self.head = nn.Linear(8, 4)\n"
    "    def forward(self, x):\n"
    "        return self.head(self.block(x).mean((2, 3)))\n"
    "model = Net()\n"
    "example_inputs = (torch.randn(2, 3, 16, 16),)\n"
    "def loss(y):\n"
    "    return y.square().sum()\n";

std::string write(const QTemporaryDir& folder, const char* text) {
    const std::string path = folder.filePath("net.py").toStdString();
    std::ofstream(path) << text;
    return path;
}

EventId event_of(const Recording& recording, std::string_view op, std::string_view scope = {}) {
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.op == op && (scope.empty() || event.scope == scope)) return id;
    }
    return 0;
}

// "ConvolutionBackward0 #1" of everyone who keeps the event's first result (or the block of that name) at an event.
std::vector<std::string> savers_of(const Recording& recording, std::uint64_t storage, EventId at) {
    std::vector<std::string> names;
    for (const AliveBlock& block : MemoryBook(recording).alive_at(at)) {
        if (block.allocation.storage_id != storage) continue;
        for (const BlockSaver& saver : block.savers)
            names.push_back(std::string(saver.node) + " #" + std::to_string(saver.by));
    }
    return names;
}

Category category_of(const Recording& recording, std::uint64_t storage, EventId at) {
    for (const AliveBlock& block : MemoryBook(recording).alive_at(at)) {
        if (block.allocation.storage_id == storage) return block.allocation.category;
    }
    return Category::Other;
}

}  // namespace

class TestAccounts : public QObject {
    Q_OBJECT

  private slots:
    void a_scope_counts_once_and_only_where_it_is_watched();
    void first_calls_are_set_up_apart();
    void memory_is_the_same_in_the_second_run();
    void what_is_kept_names_who_keeps_it();
    void a_book_that_grows_is_as_one_made_anew();
    void sums_by_module_add_up();
    void warm_times_are_of_every_operator();
    void warm_times_leave_no_trace();
    void what_cannot_be_timed_is_said();
    void time_is_predicted_from_warm_times_alone();
};

void TestAccounts::a_scope_counts_once_and_only_where_it_is_watched() {
    {
        const SetupScope unwatched(Setup::Packing);
        QVERIFY(!setup_is_watched());
    }
    SetupWatch watch;
    watch.start();
    QVERIFY(setup_is_watched());
    {
        const SetupScope outer(Setup::Primitive);
        const SetupScope inner(Setup::Packing);
        QTest::qSleep(2);
    }
    const SetupTimes times = watch.stop();
    QVERIFY(!setup_is_watched());
    QVERIFY(times.seconds[static_cast<std::size_t>(Setup::Primitive)] > 0);
    QCOMPARE(times.seconds[static_cast<std::size_t>(Setup::Packing)], 0.0F);
    QVERIFY(times.text().starts_with("primitives "));
    watch.start();
    QCOMPARE(watch.stop(), SetupTimes());
}

void TestAccounts::first_calls_are_set_up_apart() {
    Ran ran(kDigits);
    const std::size_t cold = cold_events(ran.recording());
    const double setup = setup_of(ran.recording(), {Setup::Primitive, Setup::Packing, Setup::Threads});
    const auto first = ran.kept;
    ran.run();
    QVERIFY(cold > 0);
    QVERIFY(setup > 0);
    // All that is done once has been done.
    QCOMPARE(cold_events(ran.recording()), std::size_t{0});
    QCOMPARE(setup_of(ran.recording(), {Setup::Primitive, Setup::Packing, Setup::Compilation, Setup::Threads}), 0.0);
    for (EventId id = 1; id <= first->event_count(); ++id) {
        const Event& event = first->event(id);
        QVERIFY(event.duration >= 0);
        QVERIFY(std::abs(event.end() - event.start - event.duration - event.setup.total()) < 1e-12);
        if (id > 1) QVERIFY(event.start >= first->event(id - 1).end() - 1e-6);
    }
}

void TestAccounts::memory_is_the_same_in_the_second_run() {
    Ran ran(kDigits);
    const auto first = ran.session.recording();
    ran.run();
    const Recording& second = ran.recording();
    QCOMPARE(second.event_count(), first->event_count());
    for (EventId id = 1; id <= second.event_count(); ++id) {
        QCOMPARE(second.event(id).memory_after, first->event(id).memory_after);
        QCOMPARE(second.event(id).memory_peak, first->event(id).memory_peak);
    }
    QCOMPARE(second.peak_bytes(), first->peak_bytes());
    // What kernels keep is listed in both, by what it is made of, and in no sum.
    const auto caches = [](const Recording& recording) {
        std::map<std::string, std::int64_t> found;
        for (const AliveBlock& block : MemoryBook(recording).alive_at(static_cast<EventId>(recording.event_count()))) {
            if (block.allocation.category == Category::KernelCache)
                found[block.allocation.owner] += block.allocation.bytes;
        }
        return found;
    };
    QVERIFY(!caches(*first).empty());
    QVERIFY(caches(*first) == caches(second));
    QVERIFY2(caches(second).begin()->first.find("packed weight of ") != std::string::npos,
             caches(second).begin()->first.c_str());
    std::int64_t alive = 0;
    for (const AliveBlock& block : MemoryBook(second).alive_at(5))
        alive += block.allocation.category == Category::KernelCache ? 0 : block.allocation.bytes;
    // Blocks that event 5 let go of are alive in it.
    QVERIFY(alive >= second.event(5).memory_after);
}

void TestAccounts::what_is_kept_names_who_keeps_it() {
    const QTemporaryDir folder;
    Ran ran(write(folder, kNet));
    const Recording& recording = ran.recording();
    const EventId conv = event_of(recording, "aten::conv2d");
    const EventId norm = event_of(recording, "aten::batch_norm");
    const EventId relu = event_of(recording, "aten::relu");
    QVERIFY(conv != 0 && norm != 0 && relu != 0);
    const auto storage = [&](EventId event) {
        return recording.value(recording.event(event).outputs.at(0)).storage_id;
    };
    const EventId last = [&] {
        for (EventId id = 1; id <= recording.event_count(); ++id) {
            if (recording.event(id).phase != RunPhase::Forward) return id - 1;
        }
        return EventId{0};
    }();
    const auto number = [](EventId id) { return " #" + std::to_string(id); };
    // The convolution's result is kept by the norm behind it, from then on.
    QVERIFY(savers_of(recording, storage(conv), conv).empty());
    QCOMPARE(category_of(recording, storage(conv), conv), Category::Activation);
    const auto kept = savers_of(recording, storage(conv), last);
    QCOMPARE(kept.size(), std::size_t{1});
    QVERIFY2(kept[0].find("BatchNormBackward") != std::string::npos && kept[0].ends_with(number(norm)),
             kept[0].c_str());
    QCOMPARE(category_of(recording, storage(conv), last), Category::SavedForBackward);
    QCOMPARE(savers_of(recording, storage(relu), last).front(), "ReluBackward0" + number(relu));
    // The input and the weight stay what they are, and say who keeps them.
    const std::uint64_t input = recording.value(recording.event(conv).inputs.at(0)).storage_id;
    const std::uint64_t weight = recording.value(recording.event(conv).inputs.at(1)).storage_id;
    QCOMPARE(savers_of(recording, input, last), std::vector<std::string>{"ConvolutionBackward0" + number(conv)});
    QCOMPARE(category_of(recording, input, last), Category::Input);
    QCOMPARE(savers_of(recording, weight, last), std::vector<std::string>{"ConvolutionBackward0" + number(conv)});
    QCOMPARE(category_of(recording, weight, last), Category::Parameter);
    // After its backward no longer.
    const EventId head = event_of(recording, "aten::linear");
    const std::uint64_t late = recording.value(recording.event(head).inputs.at(1)).storage_id;
    QCOMPARE(savers_of(recording, late, last), std::vector<std::string>{"AddmmBackward0" + number(head)});
    QVERIFY(savers_of(recording, late, static_cast<EventId>(recording.event_count())).empty());
    // Whatever is kept has a name.
    for (const AliveBlock& block : MemoryBook(recording).alive_at(last)) {
        if (block.allocation.category == Category::SavedForBackward)
            QVERIFY(!block.savers.empty() && !block.savers.front().node.empty());
    }
}

void TestAccounts::a_book_that_grows_is_as_one_made_anew() {
    RecordingWriter writer;
    const auto recording = writer.recording();
    MemoryBook grown(*recording);
    const auto is_same = [&] {
        grown.update();
        const MemoryBook anew(*recording);
        const auto text = [&](const MemoryBook& book) {
            std::ostringstream out;
            for (const MemorySpan& span : book.spans()) {
                out << "block " << span.allocation << ' ' << category_name(span.category);
                out << ' ' << span.from << " to " << span.to << '\n';
            }
            for (EventId at = 1; at <= recording->event_count(); ++at) {
                for (const AliveBlock& block : book.alive_at(at)) {
                    out << at << ": " << block.index << ' ' << category_name(block.allocation.category);
                    for (const BlockSaver& saver : block.savers) {
                        out << ' ' << saver.node << ' ' << saver.by << " to " << saver.until;
                    }
                    out << '\n';
                }
            }
            return out.str();
        };
        const bool is_equal = text(grown) == text(anew);
        if (!is_equal) qWarning("grown:\n%s\nanew:\n%s", text(grown).c_str(), text(anew).c_str());
        return is_equal;
    };
    const auto add_event = [&](RunPhase phase, EventId peer) {
        Event event;
        event.op = writer.intern("aten::relu");
        event.phase = phase;
        event.peer = peer;
        writer.add_event(std::move(event));
    };
    const auto add_block = [&](Category category, EventId made) {
        Allocation block;
        block.category = category;
        block.bytes = 100;
        block.allocated = made;
        return writer.add_allocation(std::move(block));
    };
    QVERIFY(is_same());
    add_block(Category::Parameter, 0);
    const std::size_t first = add_block(Category::Activation, 1);
    QVERIFY(is_same());
    writer.add_saving({first, 1, writer.intern("ReluBackward0")});  // of an event that is not yet there
    QVERIFY(is_same());
    add_event(RunPhase::Forward, 0);
    QVERIFY(is_same());
    const std::size_t second = add_block(Category::Activation, 2);
    add_event(RunPhase::Forward, 0);
    writer.add_saving({first, 2, writer.intern("MulBackward0")});
    QVERIFY(is_same());
    writer.end_allocation(second, 2);
    QVERIFY(is_same());
    add_event(RunPhase::Backward, 2);
    QVERIFY(is_same());
    add_event(RunPhase::Backward, 1);
    add_event(RunPhase::Backward, 1);
    QVERIFY(is_same());
    writer.end_allocation(first, 5);
    add_event(RunPhase::Optimizer, 0);
    QVERIFY(is_same());
    QVERIFY(is_same());
    QCOMPARE(grown.blocks().size(), std::size_t{3});
    QCOMPARE(grown.alive_at(6).size(), std::size_t{1});
}

void TestAccounts::sums_by_module_add_up() {
    const QTemporaryDir folder;
    Ran ran(write(folder, kNet));
    const Recording& recording = ran.recording();
    const MemoryBook book(recording);
    const auto rows = book.by_module(8);
    std::map<std::string, ModuleMemory> by_name;
    for (const ModuleMemory& row : rows) by_name[row.module] = row;
    for (const char* name : {"", "block", "block.conv", "block.norm", "head"}) QVERIFY2(by_name.contains(name), name);
    std::int64_t alive = 0;
    for (const AliveBlock& block : book.alive_at(8))
        alive += block.allocation.category == Category::KernelCache ? 0 : block.allocation.bytes;
    QCOMPARE(total_bytes(by_name[""].at_event), alive);
    // A module holds what those in it hold.
    QVERIFY(total_bytes(by_name["block"].at_event) >=
            total_bytes(by_name["block.conv"].at_event) + total_bytes(by_name["block.norm"].at_event));
    QCOMPARE(by_name["block.conv"].at_event[static_cast<std::size_t>(Category::Parameter)],
             std::int64_t{(3 * 8 * 9 + 8) * 4});
    // The convolution leaves its result: 2 x 8 x 16 x 16 in float32.
    QCOMPARE(by_name["block.conv"].forward, std::int64_t{2 * 8 * 16 * 16 * 4});
    std::int64_t forward = 0;
    std::int64_t backward = 0;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        (event.phase == RunPhase::Forward ? forward : backward) += event.memory_after - event.memory_before;
    }
    QCOMPARE(by_name[""].forward, forward);
    QCOMPARE(by_name[""].backward, backward);
    QVERIFY(book.peak_event() == recording.peak_event() && total_bytes(by_name[""].at_peak) > 0);
}

void TestAccounts::warm_times_are_of_every_operator() {
    Ran ran(kDigits);
    QVERIFY(ran.recording().warm_times() == nullptr);
    const OperatorTimesReport report = ran.time();
    QCOMPARE(report.error, std::string());
    QCOMPARE(report.times->repeats, 3);
    QCOMPARE(report.times->unmatched, std::size_t{0});
    QCOMPARE(to_bytes(*ran.recording().warm_times()), to_bytes(*report.times));
    double last = 0;
    for (EventId id = 1; id <= ran.kept->event_count(); ++id) {
        const OperatorTime* time = report.times->of(id);
        QVERIFY(time != nullptr);
        QVERIFY(time->low <= time->median && time->median <= time->high && time->start >= last);
        last = time->start;
    }
    QVERIFY(report.times->seconds > 0);
}

void TestAccounts::warm_times_leave_no_trace() {
    const QTemporaryDir folder;
    Ran ran(write(folder, kNet));
    const std::string before = ran.gradients();
    const auto recording = ran.session.recording();
    const std::size_t values = recording->value_count();
    QCOMPARE(ran.time().error, std::string());
    QCOMPARE(ran.gradients(), before);
    QVERIFY(ran.session.recording() == recording);
    QCOMPARE(recording->value_count(), values);
    // The running mean is as after the one run.
    std::string mean;
    TensorRequest request;
    request.name = "block.norm.num_batches_tracked";
    ran.session.ask("count", TensorQuery{request},
                    [&](const TensorSlice& slice) { mean = std::to_string(slice.data.at(0).elements.at(0)); });
    ran.session.wait_idle();
    QCOMPARE(mean, std::to_string(1.0));
}

void TestAccounts::what_cannot_be_timed_is_said() {
    Session session;
    session.open(kDigits);
    session.wait_idle();
    std::string why;
    const auto ask = [&] {
        session.ask("times", OperatorTimesQuery{}, [&](const OperatorTimesReport& report) { why = report.error; });
        session.wait_idle();
    };
    ask();
    QVERIFY2(why.find("run the model first") != std::string::npos, why.c_str());
    session.step(StepKind::Into);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    ask();
    QVERIFY2(why.find("under way") != std::string::npos, why.c_str());
    session.stop();
    session.wait_idle();
}

void TestAccounts::time_is_predicted_from_warm_times_alone() {
    const QTemporaryDir folder;
    Ran ran(write(folder, kNet));
    const WhatIf checkpoint{.kind = WhatIf::Kind::Checkpoint, .module = "block"};
    const WhatIf mixed{.kind = WhatIf::Kind::MixedPrecision, .module = {}};
    const WhatIf batch{.kind = WhatIf::Kind::Batch, .module = {}, .factor = 2};
    for (const WhatIf& change : {checkpoint, mixed, batch}) {
        const MemoryForecast cold = forecast_memory(ran.recording(), {change});
        QVERIFY(!cold.seconds && !cold.seconds_before && cold.peak > 0);
        // The reason says what to press: a batch has no kernels that Predict could time.
        const char* remedy = change.kind == WhatIf::Kind::Batch ? "Measure does that" : "Predict does that";
        QVERIFY2(cold.no_time.find(remedy) != std::string::npos, cold.no_time.c_str());
    }
    const MemoryForecast again = ran.forecast(checkpoint);
    QCOMPARE(again.error, std::string());
    QVERIFY(again.seconds && again.seconds_before && *again.seconds > *again.seconds_before);
    const MemoryForecast lower = ran.forecast(mixed);
    QCOMPARE(lower.error, std::string());
    QVERIFY2(lower.seconds && *lower.seconds > 0 && lower.no_time.empty(), lower.no_time.c_str());
    // Without a measurement of the kernels in that dtype there is none, warm or not.
    const MemoryForecast unmeasured = forecast_memory(ran.recording(), {mixed});
    QVERIFY(!unmeasured.seconds);
    QVERIFY2(unmeasured.no_time.find("in bfloat16") != std::string::npos, unmeasured.no_time.c_str());
    QVERIFY(!ran.forecast(batch).seconds);
}

QTEST_GUILESS_MAIN(TestAccounts)
#include "test_accounts.moc"
