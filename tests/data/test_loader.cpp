// SPDX-License-Identifier: Apache-2.0
// Batches: what they are made of, in which order, in which thread, and what happens when a sample fails.
#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/cancel.h"
#include "core/data/load_log.h"
#include "tests/data/data_test.h"

using namespace loupe;
using namespace loupe::data;

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

IValue tuple(std::vector<IValue> elements) { return make_ptr<TupleObject>(std::move(elements)); }
IValue dict(std::vector<std::pair<IValue, IValue>> entries) {
    const auto out = make_ptr<DictObject>(types::any(), types::any());
    for (auto& [key, value] : entries) out->set(key, value);
    return out;
}

// A random number and the worker that drew it.
DatasetPtr drawing(std::int64_t size) {
    return make_ptr<FunctionDataset>(size, [](std::int64_t) {
        const std::int64_t number = default_generator().next32() % 1000;
        return IValue(number * 10 + (worker_info() != nullptr ? worker_info()->id : 0));
    });
}

DatasetPtr failing_at(std::int64_t size, std::int64_t bad, ErrorKind kind = ErrorKind::File) {
    return make_ptr<FunctionDataset>(size, [=](std::int64_t index) {
        if (index == bad) throw Error(kind, "bad thing", {.file = "x.bin"});
        return IValue(index);
    });
}

// As many samples as its worker says: 3 and 5.
class Stream final : public IterableDataset {
  public:
    Ptr<SampleStream> iterate() const override {
        class Counter final : public SampleStream {
          public:
            Counter(std::int64_t begin, std::int64_t end) : at_(begin), end_(end) {}
            std::optional<IValue> next() override { return at_ < end_ ? std::optional<IValue>(at_++) : std::nullopt; }

          private:
            std::int64_t at_;
            std::int64_t end_;
        };
        const std::int64_t id = worker_info() != nullptr ? worker_info()->id : 0;
        return make_ptr<Counter>(id * 100, id * 100 + 3 + 2 * id);
    }
};

}  // namespace

class TestLoader : public QObject {
    Q_OBJECT

  private slots:
    void numbersBecomeTensors() {
        QCOMPARE(elements<std::int64_t>(default_collate({1, 2}).to_tensor()), (Numbers{1, 2}));
        QCOMPARE(elements<double>(default_collate({1.5, 2}).to_tensor()), (std::vector<double>{1.5, 2}));
        QCOMPARE(elements<float>(default_collate({1, 2.5}).to_tensor()), (std::vector<float>{1, 2.5}));
        QCOMPARE(default_collate({true, false}).to_tensor().dtype(), ScalarType::Bool);
        QCOMPARE(elements<std::int64_t>(default_collate({true, 2}).to_tensor()), (Numbers{1, 2}));
        QCOMPARE(python_repr(default_collate({IValue("a"), IValue("b")})), std::string("['a', 'b']"));
    }

    void nestedValuesKeepTheirShape() {
        const IValue batch =
            default_collate({dict({{"a", 1}, {"b", tuple({1, "x"})}}), dict({{"a", 2}, {"b", tuple({3, "y"})}})});
        QCOMPARE(elements<std::int64_t>(batch.to_dict().find("a")->to_tensor()), (Numbers{1, 2}));
        const auto& pair = batch.to_dict().find("b")->to_list().elements;
        QCOMPARE(elements<std::int64_t>(pair[0].to_tensor()), (Numbers{1, 3}));
        QCOMPARE(python_repr(pair[1]), std::string("('x', 'y')"));
        const Tensor stacked =
            default_collate({tensor_of<float>({1, 2}, {2}), tensor_of<float>({3, 4}, {2})}).to_tensor();
        QCOMPARE(shape_text(stacked.sizes()), std::string("2x2"));
        QCOMPARE(elements<float>(stacked), (std::vector<float>{1, 2, 3, 4}));
        // Rows that do not lie in order in memory.
        const Tensor square = tensor_of<float>({1, 2, 3, 4}, {2, 2});
        const Tensor column = square.view_as_strided(std::array<std::int64_t, 1>{2}, std::array<std::int64_t, 1>{2}, 1);
        QCOMPARE(elements<float>(default_collate({column, column}).to_tensor()), (std::vector<float>{2, 4, 2, 4}));
    }

