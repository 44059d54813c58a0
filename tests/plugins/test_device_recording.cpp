// SPDX-License-Identifier: Apache-2.0
// Recordings of a device that works beside the host: what comes late, statistics and times, says in the end what a run
// on the CPU says at once, event by event; and who asks for it in between gets it.

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/plugin/plugin_loader.h"
#include "core/session/session.h"
#include "tests/plugins/device_under_test.h"

using namespace loupe;
using namespace loupe::session;

namespace {

// An Inf that is meant, a NaN that is made, one that is passed on, and a write in place of what was read before.
constexpr const char* kSource = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([1.0, 2.0, 3.0, -4.0]))
        self.register_buffer("limit", torch.tensor([0.0, float("inf"), 1.0, 2.0]))

    def forward(self, x):
        shown = torch.minimum(x, self.limit)
        product = shown * self.scale
        root = torch.log(product)
        later = root + 1
        later.mul_(2)
        hidden = product.masked_fill(product > 1, float("-inf"))
        return later, torch.softmax(hidden, -1)

model = Net()
)";

std::shared_ptr<const Recording> recorded(const std::string& path, const std::string& device, bool to_nan,
                                          EventId* stopped = nullptr) {
    Session session;
    session.open(path);
    session.wait_idle();
    RunOptions options;
    options.device = device;
    options.backward = true;
    options.seed = 3;
    InputSpec input;
    input.shape = {5, 4};
    options.inputs = {input};
    options.pause_at_start = to_nan;
    session.run(options);
    session.wait_idle();
    if (to_nan) {
        session.run_to(RunTarget::nan());
        session.wait_idle();
        if (stopped != nullptr) *stopped = session.status().reached;
        const auto so_far = session.recording();
        session.stop();
        session.wait_idle();
        return so_far;
    }
    return session.status().state == RunState::Finished ? session.recording() : nullptr;
}

void compare(const Statistics& got, const Statistics& want) {
    QCOMPARE(got.count, want.count);
    QCOMPARE(got.nan_count, want.nan_count);
    QCOMPARE(got.inf_count, want.inf_count);
    QCOMPARE(got.zero_count, want.zero_count);
    QCOMPARE(got.exponents, want.exponents);
    QCOMPARE(got.finite.has_value(), want.finite.has_value());
    if (!got.finite) return;
    const auto is_near = [](double a, double b) { return qAbs(a - b) <= 1e-5 * (1 + qAbs(b)); };
    QVERIFY(is_near(got.finite->min, want.finite->min) && is_near(got.finite->max, want.finite->max));
    QVERIFY(is_near(got.finite->mean, want.finite->mean) && is_near(got.finite->variance, want.finite->variance));
    QVERIFY(is_near(got.finite->norm, want.finite->norm) && is_near(got.finite->abs_mean, want.finite->abs_mean));
}

}  // namespace

class TestDeviceRecording : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        testing::load_device_under_test(LOUPE_BINARY_DIR "/lib/test_plugins");
        path_ = folder_.filePath("net.py").toStdString();
        write_file_atomically(FileTarget(path_), kSource);
    }

    void saysWhatARunOnTheCpuSays_data() {
        QTest::addColumn<QString>("device");
        if (const std::string device = testing::device_under_test(""); !device.empty()) {
            QTest::newRow("as it is") << QString::fromStdString(device);
            return;
        }
        QTest::newRow("over copies") << "test";
        QTest::newRow("by loops") << "test:1";
    }
    void saysWhatARunOnTheCpuSays() {
        QFETCH(QString, device);
        const auto want = recorded(path_, "cpu", false);
        const auto got = recorded(path_, device.toStdString(), false);
        QVERIFY(want && got);
        QVERIFY(got->is_complete());
        QCOMPARE(got->event_count(), want->event_count());
        bool has_made = false;
        double start = 0;
        for (EventId id = 1; id <= want->event_count(); ++id) {
            const Event &a = got->event(id), &b = want->event(id);
            QCOMPARE(std::string(a.op), std::string(b.op));
            QCOMPARE(a.has_nan, b.has_nan);
            QCOMPARE(a.has_inf, b.has_inf);
            QVERIFY2(a.not_finite == b.not_finite, std::string(b.op).c_str());
            QCOMPARE(a.read_for_bad.size(), b.read_for_bad.size());
            QVERIFY(a.start >= start);
            start = a.start;
            has_made |= a.not_finite == NotFinite::Made;
        }
        QVERIFY(has_made);
        QCOMPARE(got->value_count(), want->value_count());
        for (ValueId id = 1; id <= want->value_count(); ++id) {
            const Value &a = got->value(id), &b = want->value(id);
            QCOMPARE(a.producer, b.producer);
            QCOMPARE(a.statistics.has_value(), b.statistics.has_value());
            if (a.statistics) compare(*a.statistics, *b.statistics);
        }
    }

    // A run that looks for a NaN stops where it is made, not where its statistics would have come by themselves.
    void stopsAtANaN() {
        EventId want = 0, got = 0;
        QVERIFY(recorded(path_, "cpu", true, &want) != nullptr);
        const auto so_far = recorded(path_, testing::device_under_test("test:1"), true, &got);
        QVERIFY(so_far != nullptr && want > 0);
        QCOMPARE(got, want);
        QCOMPARE(so_far->event_count(), std::size_t{want});
        QVERIFY(so_far->event(want).not_finite == NotFinite::Made);
    }

  private:
    QTemporaryDir folder_;
    std::string path_;
};

QTEST_GUILESS_MAIN(TestDeviceRecording)
#include "test_device_recording.moc"
