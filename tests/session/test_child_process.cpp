// SPDX-License-Identifier: Apache-2.0
// What a program that is run as a child finds open.

#include <fcntl.h>
#include <unistd.h>

#include <QtTest>
#include <string>

#include "core/base/file_handle.h"
#include "core/session/remote/child_process.h"

using namespace loupe;
using namespace loupe::session;

class TestChildProcess : public QObject {
    Q_OBJECT

  private:
    static std::string all_of(const FileHandle& file) {
        std::string out;
        char bytes[256];
        for (ssize_t got = 0; (got = ::read(file.get(), bytes, sizeof(bytes))) > 0;)
            out.append(bytes, static_cast<std::size_t>(got));
        return out;
    }

  private slots:
    // A library may be making a pipe on another thread, which is not closed at exec yet.
    void itGetsNoOtherDescriptors_data() {
        QTest::addColumn<bool>("is_engine");
        QTest::addColumn<QString>("found");
        QTest::newRow("a command") << false << QStringLiteral("0 1 2");
        QTest::newRow("an engine") << true << QStringLiteral("0 1 2 3 4");
    }
    void itGetsNoOtherDescriptors() {
        QFETCH(bool, is_engine);
        QFETCH(QString, found);
        std::vector<FileHandle> open;
        for (int i = 0; i < 40; ++i) open.emplace_back(::open("/dev/null", O_RDONLY));  // no O_CLOEXEC
        QVERIFY(open.back().is_open());
        const std::string listing = "for i in $(seq 0 60); do [ -e /proc/$$/fd/$i ] && printf '%s ' $i; done; exit 0";
        std::optional<ChildProcess> child;
        if (is_engine)
            child.emplace(EngineLaunch{.program = "/bin/sh", .arguments = {"-c", listing}});
        else
            child.emplace(std::vector<std::string>{"sh", "-c", listing}, std::vector<std::string>());
        const FileHandle in = child->take_in();
        QCOMPARE(QString::fromStdString(all_of(in)).trimmed(), found);
        const auto end = child->wait(std::chrono::seconds(20));
        QVERIFY(end && end->signal == 0 && end->exit_status == 0);
    }
};

QTEST_APPLESS_MAIN(TestChildProcess)
#include "test_child_process.moc"
