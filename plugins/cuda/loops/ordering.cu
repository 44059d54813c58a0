// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/ordering.h"

#include <algorithm>
#include <vector>

#include "plugins/cuda/loops/by_size.h"
#include "plugins/cuda/loops/launch.h"
#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#endif

namespace loupe::cuda {
namespace {

struct CountBody {
    std::int64_t* places;
    LOUPE_HD void operator()(std::int64_t i) const { places[i] = i; }
};

#ifdef __CUDACC__
template <typename Call>
void with_room(const Queue& queue, const Call& call) {
    std::size_t bytes = 0;
    call(nullptr, bytes);
    void* const room = queue.scratch(queue, bytes > 0 ? bytes : 1);
    call(room, bytes);
    check_launch("a sort or a running sum");
}
#endif

// Bits that grow with the element as PyTorch orders them.
template <typename T>
LOUPE_HD std::uint64_t order_of(T x) {
    if constexpr (std::is_same_v<T, float>) {
        if (x != x) return 0xFFFFFFFFULL;
        const auto bits = bits_as<std::uint32_t>(x == 0.0F ? 0.0F : x);
        return (bits >> 31) != 0 ? static_cast<std::uint32_t>(~bits) : bits | 0x80000000U;
    } else if constexpr (std::is_same_v<T, double>) {
        if (x != x) return ~std::uint64_t{0};
        const auto bits = bits_as<std::uint64_t>(x == 0.0 ? 0.0 : x);
        return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
    } else {
        return static_cast<std::uint64_t>(x) ^ (std::uint64_t{1} << 63);
    }
}

template <typename Key>
struct OrderBody {
    Element element;
    const char* x;
    std::int64_t length;
    bool descending;
    Key* keys;

    LOUPE_HD void operator()(std::int64_t i) const {
        const char* const at = x + i * size_of(element);
        std::uint64_t key;
        if (element == Element::Float64) {
            key = order_of(*reinterpret_cast<const double*>(at));
        } else if (element == Element::Int64) {
            key = order_of(*reinterpret_cast<const std::int64_t*>(at));
        } else if (is_integer(element)) {
            key = static_cast<std::uint32_t>(load<std::int64_t>(at, element)) ^ 0x80000000U;
        } else {
            key = order_of(load<float>(at, element));
        }
        if (descending) key = ~key;
        if constexpr (sizeof(Key) == 8) {
            if (size_of(element) < 8)
                key = static_cast<std::uint64_t>(quotient(i, length)) << 32 | static_cast<std::uint32_t>(key);
        }
        keys[i] = static_cast<Key>(key);
    }
};
struct RowBody {
    const std::int64_t* places;
    std::int64_t length;
    std::uint64_t* keys;
    LOUPE_HD void operator()(std::int64_t i) const {
        keys[i] = static_cast<std::uint64_t>(quotient(places[i], length));
    }
};
template <typename E>
struct OrderedBody {
    const E* x;
    const std::int64_t* places;
    std::int64_t length, kept;
    E* values;
    std::int64_t* indices;
    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, kept), place = places[row * length + (i - row * kept)];
        values[i] = x[place];
        indices[i] = place - row * length;
    }
};
struct MarkBody {
    Element element;
    const char* x;
    std::int64_t* marks;
    LOUPE_HD bool is_marked(std::int64_t i) const {
        const char* const at = x + i * size_of(element);
        return is_integer(element) ? load<std::int64_t>(at, element) != 0 : load<double>(at, element) != 0;
    }
    LOUPE_HD void operator()(std::int64_t i) const { marks[i] = is_marked(i) ? 1 : 0; }
};
struct PlaceBody {
    MarkBody mark;
    const std::int64_t* before;
    std::int64_t* places;
    LOUPE_HD void operator()(std::int64_t i) const {
        if (mark.is_marked(i)) places[before[i]] = i;
    }
};
struct Sizes {
    std::int64_t size[kMaxDims];
};
struct CoordinateBody {
    const std::int64_t* places;
    int dims;
    Sizes sizes;
    std::int64_t* coordinates;
    LOUPE_HD void operator()(std::int64_t i) const {
        std::int64_t at = places[i];
        for (int d = dims - 1; d >= 0; --d) {
            const std::int64_t rest = d == 0 ? 0 : quotient(at, sizes.size[d]);
            coordinates[i * dims + d] = at - rest * sizes.size[d];
            at = rest;
        }
    }
};

}  // namespace

