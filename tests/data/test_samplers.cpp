// SPDX-License-Identifier: Apache-2.0
// Orders of samples, and sets made of others.
#include "tests/data/data_test.h"

using namespace loupe;
using namespace loupe::data;

class TestSamplers : public QObject {
    Q_OBJECT

  private slots:
    void anOrderIsPyTorchsForTheSeed() {
        RandomSampler plain(10, false, {}, seeded(1));
        QCOMPARE(drawn(plain), (Numbers{5, 6, 1, 2, 0, 8, 9, 3, 7, 4}));
        RandomSampler more(7, false, 17, seeded(3));
        QCOMPARE(drawn(more), (Numbers{5, 3, 4, 6, 0, 2, 1, 2, 6, 3, 1, 5, 0, 4, 0, 6, 3}));
        QCOMPARE(drawn(more), (Numbers{6, 3, 1, 4, 2, 5, 0, 2, 3, 4, 5, 1, 0, 6, 4, 2, 6}));
        RandomSampler replaced(10, true, 40, seeded(2));
        QCOMPARE(drawn(replaced), (Numbers{8, 7, 1, 4, 8, 9, 2, 5, 0, 1, 0, 1, 9, 5, 5, 3, 9, 7, 6, 0,
                                           0, 2, 3, 1, 1, 0, 0, 4, 9, 3, 5, 6, 6, 1, 6, 0, 9, 1, 3, 0}));
    }

    void theGeneratorIsLeftWherePyTorchLeavesIt() {
        const auto generator = seeded(2);
        RandomSampler sampler(10, true, 32, generator);
        drawn(sampler);
        QCOMPARE(generator->next32() % 1000, 946U);
        seed_generators(5);
        RandomSampler plain(10);
        QCOMPARE(drawn(plain), (Numbers{7, 6, 5, 4, 8, 3, 2, 9, 0, 1}));
        QCOMPARE(default_generator().next32() % 1000, 767U);
    }

    void subsetsAndWeights() {
        seed_generators(5);
        SubsetRandomSampler subset({10, 20, 30, 40, 50});
        QCOMPARE(drawn(subset), (Numbers{20, 40, 10, 50, 30}));
        WeightedRandomSampler weighted(tensor_of<double>({0.1, 0.9, 0.4, 0.7, 3.0, 0.6}, {6}), 8, true, seeded(4));
        QCOMPARE(drawn(weighted), (Numbers{4, 4, 1, 5, 5, 4, 4, 4}));
        WeightedRandomSampler once(tensor_of<double>({0.9, 0.4, 0.05, 0.2, 0.3, 0.1}, {6}), 5, false, seeded(4));
        QCOMPARE(drawn(once), (Numbers{0, 2, 1, 5, 4}));
    }

    void batchesOfKeys() {
        BatchSampler all(make_ptr<SequentialSampler>(7), 3);
        QCOMPARE(all.size().value(), std::int64_t{3});
        BatchSampler whole(make_ptr<SequentialSampler>(7), 3, true);
        QCOMPARE(whole.size().value(), std::int64_t{2});
        const auto keys = whole.iterate();
        QCOMPARE(keys->next()->size(), std::size_t{3});
        QCOMPARE(keys->next()->back().to_int(), std::int64_t{5});
        QVERIFY(!keys->next());
    }

    void splitsArePyTorchs() {
        const auto parts = random_split(counting(10), {3, 7}, seeded(42).get());
        QCOMPARE(parts[0]->indices(), (Numbers{2, 6, 1}));
        QCOMPARE(parts[1]->indices(), (Numbers{8, 4, 5, 0, 9, 3, 7}));
        const auto thirds = random_split(counting(11), {0.3, 0.3, 0.4}, seeded(42).get());
        QCOMPARE(thirds[0]->indices(), (Numbers{6, 8, 9, 2}));
        QCOMPARE(thirds[1]->indices(), (Numbers{1, 10, 0}));
        QCOMPARE(thirds[2]->indices(), (Numbers{7, 3, 5, 4}));
        QCOMPARE(parts[1]->get(1).to_int(), std::int64_t{4});
    }

    void setsOfOthers() {
        const ConcatDataset both({counting(3), counting(2)});
        QCOMPARE(both.size(), std::int64_t{5});
        QCOMPARE(both.get(3).to_int(), std::int64_t{0});
        QCOMPARE(both.get(-1).to_int(), std::int64_t{1});
        QCOMPARE(raised_by([&] { both.get(-6); }),
                 std::string("ValueError: absolute value of index should not exceed dataset length"));
        QCOMPARE(raised_by([&] { both.get(5); }), std::string("IndexError: list index out of range"));
        QCOMPARE(raised_by([] { ConcatDataset none({}); }),
                 std::string("AssertionError: datasets should not be an empty iterable"));
        const TensorDataset rows({tensor_of<float>({1, 2, 3, 4}, {2, 2}), tensor_of<std::int64_t>({7, 8}, {2})});
        const IValue sample = rows.get(1);
        const auto& row = sample.to_tuple().elements;
        QCOMPARE(elements<float>(row[0].to_tensor()), (std::vector<float>{3, 4}));
        QCOMPARE(item(row[1].to_tensor()).to<std::int64_t>(), std::int64_t{8});
        QCOMPARE(raised_by([] {
                     TensorDataset wrong({tensor_of<float>({1, 2}, {2}), tensor_of<float>({1}, {1})});
                 }),
                 std::string("AssertionError: Size mismatch between tensors"));
    }

    void wrongArguments() {
        QCOMPARE(raised_by([] { RandomSampler none(3, false, 0); }),
                 std::string("ValueError: num_samples should be a positive integer value, but got num_samples=0"));
        QCOMPARE(raised_by([] { RandomSampler none(0); }),
                 std::string("ValueError: num_samples should be a positive integer value, but got num_samples=0"));
        QCOMPARE(raised_by([] { BatchSampler none(make_ptr<SequentialSampler>(3), 0); }),
                 std::string("ValueError: batch_size should be a positive integer value, but got batch_size=0"));
        QCOMPARE(raised_by([] {
                     WeightedRandomSampler wide(tensor_of<double>({1, 2}, {1, 2}), 1);
                 }),
                 std::string("ValueError: weights should be a 1d sequence but given weights have shape (1, 2)"));
        QCOMPARE(raised_by([] {
                     random_split(counting(4), {1, 2});
                 }),
                 std::string("ValueError: Sum of input lengths does not equal the length of the input dataset!"));
        QCOMPARE(raised_by([] {
                     random_split(counting(4), {1.5, -0.5});
                 }),
                 std::string("ValueError: Fraction at index 0 is not between 0 and 1"));
    }
};

QTEST_APPLESS_MAIN(TestSamplers)
#include "test_samplers.moc"
