// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/free_factors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <optional>
#include <span>

#include "core/autograd/grad_mode.h"
#include "core/dispatch/functions.h"
#include "tests/conformance/tolerance.h"

namespace loupe::conformance {
namespace {

enum class Side { None, Columns, Rows, Values };

// A result whose columns or rows are the vectors.
struct Vectors {
    int result = -1;
    Side side = Side::None;
};

enum class Freedom {
    Eigenvectors,  // any order of values; vectors of length 1, and any basis of the vectors of one value
    Orthonormal,   // values in order; a phase a vector, a unitary basis of the vectors of one value
    Singular,      // as Orthonormal, the same for both sides of a value that is not 0
    Triangular,    // a phase a vector, the same for columns and rows
};

struct Record {
    std::string_view op;
    Freedom freedom;
    int values;  // the result that holds them; -1: none
    std::array<Vectors, 2> vectors;
};

// The table of operators that are compared up to what is free.
constexpr std::array kRecords = std::to_array<Record>({
    {"linalg.eig", Freedom::Eigenvectors, 0, {{{1, Side::Columns}}}},
    {"linalg.eigvals", Freedom::Eigenvectors, 0, {}},
    {"linalg.eigh", Freedom::Orthonormal, 0, {{{1, Side::Columns}}}},
    {"symeig", Freedom::Orthonormal, 0, {{{1, Side::Columns}}}},
    {"linalg.svd", Freedom::Singular, 1, {{{0, Side::Columns}, {2, Side::Rows}}}},
    {"svd", Freedom::Singular, 1, {{{0, Side::Columns}, {2, Side::Columns}}}},
    {"svd_lowrank", Freedom::Singular, 1, {{{0, Side::Columns}, {2, Side::Columns}}}},
    {"pca_lowrank", Freedom::Singular, 1, {{{0, Side::Columns}, {2, Side::Columns}}}},
    {"linalg.qr", Freedom::Triangular, -1, {{{0, Side::Columns}, {1, Side::Rows}}}},
    {"qr", Freedom::Triangular, -1, {{{0, Side::Columns}, {1, Side::Rows}}}},
});

const Record* find_record(std::string_view op) {
    const auto found = std::find_if(kRecords.begin(), kRecords.end(), [op](const Record& record) {
        return op == record.op || (op.starts_with(record.op) && op[record.op.size()] == '.');
    });
    return found == kRecords.end() ? nullptr : &*found;
}

using Number = std::complex<double>;

struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<Number> numbers;

    Matrix() = default;
    Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), numbers(r * c) {}
    Number& at(std::size_t r, std::size_t c) { return numbers[r * columns + c]; }
    const Number& at(std::size_t r, std::size_t c) const { return numbers[r * columns + c]; }
};

Matrix identity(std::size_t n) {
    Matrix out(n, n);
    for (std::size_t i = 0; i < n; ++i) out.at(i, i) = 1;
    return out;
}

Matrix adjoint(const Matrix& m) {
    Matrix out(m.columns, m.rows);
    for (std::size_t r = 0; r < m.rows; ++r) {
        for (std::size_t c = 0; c < m.columns; ++c) out.at(c, r) = std::conj(m.at(r, c));
    }
    return out;
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix out(a.rows, b.columns);
    for (std::size_t r = 0; r < a.rows; ++r) {
        for (std::size_t k = 0; k < a.columns; ++k) {
            for (std::size_t c = 0; c < b.columns; ++c) out.at(r, c) += a.at(r, k) * b.at(k, c);
        }
    }
    return out;
}

// Gauss-Jordan with pivots; none for a singular matrix.
std::optional<Matrix> inverse(Matrix m) {
    Matrix out = identity(m.rows);
    for (std::size_t c = 0; c < m.columns; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c; r < m.rows; ++r) pivot = std::abs(m.at(r, c)) > std::abs(m.at(pivot, c)) ? r : pivot;
        if (std::abs(m.at(pivot, c)) < 1e-12) return std::nullopt;
        for (std::size_t k = 0; k < m.columns; ++k) {
            std::swap(m.at(c, k), m.at(pivot, k));
            std::swap(out.at(c, k), out.at(pivot, k));
        }
        const Number scale = 1.0 / m.at(c, c);
        for (std::size_t k = 0; k < m.columns; ++k) {
            m.at(c, k) *= scale;
            out.at(c, k) *= scale;
        }
        for (std::size_t r = 0; r < m.rows; ++r) {
            const Number factor = m.at(r, c);
            if (r == c || factor == 0.0) continue;
            for (std::size_t k = 0; k < m.columns; ++k) {
                m.at(r, k) -= factor * m.at(c, k);
                out.at(r, k) -= factor * out.at(c, k);
            }
        }
    }
    return out;
}

