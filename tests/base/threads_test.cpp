// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include <QTest>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/deep_thread.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/parallel_observer.h"
#include "core/base/ref_counted.h"
#include "core/base/thread_limit.h"

using namespace loupe;

class ThreadsTest : public QObject {
    Q_OBJECT
  private slots:
    // Threads that share a core are parted, and may run where they were allowed to all the same.
    void threads_stay_free() {
        const auto allowed = [] {
            cpu_set_t set;
            return pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
        };
        const int before = allowed();
        std::atomic<int> restricted{0};
        for (int i = 0; i < 200; ++i) {
            loupe::parallel_for(0, 64, 1, [&](std::int64_t, std::int64_t) {
                if (allowed() != before) ++restricted;
            });
        }
        QCOMPARE(restricted.load(), 0);
        QCOMPARE(allowed(), before);
    }
    void cleanup() { set_thread_count(0); }
    void too_many_threads_are_an_error() {
        set_thread_count(3);
        QVERIFY_THROWS_EXCEPTION(Error, set_thread_count(most_threads() + 1));
        QVERIFY_THROWS_EXCEPTION(Error, set_thread_count(100000));
        QCOMPARE(thread_count(), 3);
        set_thread_count(most_threads());
        std::atomic<int> sum{0};
        parallel_for(0, 1000, 1, [&](std::int64_t begin, std::int64_t end) { sum += static_cast<int>(end - begin); });
        QCOMPARE(sum.load(), 1000);
    }
    void covers_each_index_once_data();
    void covers_each_index_once();
    void little_work_ends_no_threads();
    void small_ranges_stay_here();
    void exceptions_come_back();
    // Of a loop that is split every thread's piece, with its time; of one that is not nothing, and of others' neither.
    void pieces_of_loops_are_observed() {
        struct Watch final : ParallelObserver {
            void on_loop(std::span<const ParallelPiece> pieces) override {
                seen.emplace_back(pieces.begin(), pieces.end());
            }
            std::vector<std::vector<ParallelPiece>> seen;
        } watch;
        set_thread_count(3);
        QVERIFY(set_parallel_observer(&watch) == nullptr);
        auto work = [](std::int64_t, std::int64_t) { usleep(200); };
        parallel_for(0, 300, 1, work);
        parallel_for(0, 10, 100, work);
        std::thread([&] { parallel_for(0, 300, 1, work); }).join();
        QVERIFY(set_parallel_observer(nullptr) == &watch);
        parallel_for(0, 300, 1, work);
        QCOMPARE(watch.seen.size(), std::size_t{1});
        QCOMPARE(watch.seen.front().size(), std::size_t{3});
        for (int i = 0; i < 3; ++i) {
            const ParallelPiece& piece = watch.seen.front()[static_cast<std::size_t>(i)];
            QCOMPARE(piece.thread, i);
            QVERIFY(piece.end - piece.start >= std::chrono::microseconds(200));
        }
    }
    void nested_regions_use_one_thread();
    void cancel_reaches_this_thread_only();
    // What waits long between two looks sees at the first that its time is over.
    void a_deadline_is_seen_at_the_next_look() {
        const DeadlineScope over(std::chrono::seconds(-1));
        QVERIFY_THROWS_EXCEPTION(Error, check_cancelled_now());
    }
    void counted_objects_die_once();
    void both_run_and_their_exceptions_come_back();
};

void ThreadsTest::both_run_and_their_exceptions_come_back() {
    for (const bool on_two_threads : {false, true}) {
        int first = 0;
        int second = 0;
        run_both(
            on_two_threads, [&] { first = 1; }, [&] { second = 2; });
        QCOMPARE(first + second, 3);
        const auto message_of = [&](bool first_fails, bool second_fails) {
            try {
                run_both(
                    on_two_threads,
                    [&] {
                        if (first_fails) throw Error(ErrorKind::Run, "the first");
                    },
                    [&] {
                        if (second_fails) throw Error(ErrorKind::Run, "the second");
                    });
            } catch (const Error& error) {
                return error.message();
            }
            return std::string();
        };
        QCOMPARE(message_of(true, false), std::string("the first"));
        QCOMPARE(message_of(false, true), std::string("the second"));
        QCOMPARE(message_of(true, true), std::string("the first"));
    }
}

