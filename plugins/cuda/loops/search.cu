// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/search.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// Every number of an element's dtype is one of these.
template <typename Visit>
void with_exact(Element element, const Visit& visit) {
    if (is_integer(element))
        visit(std::int64_t());
    else
        visit(double());
}

template <typename T>
struct PlacesBody {
    SortedRows rows;
    const char* sequence;
    const char* values;
    std::int64_t* places;

    LOUPE_HD static bool before(T a, T b) { return a < b || (a == a && b != b); }
    LOUPE_HD void operator()(std::int64_t i) const {
        const int size = size_of(rows.element);
        const char* const row = sequence + (rows.is_shared ? 0 : quotient(i, rows.per_row) * rows.length) * size;
        const T value = load<T>(values + i * size, rows.element);
        std::int64_t low = 0, high = rows.length;
        while (low < high) {
            const std::int64_t middle = (low + high) / 2;
            const T there = load<T>(row + middle * size, rows.element);
            if (rows.after ? !before(value, there) : before(there, value))
                low = middle + 1;
            else
                high = middle;
        }
        places[i] = low;
    }
};

// What is scanned is where the extreme stands, -1: nowhere yet.
template <typename T>
struct ExtremeBody {
    bool greatest;
    Element element;
    std::int64_t length, inner;
    const char* x;
    char* values;
    std::int64_t* places;

    LOUPE_HD std::int64_t place(std::int64_t line, std::int64_t k) const {
        const std::int64_t outer = quotient(line, inner);
        return (outer * length + k) * inner + (line - outer * inner);
    }
    // Of the place held and a later one.
    LOUPE_HD std::int64_t later(std::int64_t line, std::int64_t held, std::int64_t next) const {
        if (held < 0) return next;
        if (next < 0) return held;
        const int size = size_of(element);
        const T best = load<T>(x + place(line, held) * size, element),
                own = load<T>(x + place(line, next) * size, element);
        if (best != best) return own != own ? next : held;
        return (greatest ? own < best : own > best) ? held : next;
    }
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t line) const {
        const int size = size_of(element);
        const std::int64_t run = (length + team.size() - 1) / team.size();
        const std::int64_t begin = team.rank() * run, end = begin + run < length ? begin + run : length;
        std::int64_t own = -1;
        for (std::int64_t k = begin; k < end; ++k) own = later(line, own, k);
        std::int64_t held =
            team.before(own, std::int64_t{-1}, [&](std::int64_t a, std::int64_t b) { return later(line, a, b); });
        for (std::int64_t k = begin; k < end; ++k) {
            held = later(line, held, k);
            const std::int64_t at = place(line, k);
            store(values + at * size, element, load<T>(x + place(line, held) * size, element));
            places[at] = held;
        }
    }
};

}  // namespace

void run_search(const Queue& queue, const SortedRows& rows, const void* sequence, const void* values,
                std::int64_t count, std::int64_t* places) {
    with_exact(rows.element, [&](auto tag) {
        using T = decltype(tag);
        launch(queue, count,
               PlacesBody<T>{rows, static_cast<const char*>(sequence), static_cast<const char*>(values), places});
    });
}

void run_running_extreme(const Queue& queue, bool greatest, Element element, std::int64_t outer, std::int64_t length,
                         std::int64_t inner, const void* x, void* values, std::int64_t* places) {
    with_exact(element, [&](auto tag) {
        using T = decltype(tag);
        launch_teams(queue, outer * inner, length,
                     ExtremeBody<T>{greatest, element, length, inner, static_cast<const char*>(x),
                                    static_cast<char*>(values), places});
    });
}

}  // namespace loupe::cuda
