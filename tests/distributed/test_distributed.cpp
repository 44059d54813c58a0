// SPDX-License-Identifier: Apache-2.0
// Programs on several ranks, against what PyTorch prints; and what becomes of ranks that fail.

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/distributed/buckets.h"
#include "core/distributed/reduction.h"
#include "core/distributed/traffic.h"
#include "core/formats/numpy/npy.h"
#include "core/record/recording_file.h"
#include "tests/cli/run_program.h"

using namespace loupe;

namespace {

const QString kPrograms = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/distributed/");

bool has_mpi() {
    return !QStandardPaths::findExecutable("mpirun").isEmpty() &&
           QFile::exists(QStringLiteral(LOUPE_BINARY_DIR "/lib/plugins/loupe_mpi.so"));
}

#define NEEDS_MPI() \
    if (!has_mpi()) QSKIP("mpirun or the plugin mpi is not there")

QString written(const QTemporaryDir& folder, const char* name, const QString& text) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(text.toUtf8());
    return file.fileName();
}

Outcome run_ranks(int ranks, const QStringList& arguments) {
    return run_cli(QStringList{"run", "--ranks", QString::number(ranks)} + arguments, 240'000);
}

// Lines of rank 0, then of rank 1, ...
QStringList by_rank(const QString& out, int ranks) {
    QVector<QStringList> lines(ranks);
    for (QString line : out.split('\n', Qt::SkipEmptyParts)) {
        int rank = 0;
        static const QRegularExpression prefix(R"(^\[rank (\d+)\] )");
        if (const auto match = prefix.match(line); match.hasMatch()) {
            rank = match.captured(1).toInt();
            line = line.mid(match.capturedLength());
        }
        if (rank < ranks) lines[rank].append(line);
    }
    QStringList all;
    for (const QStringList& each : lines) all += each;
    return all;
}

// Equal but for the last digits of numbers: ranks are added in another order. Halves have 11 bits, and a sum of four
// ranks is rounded four times.
bool is_close(const QString& a, const QString& b) {
    static const QRegularExpression space("[ ,\\[\\]]+");
    const QStringList mine = a.split(space), theirs = b.split(space);
    if (mine.size() != theirs.size()) return false;
    const double tolerance = a.contains("fp16") ? 4 * 0x1p-11 : 3e-5;
    for (int i = 0; i < mine.size(); ++i) {
        if (mine[i] == theirs[i]) continue;
        bool is_number = false, is_other = false;
        const double x = mine[i].toDouble(&is_number), y = theirs[i].toDouble(&is_other);
        if (!is_number || !is_other || std::abs(x - y) > tolerance * std::max(1.0, std::abs(y))) return false;
    }
    return true;
}

}  // namespace

