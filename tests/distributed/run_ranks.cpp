// SPDX-License-Identifier: Apache-2.0
#include "tests/distributed/run_ranks.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QFile>
#include <QRegularExpression>
#include <QStandardPaths>
#include <memory>
#include <vector>

bool has_backend(const QString& over) {
    if (over == "mpi" && QStandardPaths::findExecutable("mpirun").isEmpty()) return false;
    return QFile::exists(QStringLiteral(LOUPE_BINARY_DIR "/lib/plugins/loupe_%1.so").arg(over));
}

int free_port() {
    const int place = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    const bool is_bound = bind(place, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                          getsockname(place, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    close(place);
    return is_bound ? ntohs(address.sin_port) : 0;
}

void start_rank(QProcess& process, int rank, int ranks, int port, const QStringList& arguments) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const std::pair<const char*, int> numbers[] = {{"RANK", rank},        {"WORLD_SIZE", ranks},
                                                   {"LOCAL_RANK", rank},  {"LOCAL_WORLD_SIZE", ranks},
                                                   {"MASTER_PORT", port}, {"OMP_NUM_THREADS", 1}};
    for (const auto& [name, value] : numbers) environment.insert(name, QString::number(value));
    environment.insert("MASTER_ADDR", "127.0.0.1");
    process.setProcessEnvironment(environment);
    process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli", QStringList{"run"} + arguments);
}

namespace {

Outcome run_over_gloo(int ranks, const QStringList& arguments, int milliseconds) {
    const int port = free_port();
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int rank = 0; rank < ranks; ++rank) {
        processes.push_back(std::make_unique<QProcess>());
        start_rank(*processes.back(), rank, ranks, port, arguments);
    }
    Outcome all{0, {}, {}};
    for (int rank = 0; rank < ranks; ++rank) {
        const Outcome own = outcome_of(*processes[static_cast<std::size_t>(rank)], milliseconds);
        if (all.status == 0) all.status = own.status;
        all.out += own.out;
        all.err += own.err;
    }
    return all;
}

}  // namespace

Outcome run_ranks(const QString& over, int ranks, const QStringList& arguments, int milliseconds) {
    if (over == "gloo") return run_over_gloo(ranks, arguments, milliseconds);
    return run_cli(QStringList{"run", "--ranks", QString::number(ranks)} + arguments, milliseconds);
}

QStringList by_rank(const QString& out, int ranks) {
    QVector<QStringList> lines(ranks);
    for (QString line : out.split('\n', Qt::SkipEmptyParts)) {
        static const QRegularExpression prefix(R"(^\[rank (\d+)\] )");
        int rank = 0;
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
