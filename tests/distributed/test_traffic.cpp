// SPDX-License-Identifier: Apache-2.0
// What the plan of a step says against what Open MPI's monitor counts while steps run: messages and bytes of each rank.

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/distributed/agreement.h"
#include "core/distributed/traffic.h"
#include "tests/cli/run_program.h"

using namespace loupe;
using namespace loupe::distributed;

namespace {

const QString kPrograms = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/distributed/");

bool has_monitor() {
    const QString info = QStandardPaths::findExecutable("ompi_info");
    return !info.isEmpty() && QFile::exists(QStringLiteral(LOUPE_BINARY_DIR "/lib/plugins/loupe_mpi.so")) &&
           run_program(info, {}).out.contains("MCA pml: monitoring");
}
#define NEEDS_MONITOR() \
    if (!has_monitor()) QSKIP("Open MPI with its monitor, or the plugin mpi, is not there")

struct Sent {
    double messages = 0;
    double bytes = 0;
};

// Of each rank, in a program of so many steps. algorithm: of all-reduce, as Open MPI numbers them.
std::vector<Sent> sent(const QTemporaryDir& folder, const QString& program, int ranks, int algorithm, int steps,
                       const QString& kind) {
    QFile source(kPrograms + program);
    if (!source.open(QIODevice::ReadOnly)) return {};
    const QByteArray text = source.readAll().replace("STEPS = 2\n", "STEPS = " + QByteArray::number(steps) + "\n");
    QFile copy(folder.filePath("steps.py"));
    if (!copy.open(QIODevice::WriteOnly) || copy.write(text) != text.size()) return {};
    copy.close();
    const QString counts = folder.filePath("counts");
    QStringList words{"-n", QString::number(ranks), "--bind-to", "none", "--oversubscribe", "--allow-run-as-root"};
    const std::initializer_list<std::pair<const char*, QString>> settings{
        {"pml", "ob1,monitoring"},
        {"pml_monitoring_enable", "2"},
        {"pml_monitoring_enable_output", "3"},
        {"pml_monitoring_filename", counts},
        {"btl", "self,vader"},
        {"btl_vader_single_copy_mechanism", "none"},
        {"mpi_yield_when_idle", "1"},
        {"coll_libnbc_iallreduce_algorithm", QString::number(algorithm)},
        {"coll_libnbc_ibcast_algorithm", "2"}};
    for (const auto& [name, value] : settings) words << "--mca" << name << value;
    words << QStringLiteral(LOUPE_BINARY_DIR "/bin/tensorloupe-cli") << "run" << copy.fileName();
    const Outcome run = run_program(QStandardPaths::findExecutable("mpirun"), words);
    if (run.status != 0) qWarning("%s", qPrintable(run.err));
    std::vector<Sent> all(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        QFile file(counts + QString(".%1.prof").arg(rank));
        if (!file.open(QIODevice::ReadOnly)) return {};
        // "I  0  1  2048 bytes  4 msgs sent": I of collectives, E of messages.
        const QRegularExpression line("^" + kind + R"(\s+\d+\s+\d+\s+(\d+) bytes\s+(\d+) msgs sent)",
                                      QRegularExpression::MultilineOption);
        auto matches = line.globalMatch(QString::fromUtf8(file.readAll()));
        while (matches.hasNext()) {
            const auto match = matches.next();
            all[static_cast<std::size_t>(rank)].bytes += match.captured(1).toDouble();
            all[static_cast<std::size_t>(rank)].messages += match.captured(2).toDouble();
        }
    }
    return all;
}

// Of a step: buckets are made anew behind the first, so that the difference of two runs is what steps send.
std::vector<Sent> sent_in_a_step(const QString& program, int ranks, int algorithm, const QString& kind = "I") {
    const QTemporaryDir folder;
    const auto few = sent(folder, program, ranks, algorithm, 2, kind);
    auto many = sent(folder, program, ranks, algorithm, 6, kind);
    if (few.size() != many.size()) return {};
    for (std::size_t i = 0; i < many.size(); ++i) {
        many[i].messages = (many[i].messages - few[i].messages) / 4;
        many[i].bytes = (many[i].bytes - few[i].bytes) / 4;
    }
    return many;
}

std::vector<BucketItem> parameters(const std::vector<std::vector<std::int64_t>>& shapes) {
    std::vector<BucketItem> out;
    for (const auto& shape : shapes) out.push_back(bucket_item(empty(shape, ScalarType::Float32)));
    return out;
}

// Ranks agree on each collective by an all-reduce of two numbers of 8 bytes: see agreement.h.
Traffic with_agreement(Traffic planned, Algorithm algorithm, int ranks) {
    // Open MPI halves no fewer numbers than ranks: it takes the ring for them.
    if (algorithm == Algorithm::RecursiveHalving && ranks > 2) algorithm = Algorithm::Ring;
    const Traffic agreed = all_reduce_traffic(algorithm, 16, ranks);
    planned.messages += agreed.messages;
    planned.bytes += agreed.bytes;
    return planned;
}

const Sent& busiest(const std::vector<Sent>& all) {
    return *std::max_element(all.begin(), all.end(), [](const Sent& a, const Sent& b) { return a.bytes < b.bytes; });
}

}  // namespace