class TestDistributed : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOUPE_RANK_PATIENCE", "3"); }

    void programs_print_what_pytorch_prints_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("ranks");
        for (const char* name : {"collectives", "ddp", "others", "parallel"}) {
            for (const int ranks : {2, 4}) QTest::addRow("%s on %d", name, ranks) << QString(name) << ranks;
        }
    }
    void programs_print_what_pytorch_prints() {
        NEEDS_MPI();
        QFETCH(QString, name);
        QFETCH(int, ranks);
        const Outcome run = run_ranks(ranks, {kPrograms + name + ".py"});
        QVERIFY2(run.status == 0, qPrintable(run.err + run.out));
        QFile file(QString("%1%2.%3.txt").arg(kPrograms, name).arg(ranks));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList expected = QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts);
        const QStringList have = by_rank(run.out, ranks);
        for (int i = 0; i < std::min(have.size(), expected.size()); ++i)
            QVERIFY2(is_close(have[i], expected[i]), qPrintable("\n" + have[i] + "\n" + expected[i]));
        QCOMPARE(have.size(), expected.size());
    }

    void an_exported_program_runs_its_collectives() {
        NEEDS_MPI();
        QTemporaryDir folder;
        const QString out = folder.filePath("out.npz");
        const Outcome run =
            run_ranks(2, {kPrograms + "sums.pt2", "--inputs", kPrograms + "sums.npz", "--outputs", out});
        QVERIFY2(run.status == 0, qPrintable(run.err + run.out));
        const auto array = [](const QString& file, const std::string& name) {
            for (const auto& [key, tensor] : read_npz(file.toStdString())) {
                if (key == name) return tensor;
            }
            return Tensor();
        };
        const Tensor have = array(out, "out0"), expected = array(kPrograms + "sums.npz", "out0");
        QVERIFY(have.defined() && have.numel() == 8 && expected.numel() == 8);
        const auto* mine = static_cast<const float*>(have.raw_data());
        const auto* theirs = static_cast<const float*>(expected.raw_data());
        for (int i = 0; i < 8; ++i) QVERIFY(std::abs(mine[i] - theirs[i]) < 1e-5F);
    }

    void ranks_that_disagree_name_both_lines() {
        NEEDS_MPI();
        QTemporaryDir folder;
        const QString program = written(folder, "disagree.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
if dist.get_rank() == 0:
    dist.all_reduce(torch.ones(3))
else:
    dist.all_reduce(torch.ones(4))
)");
        const Outcome run = run_ranks(2, {program});
        QCOMPARE(run.status, 3);
        QVERIFY2(
            run.err.contains("the ranks disagree on a collective: rank 0 calls all_reduce SUM float32 [3] (number 1, "
                             "disagree.py:5); rank 1 calls all_reduce SUM float32 [4] (number 1, disagree.py:7)"),
            qPrintable(run.err));
    }

    void a_rank_that_ends_early_is_named() {
        NEEDS_MPI();
        QTemporaryDir folder;
        const QString program = written(folder, "early.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
if dist.get_rank() == 0:
    dist.all_reduce(torch.ones(3))
)");
        const Outcome run = run_ranks(2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("rank 1 has run to its end without it"), qPrintable(run.err));
    }

    void ranks_that_wait_for_each_other_are_told() {
        NEEDS_MPI();
        QTemporaryDir folder;
        const QString program = written(folder, "wait.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
other = 1 - dist.get_rank()
dist.recv(torch.zeros(3), src=other)
)");
        const Outcome run = run_ranks(2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("recv float32 [3]") && run.err.contains("waited"), qPrintable(run.err));
    }

    void a_rank_that_throws_ends_the_others() {
        NEEDS_MPI();
        QTemporaryDir folder;
        const QString program = written(folder, "throws.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
dist.barrier()
if dist.get_rank() == 1:
    raise ValueError('the data are gone')
dist.all_reduce(torch.ones(3))
)");
        const Outcome run = run_ranks(2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("the data are gone"), qPrintable(run.err));
        QVERIFY2(run.err.contains("rank 1"), qPrintable(run.err));
    }

    void a_wrong_world_size_is_refused() {
        NEEDS_MPI();
        QTemporaryDir folder;
        const QString program = written(folder, "size.py", R"(import torch.distributed as dist
dist.init_process_group('gloo', rank=0, world_size=3)
)");
        const Outcome run = run_ranks(2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("world_size=3, and 2 ranks were started"), qPrintable(run.err));
    }

    void recordings_have_rank_and_collectives() {
        NEEDS_MPI();
        QTemporaryDir folder;
        const QString program = written(folder, "step.py", R"(import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

def main():
    dist.init_process_group('gloo')
    model = DDP(nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        loss = model(torch.randn(4, 8)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    dist.all_reduce(loss.detach())
    dist.destroy_process_group()

if __name__ == '__main__':
    main()
)");
        const Outcome run = run_ranks(2, {program, "--record", folder.filePath("step.loupe")});
        QVERIFY2(run.status == 0, qPrintable(run.err));
        for (int rank = 0; rank < 2; ++rank) {
            const QString name = rank == 0 ? "step.loupe" : "step.rank1.loupe";
            const session::RecordingFile file(folder.filePath(name).toStdString());
            const session::Recording& recording = *file.recording();
            QVERIFY(recording.rank() != nullptr);
            QCOMPARE(recording.rank()->rank, rank);
            QCOMPARE(recording.rank()->world_size, 2);
            int reductions = 0;
            for (const session::Collective& each : recording.collectives()) {
                if (each.operation != "all_reduce") continue;
                ++reductions;
                QVERIFY(each.event >= 1);
                QVERIFY(each.completed.has_value());
                QVERIFY(each.place.line > 0);
                QCOMPARE(each.reduction, std::string("SUM"));
            }
            QCOMPARE(reductions, 4);
        }
    }

    void traffic_is_what_the_papers_say() {
        using namespace distributed;
        const Traffic ring = all_reduce_traffic(Algorithm::Ring, 800, 8);
        QCOMPARE(ring.messages, 14);
        QCOMPARE(ring.bytes, 1400.0);
        const Traffic halving = all_reduce_traffic(Algorithm::RecursiveHalving, 800, 8);
        QCOMPARE(halving.messages, 6);
        QCOMPARE(halving.bytes, 1400.0);
        QCOMPARE(all_reduce_traffic(Algorithm::RecursiveDoubling, 800, 8).bytes, 2400.0);
        QCOMPARE(gather_traffic(1024, 1024).messages, 1023);
        QCOMPARE(all_reduce_traffic(Algorithm::Ring, 800, 1).messages, 0);
    }
};

QTEST_GUILESS_MAIN(TestDistributed)
#include "test_distributed.moc"