    void whatHasNoBatchSaysSo() {
        QCOMPARE(raised_by([] {
                     default_collate({tuple({1, 2}), tuple({1})});
                 }),
                 std::string("each element in list of batch should be of equal size"));
        QCOMPARE(raised_by([] { default_collate({IValue()}); }),
                 std::string("TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or "
                             "lists; found <class 'NoneType'>"));
        QVERIFY(
            raised_by([] {
                default_collate({zeros(std::array<std::int64_t, 1>{2}), zeros(std::array<std::int64_t, 1>{3})});
            }).starts_with("stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1"));
        QCOMPARE(raised_by([] {
                     default_collate({dict({{"a", 1}}), dict({{"b", 2}})});
                 }),
                 std::string("KeyError: 'a'"));
        QCOMPARE(raised_by([] { default_collate({}); }), std::string("IndexError: list index out of range"));
    }

    void anEpochIsPyTorchs() {
        seed_generators(0);
        DataLoader loader(counting(10), {.batch_size = 3, .shuffle = true});
        QCOMPARE(batches_of(loader), (std::vector<Numbers>{{6, 7, 1}, {4, 2, 0}, {9, 8, 3}, {5}}));
        QCOMPARE(default_generator().next32() % 1000, 963U);
        DataLoader own(counting(10), {.batch_size = 3, .shuffle = true, .drop_last = true, .generator = seeded(7)});
        QCOMPARE(own.size(), std::int64_t{3});
        QCOMPARE(batches_of(own), (std::vector<Numbers>{{1, 3, 5}, {7, 9, 4}, {6, 2, 8}}));
        QCOMPARE(batches_of(own), (std::vector<Numbers>{{5, 1, 6}, {0, 9, 7}, {8, 4, 3}}));
    }

    void workersDrawPyTorchsNumbers() {
        seed_generators(0);
        const std::vector<Numbers> first{{9060, 100}, {7241, 21}, {8040, 130}, {7241, 6131}};
        DataLoader loader(drawing(8), {.batch_size = 2, .num_workers = 2});
        QCOMPARE(batches_of(loader), first);
        seed_generators(0);
        DataLoader persistent(drawing(8), {.batch_size = 2, .num_workers = 2, .persistent_workers = true});
        QCOMPARE(batches_of(persistent), first);
        QCOMPARE(batches_of(persistent), (std::vector<Numbers>{{3690, 350}, {8941, 8101}, {370, 3980}, {8171, 5731}}));
    }

    void streamsAreDealtToWorkers() {
        DataLoader all(make_ptr<Stream>(), {.batch_size = 2, .num_workers = 2});
        QCOMPARE(batches_of(all), (std::vector<Numbers>{{0, 1}, {100, 101}, {2}, {102, 103}, {104}}));
        DataLoader whole(make_ptr<Stream>(), {.batch_size = 2, .num_workers = 2, .drop_last = true});
        QCOMPARE(batches_of(whole), (std::vector<Numbers>{{0, 1}, {100, 101}, {102, 103}}));
        DataLoader direct(
            make_ptr<ChainDataset>(std::vector<IterableDatasetPtr>{make_ptr<Stream>(), make_ptr<Stream>()}),
            {.batch_size = 4});
        QCOMPARE(batches_of(direct), (std::vector<Numbers>{{0, 1, 2, 0}, {1, 2}}));
    }