// The unitary factor of the polar decomposition, by Newton's iteration. A singular matrix gives the identity.
Matrix nearest_unitary(Matrix m) {
    if (m.rows == 1) {
        const double length = std::abs(m.at(0, 0));
        m.at(0, 0) = length > 0 ? m.at(0, 0) / length : 1;
        return m;
    }
    for (int i = 0; i < 50; ++i) {
        const auto turned = inverse(adjoint(m));
        if (!turned) return identity(m.rows);
        for (std::size_t k = 0; k < m.numbers.size(); ++k) m.numbers[k] = 0.5 * (m.numbers[k] + turned->numbers[k]);
    }
    return m;
}

Matrix columns_at(const Matrix& m, std::span<const std::size_t> which) {
    Matrix out(m.rows, which.size());
    for (std::size_t r = 0; r < m.rows; ++r) {
        for (std::size_t c = 0; c < which.size(); ++c) out.at(r, c) = m.at(r, which[c]);
    }
    return out;
}

// One pair of frames: vectors as columns, ours and the expected ones.
struct Frames {
    Matrix ours, expected;
};

using Group = std::vector<std::size_t>;

// ours: the columns' places in our frames, expected: in the expected ones.
void turn_group(const std::vector<const Frames*>& frames, const Group& ours, const Group& expected, bool is_unitary,
                Matrix& turn) {
    Matrix overlap(ours.size(), expected.size());
    Matrix gram(ours.size(), ours.size());
    for (const Frames* pair : frames) {
        const Matrix a = columns_at(pair->ours, ours);
        const Matrix found = product(adjoint(a), columns_at(pair->expected, expected));
        const Matrix own = product(adjoint(a), a);
        for (std::size_t k = 0; k < found.numbers.size(); ++k) {
            overlap.numbers[k] += found.numbers[k];
            gram.numbers[k] += own.numbers[k];
        }
    }
    Matrix best = identity(ours.size());
    if (is_unitary || ours.size() == 1) {
        best = nearest_unitary(overlap);
    } else if (const auto solved = inverse(gram)) {
        best = product(*solved, overlap);
    }
    for (std::size_t r = 0; r < ours.size(); ++r) {
        for (std::size_t c = 0; c < expected.size(); ++c) turn.at(ours[r], expected[c]) = best.at(r, c);
    }
}

// Values that lie together within `gap`, as their places.
std::vector<Group> groups_of(std::span<const Number> values, double gap) {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto near = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
            return std::any_of(group.begin(), group.end(),
                               [&](std::size_t k) { return std::abs(values[k] - values[i]) <= gap; });
        });
        if (near == groups.end())
            groups.push_back({i});
        else
            near->push_back(i);
    }
    return groups;
}

// For each expected value the place of ours that is nearest.
std::vector<std::size_t> pair_values(std::span<const Number> ours, std::span<const Number> expected) {
    std::vector<std::size_t> places(expected.size());
    std::vector<bool> is_taken(ours.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        std::size_t best = ours.size();
        for (std::size_t k = 0; k < ours.size(); ++k) {
            if (is_taken[k]) continue;
            if (best == ours.size() || std::abs(ours[k] - expected[i]) < std::abs(ours[best] - expected[i])) best = k;
        }
        places[i] = best;
        is_taken[best] = true;
    }
    return places;
}

Group range(std::size_t from, std::size_t to) {
    Group out(to - from);
    std::iota(out.begin(), out.end(), from);
    return out;
}

std::vector<Number> numbers_of(const Tensor& t) {
    const Tensor wide = fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Complex128)), 0);
    const auto* first = wide.data<Number>();
    return {first, first + wide.numel()};
}