void ThreadsTest::covers_each_index_once_data() {
    QTest::addColumn<int>("threads");
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("grain");
    for (const int threads : {1, 2, 3, 7}) {
        for (const int count : {0, 1, 2, 10, 1000, 1001}) {
            for (const int grain : {1, 3, 500})
                QTest::addRow("%d/%d/%d", threads, count, grain) << threads << count << grain;
        }
    }
}

void ThreadsTest::covers_each_index_once() {
    QFETCH(int, threads);
    QFETCH(int, count);
    QFETCH(int, grain);
    set_thread_count(threads);
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
    parallel_for(5, 5 + count, grain, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i - 5)];
    });
    for (const auto& each : seen) QCOMPARE(each.load(), 1);
}

// Threads that had nothing to do are there for the next region: to start them again takes time, and may fail.
void ThreadsTest::little_work_ends_no_threads() {
    set_thread_count(4);
    const auto workers = [](std::int64_t pieces) {
        std::vector<std::atomic<pid_t>> ids(static_cast<std::size_t>(pieces));
        parallel_for(0, pieces, 1, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = begin; i < end; ++i) ids[static_cast<std::size_t>(i)] = gettid();
        });
        return std::set<pid_t>(ids.begin(), ids.end());
    };
    const std::set<pid_t> before = workers(4);
    for (int i = 0; i < 3; ++i) QVERIFY(workers(2).size() <= 2);
    QVERIFY(workers(4) == before);
}

void ThreadsTest::small_ranges_stay_here() {
    const auto here = std::this_thread::get_id();
    bool same = false;
    parallel_for(0, 100, 100, [&](std::int64_t begin, std::int64_t end) {
        same = std::this_thread::get_id() == here && begin == 0 && end == 100;
    });
    QVERIFY(same);
}

void ThreadsTest::exceptions_come_back() {
    set_thread_count(2);
    try {
        parallel_for(0, 1000, 1, [](std::int64_t begin, std::int64_t end) {
            if (begin <= 900 && 900 < end) throw Error(ErrorKind::Run, "piece failed");
        });
        QFAIL("nothing was thrown");
    } catch (const Error& error) {
        QCOMPARE(error.message(), std::string("piece failed"));
    }
}

void ThreadsTest::nested_regions_use_one_thread() {
    set_thread_count(2);
    QCOMPARE(thread_count(), 2);
    std::atomic<int> most = 0;
    parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) { most = std::max(most.load(), thread_count()); });
    QCOMPARE(most.load(), 1);
    set_thread_count(0);
    QVERIFY(thread_count() >= 1);
}

void ThreadsTest::cancel_reaches_this_thread_only() {
    CancelFlag flag = false;
    QVERIFY(!is_cancelled());
    {
        const CancelScope scope(&flag);
        check_cancelled();
        flag = true;
        QVERIFY(is_cancelled());
        QVERIFY_THROWS_EXCEPTION(Error, check_cancelled());
        bool elsewhere = true;
        std::thread([&] { elsewhere = is_cancelled(); }).join();
        QVERIFY(!elsewhere);
    }
    QVERIFY(!is_cancelled());
}

void ThreadsTest::counted_objects_die_once() {
    struct Probe : RefCounted {
        explicit Probe(std::atomic<int>& d) : deaths(d) {}
        ~Probe() override { ++deaths; }
        std::atomic<int>& deaths;
    };
    std::atomic<int> deaths = 0;
    {
        auto probe = make_ptr<Probe>(deaths);
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([copy = probe] {
                for (int j = 0; j < 1000; ++j) Ptr<Probe> again = copy;
            });
        }
        probe.reset();
        for (auto& t : threads) t.join();
    }
    QCOMPARE(deaths.load(), 1);
}

QTEST_APPLESS_MAIN(ThreadsTest)
#include "threads_test.moc"
