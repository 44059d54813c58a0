// SPDX-License-Identifier: Apache-2.0
// Programs on several ranks, against what PyTorch prints; and what becomes of ranks that fail.

#include <signal.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <map>

#include "core/base/error.h"
#include "core/distributed/buckets.h"
#include "core/distributed/reduction.h"
#include "core/distributed/traffic.h"
#include "core/formats/numpy/npy.h"
#include "core/record/recording_file.h"
#include "tests/distributed/run_ranks.h"

using namespace loupe;

namespace {

const QString kPrograms = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/distributed/");

#define NEEDS_BACKEND()    \
    QFETCH(QString, over); \
    if (!has_backend(over)) QSKIP("what starts or joins the ranks is not there")

void over_both() {
    QTest::addColumn<QString>("over");
    for (const char* over : {"mpi", "gloo"}) QTest::newRow(over) << QString(over);
}

// Programs started meanwhile find the plugins of tests.
class TestPlugins {
  public:
    TestPlugins() { qputenv("LOUPE_PLUGIN_PATH", LOUPE_BINARY_DIR "/lib/test_plugins"); }
    ~TestPlugins() { qunsetenv("LOUPE_PLUGIN_PATH"); }
    TestPlugins(const TestPlugins&) = delete;
    TestPlugins& operator=(const TestPlugins&) = delete;
};

QString written(const QTemporaryDir& folder, const char* name, const QString& text) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(text.toUtf8());
    return file.fileName();
}

// That of the rank itself: its parent, which waits for it, has the same words and variables. 0: there is none.
pid_t process_of_rank(int rank, const QString& program) {
    std::map<pid_t, pid_t> parents;
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        QFile words("/proc/" + name + "/cmdline"), variables("/proc/" + name + "/environ"),
            status("/proc/" + name + "/status");
        if (name.toInt() == 0 || !words.open(QIODevice::ReadOnly) || !words.readAll().contains(program.toUtf8()))
            continue;
        const QByteArray wanted = "OMPI_COMM_WORLD_RANK=" + QByteArray::number(rank) + '\0';
        if (!variables.open(QIODevice::ReadOnly) || !variables.readAll().contains(wanted)) continue;
        static const QRegularExpression parent(R"(PPid:\s+(\d+))");
        if (status.open(QIODevice::ReadOnly))
            parents[name.toInt()] = parent.match(QString::fromUtf8(status.readAll())).captured(1).toInt();
    }
    for (const auto& [process, parent] : parents) {
        if (parents.count(parent) > 0) return process;
    }
    return 0;
}