template <typename Key>
Sorted<Key> run_sort(const Queue& queue, Sorted<Key> from, std::int64_t count, int bits, Sorted<Key> room, bool given) {
    if (!given) launch(queue, count, CountBody{from.places});
    if (count == 0) return from;
#ifdef __CUDACC__
    cub::DoubleBuffer<Key> keys(from.keys, room.keys);
    cub::DoubleBuffer<std::int64_t> places(from.places, room.places);
    with_room(queue, [&](void* at, std::size_t& bytes) {
        cub::DeviceRadixSort::SortPairs(at, bytes, keys, places, count, 0, bits,
                                        static_cast<cudaStream_t>(queue.stream));
    });
    return {keys.Current(), places.Current()};
#else
    const Key mask = bits >= static_cast<int>(8 * sizeof(Key)) ? ~Key{0} : static_cast<Key>((Key{1} << bits) - 1);
    in_turn(queue, [=] {
        std::vector<std::int64_t> order(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int64_t a, std::int64_t b) { return (from.keys[a] & mask) < (from.keys[b] & mask); });
        for (std::int64_t i = 0; i < count; ++i) {
            room.keys[i] = from.keys[order[static_cast<std::size_t>(i)]];
            room.places[i] = from.places[order[static_cast<std::size_t>(i)]];
        }
    });
    return room;
#endif
}
template Sorted<std::uint32_t> run_sort(const Queue&, Sorted<std::uint32_t>, std::int64_t, int, Sorted<std::uint32_t>,
                                        bool);
template Sorted<std::uint64_t> run_sort(const Queue&, Sorted<std::uint64_t>, std::int64_t, int, Sorted<std::uint64_t>,
                                        bool);

void run_sums_before(const Queue& queue, const std::int64_t* numbers, std::int64_t* sums, std::int64_t count) {
    if (count == 0) return;
#ifdef __CUDACC__
    with_room(queue, [&](void* at, std::size_t& bytes) {
        cub::DeviceScan::ExclusiveSum(at, bytes, numbers, sums, count, static_cast<cudaStream_t>(queue.stream));
    });
#else
    in_turn(queue, [=] {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t number = numbers[i];
            sums[i] = sum;
            sum += number;
        }
    });
#endif
}

void run_order_keys(const Queue& queue, Element element, const void* x, std::int64_t rows, std::int64_t length,
                    bool descending, std::uint64_t* keys) {
    launch(queue, rows * length,
           OrderBody<std::uint64_t>{element, static_cast<const char*>(x), length, descending, keys});
}
void run_order_keys(const Queue& queue, Element element, const void* x, std::int64_t length, bool descending,
                    std::uint32_t* keys) {
    launch(queue, length, OrderBody<std::uint32_t>{element, static_cast<const char*>(x), length, descending, keys});
}
void run_row_keys(const Queue& queue, const std::int64_t* places, std::int64_t count, std::int64_t length,
                  std::uint64_t* keys) {
    launch(queue, count, RowBody{places, length, keys});
}
void run_ordered(const Queue& queue, int element_size, const void* x, const std::int64_t* places, std::int64_t rows,
                 std::int64_t length, std::int64_t kept, void* values, std::int64_t* indices) {
    const auto run = [&](auto tag) {
        using E = decltype(tag);
        launch(queue, rows * kept,
               OrderedBody<E>{static_cast<const E*>(x), places, length, kept, static_cast<E*>(values), indices});
    };
    visit_size(element_size, run);
}
void run_marks(const Queue& queue, Element element, const void* x, std::int64_t count, std::int64_t* marks) {
    launch(queue, count, MarkBody{element, static_cast<const char*>(x), marks});
}
void run_marked_places(const Queue& queue, Element element, const void* x, const std::int64_t* before,
                       std::int64_t count, std::int64_t* places) {
    launch(queue, count, PlaceBody{{element, static_cast<const char*>(x), nullptr}, before, places});
}
void run_coordinates(const Queue& queue, const std::int64_t* places, std::int64_t count, int dims,
                     const std::int64_t* sizes, std::int64_t* coordinates) {
    CoordinateBody body{places, dims, {}, coordinates};
    for (int d = 0; d < dims; ++d) body.sizes.size[d] = sizes[d];
    launch(queue, count, body);
}

}  // namespace loupe::cuda
