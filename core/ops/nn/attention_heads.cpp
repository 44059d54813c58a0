// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/attention_heads.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/dispatch/functions.h"
#include "core/kernels/transpose.h"
#include "core/ops/matrix/small_gemm.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/simd.h"

// Vectors stay inside inlined functions, so their calling convention never matters.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace loupe::nn_ops {
namespace {

constexpr std::int64_t kRows = 16;  // of a block
template <typename T>
constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));

template <typename T>
struct VectorOf {
    typedef T Type __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
};
template <typename T>
using Vector = typename VectorOf<T>::Type;

template <typename T>
LOUPE_INLINE inline Vector<T> vector_at(const T* x) {
    return *reinterpret_cast<const Vector<T>*>(x);
}

// Sums a vector's lanes by halves: rows are short, and the compiler's horizontal reduction is a chain.
template <typename F>
LOUPE_INLINE inline float folded(Vector<float> v, F&& f) {
    v = f(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = f(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v = f(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    v = f(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    return v[0];
}
template <typename F>
LOUPE_INLINE inline double folded(Vector<double> v, F&& f) {
    v = f(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = f(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    v = f(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
    return v[0];
}
template <typename T>
LOUPE_INLINE inline T sum_of(const Vector<T>& v) {
    return folded(v, [](const Vector<T>& a, const Vector<T>& b) LOUPE_INLINE { return a + b; });
}
template <typename T>
LOUPE_INLINE inline T largest_of(const Vector<T>& v) {
    return folded(v, [](const Vector<T>& a, const Vector<T>& b) LOUPE_INLINE { return a > b ? a : b; });
}

template <typename T>
LOUPE_INLINE inline void copy_row(T* to, const T* from, std::int64_t n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

template <typename T>
std::int64_t rounded_up(std::int64_t n) {
    return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

// Prefetches strided rows, which hardware does not predict. Not far ahead: they would evict each other
// from the cache.
template <typename T>
LOUPE_INLINE inline void fetch(const T* rows, std::int64_t count, std::int64_t stride, std::int64_t width) {
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < width; j += kLanes<T>) __builtin_prefetch(rows + i * stride + j);
    }
}

// A matrix in separate memory, its rows padded with zeros to whole vectors.
template <typename T>
struct Padded {
    std::vector<T> data;
    std::int64_t stride = 0;

    T* row(std::int64_t i) { return data.data() + i * stride; }

    void resize(std::int64_t rows, std::int64_t columns) {
        stride = rounded_up<T>(columns);
        data.resize(static_cast<std::size_t>(rows * stride));
    }
    void zeros(std::int64_t rows, std::int64_t columns) {
        resize(rows, columns);
        std::fill(data.begin(), data.end(), T(0));
    }
    void take(const MatrixRef<const T>& m) {
        resize(m.rows, m.columns);
        if (m.column_stride != 1) return turn(m);
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t i = 0; i < m.rows; ++i) {
                if (i % kRows == 0)
                    fetch(m.data + (i + kRows) * m.row_stride, std::min(kRows, m.rows - kRows - i), m.row_stride,
                          m.columns);
                copy_row(row(i), m.data + i * m.row_stride, m.columns);
                for (std::int64_t j = m.columns; j < stride; ++j) row(i)[j] = T(0);
            }
        });
    }
    // A vector of columns at a time: its strided source stays in the cache.
    void turn(const MatrixRef<const T>& m) {
        for (std::int64_t first = 0; first < stride; first += kLanes<T>) {
            const std::int64_t count = std::min(kLanes<T>, m.columns - first);
            const std::int64_t fours = m.row_stride == 1 ? count / 4 * 4 : 0;
            const T* from = m.data + first * m.column_stride;
            std::int64_t done = 0;
            if (fours > 0) {
                const std::int64_t left = std::min(kLanes<T>, m.columns - kLanes<T> - first);
                fetch(from + kLanes<T> * m.column_stride, left, m.column_stride, m.rows);
            }
            for (; fours > 0 && done + 4 <= m.rows; done += 4) {
                for (std::int64_t j = 0; j < fours; j += 4)
                    turn_four(from + done + j * m.column_stride, m.column_stride, row(done) + first + j);
            }
            for (std::int64_t i = 0; i < m.rows; ++i) {
                T* to = row(i) + first;
                for (std::int64_t j = i < done ? fours : 0; j < count; ++j)
                    to[j] = from[i * m.row_stride + j * m.column_stride];
                for (std::int64_t j = count; j < kLanes<T>; ++j) to[j] = T(0);
            }
        }
    }
    void turn_four(const T* from, std::int64_t from_stride, T* to) {
        Tile<T, 4> rows;
        for (std::int64_t r = 0; r < 4; ++r)
            std::memcpy(&rows[static_cast<std::size_t>(r)], from + r * from_stride, sizeof rows[0]);
        transpose_tile(rows);
        for (std::int64_t r = 0; r < 4; ++r)
            std::memcpy(to + r * stride, &rows[static_cast<std::size_t>(r)], sizeof rows[0]);
    }
    void give(const MatrixRef<T>& m) {
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t i = 0; i < m.rows; ++i) copy_row(m.data + i * m.row_stride, row(i), m.columns);
        });
    }
};

// Rows of whole vectors.
template <typename T>
struct Rows {
    const T* data;
    std::int64_t count;
    std::int64_t stride;
    std::int64_t width;

    const T* row(std::int64_t i) const { return data + i * stride; }

    // Otherwise a hidden column's infinity would reach the sum: 0 times infinity.
    bool are_finite() const {
        T sum = 0;
        with_best_instructions([&]() LOUPE_INLINE {
            Vector<T> even{}, odd{};
            for (std::int64_t j = 0; j < width; j += kLanes<T>) {
                for (std::int64_t i = 0; i + 1 < count; i += 2) {
                    even += vector_at(row(i) + j) * T(0);
                    odd += vector_at(row(i + 1) + j) * T(0);
                }
                if (count % 2 != 0) even += vector_at(row(count - 1) + j) * T(0);
            }
            sum = sum_of<T>(even + odd);
        });
        return sum == 0;
    }
};

// A contiguous copy in `space`, for operands that are read often.
template <typename T>
Rows<T> copied(Padded<T>& space, const MatrixRef<const T>& m) {
    space.take(m);
    return {space.row(0), m.rows, space.stride, space.stride};
}
template <typename T>
Rows<T> rows_of(Padded<T>& space, const MatrixRef<const T>& m) {
    if (m.column_stride == 1 && m.columns % kLanes<T> == 0) return {m.data, m.rows, m.row_stride, m.columns};
    return copied(space, m);
}

// A thread's buffers, reused from head to head.
template <typename T>
struct Workspace {
    Padded<T> query, key, value, grad, scores, row_results, grad_key, grad_value;
};
template <typename T>
Workspace<T>& workspace() {
    static thread_local Workspace<T> instance;
    return instance;
}

// Some rows of scores, a whole number of vectors apart, and of weights, `columns` apart.
template <typename T>
struct Block {
    T* scores;
    std::int64_t stride;
    T* weights;
    std::int64_t columns;
    const T* hidden;  // null: none is; else in the layout of the weights
    std::int64_t rows;
    std::int64_t reach;  // columns from there on are hidden
};

// weights = softmax(hidden ? fill : scale scores). Step by step for all rows, so that latencies of rows overlap.
template <typename T>
LOUPE_INLINE inline void weigh(const Block<T>& b, T scale, T fill) {
    constexpr T kLeast = -std::numeric_limits<T>::infinity();
    const std::int64_t whole = rounded_up<T>(b.reach);
    T largest[kRows], part[kRows];
    for (std::int64_t r = 0; r < b.rows; ++r) {
        T* x = b.scores + r * b.stride;
        if (b.hidden == nullptr) {
#pragma omp simd
            for (std::int64_t i = 0; i < b.reach; ++i) x[i] *= scale;
        } else {
            const T* hidden = b.hidden + r * b.columns;
#pragma omp simd
            for (std::int64_t i = 0; i < b.reach; ++i) x[i] = hidden[i] != 0 ? fill : x[i] * scale;
        }
        for (std::int64_t i = b.reach; i < whole; ++i) x[i] = kLeast;
    }
    for (std::int64_t r = 0; r < b.rows; ++r) {
        const T* x = b.scores + r * b.stride;
        Vector<T> most = vector_at(x);
        for (std::int64_t i = kLanes<T>; i < whole; i += kLanes<T>) {
            const Vector<T> next = vector_at(x + i);
            most = next > most ? next : most;
        }
        largest[r] = largest_of<T>(most);
    }
    for (std::int64_t r = 0; r < b.rows; ++r) {
        T* x = b.scores + r * b.stride;
        const T most = largest[r];
#pragma omp simd
        for (std::int64_t i = 0; i < whole; ++i) x[i] = fast_exp_below_one(x[i] - most);
    }
    for (std::int64_t r = 0; r < b.rows; ++r) {
        Vector<T> sum{};
        for (std::int64_t i = 0; i < whole; i += kLanes<T>) sum += vector_at(b.scores + r * b.stride + i);
        part[r] = T(1) / sum_of<T>(sum);
    }
    for (std::int64_t r = 0; r < b.rows; ++r) {
        const T* x = b.scores + r * b.stride;
        T* w = b.weights + r * b.columns;
        const T factor = part[r];
#pragma omp simd
        for (std::int64_t i = 0; i < b.reach; ++i) w[i] = x[i] * factor;
        const T unseen = T(0) * factor;  // NaN in one score makes the row NaN
#pragma omp simd
        for (std::int64_t i = b.reach; i < b.columns; ++i) w[i] = unseen;
    }
}

// Turns g into the gradient of the unscaled scores: scale w (g - sum(g w)), 0 where hidden.
template <typename T>
LOUPE_INLINE inline void unweigh_row(T* g, const T* w, const T* hidden, std::int64_t n, T scale) {
    Vector<T> products{};
    std::int64_t at = 0;
    for (; at + kLanes<T> <= n; at += kLanes<T>) products += vector_at(g + at) * vector_at(w + at);
    T sum = sum_of<T>(products);
    for (; at < n; ++at) sum += g[at] * w[at];
    if (hidden == nullptr) {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) g[i] = w[i] * (g[i] - sum) * scale;
    } else {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) g[i] = hidden[i] != 0 ? T(0) : w[i] * (g[i] - sum) * scale;
    }
}

