// SPDX-License-Identifier: Apache-2.0
// Traces of torch.profiler (fixtures/profiler, make_profiler.py), and damaged ones.
#include <nlohmann/json.hpp>

#include "core/base/strings.h"
#include "core/formats/file_kind.h"
#include "core/formats/profiler/trace_reader.h"
#include "core/study/flame_difference.h"
#include "core/study/profile_flame.h"
#include "core/study/profile_statistics.h"
#include "core/study/profile_streams.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

ProfileTrace read(const std::string& name) { return read_profile_trace(MappedFile::open(fixture("profiler/" + name))); }

std::uint32_t find(const ProfileTrace& trace, std::string_view name) {
    for (std::uint32_t i = 0; i < trace.zones.size(); ++i)
        if (trace.name_of(trace.zones[i]) == name) return i;
    return ProfileZone::kNone;
}

}  // namespace

class TestTraceReader : public QObject {
    Q_OBJECT

  private:
    QTemporaryDir folder_;

    Ptr<MappedFile> written(const std::string& text) {
        const auto path = std::filesystem::path(folder_.path().toStdString()) / "trace.json";
        write_file_atomically(path, text);
        return MappedFile::open(path);
    }
    ProfileTrace of(const std::string& events) {
        return read_profile_trace(written("{\"schemaVersion\": 1, \"traceEvents\": [" + events + "]}"));
    }
    std::string refusal(const std::string& text) {
        try {
            read_profile_trace(written(text));
        } catch (const Error& error) {
            return error.message();
        }
        return "read";
    }

    static std::string zone(const char* name, const char* category, int thread, int start, int duration,
                            const char* arguments = "{}") {
        return concat(R"({"ph":"X","name":")", name, R"(","cat":")", category, R"(","pid":1,"tid":)", thread,
                      R"(,"ts":)", start, R"(,"dur":)", duration, R"(,"args":)", arguments, "}");
    }