Tensor tensor_of(const std::vector<Number>& numbers, const Tensor& like) {
    const Tensor wide = empty(like.sizes(), is_complex(like.dtype()) ? ScalarType::Complex128 : ScalarType::Float64);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (is_complex(like.dtype()))
            wide.data<Number>()[i] = numbers[i];
        else
            wide.data<double>()[i] = numbers[i].real();
    }
    return fn::to_dtype(wide, static_cast<std::int64_t>(like.dtype()));
}

// A batch of matrices; vectors of values are matrices of one row.
std::vector<Matrix> matrices_of(const Tensor& t, Side side) {
    const std::size_t dims = static_cast<std::size_t>(t.dim());
    const auto columns = static_cast<std::size_t>(t.sizes()[dims - 1]);
    const auto rows = side == Side::Values ? std::size_t{1} : static_cast<std::size_t>(t.sizes()[dims - 2]);
    const std::vector<Number> numbers = numbers_of(t);
    std::vector<Matrix> out(rows * columns == 0 ? 0 : numbers.size() / (rows * columns), Matrix(rows, columns));
    for (std::size_t i = 0; i < out.size(); ++i)
        std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(i * rows * columns), rows * columns,
                    out[i].numbers.begin());
    return out;
}

bool is_finite(const Tensor& t) {
    const std::vector<Number> numbers = numbers_of(t);
    return std::all_of(numbers.begin(), numbers.end(),
                       [](Number x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); });
}

bool may_be_turned(const TensorList& actual, const TensorList& expected, const Record& record) {
    std::vector<Vectors> parts(record.vectors.begin(), record.vectors.end());
    parts.push_back({record.values, Side::Values});
    return std::all_of(parts.begin(), parts.end(), [&](const Vectors& part) {
        if (part.result < 0) return true;
        const auto i = static_cast<std::size_t>(part.result);
        if (i >= actual.size() || i >= expected.size() || !actual[i].defined()) return false;
        const Tensor &ours = actual[i], &want = expected[i];
        return std::ranges::equal(ours.sizes(), want.sizes()) && ours.dim() >= (part.side == Side::Values ? 1 : 2) &&
               ours.numel() > 0 && is_finite(ours) && is_finite(want);
    });
}

// One matrix of the batch: which vectors turn together, and where ours stand.
struct Grouping {
    std::vector<Group> groups;        // of expected columns
    std::vector<std::size_t> places;  // ours, by expected column
    std::size_t shared = 0;           // columns that the groups cover; those behind them are any basis of what is left
};

Grouping group_by_values(const Record& record, const Matrix& ours, const Matrix& expected, double relative_gap) {
    double greatest = 0;
    for (const Number& value : expected.numbers) greatest = std::max(greatest, std::abs(value));
    const double gap = relative_gap * greatest;
    Grouping out;
    out.shared = expected.columns;
    if (record.freedom == Freedom::Singular) {
        while (out.shared > 0 && std::abs(expected.at(0, out.shared - 1)) <= gap) --out.shared;
    }
    out.groups = groups_of(std::span(expected.numbers).first(out.shared), gap);
    out.places = record.freedom == Freedom::Eigenvectors ? pair_values(ours.numbers, expected.numbers)
                                                         : range(0, expected.columns);
    return out;
}

Grouping group_each(std::size_t count) {
    Grouping out{{}, range(0, count), count};
    for (const std::size_t i : out.places) out.groups.push_back({i});
    return out;
}

// A matrix for each of the frames.
std::vector<Matrix> turns_of(const std::vector<Frames>& frames, const Grouping& grouping, bool is_unitary) {
    std::vector<const Frames*> together;
    std::vector<Matrix> turns;
    for (const Frames& pair : frames) {
        together.push_back(&pair);
        turns.emplace_back(pair.ours.columns, pair.ours.columns);
    }
    for (const Group& group : grouping.groups) {
        Group ours;
        for (const std::size_t i : group) ours.push_back(grouping.places[i]);
        for (Matrix& turn : turns) turn_group(together, ours, group, is_unitary, turn);
    }
    for (std::size_t k = 0; k < frames.size(); ++k) {
        const Group others = range(grouping.shared, frames[k].ours.columns);
        if (!others.empty()) turn_group({&frames[k]}, others, others, true, turns[k]);
    }
    return turns;
}

