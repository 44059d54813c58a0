// SPDX-License-Identifier: Apache-2.0
// Ranks that find each other at MASTER_ADDR and MASTER_PORT: ones that never come, ports that are taken, ranks that
// die.

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <thread>

#include "tests/distributed/run_ranks.h"

namespace {

#define NEEDS_GLOO() \
    if (!has_backend("gloo")) QSKIP("the plugin gloo is not there")

QString written(const QTemporaryDir& folder, const QString& text) {
    QFile file(folder.filePath("program.py"));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(text.toUtf8());
    return file.fileName();
}

const char* const kSum = R"(import torch
import torch.distributed as dist
dist.init_process_group('gloo')
t = torch.ones(3) * (dist.get_rank() + 1)
dist.all_reduce(t)
print('sum', t.tolist())
dist.destroy_process_group()
)";

}  // namespace

class TestTorchrun : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOUPE_RANK_PATIENCE", "3"); }

    void a_rank_that_never_comes_is_named() {
        NEEDS_GLOO();
        QTemporaryDir folder;
        QProcess process;
        start_rank(process, 0, 2, free_port(), {written(folder, kSum)});
        const Outcome run = outcome_of(process, 60'000);
        QVERIFY(run.status > 0);
        QVERIFY2(run.err.contains("rank 1 of 2 has not come in 30 seconds"), qPrintable(run.err));
    }

    void a_rank_0_that_never_comes_is_named() {
        NEEDS_GLOO();
        QTemporaryDir folder;
        QProcess process;
        start_rank(process, 1, 2, free_port(), {written(folder, kSum)});
        const Outcome run = outcome_of(process, 60'000);
        QVERIFY(run.status > 0);
        QVERIFY2(run.err.contains("no rank 0 answers at 127.0.0.1:"), qPrintable(run.err));
    }

    void a_port_that_is_taken_is_an_error() {
        NEEDS_GLOO();
        QTemporaryDir folder;
        const int listener = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        socklen_t size = sizeof address;
        QVERIFY(bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0);
        QVERIFY(listen(listener, 8) == 0);
        QVERIFY(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        QProcess process;
        start_rank(process, 0, 2, ntohs(address.sin_port), {written(folder, kSum)});
        const Outcome run = outcome_of(process, 60'000);
        close(listener);
        QVERIFY(run.status > 0);
        QVERIFY2(run.err.contains("rank 0 cannot listen at MASTER_PORT="), qPrintable(run.err));
        QVERIFY2(run.err.contains("choose another MASTER_PORT"), qPrintable(run.err));
    }

    // As the store of PyTorch before 2.1, which ends at a greeting.
    void what_is_no_store_is_said() {
        NEEDS_GLOO();
        QTemporaryDir folder;
        const int listener = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        socklen_t size = sizeof address;
        QVERIFY(bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0);
        QVERIFY(listen(listener, 8) == 0);
        QVERIFY(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        std::thread closer([listener] { close(accept(listener, nullptr, nullptr)); });
        QProcess process;
        start_rank(process, 1, 2, ntohs(address.sin_port), {written(folder, kSum)});
        const Outcome run = outcome_of(process, 60'000);
        shutdown(listener, SHUT_RDWR);
        closer.join();
        close(listener);
        QVERIFY(run.status > 0);
        QVERIFY2(run.err.contains("is no store of PyTorch 2.1 or later"), qPrintable(run.err));
    }

    // Nothing ends the others here: no launcher watches.
    void a_rank_that_is_killed_ends_the_others() {
        NEEDS_GLOO();
        QTemporaryDir folder;
        const QString program = written(folder, R"(import os
import signal
import torch
import torch.distributed as dist
dist.init_process_group('gloo')
dist.barrier()
if dist.get_rank() == 1:
    print('ready', flush=True)
    while True:
        pass
dist.all_reduce(torch.ones(3))
)");
        const int port = free_port();
        QProcess first, second;
        start_rank(first, 0, 2, port, {program});
        start_rank(second, 1, 2, port, {program});
        QVERIFY(second.waitForStarted());
        QVERIFY(second.waitForReadyRead(60'000));
        kill(static_cast<pid_t>(second.processId()), SIGKILL);
        second.waitForFinished();
        const Outcome run = outcome_of(first, 60'000);
        QVERIFY(run.status > 0);
        QVERIFY2(run.err.contains("all_reduce"), qPrintable(run.err));
    }

    // With PyTorch's launcher, where the machine has it: its agent serves the store.
    void torchrun_starts_ranks() {
        NEEDS_GLOO();
        const QString torchrun = qEnvironmentVariable("LOUPE_TORCHRUN", QStandardPaths::findExecutable("torchrun"));
        if (torchrun.isEmpty()) QSKIP("torchrun is not there");
        QTemporaryDir folder;
        // Debian's, of PyTorch 1.13, does not work with Debian's Python.
        if (!run_program(torchrun, {"--help"}).out.contains("--no-python")) QSKIP("torchrun is older than PyTorch 2.1");
        const Outcome run = run_program(
            torchrun, {"--no-python", "--nproc-per-node", "2", "--master-port", QString::number(free_port()),
                       LOUPE_BINARY_DIR "/bin/tensorloupe-cli", "run", written(folder, kSum)});
        QVERIFY2(run.status == 0, qPrintable(run.err));
        QCOMPARE(run.out.count("sum [3.0, 3.0, 3.0]"), 2);
    }
};

QTEST_GUILESS_MAIN(TestTorchrun)
#include "test_torchrun.moc"
