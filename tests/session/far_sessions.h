// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests of an engine far away: one that runs in the background of this machine, in a folder of its own, reached by
// a command that stands in for ssh.

#include <signal.h>

#include <QtTest>

#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/session/far_place.h"
#include "tests/session/remote_session.h"

inline const std::string kFarEngine = LOUPE_BINARY_DIR "/bin/tensorloupe-engine";

// Sessions that are made while it lives have their engine there.
class FarSessions {
  public:
    // before: of the command, such as a slow line.
    explicit FarSessions(const std::vector<std::string>& before = {}) {
        ::setenv("TENSORLOUPE_RUNTIME", runtime_.path().toLocal8Bit().constData(), 1);
        std::filesystem::permissions(runtime_.path().toStdString(), std::filesystem::perms::owner_all);
        std::string words;
        for (const std::string& word : before) words += "'" + word + "' ";
        script(engine_lines(words));
    }
    FarSessions(const FarSessions&) = delete;
    FarSessions& operator=(const FarSessions&) = delete;
    ~FarSessions() {
        loupe::session::set_far_place(nullptr);
        QProcess::execute(QString::fromStdString(kFarEngine), {"--end", "test"});
        ::unsetenv("TENSORLOUPE_RUNTIME");
    }

    // The command does this instead.
    void script(const std::string& lines) {
        const std::string next = command() + ".next";
        std::ofstream(next) << "#!/bin/sh\n" << lines << "\n";
        std::filesystem::permissions(next, std::filesystem::perms::owner_all);
        std::filesystem::rename(next, command());
    }
    // For files of the test.
    std::filesystem::path folder() const { return runtime_.path().toStdString(); }
    // before: words of another command that runs it.
    std::string engine_lines(const std::string& before = {}) const {
        return "echo $$ > '" + pid_file() + "'\nexec " + before + "'" + kFarEngine + "' --stdio --stay --engine test";
    }

    // environment: of the command.
    std::shared_ptr<loupe::session::FarPlace> place(const std::vector<std::string>& environment = {}) {
        loupe::session::FarPlace::Options options;
        options.environment = environment;
        options.command = {command()};
        options.address = "ssh://far";
        options.host = "far";
        options.first_wait = std::chrono::milliseconds(50);
        options.last_wait = std::chrono::milliseconds(200);
        auto made = std::make_shared<loupe::session::FarPlace>(options);
        loupe::session::set_far_place(made);
        return made;
    }
    // Ends the connection as a line does that breaks.
    void drop() {
        pid_t pid = 0;
        std::ifstream(pid_file()) >> pid;
        if (pid > 0) ::kill(pid, SIGKILL);
    }
    // What tensorloupe-engine --list says.
    std::string list() const {
        QProcess process;
        process.start(QString::fromStdString(kFarEngine), {"--list"});
        process.waitForFinished();
        return process.readAllStandardOutput().toStdString();
    }
    pid_t engine_pid() const {
        const std::string said = list();
        const auto at = said.find("process ");
        return at == std::string::npos ? 0 : std::stoi(said.substr(at + 8));
    }

  private:
    std::string command() const { return runtime_.filePath("command").toStdString(); }
    std::string pid_file() const { return runtime_.filePath("pid").toStdString(); }

    QTemporaryDir runtime_;
};

template <typename Holds>
bool waits_for(const Holds& holds, int seconds = 30) {
    for (int i = 0; i < seconds * 100; ++i) {
        if (holds()) return true;
        QTest::qWait(10);
    }
    return false;
}