// Are all weights of the skipped columns 0? One per row decides for the others.
template <typename T>
bool are_unseen(const MatrixRef<const T>& weights, std::int64_t first, std::int64_t rows) {
    for (std::int64_t r = first; r < first + rows; ++r) {
        if (weights.data[r * weights.row_stride + weights.columns - 1] != T(0)) return false;
    }
    return true;
}

}  // namespace

template <typename T>
Hidden<T>::Hidden(const Tensor& mask, const Heads& h, bool may_skip)
    : columns_(h.columns), blocks_((h.rows + kRows - 1) / kRows) {
    if (!mask.defined()) return;
    Dims sizes{1, 1, h.rows, h.columns};
    for (std::int64_t d = 0; d < 2; ++d) {
        if (mask.dim() >= 4 - d) sizes[static_cast<std::size_t>(d)] = mask.size(d - 4);
    }
    numbers_ = packed_as(expanded(mask, span_of(sizes)), scalar_type_of<T>);
    size_ = h.rows * h.columns;
    row_ = h.columns;
    if (sizes[1] > 1) of_head_ = 1;
    if (sizes[0] > 1) of_batch_ = sizes[1];
    if (may_skip) find_reach(h);
}

template <typename T>
void Hidden<T>::find_reach(const Heads& h) {
    if (numbers_.numel() == 0) return;
    const T* first = numbers_.template data<T>();
    for (const T* matrix = first; matrix != first + numbers_.numel(); matrix += size_) {
        for (std::int64_t r = 0; r < h.rows; r += kRows)
            reach_.push_back(reach_of(matrix + r * row_, h, std::min(kRows, h.rows - r)));
    }
}

