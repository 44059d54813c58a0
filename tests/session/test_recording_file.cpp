// SPDX-License-Identifier: Apache-2.0
// A run that was recorded into a file is there again as it was; a damaged file gives one line.

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>
#include <condition_variable>
#include <mutex>

#include "core/base/error.h"
#include "core/formats/archive/zip_writer.h"
#include "core/record/recording_file.h"
#include "core/record/recording_rows.h"
#include "core/record/recording_writer.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/operator_times.h"
#include "core/session/queries/pass_trace.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/tensor.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kFixtures = std::string(LOUPE_SOURCE_DIR) + "/tests/fixtures/models/";

// What the engine thread replies; waited for until the session is idle.
template <typename T, typename Ask>
T answer(Session& session, Ask&& ask) {
    std::mutex mutex;
    std::optional<T> value;
    ask([&](T given) {
        const std::lock_guard lock(mutex);
        value = std::move(given);
    });
    session.wait_idle();
    const std::lock_guard lock(mutex);
    return value.value();
}

TensorSlice look(Session& session, const TensorRequest& request) {
    return answer<TensorSlice>(session, [&](auto reply) { session.ask("look", TensorQuery{request}, reply); });
}

void run(Session& session, const std::string& model, bool backward) {
    session.open(model);
    session.wait_idle();
    RunOptions options;
    options.backward = backward;
    session.run(options);
    session.wait_idle();
}

std::string save(Session& session, const std::string& file) {
    return answer<std::string>(session, [&](auto reply) { session.ask("save", SaveRecordingQuery{file}, reply); });
}

bool same_event(const Event& a, const Event& b) {
    return a.id == b.id && a.phase == b.phase && a.op == b.op && a.scope == b.scope && a.source_file == b.source_file &&
           a.source_line == b.source_line && a.graph_node == b.graph_node && a.depth == b.depth && a.frame == b.frame &&
           a.peer == b.peer && a.start == b.start && a.duration == b.duration && a.memory_before == b.memory_before &&
           a.memory_after == b.memory_after && a.memory_peak == b.memory_peak && a.flops == b.flops &&
           a.bytes_moved == b.bytes_moved && a.backend == b.backend && a.declined == b.declined &&
           a.inputs == b.inputs && a.outputs == b.outputs && a.arguments == b.arguments && a.has_nan == b.has_nan &&
           a.has_inf == b.has_inf && a.failed == b.failed && a.error == b.error && a.setup == b.setup &&
           a.is_cold == b.is_cold && a.not_finite == b.not_finite && a.read_for_bad.size() == b.read_for_bad.size();
}

bool same_value(const Value& a, const Value& b) {
    const bool same_statistics =
        a.statistics.has_value() == b.statistics.has_value() &&
        (!a.statistics || (a.statistics->count == b.statistics->count && a.statistics->finite == b.statistics->finite &&
                           a.statistics->exponents == b.statistics->exponents));
    return same_statistics && a.id == b.id && a.producer == b.producer && a.name == b.name && a.dtype == b.dtype &&
           a.shape == b.shape && a.strides == b.strides && a.storage_id == b.storage_id &&
           a.requires_grad == b.requires_grad && a.bytes == b.bytes;
}

}  // namespace

class TestRecordingFile : public QObject {
    Q_OBJECT

  private slots:
    void is_as_it_was_data();
    void is_as_it_was();
    void keeps_what_devices_and_threads_did();
    void keeps_messages_of_ranks();
    void keeps_loaders_and_where_an_edit_began();
    void keeps_tensors_that_are_no_plain_arrays();
    void runs_again_while_the_model_is_there();
    void without_its_model_it_is_only_looked_at();
    void tells_what_was_run();
    void tells_a_failure();
    void damage_gives_one_line();
    void lies_are_found_out();
};

namespace {

struct Log final : SessionListener {
    std::vector<LogEntry> entries;
    void on_log(const LogEntry& entry) override { entries.push_back(entry); }
};

}  // namespace

