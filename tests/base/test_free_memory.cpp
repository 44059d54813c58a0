// SPDX-License-Identifier: Apache-2.0
// Memory that was freed in small pieces goes back to the system.

#include <unistd.h>

#include <QtTest>
#include <fstream>
#include <memory>
#include <vector>

#include "core/base/free_memory.h"

using namespace loupe;

// Sanitizers bring an allocator of their own; clang says so otherwise than GCC.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define LOUPE_OTHER_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LOUPE_OTHER_ALLOCATOR
#endif
#endif

class TestFreeMemory : public QObject {
    Q_OBJECT

    static std::size_t resident_bytes() {
        std::size_t all = 0, resident = 0;
        std::ifstream("/proc/self/statm") >> all >> resident;
        return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    }

  private slots:
    void pagesThatHoldNothingAreReturned() {
#ifdef LOUPE_OTHER_ALLOCATOR
        QSKIP("the C library's own allocator is not in use");
#endif
        constexpr std::size_t kPieces = 400'000;
        constexpr std::size_t kBytes = 500;
        const std::size_t before = resident_bytes();
        std::vector<std::unique_ptr<char[]>> pieces;
        for (std::size_t i = 0; i < kPieces; ++i) pieces.emplace_back(new char[kBytes]());
        // Behind them, so that they are not at the end of the heap, where free() gives them back.
        const auto last = std::make_unique<char[]>(kBytes);
        const std::size_t with = resident_bytes();
        QVERIFY(with - before > kPieces * kBytes / 2);
        pieces.clear();
        pieces.shrink_to_fit();
        return_free_memory();
        const std::size_t after = resident_bytes();
        QVERIFY2(after < before + (with - before) / 4, qPrintable(QString::number(after - before)));
        QVERIFY(last != nullptr);
    }
};

QTEST_APPLESS_MAIN(TestFreeMemory)
#include "test_free_memory.moc"
