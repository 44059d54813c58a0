// SPDX-License-Identifier: Apache-2.0
// The runner itself: a case that kills its process costs that case alone, and excuses need reasons.

#include <signal.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/conformance/known_exceptions.h"
#include "tests/conformance/worker_pool.h"

using namespace loupe;
using namespace loupe::conformance;

class TestConformance : public QObject {
    Q_OBJECT

  private slots:
    void workersReturnResultsInOrder() {
        const auto results = run_in_workers(
            7, 3, 10, [](std::size_t i) { return std::string(i * 100'000, static_cast<char>('a' + i)); },
            [](std::size_t, const std::string& reason) { return reason; });
        for (std::size_t i = 0; i < results.size(); ++i) QCOMPARE(results[i], std::string(i * 100'000, static_cast<char>('a' + i)));
    }

    void aLostWorkerCostsOneJob() {
        const auto job = [](std::size_t i) -> std::string {
            if (i == 1) ::raise(SIGKILL);
            if (i == 2) ::pause();
            if (i == 3) ::_exit(7);
            return "done";
        };
        const auto results = run_in_workers(6, 2, 1, job, [](std::size_t i, const std::string& reason) { return std::to_string(i) + " " + reason; });
        const std::vector<std::string> expected{"done", "1 crashed: Killed", "2 took over 1 s", "3 ended with status 7", "done", "done"};
        QCOMPARE(results, expected);
    }

    void excusesNameCaseOrDtype() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("known.txt").toStdString();
        write_file_atomically(file, "# comment\nsvd 4 the sign is free\nchalf * no such dtype\ndot int64 some words\n");
        auto table = read_known_exceptions(file);
        QCOMPARE(table.size(), std::size_t(3));
        QCOMPARE(find_exception(table, "svd", 4, "float32")->reason, std::string("the sign is free"));
        QVERIFY(find_exception(table, "svd", 5, "float32") == nullptr);
        QVERIFY(find_exception(table, "chalf", 5, "float32") != nullptr);
        QVERIFY(find_exception(table, "dot", 1, "int64") != nullptr);
        QVERIFY(find_exception(table, "dot", 1, "float32") == nullptr);
        write_file_atomically(file, "svd 4\n");
        QVERIFY_THROWS_EXCEPTION(Error, read_known_exceptions(file));
    }
};

QTEST_APPLESS_MAIN(TestConformance)
#include "test_conformance.moc"
