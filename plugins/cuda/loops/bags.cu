// SPDX-License-Identifier: Apache-2.0
// A thread an element of the result: neighbours read neighbours of one row.
#include "plugins/cuda/loops/bags.h"

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

template <typename T>
struct BagBody {
    Bags b;
    const char* table;
    const char* scales;
    char* out;
    std::int64_t* sizes;
    std::int64_t* greatest;

    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(b.element);
        const std::int64_t bag = quotient(i, b.width), column = i - bag * b.width;
        const std::int64_t first = b.offsets[bag], end = bag + 1 < b.bags ? b.offsets[bag + 1] : b.count;
        T result = 0;
        std::int64_t found = 0, best = 0;
        for (std::int64_t k = first; k < end; ++k) {
            const std::int64_t row = b.indices[k];
            if (row < 0 || row >= b.rows) {
                report(b.fault, FaultKind::TableRow, row, b.rows);
                continue;
            }
            if (row == b.padding) continue;
            T value = load<T>(table + (row * b.width + column) * size, b.element);
            if (b.mode == BagMode::Max) {
                if (found == 0 || result < value) {
                    result = value;
                    best = row;
                }
            } else {
                if (scales != nullptr) value *= load<T>(scales + k * size, b.element);
                result += value;
            }
            ++found;
        }
        if (b.mode == BagMode::Mean && found > 0) result /= static_cast<T>(found);
        store(out + i * size, b.element, result);
        if (greatest != nullptr) greatest[i] = best;
        if (column == 0) sizes[bag] = found;
    }
};

}  // namespace

void run_bags(const Queue& queue, const Bags& bags, const void* table, const void* scales, void* out,
              std::int64_t* sizes, std::int64_t* greatest) {
    const auto run = [&](auto tag) {
        using T = decltype(tag);
        launch(queue, bags.bags * bags.width,
               BagBody<T>{bags, static_cast<const char*>(table), static_cast<const char*>(scales),
                          static_cast<char*>(out), sizes, greatest});
    };
    if (bags.element == Element::Float64)
        run(double());
    else
        run(float());
}

}  // namespace loupe::cuda