// Equal but for the last digits of numbers: ranks are added in another order. Halves have 11 bits, and a sum of four
// ranks is rounded four times.
bool is_close(const QString& a, const QString& b) {
    static const QRegularExpression space("[ ,\\[\\]]+");
    const QStringList mine = a.split(space), theirs = b.split(space);
    if (mine.size() != theirs.size()) return false;
    const double tolerance = a.contains("fp16")   ? 4 * 0x1p-11
                             : a.contains("bf16") ? 0x1p-8
                             : a.contains("f64")  ? 1e-8
                                                  : 3e-5;
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

  private:
    static void expect_pytorchs_lines(const Outcome& run, const QString& name, int ranks) {
        QVERIFY2(run.status == 0, qPrintable(run.err + run.out));
        QFile file(QString("%1%2.%3.txt").arg(kPrograms, name).arg(ranks));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList expected = QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts);
        const QStringList have = by_rank(run.out, ranks);
        for (int i = 0; i < std::min(have.size(), expected.size()); ++i)
            QVERIFY2(is_close(have[i], expected[i]), qPrintable("\n" + have[i] + "\n" + expected[i]));
        QCOMPARE(have.size(), expected.size());
    }

  private slots:
    void initTestCase() { qputenv("LOUPE_RANK_PATIENCE", "3"); }

    void programs_print_what_pytorch_prints_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("over");
        for (const char* name :
             {"collectives", "ddp", "fsdp", "fsdp_options", "join", "others", "parallel", "syncbn"}) {
            for (const int ranks : {2, 4}) {
                for (const char* over : {"mpi", "gloo"})
                    QTest::addRow("%s on %d over %s", name, ranks, over) << QString(name) << ranks << QString(over);
            }
        }
    }
    void programs_print_what_pytorch_prints() {
        NEEDS_BACKEND();
        QFETCH(QString, name);
        QFETCH(int, ranks);
        const Outcome run = run_ranks(over, ranks, {kPrograms + name + ".py"});
        expect_pytorchs_lines(run, name, ranks);
    }

    // The programs on a device whose memory the host cannot touch, which its own transport carries between the ranks.
    void memory_of_a_device_is_carried_by_its_transport_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("over");
        for (const char* name : {"collectives", "ddp", "fsdp"}) {
            for (const int ranks : {2, 4}) {
                for (const char* over : {"mpi", "gloo"})
                    QTest::addRow("%s on %d over %s", name, ranks, over) << QString(name) << ranks << QString(over);
            }
        }
    }
    void memory_of_a_device_is_carried_by_its_transport() {
        NEEDS_BACKEND();
        QFETCH(QString, name);
        QFETCH(int, ranks);
        QTemporaryDir folder;
        QFile program(kPrograms + name + ".py");
        QVERIFY(program.open(QIODevice::ReadOnly));
        const QString text = "import torch\ntorch.set_default_device('test')\n" + QString(program.readAll());
        const TestPlugins plugins;
        Outcome run = run_ranks(over, ranks, {written(folder, "program.py", text)});
        run.out.remove(", device='test:0'");  // as tensors are printed that are not the CPU's
        expect_pytorchs_lines(run, name, ranks);
    }
    void a_transport_of_a_device_is_named_in_errors_data() { over_both(); }
    void a_transport_of_a_device_is_named_in_errors() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "unlike.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
device = 'test' if dist.get_rank() == 0 else 'cpu'
dist.all_reduce(torch.ones(3, device=device))
)");
        const TestPlugins plugins;
        const Outcome run = run_ranks(over, 2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("over test transport"), qPrintable(run.err));
    }

    void an_exported_program_runs_its_collectives_data() { over_both(); }
    void an_exported_program_runs_its_collectives() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString out = folder.filePath("out.npz");
        const Outcome run =
            run_ranks(over, 2, {kPrograms + "sums.pt2", "--inputs", kPrograms + "sums.npz", "--outputs", out});
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

    void ranks_that_disagree_name_both_lines_data() { over_both(); }
    void ranks_that_disagree_name_both_lines() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "disagree.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
if dist.get_rank() == 0:
    dist.all_reduce(torch.ones(3))
else:
    dist.all_reduce(torch.ones(4))
)");
        const Outcome run = run_ranks(over, 2, {program});
        QCOMPARE(run.status, 3);
        QVERIFY2(
            run.err.contains("the ranks disagree on a collective: rank 0 calls all_reduce SUM float32 [3] (number 1, "
                             "disagree.py:5); rank 1 calls all_reduce SUM float32 [4] (number 1, disagree.py:7)"),
            qPrintable(run.err));
    }

    void a_rank_that_ends_early_is_named_data() { over_both(); }
    void a_rank_that_ends_early_is_named() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "early.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
if dist.get_rank() == 0:
    dist.all_reduce(torch.ones(3))
)");
        const Outcome run = run_ranks(over, 2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("rank 1 has run to its end without it"), qPrintable(run.err));
    }

    void ranks_that_wait_for_each_other_are_told_data() { over_both(); }
    void ranks_that_wait_for_each_other_are_told() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "wait.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