// So that the panels of inputs and passes and the log have something to show.
void TestRecordingFile::tells_what_was_run() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session live;
    live.open(kFixtures + "mlp.pt");
    live.wait_idle();
    RunOptions options;
    options.backward = true;
    options.seed = 12;
    options.pipeline = "inline";
    options.training = true;
    options.inputs = {parse_input_spec("3x16:float32:arange")};
    options.inputs[0].elements = {parse_input_spec("2:int64")};
    live.run(options);
    live.wait_idle();
    QCOMPARE(save(live, file), std::string());
    Log log;
    Session again(&log);
    again.open(file);
    again.wait_idle();
    const std::vector<InputSpec> inputs = again.inputs();
    QCOMPARE(inputs.size(), std::size_t{1});
    QCOMPARE(input_spec_text(inputs[0]), input_spec_text(options.inputs[0]));
    QCOMPARE(input_spec_text(inputs[0].elements.at(0)), std::string("2:int64:random"));
    const auto trace = answer<PassTrace>(again, [&](auto reply) {
        again.ask("passes", PassTraceQuery{"inline", "forward"}, reply);
    });
    QCOMPARE(trace.error, std::string());
    QVERIFY(!trace.steps.empty());
    // What it is of, and behind that the verdict.
    QCOMPARE(log.entries.size(), std::size_t{2});
    QVERIFY2(QString::fromStdString(log.entries[0].text).contains("mlp.pt"), log.entries[0].text.c_str());
    QVERIFY2(QString::fromStdString(log.entries[1].text).contains("finished"), log.entries[1].text.c_str());
    // Running it again takes the recorded inputs.
    options.inputs.clear();
    again.run(options);
    again.wait_idle();
    QCOMPARE(again.status().state, RunState::Finished);
    const auto a = live.recording();
    const auto b = again.recording();
    QCOMPARE(b->value_count(), a->value_count());
    QCOMPARE(b->value(static_cast<ValueId>(b->value_count())).statistics->finite->norm,
             a->value(static_cast<ValueId>(a->value_count())).statistics->finite->norm);
}

void TestRecordingFile::tells_a_failure() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session live;
    live.open(kFixtures + "mlp.pt");
    RunOptions options;
    options.inputs = {parse_input_spec("3x5")};
    live.run(options);
    live.wait_idle();
    QCOMPARE(live.status().state, RunState::Failed);
    QCOMPARE(save(live, file), std::string());
    Log log;
    Session again(&log);
    again.open(file);
    again.wait_idle();
    QVERIFY(!log.entries.empty());
    QCOMPARE(log.entries.back().level, SessionListener::LogEntry::Level::Error);
    QCOMPARE(log.entries.back().event, static_cast<EventId>(again.recording()->event_count()));
    QVERIFY(!log.entries.back().text.empty());
}

void TestRecordingFile::is_as_it_was_data() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"resnet18.pt", "lstm.pt", "control.pt"}) QTest::newRow(name) << QString(name);
}