class TestTraffic : public QObject {
    Q_OBJECT

  private slots:
    void ddpSendsWhatIsPlanned_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("algorithm");
        QTest::addColumn<int>("number");
        for (const int ranks : {2, 4}) {
            QTest::addRow("ring, %d", ranks) << ranks << static_cast<int>(Algorithm::Ring) << 1;
            QTest::addRow("tree, %d", ranks) << ranks << static_cast<int>(Algorithm::Tree) << 2;
            QTest::addRow("halving, %d", ranks) << ranks << static_cast<int>(Algorithm::RecursiveHalving) << 3;
            QTest::addRow("doubling, %d", ranks) << ranks << static_cast<int>(Algorithm::RecursiveDoubling) << 4;
        }
    }
    void ddpSendsWhatIsPlanned() {
        NEEDS_MONITOR();
        QFETCH(int, ranks);
        QFETCH(int, algorithm);
        QFETCH(int, number);
        const auto kind = static_cast<Algorithm>(algorithm);
        const StepPlan plan = plan_step(parameters({{1024, 512}, {1024}, {512, 1024}, {512}, {16, 512}, {16}}));
        Sent planned;
        for (const double bytes : plan.buckets) {
            const Traffic one = with_agreement(all_reduce_traffic(kind, bytes, ranks), kind, ranks);
            planned.messages += static_cast<double>(one.messages);
            planned.bytes += one.bytes;
        }
        const auto counted = sent_in_a_step("ddp_steps.py", ranks, number);
        QCOMPARE(counted.size(), static_cast<std::size_t>(ranks));
        const Sent most = busiest(counted);
        qInfo("%d buckets; planned %.0f messages, %.0f bytes; counted %.2f, %.0f",
              static_cast<int>(plan.buckets.size()), planned.messages, planned.bytes, most.messages, most.bytes);
        QCOMPARE(most.messages, planned.messages);
        QVERIFY(std::abs(most.bytes - planned.bytes) <= 0.001 * planned.bytes);
    }

    void zeroSendsWhatIsPlanned_data() {
        QTest::addColumn<int>("ranks");
        QTest::addRow("2") << 2;
        QTest::addRow("4") << 4;
    }
    void zeroSendsWhatIsPlanned() {
        NEEDS_MONITOR();
        QFETCH(int, ranks);
        const auto items = parameters({{256, 256}, {256}, {256, 256}, {256}, {16, 256}, {16}});
        Traffic planned = zero_traffic(items, ranks);
        const StepPlan plan = plan_step(items);
        for (const double bytes : plan.buckets)
            planned.bytes += all_reduce_traffic(Algorithm::Ring, bytes, ranks).bytes;
        const Sent most = busiest(sent_in_a_step("zero_steps.py", ranks, 1));
        qInfo("planned %.0f bytes; counted %.0f", planned.bytes, most.bytes);
        QVERIFY(std::abs(most.bytes - planned.bytes) <= 0.001 * planned.bytes);
    }

    void aPipelineSendsWhatIsPlanned_data() { zeroSendsWhatIsPlanned_data(); }
    void aPipelineSendsWhatIsPlanned() {
        NEEDS_MONITOR();
        QFETCH(int, ranks);
        const Traffic planned = pipeline_traffic(8 * 64 * 4, 4, ranks);
        const Sent most = busiest(sent_in_a_step("pipeline_steps.py", ranks, 1, "E"));
        qInfo("planned %.0f bytes; counted %.0f", planned.bytes, most.bytes);
        // Each message has a line before it that says what it is.
        QCOMPARE(most.messages, 2.0 * static_cast<double>(planned.messages));
        QCOMPARE(most.bytes, planned.bytes + static_cast<double>(planned.messages) * kLineBytes);
    }
};

QTEST_GUILESS_MAIN(TestTraffic)
#include "test_traffic.moc"
