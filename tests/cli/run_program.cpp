// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/run_program.h"

Outcome outcome_of(QProcess& process, int milliseconds) {
    if (!process.waitForStarted()) return {-1, {}, "did not start"};
    if (!process.waitForFinished(milliseconds)) {
        process.kill();
        process.waitForFinished();
        return {-1, {}, "did not end: " + QString::fromUtf8(process.readAllStandardError())};
    }
    const int status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    return {status, QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

Outcome run_program(const QString& program, const QStringList& arguments, int milliseconds) {
    QProcess process;
    process.start(program, arguments);
    return outcome_of(process, milliseconds);
}

Outcome run_cli(const QStringList& arguments, int milliseconds) {
    return run_program(LOUPE_BINARY_DIR "/bin/tensorloupe-cli", arguments, milliseconds);
}

bool is_one_line(const QString& text) { return text.count('\n') == 1 && text.endsWith('\n'); }