void TestRecordingFile::is_as_it_was() {
    QFETCH(QString, model);
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session live;
    run(live, kFixtures + model.toStdString(), true);
    const bool isTimed = model == "lstm.pt";
    if (isTimed) {
        const auto timed = answer<OperatorTimesReport>(live, [&](auto reply) {
            live.ask("times", OperatorTimesQuery{{.warmup = 1, .repeats = 3, .seconds = 60}}, reply);
        });
        QCOMPARE(timed.error, std::string());
    }
    QCOMPARE(save(live, file), std::string());
    Session again;
    again.open(file);
    again.wait_idle();
    QVERIFY2(again.status().state == RunState::Finished, again.status().error.c_str());
    const auto a = live.recording();
    const auto b = again.recording();
    QCOMPARE(b->event_count(), a->event_count());
    QCOMPARE(b->value_count(), a->value_count());
    QCOMPARE(b->frame_count(), a->frame_count());
    QCOMPARE(b->allocation_count(), a->allocation_count());
    QCOMPARE(b->peak_bytes(), a->peak_bytes());
    QVERIFY(b->is_complete());
    QVERIFY(!a->savings().empty());
    QCOMPARE(b->savings().size(), a->savings().size());
    for (std::size_t i = 0; i < a->savings().size(); ++i) {
        const Saving wanted = a->savings()[i];
        const Saving found = b->savings()[i];
        QVERIFY(found.allocation == wanted.allocation && found.by == wanted.by && found.node == wanted.node);
        QCOMPARE(b->allocation(found.allocation).saved_by, a->allocation(found.allocation).saved_by);
        QCOMPARE(b->allocation(found.allocation).category, a->allocation(found.allocation).category);
    }
    QCOMPARE(b->warm_times() != nullptr, isTimed);
    for (EventId id = 1; isTimed && id <= a->event_count(); ++id) {
        QCOMPARE(b->warm_times()->of(id)->median, a->warm_times()->of(id)->median);
        QCOMPARE(b->warm_times()->of(id)->high, a->warm_times()->of(id)->high);
    }
    for (EventId id = 1; id <= a->event_count(); ++id) {
        QVERIFY2(same_event(a->event(id), b->event(id)), std::to_string(id).c_str());
        QCOMPARE(b->backward_peer(id), a->backward_peer(id));
    }
    for (std::uint32_t id = 1; id <= a->frame_count(); ++id) QCOMPARE(b->frame_end(id), a->frame_end(id));
    for (ValueId id = 1; id <= a->value_count(); ++id) {
        QVERIFY2(same_value(a->value(id), b->value(id)), std::to_string(id).c_str());
        TensorRequest request;
        request.value = id;
        const TensorSlice before = look(live, request);
        const TensorSlice after = look(again, request);
        QVERIFY2(after.error.empty() && before.error.empty(), after.error.c_str());
        QCOMPARE(after.dtype, before.dtype);
        QCOMPARE(after.storage_id, before.storage_id);
        QCOMPARE(after.readers, before.readers);
        QCOMPARE(after.data.size(), before.data.size());
        for (std::size_t tile = 0; tile < after.data.size(); ++tile)
            QCOMPARE(after.data[tile].elements, before.data[tile].elements);
    }
    QCOMPARE(again.model()->modules.size(), live.model()->modules.size());
    QCOMPARE(again.model()->modules.back().path, live.model()->modules.back().path);
    QCOMPARE(again.model()->graph->text, live.model()->graph->text);
    QCOMPARE(again.model()->graph->nodes.back().children, live.model()->graph->nodes.back().children);
    using Rows = std::vector<GradientRow>;
    const auto rows = [](Session& session) {
        return answer<Rows>(session, [&](auto reply) { session.ask("rows", GradientsQuery{}, reply); });
    };
    const Rows wanted = rows(live);
    const Rows found = rows(again);
    QCOMPARE(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        QCOMPARE(found[i].finite->norm, wanted[i].finite->norm);
        TensorRequest parameter;
        parameter.name = found[i].parameter;
        QCOMPARE(look(again, parameter).statistics.finite->norm, wanted[i].weight_norm.value());
    }
}

// Quantised and nested tensors: PyTorch's names of dtypes, sizes that differ, and the numbers.
// And rows of an older program, which lack it.
void TestRecordingFile::keeps_what_devices_and_threads_did() {
    RecordingWriter writer;
    Event event;
    event.start = 2;
    event.device.device = writer.intern("test:0");
    event.device.launch = 0.25;
    event.device.given = 1.5;
    event.workers = {{1, 1.5, 1.75}, {2, 1.5, 1.875}};
    writer.add_event(event);
    writer.finish();
    TextTable text;
    const Json whole = event_row(writer.recording()->event(1), 0, text);
    Json older = whole;
    older.erase(older.size() - 1);
    older.back().erase(older.back().size() - 1);
    Json backwards = whole;
    backwards.back()[2] = 1.0;
    const auto read = [&](const Json& row) {
        const Json rows{{"graph", Json()},
                        {"strings", text.texts()},
                        {"events", Json::array({row})},
                        {"values", Json::array()},
                        {"frames", Json::array()},
                        {"allocations", Json::array()},
                        {"gradients", Json::array()},
                        {"peak", Json::array({0, 0})}};
        return RecordingFile(rows, [](ValueId) { return Tensor(); }).recording()->event(1);
    };
    const Event got = read(whole);
    QCOMPARE(got.device.given, 1.5);
    QCOMPARE(got.workers.size(), std::size_t{2});
    QVERIFY(got.workers[1].thread == 2 && got.workers[1].start == 1.5 && got.workers[1].end == 1.875);
    QVERIFY(read(older).workers.empty() && read(older).device.given == 0 && read(older).device.launch == 0.25);
    QVERIFY_THROWS_EXCEPTION(Error, read(backwards));
}

