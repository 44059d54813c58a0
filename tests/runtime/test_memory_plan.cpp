// SPDX-License-Identifier: Apache-2.0
// Where buffers are put: by hand on small lists, by property on random ones.
#include <QtTest>

#include <random>

#include "core/base/error.h"
#include "core/runtime/planned/memory_plan.h"

using namespace loupe;
using namespace loupe::runtime;

namespace {

constexpr std::size_t kNone = BufferLife::kNone;

std::size_t rounded_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Which buffer's memory it is in the end.
std::size_t owner(const std::vector<BufferLife>& lives, std::size_t i) {
    while (lives[i].takes_over != kNone) i = lives[i].takes_over;
    return i;
}

// Two buffers that are needed at one step and share a byte, unless one was written in the other's place.
bool overlaps(const std::vector<BufferLife>& lives, const MemoryPlan& plan, std::size_t i, std::size_t j) {
    if (owner(lives, i) == owner(lives, j)) return false;
    const bool meet = lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
    return meet && plan.offsets[i] < plan.offsets[j] + lives[j].bytes &&
           plan.offsets[j] < plan.offsets[i] + lives[i].bytes;
}

std::vector<BufferLife> random_lives(std::mt19937& random) {
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
    const std::size_t steps = 1 + pick(60);
    std::vector<BufferLife> lives;
    std::vector<bool> is_taken;
    const std::size_t count = pick(80);
    for (std::size_t i = 0; i < count; ++i) {
        BufferLife life;
        life.first = pick(steps);
        life.last = life.first + pick(std::min<std::size_t>(12, steps - life.first));
        life.bytes = pick(4) == 0 ? pick(1 << 20) : pick(5000);
        for (std::size_t j = 0; j < i && life.takes_over == kNone; ++j) {
            if (is_taken[j] || lives[j].last != life.first || pick(2) == 0) continue;
            life.takes_over = j;
            life.bytes = std::min(life.bytes, lives[j].bytes);
            is_taken[j] = true;
        }
        lives.push_back(life);
        is_taken.push_back(false);
    }
    return lives;
}

}  // namespace

class TestMemoryPlan : public QObject {
    Q_OBJECT

  private slots:
    void nothing_needs_nothing() {
        const MemoryPlan plan = plan_memory({});
        QCOMPARE(plan.arena_bytes, std::size_t{0});
        QCOMPARE(plan.peak_bytes, std::size_t{0});
    }

    // A chain: each result is read by the next step alone, so two places are enough.
    void a_chain_takes_two_places() {
        std::vector<BufferLife> lives;
        for (std::size_t i = 0; i < 10; ++i) lives.push_back({640, i, i + 1});
        const MemoryPlan plan = plan_memory(lives);
        QCOMPARE(plan.arena_bytes, std::size_t{1280});
        QCOMPARE(plan.total_bytes, std::size_t{6400});
        QCOMPARE(plan.peak_bytes, std::size_t{1280});
    }

    // The same in place: one.
    void a_chain_in_place_takes_one_place() {
        std::vector<BufferLife> lives;
        for (std::size_t i = 0; i < 10; ++i) lives.push_back({640, i, i + 1, i == 0 ? kNone : i - 1});
        const MemoryPlan plan = plan_memory(lives);
        QCOMPARE(plan.arena_bytes, std::size_t{640});
        QCOMPARE(plan.offsets, std::vector<std::size_t>(10, 0));
    }

    // What is alive at the same time lies side by side; a small one goes into the gap that a large one left.
    void a_gap_is_used() {
        const std::vector<BufferLife> lives{{1024, 0, 3}, {512, 0, 1}, {256, 2, 3}, {256, 2, 3}};
        const MemoryPlan plan = plan_memory(lives);
        QCOMPARE(plan.arena_bytes, std::size_t{1536});
        QCOMPARE(plan.live_bytes, (std::vector<std::size_t>{1536, 1536, 1536, 1536}));
    }

    void sizes_are_rounded_up() {
        const MemoryPlan plan = plan_memory(std::vector<BufferLife>{{1, 0, 0}, {65, 0, 0}});
        QCOMPARE(plan.arena_bytes, std::size_t{192});
        for (const std::size_t offset : plan.offsets) QCOMPARE(offset % 64, std::size_t{0});
    }

    void wrong_lives_are_refused() {
        QVERIFY_THROWS_EXCEPTION(Error, plan_memory(std::vector<BufferLife>{{64, 2, 1}}));
        QVERIFY_THROWS_EXCEPTION(Error, plan_memory(std::vector<BufferLife>{{64, 0, 2}, {64, 1, 3, 0}}));  // still read
        QVERIFY_THROWS_EXCEPTION(Error, plan_memory(std::vector<BufferLife>{{64, 0, 1}, {128, 1, 3, 0}}));  // too large
    }

    void live_buffers_never_overlap() {
        std::mt19937 random(20);
        for (int round = 0; round < 400; ++round) {
            const std::vector<BufferLife> lives = random_lives(random);
            const MemoryPlan plan = plan_memory(lives);
            QCOMPARE(plan.offsets.size(), lives.size());
            for (std::size_t i = 0; i < lives.size(); ++i) {
                QVERIFY(plan.offsets[i] % 64 == 0);
                QVERIFY(plan.offsets[i] + rounded_up(lives[i].bytes) <= plan.arena_bytes);
                for (std::size_t j = 0; j < i; ++j) QVERIFY(!overlaps(lives, plan, i, j));
            }
            QVERIFY(plan.peak_bytes <= plan.arena_bytes);
            QVERIFY(plan.arena_bytes <= std::max(plan.total_bytes, plan.peak_bytes));
        }
    }
};

QTEST_APPLESS_MAIN(TestMemoryPlan)
#include "test_memory_plan.moc"