other = 1 - dist.get_rank()
dist.recv(torch.zeros(3), src=other)
)");
        const Outcome run = run_ranks(over, 2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("recv float32 [3]") && run.err.contains("waited"), qPrintable(run.err));
    }

    void a_rank_that_throws_ends_the_others_data() { over_both(); }
    void a_rank_that_throws_ends_the_others() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "throws.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
dist.barrier()
if dist.get_rank() == 1:
    raise ValueError('the data are gone')
dist.all_reduce(torch.ones(3))
)");
        const Outcome run = run_ranks(over, 2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("the data are gone"), qPrintable(run.err));
        QVERIFY2(run.err.contains("rank 1"), qPrintable(run.err));
    }

    // mpirun ends the others when one dies, unless it is told not to: they write what they recorded.
    void a_rank_that_is_killed_leaves_the_others_recordings() {
        if (!has_backend("mpi")) QSKIP("no MPI is here");
        QTemporaryDir folder;
        const QString program = written(folder, "killed.py", R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
dist.barrier()
x = torch.ones(4) * 2
if dist.get_rank() == 1:
    print('computes')
    while True:
        x = x.tanh()
dist.all_reduce(x)
)");
        QProcess process;
        process.start(QStringLiteral(LOUPE_BINARY_DIR "/bin/tensorloupe-cli"),
                      {"run", "--ranks", "3", program, "--record", folder.filePath("killed.loupe")});
        QByteArray out;
        QTRY_VERIFY_WITH_TIMEOUT(
            (process.waitForReadyRead(100), out += process.readAllStandardOutput(), out.contains("computes")), 60'000);
        // Longer than the patience: those that wait say for whom.
        QByteArray err;
        QTRY_VERIFY_WITH_TIMEOUT((process.waitForReadyRead(100), err += process.readAllStandardError(),
                                  err.contains("rank 1 computes, for") && err.contains("aten::tanh at event")),
                                 30'000);
        QVERIFY(::kill(process_of_rank(1, program), SIGKILL) == 0);
        QVERIFY(process.waitForFinished(30'000));
        err += process.readAllStandardError();
        QCOMPARE(process.exitCode(), 137);
        static const QRegularExpression line(
            R"(rank 1 was ended by signal 9 \(Killed\) (in|behind) aten::tanh at event \d+.*; its last collective: barrier)");
        QVERIFY2(line.match(err).hasMatch(), err.constData());
        QVERIFY2(err.contains("rank 1 has ended: its process is gone"), err.constData());
        for (const char* name : {"killed.loupe", "killed.rank2.loupe"}) {
            const session::RecordingFile file(folder.filePath(name).toStdString());
            QVERIFY(file.recording()->event_count() > 1);
            QVERIFY(file.recording()->rank() != nullptr);
        }
    }

    void a_rank_that_exits_is_named() {
        if (!has_backend("mpi")) QSKIP("no MPI is here");
        QTemporaryDir folder;
        const QString program = written(folder, "exits.py", R"(import sys
import torch
import torch.distributed as dist
dist.init_process_group('gloo')
dist.barrier()
if dist.get_rank() == 1:
    sys.exit(5)
dist.all_reduce(torch.ones(3))
)");
        const Outcome run = run_ranks("mpi", 2, {program, "--record", folder.filePath("exits.loupe")});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("rank 1"), qPrintable(run.err));
        const session::RecordingFile file(folder.filePath("exits.loupe").toStdString());
        QVERIFY(file.recording()->event_count() >= 1);
    }

    void a_wrong_world_size_is_refused_data() { over_both(); }
    void a_wrong_world_size_is_refused() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "size.py", R"(import torch.distributed as dist
dist.init_process_group('gloo', rank=0, world_size=3)
)");
        const Outcome run = run_ranks(over, 2, {program});
        QVERIFY(run.status != 0);
        QVERIFY2(run.err.contains("world_size=3, and 2 ranks were started"), qPrintable(run.err));
    }

    void recordings_have_rank_and_collectives_data() { over_both(); }
    void recordings_have_rank_and_collectives() {
        NEEDS_BACKEND();
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
        const Outcome run = run_ranks(over, 2, {program, "--record", folder.filePath("step.loupe")});
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
            // What the program called is its tree, with the gradients of its parameters.
            const auto& modules = file.model()->modules;
            QCOMPARE(QString::fromStdString(modules.front().class_name), QString("DistributedDataParallel"));
            QVERIFY(file.model()->find_module("module.2") >= 0);
            QCOMPARE(file.gradients().size(), std::size_t{4});
            QCOMPARE(QString::fromStdString(file.gradients().front().parameter), QString("module.0.weight"));
            QVERIFY(file.gradients().front().has_gradient);
        }
        // The command prints when each rank launched each, and when it was done.
        const Outcome report = run_cli({"ranks", folder.filePath("step.loupe"), "--json"});
        int times = 0;
        for (const QJsonValue& each : QJsonDocument::fromJson(report.out.toUtf8())["collectives"].toArray()) {
            if (each["operation"] != "all_reduce") continue;
            for (const QJsonValue& own : each["ranks"].toArray()) {
                QVERIFY(own["launched"].isDouble() && own["completed"].isDouble() && own["event"].toInt() > 0);
                QVERIFY(own["launched"].toDouble() <= own["completed"].toDouble());
                ++times;
            }
        }
        QCOMPARE(times, 8);
    }

    void ranks_make_one_folder_at_once_data() { over_both(); }
    void ranks_make_one_folder_at_once() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "folders.py", R"(import os