// In the file, and in another process that follows it.
void TestRecordingFile::keeps_messages_of_ranks() {
    Collective sum;
    sum.group = "0";
    sum.sequence = 3;
    sum.operation = "all_reduce";
    sum.reduction = "SUM";
    sum.dtype = "float32";
    sum.shapes = {{2, 3}};
    sum.bytes = 24;
    sum.ranks = {0, 1, 2};
    sum.event = 1;
    sum.scope = "layer1";
    sum.place = {"/tmp/net.py", 12, 0};
    sum.launched = 0.25;
    Collective sent = sum;
    sent.operation = "send";
    sent.peer = 2;
    RecordingWriter writer;
    writer.set_rank({1, 3, 1, "host", 77, "one run", 1e9});
    QCOMPARE(writer.add_collective(sum), std::size_t{0});
    RecordingSource source(writer.recording(), 1);
    RecordingCopy copy;
    copy.grow(*source.take());
    QVERIFY(!copy.recording()->collectives()[0].completed);
    writer.add_collective(sent);
    sum.completed = 0.5;
    sum.waited_from = 0.375;
    sum.waited_until = 0.5;
    writer.change_collective(0, sum);
    copy.grow(*source.take());
    QVERIFY(!source.take());

    Json rows{
        {"graph", Json()},
        {"strings", Json::array()},
        {"events", Json::array()},
        {"values", Json::array()},
        {"frames", Json::array()},
        {"allocations", Json::array()},
        {"gradients", Json::array()},
        {"peak", Json::array({0, 0})},
        {"rank", *writer.recording()->rank()},
        {"collectives", Json::array({collective_json(0, sent), collective_json(1, sent), collective_json(0, sum)})}};
    const RecordingFile file(rows, [](ValueId) { return Tensor(); });
    for (const auto& got : {copy.recording(), file.recording()}) {
        QCOMPARE(got->collective_count(), std::size_t{2});
        QVERIFY(collective_json(0, got->collectives()[0]) == collective_json(0, sum));
        QVERIFY(collective_json(0, got->collectives(1)[0]) == collective_json(0, sent));
        QVERIFY(Json(*got->rank()) == Json(*writer.recording()->rank()));
    }

    const auto refuses = [&](const char* where, const char* name, const Json& value) {
        Json bad = rows;
        (bad[where].is_array() ? bad[where][1] : bad[where])[name] = value;
        QVERIFY_THROWS_EXCEPTION(Error, RecordingFile(bad, [](ValueId) { return Tensor(); }));
    };
    refuses("rank", "rank", 3);
    refuses("rank", "world_size", 0);
    refuses("collectives", "index", 2);
    refuses("collectives", "event", 2);
    refuses("collectives", "ranks", Json::array({-1}));
    refuses("collectives", "shapes", Json::array({Json::array({-2})}));
    refuses("collectives", "launched", "nan");
    refuses("collectives", "bytes", -1);
}

