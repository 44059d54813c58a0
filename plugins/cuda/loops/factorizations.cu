// SPDX-License-Identifier: Apache-2.0
// A thread of a team reads again only what it has written itself: rows whose numbers are its rank's. What others wrote
// is read by the next launch.
#include "plugins/cuda/loops/factorizations.h"

#include "plugins/cuda/loops/scalars.h"

namespace loupe::cuda {
namespace {

// ---- Cholesky

// Column j less what the columns before have of it: a team a row.
template <typename T>
struct CholeskyColumn {
    FactorShape s;
    std::int64_t j;
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t rows = s.rows - j, batch = quotient(index, rows), i = j + index - batch * rows;
        const MatrixPlace<T> a = place_of<T>(s.a, batch);
        T sum = nothing<T>();
        for (std::int64_t k = team.rank(); k < j; k += team.size()) add_product(sum, a.at(i, k), conjugate(a.at(j, k)));
        sum = sum_of_team(team, sum);
        if (team.rank() == 0) a.at(i, j) = difference(a.at(i, j), sum);
    }
};
template <typename T>
struct CholeskyRoot {
    FactorShape s;
    std::int64_t j;
    Real<T>* roots;
    std::int32_t* info;
    LOUPE_HD void operator()(std::int64_t batch) const {
        T& pivot = place_of<T>(s.a, batch).at(j, j);
        const Real<T> square = real_of(pivot);
        if (info[batch] == 0 && !(square > Real<T>(0))) info[batch] = static_cast<std::int32_t>(j + 1);
        if (info[batch] != 0) return;
        roots[batch] = std::sqrt(square);
        pivot = made_of<T>(roots[batch]);
    }
};
template <typename T>
struct CholeskyScale {
    FactorShape s;
    std::int64_t j;
    const Real<T>* roots;
    const std::int32_t* info;
    LOUPE_HD void operator()(std::int64_t index) const {
        const std::int64_t rows = s.rows - j - 1, batch = quotient(index, rows), i = j + 1 + index - batch * rows;
        T& element = place_of<T>(s.a, batch).at(i, j);
        if (info[batch] == 0)
            element = made_of<T>(real_of(element) / roots[batch], imaginary_of(element) / roots[batch]);
    }
};

// ---- LU

template <typename T>
struct PivotBody {
    FactorShape s;
    std::int64_t j, count;
    std::int32_t* pivots;
    std::int32_t* info;
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t batch) const {
        const MatrixPlace<T> a = place_of<T>(s.a, batch);
        Real<T> best = -1;
        std::int64_t at = s.rows;
        for (std::int64_t i = j + team.rank(); i < s.rows; i += team.size()) {
            const T x = a.at(i, j);
            const Real<T> size = std::abs(real_of(x)) + std::abs(imaginary_of(x));
            if (!(size > best)) continue;
            best = size;
            at = i;
        }
        const Real<T> most = team.largest(best);
        // Of equals the first; where all are NaN there is none.
        at = -team.largest(-(best == most ? at : s.rows));
        if (team.rank() != 0) return;
        if (at >= s.rows) at = j;
        pivots[batch * count + j] = static_cast<std::int32_t>(at + 1);
        if (most == Real<T>(0) && info[batch] == 0) info[batch] = static_cast<std::int32_t>(j + 1);
    }
};
template <typename T>
struct ExchangeBody {
    FactorShape s;
    std::int64_t j, count;
    const std::int32_t* pivots;
    LOUPE_HD void operator()(std::int64_t index) const {
        const std::int64_t batch = quotient(index, s.columns), k = index - batch * s.columns;
        const MatrixPlace<T> a = place_of<T>(s.a, batch);
        const std::int64_t other = pivots[batch * count + j] - 1;
        const T held = a.at(j, k);
        a.at(j, k) = a.at(other, k);
        a.at(other, k) = held;
    }
};
template <typename T>
struct LowerBody {
    FactorShape s;
    std::int64_t j;
    LOUPE_HD void operator()(std::int64_t index) const {
        const std::int64_t rows = s.rows - j - 1, batch = quotient(index, rows), i = j + 1 + index - batch * rows;
        const MatrixPlace<T> a = place_of<T>(s.a, batch);
        const T pivot = a.at(j, j);
        if (real_of(pivot) != Real<T>(0) || imaginary_of(pivot) != Real<T>(0))
            a.at(i, j) = quotient_of(a.at(i, j), pivot);
    }
};
template <typename T>
struct UpdateBody {
    FactorShape s;
    std::int64_t j;
    LOUPE_HD void operator()(std::int64_t index) const {
        const std::int64_t rows = s.rows - j - 1, columns = s.columns - j - 1;
        const std::int64_t line = quotient(index, columns), batch = quotient(line, rows);
        const std::int64_t i = j + 1 + line - batch * rows, k = j + 1 + index - line * columns;
        const MatrixPlace<T> a = place_of<T>(s.a, batch);
        T element = a.at(i, k);
        add_product(element, scaled(a.at(i, j), Real<T>(-1)), a.at(j, k));
        a.at(i, k) = element;
    }
};