import torch.distributed as dist
dist.init_process_group('gloo')
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'made')
for i in range(200):
    dist.barrier()
    os.makedirs('%s/%d/a/b' % (here, i), exist_ok=True)
print('made')
)");
        const Outcome run = run_ranks(over, 2, {program, "--allow-write", folder.path()});
        QVERIFY2(run.status == 0, qPrintable(run.err));
        QCOMPARE(run.out.count("made"), 2);
        QVERIFY(QFile::exists(folder.filePath("made/199/a/b")));
    }

    void a_checkpoint_of_two_ranks_is_read_by_four_data() { over_both(); }
    void a_checkpoint_of_two_ranks_is_read_by_four() {
        NEEDS_BACKEND();
        QTemporaryDir folder;
        const QString program = written(folder, "checkpoint.py", R"(import os
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.fsdp import fully_shard

dist.init_process_group('gloo')
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'state')
writes = dist.get_world_size() == 2
torch.manual_seed(0 if writes else 1)
model = nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 2))
for layer in model:
    fully_shard(layer)
fully_shard(model)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(2, 3)).sum().backward()
optimizer.step()
state = {'model': model.state_dict(), 'optimizer': optimizer.state_dict(), 'step': 3 if writes else 0}
if writes:
    dcp.save(state, checkpoint_id=folder)
else:
    dcp.load(state, checkpoint_id=folder)
    optimizer.load_state_dict(state['optimizer'])
sums = [t.full_tensor().sum().item() for t in model.parameters()]
sums += [each['exp_avg'].full_tensor().sum().item() for each in optimizer.state_dict()['state'].values()]
print('state', state['step'], ' '.join('%.5f' % each for each in sums))
)");
        const Outcome save = run_ranks(over, 2, {program, "--allow-write", folder.path()});
        QVERIFY2(save.status == 0, qPrintable(save.err));
        const Outcome load = run_ranks(over, 4, {program, "--allow-write", folder.path()});
        QVERIFY2(load.status == 0, qPrintable(load.err));
        QCOMPARE(by_rank(load.out, 4).first(), by_rank(save.out, 2).first());
        const Outcome info = run_cli({"info", folder.filePath("state")});
        QVERIFY2(info.out.contains("torch.distributed.checkpoint"), qPrintable(info.out + info.err));
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