template <typename T>
std::int64_t Hidden<T>::reach_of(const T* first, const Heads& h, std::int64_t rows) const {
    const auto visible = [&](std::int64_t r, std::int64_t begin, std::int64_t end) {
        return std::find(first + r * row_ + begin, first + r * row_ + end, T(0)) != first + r * row_ + end;
    };
    std::int64_t reach = 0;
    for (std::int64_t r = rows - 1; r >= 0; --r) {
        if (!visible(r, 0, h.columns)) return h.columns;  // such a row is NaN
        for (std::int64_t end = h.columns; end > reach; end = (end - 1) / kLanes<T> * kLanes<T>) {
            if (visible(r, std::max(reach, (end - 1) / kLanes<T> * kLanes<T>), end)) reach = end;
        }
    }
    return reach;
}

template <typename T>
const T* Hidden<T>::row(std::int64_t batch, std::int64_t head, std::int64_t row) const {
    if (!numbers_.defined()) return nullptr;
    return numbers_.template data<T>() + (batch * of_batch_ + head * of_head_) * size_ + row * row_;
}

template <typename T>
std::int64_t Hidden<T>::reach(std::int64_t batch, std::int64_t head, std::int64_t block) const {
    if (reach_.empty()) return columns_;
    return reach_[static_cast<std::size_t>((batch * of_batch_ + head * of_head_) * blocks_ + block)];
}

