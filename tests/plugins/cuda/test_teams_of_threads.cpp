// SPDX-License-Identifier: Apache-2.0
// Work that a team of threads shares, by emulated threads: what one thread reads no other has written since they met.
// On the host teams are one thread, which would not show it.

#include "tests/plugins/cuda/emulated_threads.h"

#include <QtTest>
#include <complex>
#include <functional>
#include <random>

#include "plugins/cuda/loops/factorizations.cu"
#include "plugins/cuda/loops/triangular.cu"

namespace loupe::cuda {
void give(const Queue&, std::function<void()> work) { work(); }
}  // namespace loupe::cuda

using namespace loupe::cuda;

namespace {

constexpr int kTeam = 8;

struct EmulatedTeam {
    int rank() const { return static_cast<int>(threadIdx.x); }
    int size() const { return kTeam; }
    template <typename T>
    T sum(T value) const {
        return join(value, [](T a, T b) { return a + b; });
    }
    template <typename T>
    T largest(T value) const {
        return join(value, [](T a, T b) { return a > b ? a : b; });
    }

  private:
    template <typename T, typename Both>
    T join(T value, Both both) const {
        static T given[kTeam];
        given[rank()] = value;
        EmulatedBlock::instance().meet_block();
        T all = given[0];
        for (int i = 1; i < kTeam; ++i) all = both(all, given[i]);
        EmulatedBlock::instance().meet_block();
        return all;
    }
};

template <typename Body>
void run_teams(std::int64_t count, const Body& body) {
    if (count == 0) return;
    const auto thread = [](const void* data) {
        (*static_cast<const Body*>(data))(EmulatedTeam(), static_cast<std::int64_t>(blockIdx.x));
    };
    EmulatedBlock::instance().run(thread, &body, static_cast<unsigned>(count), kTeam, 1);
}
template <typename Body>
void run_each(std::int64_t count, const Body& body) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
}

using Number = ComplexNumber<double>;
using Elements = std::vector<Number>;

Elements drawn(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    Elements all(count);
    for (Number& x : all) x = {normal(engine), normal(engine)};
    return all;
}
Matrices matrices(Elements& all, std::int64_t rows, std::int64_t columns) {
    return {all.data(), rows * columns, columns, 1};
}
void compare(const Elements& found, const Elements& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double off = std::hypot(found[i].re - wanted[i].re, found[i].im - wanted[i].im);
        QVERIFY2(off < 1e-10, qPrintable(QString("element %1 is off by %2").arg(i).arg(off)));
    }
}

constexpr std::int64_t kBatch = 2, kRows = 21, kColumns = 13;

FactorShape shape_of(Elements& a, std::int64_t rows, std::int64_t columns) {
    FactorShape s;
    s.factor = Factor::Complex128;
    s.batch = kBatch;
    s.rows = rows;
    s.columns = columns;
    s.a = matrices(a, rows, columns);
    return s;
}

}  // namespace

class TestTeamsOfThreads : public QObject {
    Q_OBJECT

  private slots:
    void triangularSystems() {
        for (const bool upper : {false, true}) {
            Elements a = drawn(kBatch * kRows * kRows, 1), x = drawn(kBatch * kRows * 3, 2), y = x;
            for (std::int64_t b = 0; b < kBatch; ++b) {
                for (std::int64_t i = 0; i < kRows; ++i)
                    a[static_cast<std::size_t>((b * kRows + i) * kRows + i)].re += 9;
            }
            TriangularShape s;
            s.factor = Factor::Complex128;
            s.batch = kBatch;
            s.n = kRows;
            s.columns = 3;
            s.upper = upper;
            s.a = matrices(a, kRows, kRows);
            s.x = matrices(x, kRows, 3);
            run_triangular({}, s);
            s.x = matrices(y, kRows, 3);
            run_teams(kBatch * 3, TriangularBody<Number>{s});
            compare(y, x);
        }
    }

    void choleskyFactors() {
        Elements a = drawn(kBatch * kRows * kRows, 3);
        for (std::int64_t b = 0; b < kBatch; ++b) {
            for (std::int64_t i = 0; i < kRows; ++i)
                a[static_cast<std::size_t>((b * kRows + i) * kRows + i)] = {60.0 + static_cast<double>(i), 0};
        }
        Elements found = a;
        std::vector<double> roots(kBatch);
        std::vector<std::int32_t> info(kBatch), codes(kBatch);
        run_cholesky({}, shape_of(a, kRows, kRows), roots.data(), info.data());
        const FactorShape s = shape_of(found, kRows, kRows);
        for (std::int64_t j = 0; j < kRows; ++j) {
            run_teams(kBatch * (kRows - j), CholeskyColumn<Number>{s, j});
            run_each(kBatch, CholeskyRoot<Number>{s, j, roots.data(), codes.data()});
            run_each(kBatch * (kRows - j - 1), CholeskyScale<Number>{s, j, roots.data(), codes.data()});
        }
        QCOMPARE(codes, info);
        compare(found, a);
    }

    void pivots() {
        Elements a = drawn(kBatch * kRows * kColumns, 4);
        std::vector<std::int32_t> wanted(kBatch * kColumns), found(kBatch * kColumns), info(kBatch);
        a[5 * kColumns] = a[9 * kColumns] = {7, -7};  // of equals the first
        for (std::int64_t j = 0; j < kColumns; ++j) {
            const FactorShape s = shape_of(a, kRows, kColumns);
            run_each(kBatch, [&](std::int64_t b) {
                PivotBody<Number>{s, j, kColumns, wanted.data(), info.data()}(HostTeam(), b);
            });
            run_teams(kBatch, PivotBody<Number>{s, j, kColumns, found.data(), info.data()});
        }
        QCOMPARE(found, wanted);
        QCOMPARE(wanted[0], 6);
    }

    void reflectorsOfColumns() {
        Elements a = drawn(kBatch * kRows * kColumns, 5), found = a, tau(kBatch * kColumns), scales(kBatch * kColumns);
        run_qr({}, shape_of(a, kRows, kColumns), tau.data());
        const FactorShape s = shape_of(found, kRows, kColumns);
        for (std::int64_t j = 0; j < kColumns; ++j) {
            run_teams(kBatch, ReflectorBody<Number>{s, j, kColumns, scales.data()});
            run_teams(kBatch * (kColumns - j - 1), TrailingBody<Number>{s, j, kColumns, scales.data()});
        }
        compare(found, a);
        compare(scales, tau);
        Elements x = drawn(kBatch * kRows * 4, 6), y = x;
        ReflectorShape r;
        r.factor = Factor::Complex128;
        r.batch = kBatch;
        r.rows = kRows;
        r.count = kColumns;
        r.a = s.a;
        r.tau = tau.data();
        r.vectors = 4;
        r.last_first = true;
        r.x = matrices(x, kRows, 4);
        run_reflectors({}, r);
        r.x = matrices(y, kRows, 4);
        run_teams(kBatch * 4, ReflectorsBody<Number>{r});
        compare(y, x);
    }
};

QTEST_GUILESS_MAIN(TestTeamsOfThreads)
#include "test_teams_of_threads.moc"
