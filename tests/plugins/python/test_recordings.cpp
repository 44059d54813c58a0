// SPDX-License-Identifier: Apache-2.0
// What the Python package records of a training step in PyTorch 1.13 and 2.15, read and held against the engine's own
// run of the same model.

#include <QtTest>

#include "core/model/program.h"
#include "core/record/compute_statistics.h"
#include "core/record/recording_file.h"
#include "core/study/reference_run.h"
#include "core/study/run_differences.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/pytorch_recordings/";

EventId first_event(const Recording& recording, std::string_view op, std::string_view scope) {
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        if (recording.event(id).op == op && recording.event(id).scope == scope) return id;
    }
    return 0;
}

ComparedRun own_run() {
    ReferenceRequest request;
    request.program = Program::open(LOUPE_SOURCE_DIR "/tests/plugins/python/small_net.py");
    request.options.method = request.program->default_method();
    request.options.backward = true;
    request.label = "own";
    InputSpec input;
    input.source = InputSpec::Source::File;
    input.file = kFixtures + "inputs.pt";
    input.key = "0";
    request.arguments = [program = request.program, input] { return program->make_arguments({input}, "forward"); };
    return record_reference(request);
}

}  // namespace

class TestRecordings : public QObject {
    Q_OBJECT

  private slots:
    void reads_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("1.13") << "net_1_13.loupe";
        QTest::newRow("2.15") << "net_2_15.loupe";
    }
    void reads() {
        QFETCH(QString, file);
        const auto read = std::make_shared<RecordingFile>(kFixtures + file.toStdString());
        const Recording& recording = *read->recording();

        QVERIFY(read->model()->cannot_run.find("PyTorch") != std::string::npos);
        QVERIFY(read->model()->find_module("blocks.1.norm") > 0);
        const auto& sources = read->model()->sources;
        QVERIFY(std::any_of(sources.begin(), sources.end(),
                            [](const SourceFile& source) { return source.name == "small_net.py"; }));

        // A convolution: where it is called, what it read, and its backward.
        const EventId convolution = first_event(recording, "aten::convolution", "blocks.0.conv");
        QVERIFY(convolution != 0);
        const Event& event = recording.event(convolution);
        QCOMPARE(event.source_file, std::string_view("small_net.py"));
        QCOMPARE(event.source_line, 15);
        QCOMPARE(event.inputs.size(), std::size_t{3});
        QCOMPARE(recording.value(event.inputs[1]).name, std::string("blocks.0.conv.weight"));
        QCOMPARE(recording.value(event.outputs[0]).shape, (Shape{2, 4, 5, 5}));
        QVERIFY(recording.value(event.outputs[0]).statistics.has_value());
        const EventId backward = recording.backward_peer(convolution);
        QVERIFY(backward != 0);
        QCOMPARE(recording.event(backward).op, std::string_view("aten::convolution_backward"));
        QCOMPARE(recording.event(backward).peer, convolution);
        QCOMPARE(recording.event(backward).scope, std::string_view("blocks.0.conv"));
        // Its results are gradients of what the convolution read.
        const Value& gradient = recording.value(recording.event(backward).outputs[1]);
        QCOMPARE(gradient.name, std::string("grad of blocks.0.conv.weight"));
        QCOMPARE(recording.value(gradient.gradient_of).name, std::string("blocks.0.conv.weight"));

        // The optimiser's part, and a frame a module call.
        QCOMPARE(recording.event(static_cast<EventId>(recording.event_count())).phase, RunPhase::Optimizer);
        QVERIFY(recording.frame_count() >= 11);
        QCOMPARE(recording.frame(1).class_name, std::string_view("Net"));

        // Memory: what is alive adds up, and what autograd kept is told.
        QVERIFY(recording.peak_bytes() > 0 && recording.saving_count() > 5);
        for (EventId id = 1; id <= recording.event_count(); ++id)
            QVERIFY(recording.event(id).memory_after >= 0 &&
                    recording.event(id).memory_after <= recording.peak_bytes());

        QCOMPARE(read->gradients().size(), std::size_t{12});
        for (const GradientRow& row : read->gradients()) QVERIFY(row.has_gradient && row.event != 0);
    }

    // Numbers of both are those of the same tensors.
    void statisticsAreThoseOfTheElements_data() { reads_data(); }
    void statisticsAreThoseOfTheElements() {
        QFETCH(QString, file);
        const RecordingFile read(kFixtures + file.toStdString());
        int checked = 0;
        for (ValueId id = 1; id <= read.recording()->value_count(); ++id) {
            const Value& value = read.recording()->value(id);
            if (!value.statistics || !read.has_elements(id) || !value.statistics->finite) continue;
            const Tensor elements = read.elements(id);
            const Statistics own = compute_statistics(elements);
            QCOMPARE(value.statistics->count, own.count);
            QCOMPARE(value.statistics->zero_count, own.zero_count);
            QCOMPARE(value.statistics->exponents, own.exponents);
            const double scale = std::max(1e-30, own.finite->abs_max);
            QVERIFY(std::abs(value.statistics->finite->min - own.finite->min) <= 1e-6 * scale);
            QVERIFY(std::abs(value.statistics->finite->max - own.finite->max) <= 1e-6 * scale);
            QVERIFY(std::abs(value.statistics->finite->mean - own.finite->mean) <= 1e-5 * scale);
            QVERIFY(std::abs(value.statistics->finite->variance - own.finite->variance) <= 1e-4 * scale * scale);
            QVERIFY(std::abs(value.statistics->finite->norm - own.finite->norm) <=
                    1e-4 * std::max(own.finite->norm, 1e-30));
            QVERIFY(std::abs(value.statistics->finite->abs_mean - own.finite->abs_mean) <= 1e-5 * scale);
            ++checked;
        }
        QVERIFY2(checked > 60, std::to_string(checked).c_str());
    }

    void equalsTheEnginesRun_data() { reads_data(); }
    void equalsTheEnginesRun() {
        QFETCH(QString, file);
        const ComparedRun other =
            compared_file(std::make_shared<RecordingFile>(kFixtures + file.toStdString()), "PyTorch");
        const RunDifferences found = compare_runs_by_value(own_run(), other, {});
        QVERIFY2(!found.diverges(), found.headline().c_str());
        // Every operator of forward has its partner, also those that dispatch as others: 1 + 2 * 4 + 1 + 2.
        int forward = 0;
        for (const EventDifference& each : found.events) {
            if (each.here == 0 || each.there == 0 || !each.numbers) continue;
            forward += found.reference_events[each.there - 1].phase == RunPhase::Forward ? 1 : 0;
        }
        QVERIFY2(forward >= 12, std::to_string(forward).c_str());
        for (const ParameterDifference& each : found.parameters) {
            QVERIFY2(each.presence == Presence::Both, each.here.c_str());
            const bool is_buffer =
                each.here.find("running") != std::string::npos || each.here.find("tracked") != std::string::npos;
            if (is_buffer) continue;
            // That of a bias before a batch norm is nothing but rounding.
            QVERIFY2(each.gradient && (each.gradient->snr_db > 80 || each.gradient->max_abs < 1e-5), each.here.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestRecordings)
#include "test_recordings.moc"