template <typename T>
void attend(const Heads& h, std::int64_t batch, std::int64_t head, const ForwardHead<T>& t, const Hidden<T>& hidden,
            T scale, T fill) {
    Workspace<T>& space = workspace<T>();
    const Rows<T> key = copied(space.key, t.key.transposed()), value = copied(space.value, t.value);
    space.scores.resize(kRows, h.columns);
    space.row_results.resize(kRows, h.out);
    const bool may_skip = value.are_finite();
    for (std::int64_t first = 0; first < h.rows; first += kRows) {
        const std::int64_t rows = std::min(kRows, h.rows - first);
        const std::int64_t reach = may_skip ? hidden.reach(batch, head, first / kRows) : h.columns;
        T* scores = space.scores.row(0);
        T* weights = t.weights.data + first * h.columns;
        small_gemm(rows, rounded_up<T>(reach), h.width, t.query.data + first * t.query.row_stride, t.query.row_stride,
                   t.query.column_stride, key.data, key.stride, scores, space.scores.stride, false);
        const Block<T> block{scores, space.scores.stride, weights, h.columns, hidden.row(batch, head, first), rows,
                             reach};
        with_best_instructions([&]() LOUPE_INLINE { weigh(block, scale, fill); });
        small_gemm(rows, value.width, reach, weights, h.columns, value.data, value.stride, space.row_results.row(0),
                   space.row_results.stride, false);
        space.row_results.give({t.out.data + first * t.out.row_stride, rows, h.out, t.out.row_stride, 1});
    }
}

template <typename T>
void attend_backward(const Heads& h, std::int64_t batch, std::int64_t head, const BackwardHead<T>& t,
                     const Hidden<T>& hidden, T scale) {
    Workspace<T>& space = workspace<T>();
    const Rows<T> query = rows_of(space.query, t.query), grad = rows_of(space.grad, t.grad);
    const Rows<T> key = copied(space.key, t.key), value = copied(space.value, t.value.transposed());
    space.scores.resize(kRows, h.columns);
    space.row_results.resize(kRows, h.width);
    space.grad_key.zeros(h.columns, h.width);
    space.grad_value.zeros(h.columns, h.out);
    const bool may_skip = query.are_finite() && grad.are_finite() && key.are_finite() && value.are_finite();
    for (std::int64_t first = 0; first < h.rows; first += kRows) {
        const std::int64_t rows = std::min(kRows, h.rows - first);
        const bool skips = may_skip && are_unseen(t.weights, first, rows);
        const std::int64_t reach = skips ? hidden.reach(batch, head, first / kRows) : h.columns;
        T* scores = space.scores.row(0);
        const std::int64_t stride = space.scores.stride;
        const T* weights = t.weights.data + first * h.columns;
        const std::int64_t left = std::min(kRows, h.rows - first - kRows);
        fetch(weights + kRows * h.columns, left, h.columns, std::min(reach + kRows, h.columns));
        fetch(grad.row(first + kRows), left, grad.stride, grad.width);
        fetch(query.row(first + kRows), left, query.stride, query.width);
        small_gemm(reach, grad.width, rows, weights, std::int64_t{1}, h.columns, grad.row(first), grad.stride,
                   space.grad_value.row(0), space.grad_value.stride, true);
        small_gemm(rows, rounded_up<T>(reach), h.out, grad.row(first), grad.stride, value.data, value.stride, scores,
                   stride, false);
        const T* hidden_rows = hidden.row(batch, head, first);
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t r = 0; r < rows; ++r) {
                const T* hidden_row = hidden_rows == nullptr ? nullptr : hidden_rows + r * h.columns;
                unweigh_row(scores + r * stride, weights + r * h.columns, hidden_row, reach, scale);
            }
        });
        small_gemm(rows, key.width, reach, scores, stride, key.data, key.stride, space.row_results.row(0),
                   space.row_results.stride, false);
        space.row_results.give(
            {t.grad_query.data + first * t.grad_query.row_stride, rows, h.width, t.grad_query.row_stride, 1});
        small_gemm(reach, query.width, rows, scores, std::int64_t{1}, stride, query.row(first), query.stride,
                   space.grad_key.row(0), space.grad_key.stride, true);
    }
    space.grad_key.give(t.grad_key);
    space.grad_value.give(t.grad_value);
}

#define LOUPE_INSTANTIATE_ATTENTION(T)                                                                                \
    template class Hidden<T>;                                                                                         \
    template void attend<T>(const Heads&, std::int64_t, std::int64_t, const ForwardHead<T>&, const Hidden<T>&, T, T); \
    template void attend_backward<T>(const Heads&, std::int64_t, std::int64_t, const BackwardHead<T>&,                \
                                     const Hidden<T>&, T);
LOUPE_INSTANTIATE_ATTENTION(float)
LOUPE_INSTANTIATE_ATTENTION(double)
#undef LOUPE_INSTANTIATE_ATTENTION

}  // namespace loupe::nn_ops