    void orderIsKeptWhoeverIsFaster() {
        const auto slow = make_ptr<FunctionDataset>(12, [](std::int64_t index) {
            if (index % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
            return IValue(index);
        });
        DataLoader loader(slow, {.batch_size = 1, .num_workers = 3});
        std::vector<Numbers> expected;
        for (std::int64_t i = 0; i < 12; ++i) expected.push_back({i});
        QCOMPARE(batches_of(loader), expected);
    }

    void withoutBatchesSamplesComeAsTheyAre() {
        DataLoader loader(counting(3), {.batch_size = std::nullopt});
        const auto stream = loader.iterate();
        QCOMPARE(stream->next()->to_int(), std::int64_t{0});
        QCOMPARE(loader.size(), std::int64_t{3});
    }

    void aFailureComesInItsPlaceWithItsText() {
        for (const int workers : {0, 2}) {
            DataLoader loader(failing_at(6, 2), {.batch_size = 1, .num_workers = workers});
            const auto stream = loader.iterate();
            QCOMPARE(elements<std::int64_t>(stream->next()->to_tensor()), (Numbers{0}));
            QCOMPARE(elements<std::int64_t>(stream->next()->to_tensor()), (Numbers{1}));
            const std::string worker = workers > 0 ? ", DataLoader worker 0" : "";
            QCOMPARE(raised_by([&] { stream->next(); }), "x.bin: sample 2" + worker + ": bad thing");
            QCOMPARE(batches_of(*stream), (std::vector<Numbers>{{3}, {4}, {5}}));
        }
    }

    void damagedSamplesCanBeLeftOut() {
        for (const int workers : {0, 2}) {
            DataLoader loader(failing_at(6, 2), {.batch_size = 2, .num_workers = workers, .on_damage = OnDamage::Skip});
            const auto stream = loader.iterate();
            QCOMPARE(batches_of(*stream), (std::vector<Numbers>{{0, 1}, {3}, {4, 5}}));
            QCOMPARE(stream->skipped().size(), std::size_t{1});
            QCOMPARE(stream->skipped().front().key.to_int(), std::int64_t{2});
            QVERIFY(stream->skipped().front().message.find("bad thing") != std::string::npos);
        }
        // Alone in its batch: there is no such batch.
        DataLoader single(failing_at(3, 1), {.batch_size = 1, .on_damage = OnDamage::Skip});
        QCOMPARE(batches_of(single), (std::vector<Numbers>{{0}, {2}}));
        // What is wrong with the program is not left out.
        DataLoader wrong(failing_at(3, 1, ErrorKind::Run), {.batch_size = 3, .on_damage = OnDamage::Skip});
        QVERIFY(!raised_by([&] { batches_of(wrong); }).empty());
    }

    void anythingThrownArrives() {
        const auto data =
            make_ptr<FunctionDataset>(2, [](std::int64_t) -> IValue { throw std::runtime_error("not ours"); });
        DataLoader loader(data, {.num_workers = 1});
        QCOMPARE(raised_by([&] { batches_of(loader); }), std::string("sample 0, DataLoader worker 0: not ours"));
        DataLoader init(counting(2),
                        {.num_workers = 1, .worker_init = [](int) { throw Error(ErrorKind::Run, "no init"); }});
        QCOMPARE(raised_by([&] { batches_of(init); }), std::string("no init"));
    }

    void endingEarlyIsPrompt() {
        const auto slow = make_ptr<FunctionDataset>(1000, [](std::int64_t index) {
            for (int i = 0; i < 100; ++i) {
                check_cancelled();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            return IValue(index);
        });
        DataLoader loader(slow, {.batch_size = 10, .num_workers = 2});
        auto stream = loader.iterate();
        const auto begin = Clock::now();
        stream = nullptr;
        QVERIFY(seconds_since(begin) < 0.5);
    }

    void waitingEndsWithTheTimeoutAndWhenCancelled() {
        std::atomic<bool> release{false};
        const auto stuck = make_ptr<FunctionDataset>(4, [&release](std::int64_t index) {
            while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return IValue(index);
        });
        DataLoader loader(stuck, {.num_workers = 1, .timeout = 0.2});
        auto stream = loader.iterate();
        QVERIFY(raised_by([&] { stream->next(); }).starts_with("DataLoader timed out after 0.2"));
        CancelFlag cancelled{true};
        const CancelScope scope(&cancelled);
        ErrorKind kind{};
        error_of([&] { stream->next(); }, &kind);
        QCOMPARE(kind, ErrorKind::Cancelled);
        release = true;
    }

    // What workers did is in the log of the thread that iterates: who made which batch, and what the loop waited.
    void theWorkOfWorkersIsLogged() {
        const auto slow = [](bool is_bound) {
            class Slow final : public Dataset {
              public:
                explicit Slow(bool bound) : is_bound_(bound) {}
                std::int64_t size() const override { return 6; }
                IValue get(std::int64_t index) const override {
                    std::this_thread::sleep_for(std::chrono::milliseconds(10));
                    return index;
                }
                bool is_bound_to_thread() const override { return is_bound_; }

              private:
                bool is_bound_;
            };
            return make_ptr<Slow>(is_bound);
        };
        std::uint64_t seen = 0;
        LoadLog::of_thread()->finished(seen);
        const auto work_of = [&](bool is_bound, int workers) {
            LoaderOptions options;
            options.num_workers = workers;
            DataLoader loader(slow(is_bound), options);
            const auto stream = loader.iterate();
            std::size_t count = 0;
            while (stream->next()) {
                ++count;
                // The loop computes: workers go on meanwhile.
                std::this_thread::sleep_for(std::chrono::milliseconds(3));
            }
            Q_ASSERT(count == 6);
            std::vector<LoadWork> all = LoadLog::of_thread()->finished(seen);
            std::ranges::sort(all, {}, [](const LoadWork& each) { return std::tuple(each.kind, each.batch); });
            return all;
        };
        const auto overlap = [](const LoadWork& a, const LoadWork& b) { return a.start < b.end && b.start < a.end; };

        const auto threads = work_of(false, 2);
        QCOMPARE(threads.size(), std::size_t{12});
        for (std::size_t i = 0; i < 6; ++i) {
            const LoadWork& made = threads[i];
            const LoadWork& waited = threads[6 + i];
            QCOMPARE(made.kind, LoadKind::Worker);
            QCOMPARE(waited.kind, LoadKind::Wait);
            QCOMPARE(made.worker, static_cast<std::uint32_t>(i % 2));
            QCOMPARE(waited.worker, made.worker);
            QVERIFY(made.pass == waited.pass && made.batch == i && waited.batch == i);
            QVERIFY(made.end - made.start >= std::chrono::milliseconds(10));
            QVERIFY(waited.end >= made.end);
        }
        QVERIFY(overlap(threads[0], threads[1]));

        const auto in_turn = work_of(true, 2);
        QCOMPARE(in_turn.size(), std::size_t{12});
        for (std::size_t i = 0; i < 6; ++i) {
            QCOMPARE(in_turn[i].kind, LoadKind::InTurn);
            QCOMPARE(in_turn[i].worker, static_cast<std::uint32_t>(i % 2));
            QVERIFY(in_turn[i].start >= in_turn[6 + i].start && in_turn[i].end <= in_turn[6 + i].end);
            QVERIFY(i == 0 || !overlap(in_turn[i - 1], in_turn[i]));
        }
        QVERIFY(in_turn[0].pass > threads[0].pass);

        const auto alone = work_of(false, 0);
        QCOMPARE(alone.size(), std::size_t{6});
        for (const LoadWork& each : alone) QCOMPARE(each.kind, LoadKind::Loop);
        QVERIFY(LoadLog::of_thread()->under_way().empty());
    }

    // A batch that is not there yet is under way.
    void workThatIsNotOver() {
        std::atomic<bool> may_end{false};
        const auto held = make_ptr<FunctionDataset>(2, [&](std::int64_t index) {
            while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return IValue(index);
        });
        LoaderOptions options;
        options.num_workers = 1;
        DataLoader loader(held, options);
        const auto stream = loader.iterate();
        QTRY_COMPARE(LoadLog::of_thread()->under_way().size(), std::size_t{1});
        QVERIFY(!LoadLog::of_thread()->under_way().front().is_over);
        may_end = true;
        QVERIFY(stream->next().has_value());
    }

    void persistentWorkersServeThePassThatIsAskedFor() {
        std::atomic<int> begun{0};
        DataLoader loader(
            counting(6),
            {.batch_size = 2, .num_workers = 2, .worker_init = [&begun](int) { ++begun; }, .persistent_workers = true});
        auto abandoned = loader.iterate();
        abandoned->next();
        const auto fresh = loader.iterate();
        abandoned = nullptr;
        QCOMPARE(batches_of(*fresh), (std::vector<Numbers>{{0, 1}, {2, 3}, {4, 5}}));
        QCOMPARE(begun.load(), 2);
    }

    void optionsThatDoNotGoTogether() {
        const auto refused = [](LoaderOptions options) {
            return raised_by([&] { DataLoader loader(counting(3), options); });
        };
        QCOMPARE(refused({.num_workers = -1}), std::string("ValueError: num_workers option should be non-negative; use "
                                                           "num_workers=0 to disable multiprocessing."));
        QCOMPARE(refused({.timeout = -1}), std::string("ValueError: timeout option should be non-negative"));
        QCOMPARE(
            refused({.batch_size = std::nullopt, .drop_last = true}),
            std::string(
                "ValueError: batch_size=None option disables auto-batching and is mutually exclusive with drop_last"));
        QCOMPARE(refused({.batch_size = 0}),
                 std::string("ValueError: batch_size should be a positive integer value, but got batch_size=0"));
        QCOMPARE(refused({.shuffle = true, .sampler = make_ptr<SequentialSampler>(3)}),
                 std::string("ValueError: sampler option is mutually exclusive with shuffle"));
        QCOMPARE(refused({.persistent_workers = true}),
                 std::string("ValueError: persistent_workers option needs num_workers > 0"));
        QCOMPARE(raised_by([] { DataLoader loader(make_ptr<Stream>(), {.shuffle = true}); }),
                 std::string("ValueError: DataLoader with IterableDataset: expected unspecified shuffle option, but "
                             "got shuffle=True"));
        QVERIFY(raised_by([] { DataLoader(make_ptr<Stream>(), {}).size(); }).starts_with("TypeError: "));
    }
};

QTEST_APPLESS_MAIN(TestLoader)
#include "test_loader.moc"