Matrix permutation_of(const std::vector<std::size_t>& places) {
    Matrix out(places.size(), places.size());
    for (std::size_t i = 0; i < places.size(); ++i) out.at(places[i], i) = 1;
    return out;
}

Frames frames_of(const Matrix& ours, const Matrix& expected, Side side) {
    return side == Side::Rows ? Frames{adjoint(ours), adjoint(expected)} : Frames{ours, expected};
}

template <typename Each>
Tensor each_matrix(const Tensor& t, Side side, Each&& each) {
    const GradModeScope no_grad(false);
    const std::vector<Matrix> matrices = matrices_of(t, side);
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const Matrix out = each(i, matrices[i]);
        numbers.insert(numbers.end(), out.numbers.begin(), out.numbers.end());
    }
    return tensor_of(numbers, t);
}

}  // namespace

// side None: left as it is.
struct FreeFactors::Turn {
    Side side = Side::None;
    std::vector<Matrix> matrices;  // ours times it is the expected one, or its adjoint times ours for rows
};

FreeFactors::~FreeFactors() = default;

FreeFactors::FreeFactors(std::string_view op, const TensorList& actual, const TensorList& expected)
    : turns_(actual.size()) {
    const GradModeScope no_grad(false);
    const Record* const record = find_record(op);
    if (record == nullptr || !may_be_turned(actual, expected, *record)) return;

    struct Part {
        std::vector<Matrix> ours, expected;
    };
    const auto part_of = [&](int result, Side side) {
        const auto i = static_cast<std::size_t>(result);
        return Part{matrices_of(actual[i], side), matrices_of(expected[i], side)};
    };
    std::vector<Part> parts;
    for (const Vectors& vectors : record->vectors) {
        if (vectors.result < 0) continue;
        parts.push_back(part_of(vectors.result, vectors.side));
        turns_[static_cast<std::size_t>(vectors.result)].side = vectors.side;
    }
    const bool has_values = record->values >= 0;
    const Part values = has_values ? part_of(record->values, Side::Values) : Part{};
    const double gap =
        has_values ? 100 * tolerance_of(expected[static_cast<std::size_t>(record->values)].dtype()).rtol : 0;

    const std::size_t count = has_values ? values.ours.size() : parts.front().ours.size();
    for (std::size_t batch = 0; batch < count; ++batch) {
        std::vector<Frames> frames;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            frames.push_back(frames_of(parts[k].ours[batch], parts[k].expected[batch], record->vectors[k].side));
        }
        const Grouping grouping = has_values
                                      ? group_by_values(*record, values.ours[batch], values.expected[batch], gap)
                                      : group_each(std::min(frames[0].expected.columns, frames[1].expected.rows));
        std::vector<Matrix> turns = turns_of(frames, grouping, record->freedom != Freedom::Eigenvectors);
        for (std::size_t k = 0; k < turns.size(); ++k) {
            turns_[static_cast<std::size_t>(record->vectors[k].result)].matrices.push_back(std::move(turns[k]));
        }
        if (record->freedom == Freedom::Eigenvectors) {
            Turn& order = turns_[static_cast<std::size_t>(record->values)];
            order.side = Side::Values;
            order.matrices.push_back(permutation_of(grouping.places));
        }
    }
}

Tensor FreeFactors::turned(std::size_t i, const Tensor& result) const {
    if (i >= turns_.size() || turns_[i].side == Side::None) return result;
    const Turn& turn = turns_[i];
    return each_matrix(result, turn.side, [&](std::size_t k, const Matrix& m) {
        return turn.side == Side::Rows ? product(adjoint(turn.matrices[k]), m) : product(m, turn.matrices[k]);
    });
}

Tensor FreeFactors::turned_cotangent(std::size_t i, const Tensor& cotangent) const {
    if (i >= turns_.size() || turns_[i].side == Side::None) return cotangent;
    const Turn& turn = turns_[i];
    return each_matrix(cotangent, turn.side, [&](std::size_t k, const Matrix& m) {
        return turn.side == Side::Rows ? product(turn.matrices[k], m) : product(m, adjoint(turn.matrices[k]));
    });
}

}  // namespace loupe::conformance