void TestRecordingFile::keeps_loaders_and_where_an_edit_began() {
    const auto load = load_row({data::LoadKind::Worker, 1, 2, 7, -0.5, 1.5, false});
    const auto edit = edit_json({1, "Net.forward", {"Net.forward", "halve"}, {"/tmp/net.py", 12, 0}});
    const auto read = [&](const Json& loads, const Json& edits) {
        Json rows{{"graph", Json()},
                  {"strings", Json::array()},
                  {"events", Json::array()},
                  {"values", Json::array()},
                  {"frames", Json::array()},
                  {"allocations", Json::array()},
                  {"gradients", Json::array()},
                  {"peak", Json::array({0, 0})}};
        if (!loads.is_null()) rows["loads"] = loads;
        if (!edits.is_null()) rows["edit"] = edits;
        return RecordingFile(rows, [](ValueId) { return Tensor(); }).recording();
    };
    const auto got = read(Json::array({load}), edit);
    QCOMPARE(got->load_count(), std::size_t{1});
    const LoadSpan span = got->loads().front();
    QVERIFY(span.kind == data::LoadKind::Worker && span.pass == 1 && span.worker == 2 && span.batch == 7);
    QVERIFY(span.start == -0.5 && span.end == 1.5 && !span.is_over);
    QVERIFY(got->loads(1).empty() && got->loads(9).empty());
    QCOMPARE(got->edit()->event, EventId{1});
    QCOMPARE(got->edit()->function, std::string("Net.forward"));
    QCOMPARE(got->edit()->changed.size(), std::size_t{2});
    QVERIFY(got->edit()->place.file == "/tmp/net.py" && got->edit()->place.line == 12);
    const auto older = read(Json(), Json());
    QVERIFY(older->load_count() == 0 && older->edit() == nullptr);
    Json wrong = load;
    wrong[0] = 9;
    QVERIFY_THROWS_EXCEPTION(Error, read(Json::array({wrong}), Json()));
    wrong = load;
    wrong[5] = -2.0;
    QVERIFY_THROWS_EXCEPTION(Error, read(Json::array({wrong}), Json()));
    Json nowhere = edit;
    nowhere["event"] = 3;
    QVERIFY_THROWS_EXCEPTION(Error, read(Json(), nowhere));
}

void TestRecordingFile::keeps_tensors_that_are_no_plain_arrays() {
    QTemporaryDir folder;
    QFile source(folder.filePath("net.py"));
    QVERIFY(source.open(QIODevice::WriteOnly));
    source.write(R"(import torch
import torch.nested


class Net(torch.nn.Module):
    def forward(self, x):
        rows = [x[0], x[1, :2]]
        strided = torch.nested.nested_tensor(rows).transpose(1, 2)
        jagged = torch.nested.nested_tensor(rows, layout=torch.jagged) * 2
        q = torch.quantize_per_tensor(x, 0.1, 3, torch.qint8)
        return strided.contiguous().to_padded_tensor(0.0).sum() + jagged.sum() + q.dequantize().sum()
)");
    source.close();
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session live;
    live.open(source.fileName().toStdString());
    live.wait_idle();
    live.set_inputs({parse_input_spec("2x3x4")});
    live.run({});
    live.wait_idle();
    QVERIFY2(live.status().state == RunState::Finished, live.status().error.c_str());
    QCOMPARE(save(live, file), std::string());
    Session again;
    again.open(file);
    again.wait_idle();
    QVERIFY2(again.status().state == RunState::Finished, again.status().error.c_str());
    std::set<std::string> shown;
    for (ValueId id = 1; id <= live.recording()->value_count(); ++id) {
        const Value& value = live.recording()->value(id);
        QVERIFY2(same_value(value, again.recording()->value(id)), std::to_string(id).c_str());
        shown.insert(std::string(value.dtype) + " " + shape_text(value.shape));
        TensorRequest request;
        request.value = id;
        const TensorSlice before = look(live, request), after = look(again, request);
        QVERIFY2(after.error.empty() && before.error.empty(), (before.error + after.error).c_str());
        QCOMPARE(after.dtype, before.dtype);
        QCOMPARE(after.data.size(), before.data.size());
        for (std::size_t tile = 0; tile < after.data.size(); ++tile)
            QCOMPARE(after.data[tile].elements, before.data[tile].elements);
    }
    QVERIFY(shown.contains("qint8 2x3x4"));
    QVERIFY(shown.contains("float32 2x4x*"));
}

void TestRecordingFile::runs_again_while_the_model_is_there() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session session;
    run(session, kFixtures + "mlp.pt", false);
    QCOMPARE(save(session, file), std::string());
    const std::size_t forward = session.recording()->event_count();
    run(session, file, true);
    QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    QVERIFY(session.recording()->event_count() > forward);
    QVERIFY(session.model()->recorded_in.empty());
}

