// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/indices.h"

#include "plugins/cuda/loops/by_size.h"
#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

struct Picked {
    std::int64_t own, other;
    bool is_there;
};
// Of kIndices index tensors; 0: as many as the loop says.
template <int kIndices>
LOUPE_HD Picked pick(const IndexLoop& loop, std::int64_t i) {
    Picked picked{0, 0, true};
    const int indices = kIndices > 0 ? kIndices : loop.indices;
    std::int64_t places[kIndices > 0 ? kIndices : kMaxIndices] = {};
    for (int d = loop.dims - 1; d >= 0; --d) {
        const std::int64_t rest = d == 0 ? 0 : quotient(i, loop.sizes[d]);
        const std::int64_t at = i - rest * loop.sizes[d];
        i = rest;
        picked.own += at * loop.own[d];
        picked.other += at * loop.other[d];
        for (int k = 0; k < indices; ++k) places[k] += at * loop.index[k].strides[d];
    }
    for (int k = 0; k < indices; ++k) {
        const IndexLoop::Index& index = loop.index[k];
        const std::int64_t value = index.values[places[k]];
        if (value >= 0 && value == loop.skipped) {
            picked.is_there = false;
        } else if (value >= index.limit || value < (loop.wraps ? -index.limit : 0)) {
            report(loop.fault, loop.kind, value, index.limit, index.dim);
            picked.is_there = false;
        } else {
            picked.own += (value < 0 ? value + index.limit : value) * index.step;
        }
    }
    return picked;
}

template <typename E, int kIndices>
struct ReadBody {
    IndexLoop loop;
    const char* indexed;
    char* other;
    LOUPE_HD void operator()(std::int64_t i) const {
        const Picked p = pick<kIndices>(loop, i);
        *reinterpret_cast<E*>(other + p.other) = p.is_there ? *reinterpret_cast<const E*>(indexed + p.own) : E();
    }
};
template <typename E, int kIndices>
struct WriteBody {
    IndexLoop loop;
    char* indexed;
    const char* other;
    LOUPE_HD void operator()(std::int64_t i) const {
        const Picked p = pick<kIndices>(loop, i);
        if (p.is_there) *reinterpret_cast<E*>(indexed + p.own) = *reinterpret_cast<const E*>(other + p.other);
    }
};
struct KeyBody {
    IndexLoop rows;
    std::int64_t nothing;
    std::int64_t* keys;
    LOUPE_HD void operator()(std::int64_t i) const {
        const Picked p = pick<0>(rows, i);
        keys[i] = p.is_there ? p.own : nothing;
    }
};

template <Gathering kOp, typename T>
LOUPE_HD T gathered(T a, T b) {
    if constexpr (kOp == Gathering::Product) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        else
            return a * b;
    } else if constexpr (kOp == Gathering::Greatest) {
        return b != b || a < b ? b : a;
    } else if constexpr (kOp == Gathering::Least) {
        return b != b || b < a ? b : a;
    } else {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else
            return a + b;
    }
}

// A thread a column of the first row of each key.
template <Gathering kOp, typename T>
struct GatherBody {
    IndexLoop rows;
    RowColumns columns;
    Gathered how;
    const std::int64_t *keys, *order;
    char* indexed;
    const char* other;

    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = quotient(i, columns.count), key = keys[row];
        if (key == how.nothing || (row > 0 && keys[row - 1] == key)) return;
        std::int64_t rest = i - row * columns.count, own = key, beside = 0;
        for (int d = columns.dims - 1; d >= 0; --d) {
            const std::int64_t next = d == 0 ? 0 : quotient(rest, columns.sizes[d]);
            const std::int64_t at = rest - next * columns.sizes[d];
            rest = next;
            own += at * columns.own[d];
            beside += at * columns.other[d];
        }
        std::int64_t end = row + 1;
        while (end < rows.count && keys[end] == key) ++end;
        T value = load<T>(indexed + own, how.element);
        for (std::int64_t k = row; k < end; ++k) {
            T element = load<T>(other + other_row(order[k]) + beside, how.element);
            if constexpr (kOp == Gathering::Sum) {
                if constexpr (std::is_integral_v<T>)
                    element = static_cast<T>(static_cast<std::uint64_t>(element) *
                                             static_cast<std::uint64_t>(how.whole_scale));
                else
                    element *= static_cast<T>(how.by_count ? 1.0F / static_cast<float>(end - row) : how.scale);
            }
            value = gathered<kOp>(value, element);
        }
        store(indexed + own, how.element, value);
    }
    LOUPE_HD std::int64_t other_row(std::int64_t row) const {
        std::int64_t at = 0;
        for (int d = rows.dims - 1; d >= 0; --d) {
            const std::int64_t rest = d == 0 ? 0 : quotient(row, rows.sizes[d]);
            at += (row - rest * rows.sizes[d]) * rows.other[d];
            row = rest;
        }
        return at;
    }
};