// ---- QR

// The reflector that leaves of column j only its first element (LAPACK's larfg): a team a matrix.
template <typename T>
struct ReflectorBody {
    FactorShape s;
    std::int64_t j, count;
    T* tau;
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t batch) const {
        using R = Real<T>;
        const MatrixPlace<T> a = place_of<T>(s.a, batch);
        R most = 0;
        for (std::int64_t i = j + 1 + team.rank(); i < s.rows; i += team.size()) {
            const R re = std::abs(real_of(a.at(i, j))), im = std::abs(imaginary_of(a.at(i, j)));
            most = re > most ? re : most;
            most = im > most ? im : most;
        }
        most = team.largest(most);
        const T alpha = a.at(j, j);
        R squares = 0;
        for (std::int64_t i = j + 1 + team.rank(); most > R(0) && i < s.rows; i += team.size()) {
            const R re = real_of(a.at(i, j)) / most, im = imaginary_of(a.at(i, j)) / most;
            squares += re * re + im * im;
        }
        const R norm = most * std::sqrt(team.sum(squares));  // all have read alpha
        if (norm == R(0) && imaginary_of(alpha) == R(0)) {
            if (team.rank() == 0) tau[batch * count + j] = nothing<T>();
            return;
        }
        const R whole = std::hypot(std::hypot(real_of(alpha), imaginary_of(alpha)), norm);
        const R beta = real_of(alpha) >= R(0) ? -whole : whole;
        const T divisor = difference(alpha, made_of<T>(beta));
        for (std::int64_t i = j + 1 + team.rank(); i < s.rows; i += team.size())
            a.at(i, j) = quotient_of(a.at(i, j), divisor);
        if (team.rank() != 0) return;
        tau[batch * count + j] = made_of<T>((beta - real_of(alpha)) / beta, -imaginary_of(alpha) / beta);
        a.at(j, j) = made_of<T>(beta);
    }
};

// x -= t v (v^H x), v with 1 at `first` and the column of a below: rows of a thread's rank.
template <typename T, typename Team, typename At>
LOUPE_HD void reflect(const Team& team, std::int64_t first, std::int64_t rows, const T& t, bool conjugates,
                      const MatrixPlace<T>& a, std::int64_t column, const At& x) {
    // The row after which a thread's own begin, whatever the first is.
    const std::int64_t size = team.size(), begin = first + (team.rank() - first % size + size) % size;
    const auto vector = [&](std::int64_t i) {
        if (i == first) return made_of<T>(1);
        return conjugates ? conjugate(a.at(i, column)) : a.at(i, column);
    };
    T sum = nothing<T>();
    for (std::int64_t i = begin; i < rows; i += size) add_product(sum, conjugate(vector(i)), x(i));
    const T step = scaled(t * sum_of_team(team, sum), Real<T>(-1));
    for (std::int64_t i = begin; i < rows; i += size) {
        T value = x(i);
        add_product(value, step, vector(i));
        x(i) = value;
    }
}

