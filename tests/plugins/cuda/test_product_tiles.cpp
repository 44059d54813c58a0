// SPDX-License-Identifier: Apache-2.0
// Tiles of products by the 256 threads that a GPU has for each, emulated: every element is added up once, by one
// thread.

#include "tests/plugins/cuda/emulated_threads.h"

#include <QtTest>
#include <random>

#include "plugins/cuda/loops/product_tile.h"

using namespace loupe::cuda;

namespace {

struct EmulatedTeam {
    static constexpr int kOwn = 4;
    char* memory;
    int rank() const { return static_cast<int>(threadIdx.x); }
    int size() const { return kTileThreads; }
    void wait() const { EmulatedBlock::instance().meet_block(); }
};

struct Result {
    double* to;
    int* writes;
    std::int64_t rows, columns;
    void of(std::int64_t b, std::int64_t i, std::int64_t j, double sum) const {
        to[(b * rows + i) * columns + j] = sum;
        ++writes[(b * rows + i) * columns + j];
    }
};
using Tile = ProductTile<double, StridedFactor<double>, StridedFactor<double>, Result>;
struct Call {
    Tile tile;
    char* memory;
};
void run_thread(const void* data) {
    const Call& call = *static_cast<const Call*>(data);
    call.tile(EmulatedTeam{call.memory}, static_cast<std::int64_t>(blockIdx.x));
}

}  // namespace

class TestProductTiles : public QObject {
    Q_OBJECT

  private slots:
    void products_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("depth");
        for (const auto& [rows, columns, depth] :
             {std::tuple{1, 2, 1}, {64, 64, 16}, {63, 65, 17}, {128, 3, 15}, {5, 130, 33}, {70, 70, 0}})
            QTest::addRow("%d x %d by %d", rows, columns, depth) << rows << columns << depth;
    }
    void products() {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(int, depth);
        constexpr int kBatch = 2;
        const auto size = [](int a, int b) {
            return static_cast<std::size_t>(kBatch) * static_cast<std::size_t>(a * b);
        };
        std::mt19937 engine(7);
        std::vector<double> left(size(rows, depth)), right(size(depth, columns)), out(size(rows, columns));
        std::vector<int> writes(out.size());
        for (std::vector<double>* const all : {&left, &right})
            for (double& x : *all) x = static_cast<double>(engine() % 100);
        // The right one is turned.
        const StridedFactor<double> a{left.data(), rows * depth, depth, 1}, b{right.data(), columns * depth, 1, depth};
        const Tile tile = Tile::of(a, b, {out.data(), writes.data(), rows, columns}, rows, columns, depth);
        std::vector<char> memory(Tile::kBytes + 128);
        char* const start = memory.data() + (128 - reinterpret_cast<std::uintptr_t>(memory.data()) % 128);
        const Call call{tile, start};
        EmulatedBlock::instance().run(run_thread, &call, static_cast<unsigned>(kBatch * tile.tiles()), kTileThreads, 1);
        for (int n = 0; n < kBatch; ++n) {
            for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < columns; ++j) {
                    double sum = 0;
                    for (int k = 0; k < depth; ++k) sum += a.at(n, i, k) * b.at(n, k, j);
                    const auto at = static_cast<std::size_t>((n * rows + i) * columns + j);
                    QCOMPARE(out[at], sum);  // whole numbers: in any order
                    QCOMPARE(writes[at], 1);
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestProductTiles)
#include "test_product_tiles.moc"
