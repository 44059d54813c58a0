// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <QTest>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/tensor/allocation_observers.h"
#include "core/tensor/storage.h"
#include "core/tensor/tensor.h"

using namespace loupe;

namespace {

class Recorder final : public AllocationObserver {
  public:
    void on_allocation(const AllocationEvent& event) noexcept override { events.push_back(event); }
    std::vector<AllocationEvent> events;

  private:
    AllocationObserverScope observing_{*this};
};

std::size_t physical_memory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

class MemoryTest : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { set_allocation_limit(physical_memory()); }
    void blocks_are_aligned();
    void large_blocks_come_back();
    void a_size_class_holds_what_was_asked();
    void over_the_limit_is_an_error();
    void observer_sees_both_ends();
    void observers_of_two_threads_keep_apart();
    void unobserved_allocations_end_with_their_scope();
    void categories_nest();
    void views_of_others_memory_are_not_freed();
    void no_allocator_no_memory();
};

void MemoryTest::blocks_are_aligned() {
    for (const std::size_t bytes : {0u, 1u, 63u, 64u, 100u, 65535u, 65536u, 70001u, 5000000u}) {
        const auto storage = Storage::allocate(bytes);
        QVERIFY(storage->data() != nullptr);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(storage->data()) % 64, std::uintptr_t{0});
        QCOMPARE(storage->bytes(), bytes);
    }
}

void MemoryTest::large_blocks_come_back() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("under AddressSanitizer blocks are not kept, so that their misuse shows");
#endif
    allocator_for(DeviceType::Cpu).trim();
    auto first = Storage::allocate(1'000'000);
    const void* address = first->data();
    const auto id = first->id();
    first.reset();
    const auto second = Storage::allocate(990'000);
    QCOMPARE(static_cast<const void*>(second->data()), address);
    QVERIFY(second->id() != id);
}

void MemoryTest::a_size_class_holds_what_was_asked() {
    // Freed and asked again a little larger: a block that is too small must not be handed out.
    for (std::size_t bytes = 65000; bytes < 400000; bytes += 1777) {
        Storage::allocate(bytes);
        const auto next = Storage::allocate(bytes + 777);
        auto* data = static_cast<unsigned char*>(next->data());
        data[0] = 1;
        data[bytes + 776] = 2;
        QCOMPARE(data[0], static_cast<unsigned char>(1));
    }
}

void MemoryTest::over_the_limit_is_an_error() {
    set_allocation_limit(1 << 20);
    Storage::allocate(1 << 20);
    try {
        Storage::allocate((1 << 20) + 1);
        QFAIL("nothing was thrown");
    } catch (const Error& error) {
        QCOMPARE(error.kind(), ErrorKind::Run);
        QVERIFY(error.message().starts_with("out of memory: "));
    }
    set_allocation_limit(physical_memory());
    QVERIFY_THROWS_EXCEPTION(Error, Storage::allocate(std::size_t{1} << 60));
    const std::int64_t huge[] = {std::int64_t{1} << 20, std::int64_t{1} << 20, std::int64_t{1} << 20};
    QVERIFY_THROWS_EXCEPTION(Error, empty(huge, ScalarType::Float32));
    const std::int64_t negative[] = {2, -1};
    QVERIFY_THROWS_EXCEPTION(Error, empty(negative, ScalarType::Float32));
}

void MemoryTest::observer_sees_both_ends() {
    const Recorder recorder;
    std::uint64_t id = 0;
    {
        const MemoryCategoryScope scope(MemoryCategory::Gradient);
        const Tensor t = zeros(std::vector<std::int64_t>{3, 4});
        id = t.storage()->id();
    }
    QCOMPARE(recorder.events.size(), std::size_t{2});
    const auto& made = recorder.events[0];
    const auto& freed = recorder.events[1];
    QCOMPARE(made.storage_id, id);
    QCOMPARE(made.bytes, std::size_t{48});
    QCOMPARE(made.category, MemoryCategory::Gradient);
    QVERIFY(!made.is_free && freed.is_free);
    QCOMPARE(freed.storage_id, id);
    QCOMPARE(freed.bytes, std::size_t{48});
    QCOMPARE(freed.category, MemoryCategory::Gradient);
}

// Two sessions at once: each sees what its own thread allocates, and the frees.
void MemoryTest::observers_of_two_threads_keep_apart() {
    Recorder mine;
    std::size_t seen_there = 0;
    std::atomic<bool> observes{false}, go_on{false};
    std::thread other([&] {
        Recorder theirs;
        observes = true;
        while (!go_on) std::this_thread::yield();
        Storage::allocate(300);
        seen_there = theirs.events.size();
    });
    while (!observes) std::this_thread::yield();
    const auto kept = Storage::allocate(100);
    go_on = true;
    other.join();
    QCOMPARE(seen_there, std::size_t{2});  // its own block, made and freed
    std::size_t made = 0;
    for (const AllocationEvent& event : mine.events) made += event.is_free ? 0 : 1;
    QCOMPARE(made, std::size_t{1});
    Storage::allocate(100);
    QCOMPARE(mine.events.size(), std::size_t{4});  // the observer that ended took none of the others along
}

void MemoryTest::unobserved_allocations_end_with_their_scope() {
    Recorder recorder;
    set_allocation_limit(1000);
    try {
        const UnobservedAllocationScope unobserved;
        Storage::allocate(10);
        Storage::allocate(2000);
        QFAIL("no error");
    } catch (const Error&) {
        recorder.events.clear();  // the free of the first one
    }
    const auto seen = Storage::allocate(10);
    QCOMPARE(recorder.events.size(), std::size_t{1});
}

void MemoryTest::categories_nest() {
    QCOMPARE(current_memory_category(), MemoryCategory::Other);
    {
        const MemoryCategoryScope outer(MemoryCategory::Activation);
        {
            const MemoryCategoryScope inner(MemoryCategory::Workspace);
            QCOMPARE(current_memory_category(), MemoryCategory::Workspace);
        }
        QCOMPARE(current_memory_category(), MemoryCategory::Activation);
    }
    QCOMPARE(current_memory_category(), MemoryCategory::Other);
    QCOMPARE(memory_category_name(MemoryCategory::SavedForBackward), std::string_view("saved for backward"));
}

void MemoryTest::views_of_others_memory_are_not_freed() {
    struct Owner : RefCounted {
        std::vector<float> values{1, 2, 3};
    };
    const auto owner = make_ptr<Owner>();
    const Recorder recorder;
    {
        const auto storage = Storage::view_of(owner->values.data(), 12, owner);
        QCOMPARE(owner->use_count(), 2u);
        QCOMPARE(storage->data(), static_cast<void*>(owner->values.data()));
    }
    QCOMPARE(owner->use_count(), 1u);
    QVERIFY(recorder.events.empty());
}

void MemoryTest::no_allocator_no_memory() {
    QVERIFY_THROWS_EXCEPTION(Error, Storage::allocate(4, Device{DeviceType::Cuda, 0}));
}

QTEST_APPLESS_MAIN(MemoryTest)
#include "memory_test.moc"