  private slots:
    // Overlapping kernels count once, annotations and waits do not.
    void streams_are_busy_and_idle() {
        const ProfileTrace trace =
            of(zone("launch", "cuda_runtime", 1, 0, 5) + "," + zone("launch", "cuda_runtime", 1, 40, 5) + "," +
               zone("step", "gpu_user_annotation", 7, 10, 90) + "," + zone("a", "kernel", 7, 10, 20) + "," +
               zone("b", "gpu_memcpy", 7, 20, 15) + "," + zone("c", "kernel", 7, 60, 40) + "," +
               zone("wait", "cuda_sync", 8, 0, 100) +
               R"(,{"ph":"s","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":0},)"
               R"({"ph":"f","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":7,"ts":10,"bp":"e"},)"
               R"({"ph":"s","id":2,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":40},)"
               R"({"ph":"f","id":2,"cat":"ac2g","name":"ac2g","pid":1,"tid":7,"ts":60,"bp":"e"})");
        const auto uses = session::stream_uses(trace);
        QCOMPARE(uses.size(), std::size_t{1});
        const session::StreamUse& use = uses.front();
        QCOMPARE(use.count, std::uint64_t{3});
        QVERIFY(std::abs(use.busy - 65e-6) < 1e-12 && std::abs(use.idle() - 25e-6) < 1e-12);
        QVERIFY(std::abs(use.longest_gap - 25e-6) < 1e-12 && std::abs(use.gap_at - 35e-6) < 1e-12);
        QVERIFY(use.launch_to_start && std::abs(*use.launch_to_start - 20e-6) < 1e-12);
        const ProfileTrack& stream = trace.tracks[use.track];
        QVERIFY(std::abs(session::stream_busy(trace, stream, 25e-6, 70e-6) - 20e-6) < 1e-12);
        QCOMPARE(session::stream_busy(trace, stream, 40e-6, 50e-6), 0.0);
    }
    // PyTorch writes an end of a link at calls of the runtime that have launched nothing.
    void an_end_without_a_beginning_is_no_link() {
        const ProfileTrace trace =
            of(zone("cudaEventQuery", "cuda_runtime", 1, 0, 5) +
               R"(,{"ph":"f","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":0,"bp":"e"})");
        QVERIFY(trace.links.empty() && trace.notes.empty());
    }
    // Steps and threads of other numbers are the same ones; what is in one trace only has no count in the other.
    void flames_are_compared() {
        const ProfileTrace one =
            of(zone("ProfilerStep#4", "user_annotation", 11, 0, 100) + "," + zone("aten::mm", "cpu_op", 11, 10, 30) +
               "," + zone("aten::add", "cpu_op", 11, 50, 10));
        const ProfileTrace other =
            of(zone("ProfilerStep#9", "user_annotation", 12, 0, 150) + "," + zone("aten::mm", "operator", 12, 10, 70) +
               "," + zone("aten::mm", "cpu_op", 12, 85, 5) + "," + zone("aten::mul", "cpu_op", 12, 100, 20));
        const session::FlameDifference found =
            session::compare_flames(one, session::flame_graph(one), other, session::flame_graph(other));
        const auto named = [&](const std::string& name) {
            for (const session::FlamePair& pair : found.nodes)
                if (found.name_of(pair) == name) return pair;
            return session::FlamePair();
        };
        QCOMPARE(found.nodes.size(), std::size_t{5});
        const session::FlamePair product = named("aten::mm");
        QCOMPARE(product.count_here, std::uint64_t{1});
        QCOMPARE(product.count_there, std::uint64_t{2});
        QVERIFY(std::abs(product.change() - 45e-6) < 1e-12 && std::abs(product.width() - 52.5e-6) < 1e-12);
        QCOMPARE(named("aten::add").tendency(), -1.0);
        QCOMPARE(named("aten::mul").tendency(), 1.0);
        const session::FlamePair step = named("ProfilerStep#");
        QVERIFY(std::abs(step.self_here - 60e-6) < 1e-12 && std::abs(step.self_there - 55e-6) < 1e-12);
        // Wider ones first, by what both take.
        QCOMPARE(found.name_of(found.nodes[step.first_child]), std::string("aten::mm"));
        const auto changed = session::most_changed(found, 2);
        QCOMPARE(changed.size(), std::size_t{2});
        QCOMPARE(found.name_of(found.nodes[changed[0]]), std::string("aten::mm"));
        QCOMPARE(found.path_of(changed[0], 5), std::string("ProfilerStep# \u203a aten::mm"));
        QCOMPARE(found.path_of(changed[0], 0), std::string("\u2026 \u203a aten::mm"));
    }
    void totals_are_pytorchs_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("a step on the CPU, with gzip") << "perceptron.json.gz";
        QTest::newRow("kernels") << "layers.json";
    }
    void totals_are_pytorchs() {
        QFETCH(QString, file);
        const auto all = nlohmann::json::parse(read_text_file(fixture("profiler/expected.json")));
        const nlohmann::json& expected = all[file.toStdString()];
        const ProfileTrace trace = read(file.toStdString());
        QVERIFY(trace.notes.empty());
        std::size_t found = 0;
        for (const auto& row : session::operator_totals(trace)) {
            const std::string key = row.category + " " + row.name;
            if (!expected.contains(key)) continue;  // an instant
            ++found;
            QCOMPARE(row.count, expected[key]["count"].get<std::uint64_t>());
            const auto near = [&](double seconds, const char* of) {
                const double wanted = expected[key][of].get<double>();
                QVERIFY2(std::abs(seconds * 1e9 - wanted) <= 2.0 * static_cast<double>(row.count) + 1,
                         (key + ": " + of).c_str());
            };
            near(row.total, "total_ns");
            near(row.self, "self_ns");
            QVERIFY(row.least <= row.median && row.median <= row.p95 && row.p95 <= row.greatest);
            std::uint64_t counted = 0;
            for (const std::uint64_t bin : row.histogram) counted += bin;
            QCOMPARE(counted, row.count);
        }
        QCOMPARE(found, expected.size());
    }
    void tracks_have_their_names() {
        const ProfileTrace trace = read("layers.json");
        QCOMPARE(trace.source, std::string("PyTorch's profiler"));
        QCOMPARE(trace.tracks.size(), std::size_t{4});
        const auto named = [&](std::string_view name) {
            return *std::ranges::find(trace.tracks, name, &ProfileTrack::name);
        };
        QCOMPARE(named("stream 7").process, std::string("python (GPU 0)"));
        QVERIFY(named("stream 20").is_device);
        QVERIFY(!named("thread 4242 (python)").is_device);
        QCOMPARE(named("thread 4242 (python)").depth, std::uint32_t{4});
    }
    void launches_are_linked_to_kernels() {
        const ProfileTrace trace = read("layers.json");
        QCOMPARE(trace.links.size(), std::size_t{4});
        for (const ProfileLink& link : trace.links) {
            QCOMPARE(trace.texts[link.category], std::string("ac2g"));
            QCOMPARE(trace.category_of(trace.zones[link.from]), std::string_view("cuda_runtime"));
            const std::string_view to = trace.category_of(trace.zones[link.to]);
            QVERIFY(to == "kernel" || to == "gpu_memcpy");
        }
    }
    void memory_is_a_counter() {
        const ProfileTrace gpu = read("layers.json");
        QCOMPARE(gpu.counters.size(), std::size_t{2});
        QCOMPARE(gpu.counters[0].name, std::string("Memory of cuda:0"));
        QCOMPARE(gpu.counters[0].values, (std::vector<double>{131072, 262144}));
        const ProfileTrace cpu = read("perceptron.json.gz");
        QCOMPARE(cpu.counters.front().name, std::string("Memory of CPU"));
        QVERIFY(cpu.counters.front().values.size() > 20);
    }
    void arguments_are_kept() {
        const ProfileTrace trace = read("layers.json");
        const auto json =
            nlohmann::json::parse(trace.arguments_of(trace.zones[find(trace, "ampere_sgemm_64x32_sliced1x4_tn")]));
        QCOMPARE(json["grid"], (nlohmann::json{16, 2, 2}));
        QCOMPARE(json["stream"], nlohmann::json(7));
    }
    void flame_graph_adds_up() {
        const ProfileTrace trace = read("perceptron.json.gz");
        const session::FlameGraph flame = session::flame_graph(trace);
        double self = 0;
        for (const session::FlameNode& node : flame.nodes) self += node.self;
        QVERIFY(std::abs(self - flame.nodes[0].total) < 1e-6);
        for (const session::FlameNode& node : flame.nodes) {
            double below = 0;
            double last = 1e300;
            for (auto child = node.first_child; child != session::FlameNode::kNone; child = flame.nodes[child].next) {
                QVERIFY(flame.nodes[child].total <= last);
                last = flame.nodes[child].total;
                below += last;
            }
            QVERIFY(below <= node.total + 1e-7);
        }
    }
    void what_is_no_event_is_counted() {
        const ProfileTrace trace = of(
            R"({"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}, {"name":"no ph","ts":1}, {"ph":"X","name":"no ts"},
               {"ph":"X","name":"back","ts":2,"dur":-3}, {"ph":"X","name":"text","ts":"soon","dur":1}, 7, null,
               {"ph":"E","ts":3,"pid":9,"tid":9}, {"ph":"X","name":"dur","ts":2,"dur":"long"})");
        QCOMPARE(trace.zones.size(), std::size_t{1});
        QCOMPARE(trace.notes, (std::vector<std::string>{
                                  "8 of 9 events left out: 2 that are no objects, 1 that end what did not begin, "
                                  "1 whose duration is no number, 1 with a negative duration, 1 without ph, 2 "
                                  "without ts"}));
    }
    void begins_and_ends_are_zones() {
        const ProfileTrace trace = of(
            R"({"ph":"B","name":"a","ts":10,"pid":1,"tid":1}, {"ph":"B","name":"b","ts":11,"pid":1,"tid":1},
               {"ph":"E","ts":14,"pid":1,"tid":1}, {"ph":"E","ts":20,"pid":1,"tid":1},
               {"ph":"B","name":"c","ts":15,"pid":1,"tid":2})");
        QCOMPARE(trace.zones.size(), std::size_t{3});
        QVERIFY(std::abs(trace.zones[find(trace, "a")].duration - 10e-6) < 1e-9);
        QCOMPARE(trace.zones[find(trace, "b")].parent, find(trace, "a"));
        QVERIFY(std::abs(trace.zones[find(trace, "c")].duration - 5e-6) < 1e-9);
        QCOMPARE(trace.notes.size(), std::size_t{1});
    }
    void a_file_that_is_cut_off_gives_what_is_there() {
        const std::string whole = read_text_file(fixture("profiler/layers.json"));
        const ProfileTrace trace = read_profile_trace(written(whole.substr(0, whole.size() * 2 / 3)));
        QVERIFY(trace.zones.size() > 3);
        QVERIFY(trace.notes.front().starts_with("cut off behind byte "));
        const std::string zipped = read_text_file(fixture("profiler/perceptron.json.gz"));
        QVERIFY(read_profile_trace(written(zipped.substr(0, zipped.size() / 2))).zones.size() > 100);
    }
    void what_holds_no_events_is_refused() {
        QCOMPARE(refusal("{\"traceEvents\": 3}"), std::string("a trace whose traceEvents are no list"));
        QCOMPARE(refusal("{\"traceEvents\": []}"), std::string("a trace without events"));
        QVERIFY(refusal("{\"traceEvents\": [{\"ph\"").starts_with("a trace without events: cut off"));
        std::string deep = "{\"traceEvents\": [{\"ph\":\"X\",\"ts\":1,\"args\":";
        for (int i = 0; i < 5000; ++i) deep += "[";
        for (int i = 0; i < 5000; ++i) deep += "]";
        QCOMPARE(refusal(deep + "}]}"),
                 std::string("a trace without events: 1 of 1 event left out: 1 that are damaged"));
    }
    void a_damaged_event_is_counted() {
        const ProfileTrace trace =
            of("{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a \\\" } b\"}, {\"ph\":\"X\",\"ts\":oops},"
               "{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"c\"}");
        QCOMPARE(trace.zones.size(), std::size_t{2});
        QCOMPARE(std::string(trace.name_of(trace.zones[0])), std::string("a \" } b"));
        QCOMPARE(trace.notes, (std::vector<std::string>{"1 of 3 events left out: 1 that are damaged"}));
    }
    void a_list_that_ends_wrongly_is_cut_off_there() {
        const ProfileTrace trace = of(R"({"ph":"X","ts":1,"dur":1}, 7}, {"ph":"X","ts":1,"dur":1})");
        QCOMPARE(trace.zones.size(), std::size_t{1});
        QCOMPARE(trace.notes.size(), std::size_t{2});
        QVERIFY(trace.notes[0].starts_with("cut off behind byte "));
    }
    void files_are_known_by_their_first_bytes() {
        QCOMPARE(identify_file(MappedFile::open(fixture("profiler/layers.json"))).kind, FileKind::ProfileTrace);
        QCOMPARE(identify_file(MappedFile::open(fixture("profiler/perceptron.json.gz"))).kind, FileKind::ProfileTrace);
        QCOMPARE(identify_file(MappedFile::open(fixture("profiler/before.pickle"))).kind, FileKind::MemorySnapshot);
        QCOMPARE(identify_file(written("{\"a\": 1}")).kind, FileKind::Other);
    }
    void two_traces_are_compared_by_operator() {
        const ProfileTrace one = of(R"({"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":2},
                                       {"ph":"X","cat":"cpu_op","name":"b","ts":5,"dur":1})");
        const ProfileTrace other = of(R"({"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":8},
                                         {"ph":"X","cat":"cpu_op","name":"c","ts":9,"dur":2})");
        const auto rows = session::compare_totals(session::operator_totals(one), session::operator_totals(other));
        QCOMPARE(rows.size(), std::size_t{3});
        QCOMPARE(rows[0].name, std::string("a"));
        QVERIFY(std::abs(rows[0].change() - 6e-6) < 1e-9);
        QCOMPARE(rows[1].name, std::string("c"));
        QCOMPARE(rows[1].count_here, std::uint64_t{0});
        QCOMPARE(rows[2].count_there, std::uint64_t{0});
    }
    void python_functions_are_one_wherever_they_stand() {
        QCOMPARE(session::matching_name("train.py(8): step"), std::string("train.py: step"));
        QCOMPARE(session::matching_name("ProfilerStep#12"), std::string("ProfilerStep#"));
        QCOMPARE(session::matching_name("void f(int)"), std::string("void f(int)"));
        QCOMPARE(session::matching_name("nn.Module: Conv2d_13"), std::string("nn.Module: Conv2d_13"));
        const ProfileTrace one = of(R"({"ph":"X","cat":"python_function","name":"a.py(8): f","ts":1,"dur":2})");
        const ProfileTrace other = of(R"({"ph":"X","cat":"python_function","name":"a.py(11): f","ts":1,"dur":8})");
        const auto rows = session::compare_totals(session::operator_totals(one), session::operator_totals(other));
        QCOMPARE(rows.size(), std::size_t{1});
        QVERIFY(std::abs(rows[0].change() - 6e-6) < 1e-9);
    }
};

QTEST_GUILESS_MAIN(TestTraceReader)
#include "test_trace_reader.moc"