void TestRecordingFile::without_its_model_it_is_only_looked_at() {
    QTemporaryDir folder;
    const QString model = folder.filePath("mlp.pt");
    QVERIFY(QFile::copy(QString::fromStdString(kFixtures + "mlp.pt"), model));
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session session;
    run(session, model.toStdString(), false);
    QCOMPARE(save(session, file), std::string());
    QVERIFY(QFile::remove(model));
    session.open(file);
    session.wait_idle();
    QVERIFY(session.model()->cannot_run.find("is not there") != std::string::npos);
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Failed);
    QVERIFY(session.recording() != nullptr);
}

void TestRecordingFile::damage_gives_one_line() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session session;
    run(session, kFixtures + "mlp.pt", true);
    QCOMPARE(save(session, file), std::string());
    QFile whole(QString::fromStdString(file));
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    const QString damaged = folder.filePath("damaged.loupe");
    QRandomGenerator random(5);
    int refused = 0;
    const auto attempt = [&](const QByteArray& contents) {
        QFile out(damaged);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(contents);
        out.close();
        try {
            const RecordingFile opened(damaged.toStdString());
            for (ValueId id = 1; id <= opened.recording()->value_count(); ++id) opened.elements(id);
        } catch (const Error& error) {
            ++refused;
            QVERIFY(QByteArray(error.what()).count('\n') == 0);
            QVERIFY2(error.kind() == ErrorKind::File || error.kind() == ErrorKind::Unsupported, error.what());
        }
    };
    for (int i = 0; i < 200; ++i) attempt(bytes.left(bytes.size() * i / 200));
    QCOMPARE(refused, 200);
    for (int i = 0; i < 300; ++i) {
        QByteArray flipped = bytes;
        const auto at = static_cast<qsizetype>(random.bounded(static_cast<quint32>(bytes.size())));
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.bounded(8)));
        attempt(flipped);
    }
}

// Sound archives whose contents lie: checksums do not help there.
void TestRecordingFile::lies_are_found_out() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.loupe").toStdString();
    Session session;
    run(session, kFixtures + "mlp.pt", true);
    QCOMPARE(save(session, file), std::string());
    const ZipReader zip(MappedFile::open(file));
    const std::string json = zip.read(*zip.find("recording/recording.json"), 1 << 30);
    QRandomGenerator random(6);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        std::string lie = json;
        for (int change = 0; change < 3; ++change) {
            std::size_t at = random.bounded(static_cast<quint32>(lie.size()));
            while (at < lie.size() && (lie[at] < '0' || lie[at] > '9')) ++at;
            if (at == lie.size()) continue;
            if (random.bounded(2) == 0)
                lie.insert(at, "99");
            else
                lie[at] = static_cast<char>('0' + random.bounded(10));
        }
        const std::string path = folder.filePath("lie.loupe").toStdString();
        ZipWriter writer(path);
        for (const ZipEntry& entry : zip.entries()) {
            writer.add(entry.name, entry.name.ends_with(".json") ? lie : zip.read(entry, 1 << 30));
        }
        writer.finish();
        try {
            const RecordingFile opened(path);
            const Recording& recording = *opened.recording();
            // What views do with it.
            for (EventId id = 1; id <= recording.event_count(); ++id) {
                const Event& event = recording.event(id);
                for (const ValueId value : event.inputs) {
                    if (value != 0) QVERIFY(recording.value(value).id == value);
                }
                if (event.graph_node >= 0)
                    QVERIFY(static_cast<std::size_t>(event.graph_node) < opened.model()->graph->nodes.size());
                if (event.frame != 0) QVERIFY(recording.frame(event.frame).id == event.frame);
            }
            for (ValueId id = 1; id <= recording.value_count(); ++id) {
                try {
                    opened.elements(id);
                } catch (const Error&) {
                    ++refused;
                }
            }
        } catch (const Error& error) {
            ++refused;
            QVERIFY(error.kind() == ErrorKind::File);
        }
    }
    QVERIFY(refused > 50);
}

QTEST_GUILESS_MAIN(TestRecordingFile)
#include "test_recording_file.moc"
