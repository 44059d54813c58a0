// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs that tests of the command line run.

#include <QProcess>
#include <QString>
#include <QStringList>

struct Outcome {
    int status = -1;  // -1: did not start or end, -2: crashed
    QString out;
    QString err;
};

constexpr int kMostMilliseconds = 300'000;

// Of a process that was started: waits for its end, and kills it when it takes too long.
Outcome outcome_of(QProcess& process, int milliseconds = kMostMilliseconds);
Outcome run_program(const QString& program, const QStringList& arguments, int milliseconds = kMostMilliseconds);
Outcome run_cli(const QStringList& arguments, int milliseconds = kMostMilliseconds);

bool is_one_line(const QString& text);