bool walks_as_one(const IndexLoop& loop, int d) {
    bool is_one =
        loop.own[d] == loop.own[d + 1] * loop.sizes[d + 1] && loop.other[d] == loop.other[d + 1] * loop.sizes[d + 1];
    for (int k = 0; k < loop.indices; ++k)
        is_one = is_one && loop.index[k].strides[d] == loop.index[k].strides[d + 1] * loop.sizes[d + 1];
    return is_one;
}
void remove_dim(IndexLoop& loop, int d) {
    for (int e = d; e + 1 < loop.dims; ++e) {
        loop.sizes[e] = loop.sizes[e + 1];
        loop.own[e] = loop.own[e + 1];
        loop.other[e] = loop.other[e + 1];
        for (int k = 0; k < loop.indices; ++k) loop.index[k].strides[e] = loop.index[k].strides[e + 1];
    }
    --loop.dims;
}
// Joins dimensions that are walked as one; moves runs of neighbours sixteen bytes at a time. Gives the size of what is
// moved.
int simplify(IndexLoop& loop, int element_size, const void* indexed, const void* other) {
    for (int d = loop.dims - 2; d >= 0; --d) {
        if (loop.sizes[d] == 1 && loop.dims > 1) {
            remove_dim(loop, d);
        } else if (walks_as_one(loop, d)) {
            loop.sizes[d + 1] *= loop.sizes[d];
            remove_dim(loop, d);
        }
    }
    if (loop.dims == 0) return element_size;
    const int last = loop.dims - 1;
    bool is_run = loop.own[last] == element_size && loop.other[last] == element_size;
    for (int k = 0; k < loop.indices; ++k) is_run = is_run && loop.index[k].strides[last] == 0;
    if (!is_run) return element_size;
    for (int wide = 16; wide > element_size; wide /= 2) {
        auto marks = reinterpret_cast<std::uintptr_t>(indexed) | reinterpret_cast<std::uintptr_t>(other) |
                     static_cast<std::uintptr_t>(loop.sizes[last] * element_size);
        for (int d = 0; d < last; ++d)
            marks |= static_cast<std::uintptr_t>(loop.own[d]) | static_cast<std::uintptr_t>(loop.other[d]);
        for (int k = 0; k < loop.indices; ++k) marks |= static_cast<std::uintptr_t>(loop.index[k].step);
        if (marks % static_cast<std::uintptr_t>(wide) != 0) continue;
        const std::int64_t run = loop.sizes[last];
        loop.sizes[last] = run * element_size / wide;
        loop.own[last] = loop.other[last] = wide;
        loop.count = loop.count / run * loop.sizes[last];
        return wide;
    }
    return element_size;
}

template <template <typename, int> class Body, typename A, typename B>
void move(const Queue& queue, IndexLoop loop, int element_size, A* indexed, B* other) {
    if (loop.count == 0) return;
    const auto run = [&](auto tag) {
        using E = decltype(tag);
        if (loop.indices == 1)
            launch(queue, loop.count, Body<E, 1>{loop, indexed, other});
        else
            launch(queue, loop.count, Body<E, 0>{loop, indexed, other});
    };
    visit_size(simplify(loop, element_size, indexed, other), run);
}

template <typename T>
bool gather_as(const Queue& queue, const IndexLoop& rows, const RowColumns& columns, const Gathered& how,
               const std::int64_t* keys, const std::int64_t* order, char* indexed, const char* other) {
    const auto run = [&](auto body) { launch(queue, rows.count * columns.count, body); };
    switch (how.op) {
        case Gathering::Sum:
            run(GatherBody<Gathering::Sum, T>{rows, columns, how, keys, order, indexed, other});
            return true;
        case Gathering::Product:
            run(GatherBody<Gathering::Product, T>{rows, columns, how, keys, order, indexed, other});
            return true;
        case Gathering::Greatest:
            run(GatherBody<Gathering::Greatest, T>{rows, columns, how, keys, order, indexed, other});
            return true;
        case Gathering::Least:
            run(GatherBody<Gathering::Least, T>{rows, columns, how, keys, order, indexed, other});
            return true;
    }
    return false;
}

}  // namespace

void run_index_read(const Queue& queue, IndexLoop loop, int element_size, const void* indexed, void* other) {
    move<ReadBody>(queue, loop, element_size, static_cast<const char*>(indexed), static_cast<char*>(other));
}
void run_index_write(const Queue& queue, IndexLoop loop, int element_size, void* indexed, const void* other) {
    move<WriteBody>(queue, loop, element_size, static_cast<char*>(indexed), static_cast<const char*>(other));
}
void run_index_keys(const Queue& queue, const IndexLoop& rows, std::int64_t nothing, std::int64_t* keys) {
    launch(queue, rows.count, KeyBody{rows, nothing, keys});
}
bool run_gather_rows(const Queue& queue, const IndexLoop& rows, const RowColumns& columns, const Gathered& how,
                     const std::int64_t* keys, const std::int64_t* order, void* indexed, const void* other) {
    auto* const to = static_cast<char*>(indexed);
    const auto* const from = static_cast<const char*>(other);
    if (how.element == Element::Float64) return gather_as<double>(queue, rows, columns, how, keys, order, to, from);
    if (is_integer(how.element)) return gather_as<std::int64_t>(queue, rows, columns, how, keys, order, to, from);
    return gather_as<float>(queue, rows, columns, how, keys, order, to, from);
}

}  // namespace loupe::cuda