// The columns behind j: a team each.
template <typename T>
struct TrailingBody {
    FactorShape s;
    std::int64_t j, count;
    const T* tau;
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t columns = s.columns - j - 1, batch = quotient(index, columns);
        const std::int64_t k = j + 1 + index - batch * columns;
        const MatrixPlace<T> a = place_of<T>(s.a, batch);
        reflect(team, j, s.rows, conjugate(tau[batch * count + j]), false, a, j,
                [&](std::int64_t i) -> T& { return a.at(i, k); });
    }
};

template <typename T>
struct ReflectorsBody {
    ReflectorShape s;
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t batch = quotient(index, s.vectors), own = index - batch * s.vectors;
        const MatrixPlace<T> a = place_of<T>(s.a, batch), x = place_of<T>(s.x, batch);
        const T* const tau = static_cast<const T*>(s.tau) + batch * s.count;
        for (std::int64_t step = 0; step < s.count; ++step) {
            const std::int64_t k = s.last_first ? s.count - 1 - step : step;
            reflect(team, k, s.rows, s.conjugates_tau ? conjugate(tau[k]) : tau[k], s.conjugates_vectors, a, k,
                    [&](std::int64_t i) -> T& { return x.at(i, own); });
        }
    }
};

template <typename T>
struct ClearBody {
    FactorShape s;
    bool above;
    LOUPE_HD void operator()(std::int64_t index) const {
        const std::int64_t line = quotient(index, s.columns), batch = quotient(line, s.rows);
        const std::int64_t i = line - batch * s.rows, j = index - line * s.columns;
        if (above ? j > i : j < i) place_of<T>(s.a, batch).at(i, j) = nothing<T>();
    }
};

std::int64_t shorter(const FactorShape& s) { return s.rows < s.columns ? s.rows : s.columns; }

}  // namespace

void run_cholesky(const Queue& queue, const FactorShape& s, void* roots, std::int32_t* info) {
    visit_scalar(s.factor, [&](auto tag) {
        using T = decltype(tag);
        auto* const root = static_cast<Real<T>*>(roots);
        for (std::int64_t j = 0; j < s.rows; ++j) {
            if (j > 0) launch_teams(queue, s.batch * (s.rows - j), j, CholeskyColumn<T>{s, j});
            launch(queue, s.batch, CholeskyRoot<T>{s, j, root, info});
            launch(queue, s.batch * (s.rows - j - 1), CholeskyScale<T>{s, j, root, info});
        }
    });
}

void run_clear_triangle(const Queue& queue, const FactorShape& s, bool above) {
    visit_scalar(s.factor, [&](auto tag) {
        using T = decltype(tag);
        launch(queue, s.batch * s.rows * s.columns, ClearBody<T>{s, above});
    });
}

void run_lu(const Queue& queue, const FactorShape& s, std::int32_t* pivots, std::int32_t* info) {
    visit_scalar(s.factor, [&](auto tag) {
        using T = decltype(tag);
        const std::int64_t count = shorter(s);
        for (std::int64_t j = 0; j < count; ++j) {
            launch_teams(queue, s.batch, s.rows - j, PivotBody<T>{s, j, count, pivots, info});
            launch(queue, s.batch * s.columns, ExchangeBody<T>{s, j, count, pivots});
            launch(queue, s.batch * (s.rows - j - 1), LowerBody<T>{s, j});
            launch(queue, s.batch * (s.rows - j - 1) * (s.columns - j - 1), UpdateBody<T>{s, j});
        }
    });
}

void run_qr(const Queue& queue, const FactorShape& s, void* tau) {
    visit_scalar(s.factor, [&](auto tag) {
        using T = decltype(tag);
        const std::int64_t count = shorter(s);
        for (std::int64_t j = 0; j < count; ++j) {
            launch_teams(queue, s.batch, s.rows - j, ReflectorBody<T>{s, j, count, static_cast<T*>(tau)});
            launch_teams(queue, s.batch * (s.columns - j - 1), s.rows - j,
                         TrailingBody<T>{s, j, count, static_cast<const T*>(tau)});
        }
    });
}

void run_reflectors(const Queue& queue, const ReflectorShape& s) {
    visit_scalar(s.factor, [&](auto tag) {
        using T = decltype(tag);
        launch_teams(queue, s.batch * s.vectors, s.rows, ReflectorsBody<T>{s});
    });
}

}  // namespace loupe::cuda
