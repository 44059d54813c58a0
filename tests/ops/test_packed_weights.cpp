// SPDX-License-Identifier: Apache-2.0
// Products with weights of few bits: each kernel against sums in double of the numbers that the weights stand for.
#include <QtTest>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/record/reduce_tensor.h"
#include "core/tensor/packed.h"

using namespace loupe;

namespace {

std::mt19937 generator(3);

Tensor random_floats(std::vector<std::int64_t> sizes) {
    const Tensor out = empty(sizes, ScalarType::Float32);
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < out.numel(); ++i) out.data<float>()[i] = normal(generator);
    return out;
}

// Random bits whose halves, wherever they lie, are numbers near 1.
Tensor random_packed(const GgmlType& type, std::int64_t rows, std::int64_t columns, bool in_order = true) {
    const Tensor bytes =
        empty(std::vector<std::int64_t>{rows, columns / type.elements * type.bytes}, ScalarType::UInt8);
    auto* const data = bytes.data<std::uint8_t>();
    for (std::int64_t i = 0; i < bytes.numel(); ++i) data[i] = static_cast<std::uint8_t>(generator());
    if (type.name == "F32") {
        std::normal_distribution<float> normal;
        for (std::int64_t i = 0; i < bytes.numel(); i += 4) {
            const float value = normal(generator);
            std::memcpy(data + i, &value, 4);
        }
    } else {
        for (std::int64_t i = 1; i < bytes.numel(); i += 2)
            data[i] = static_cast<std::uint8_t>((data[i] & 0x83) | 0x2C);
    }
    std::vector<std::int32_t> order;
    if (!in_order) {
        order.resize(static_cast<std::size_t>(rows));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, generator);
    }
    return make_packed(type, bytes, std::move(order));
}

double at(const Tensor& t, std::int64_t i, std::int64_t j) {
    const std::int64_t place = t.storage_offset() + i * t.stride(0) + j * t.stride(1);
    if (t.dtype() == ScalarType::BFloat16)
        return static_cast<float>(static_cast<const BFloat16*>(t.storage()->data())[place]);
    if (t.dtype() == ScalarType::Float16)
        return static_cast<float>(static_cast<const Half*>(t.storage()->data())[place]);
    return static_cast<const float*>(t.storage()->data())[place];
}

// |mine - a b| is no more than `ulp` of the sum and what float32 loses in its terms.
void compare_product(const Tensor& mine, const Tensor& a, const Tensor& b, double ulp) {
    QCOMPARE(mine.size(0), a.size(0));
    QCOMPARE(mine.size(1), b.size(1));
    for (std::int64_t i = 0; i < a.size(0); ++i)
        for (std::int64_t j = 0; j < b.size(1); ++j) {
            double sum = 0, size = 0;
            for (std::int64_t k = 0; k < a.size(1); ++k) {
                sum += at(a, i, k) * at(b, k, j);
                size += std::fabs(at(a, i, k) * at(b, k, j));
            }
            const double off = std::fabs(at(mine, i, j) - sum);
            QVERIFY2(off <= ulp * std::fabs(sum) + 1e-6 * size + 1e-30,
                     qPrintable(QString("row %1 column %2: %3, not %4").arg(i).arg(j).arg(at(mine, i, j)).arg(sum)));
        }
}

Tensor turned(const Tensor& t) { return fn::transpose(t, 0, 1); }

class TestPackedWeights : public QObject {
    Q_OBJECT

  private slots:
    void multiplies_by_packed_rows_data() {
        QTest::addColumn<std::uint32_t>("type");
        for (const std::uint32_t number : {0U, 1U, 2U, 3U, 8U, 12U, 13U, 14U, 30U})
            QTest::newRow(ggml_type(number)->name.data()) << number;
    }
    void multiplies_by_packed_rows() {
        QFETCH(std::uint32_t, type);
        for (const bool in_order : {true, false}) {
            const Tensor weight = random_packed(*ggml_type(type), 70, 768, in_order);
            const Tensor dense = unpacked(weight);
            for (const std::int64_t rows : {1, 2, 4, 5, 40}) {
                const Tensor x = random_floats({rows, 768}), y = random_floats({rows, 70});
                compare_product(fn::linear(x, weight, IValue()), x, turned(dense), 0);
                compare_product(fn::mm(x, packed_transpose(weight)), x, turned(dense), 0);
                compare_product(fn::matmul(y, weight), y, dense, 0);
            }
        }
    }

    void differentiates_products() {
        const Tensor weight = random_packed(*ggml_type(12), 70, 256);
        const Tensor dense = unpacked(weight);
        const auto gradient = [&](const Tensor& by, bool transposes) {
            generator.seed(5);
            const Tensor x = random_floats({3, transposes ? 256 : 70});
            set_requires_grad(x, true);
            const Tensor out = transposes ? fn::linear(x, by, IValue()) : fn::mm(x, by);
            backward({fn::sum(fn::pow_scalar(out, Scalar(2)))});
            return grad_of(x);
        };
        for (const bool transposes : {true, false}) {
            const Tensor mine = gradient(weight, transposes), wanted = gradient(dense, transposes);
            for (std::int64_t i = 0; i < mine.numel(); ++i)
                QVERIFY(std::fabs(mine.data<float>()[i] - wanted.data<float>()[i]) <=
                        1e-4F * std::max(1.0F, std::fabs(wanted.data<float>()[i])));
        }
    }

    void takes_rows() {
        for (const bool in_order : {true, false}) {
            const Tensor weight = random_packed(*ggml_type(8), 9, 64, in_order);
            const Tensor dense = unpacked(weight);
            const auto same = [](const Tensor& mine, const Tensor& wanted) {
                const Tensor numbers = is_packed(mine) ? unpacked(mine) : mine;
                return std::ranges::equal(numbers.sizes(), wanted.sizes()) &&
                       item(fn::sum(fn::ne(numbers, wanted))).to_double() == 0;
            };
            QVERIFY(same(fn::select(weight, 0, -2), fn::select(dense, 0, -2)));
            QVERIFY(is_packed(fn::slice(weight, 0, 2, 7, 1)));
            QVERIFY(same(fn::slice(weight, 0, 2, 7, 1), fn::slice(dense, 0, 2, 7, 1)));
            QVERIFY(same(fn::slice(weight, 0, 1, 9, 3), fn::slice(dense, 0, 1, 9, 3)));
            const Tensor places = empty(std::vector<std::int64_t>{3}, ScalarType::Int64);
            std::ranges::copy(std::vector<std::int64_t>{8, 0, 8}, places.data<std::int64_t>());
            QVERIFY(same(fn::index_select(weight, 0, places), fn::index_select(dense, 0, places)));
            const Tensor across = packed_transpose(weight);
            QVERIFY(same(fn::select(across, 1, 4), fn::select(dense, 0, 4)));
            QVERIFY(same(fn::slice(across, 1, 0, 4, 1), fn::slice(turned(dense), 1, 0, 4, 1)));
            QVERIFY_THROWS_EXCEPTION(Error, fn::select(weight, 1, 0));
            QVERIFY_THROWS_EXCEPTION(Error, fn::select(weight, 0, 9));
            // A run of rows is a view of the bytes.
            const bool is_view =
                packed_parts(fn::slice(weight, 0, 2, 3, 1)).bytes.storage() == packed_parts(weight).bytes.storage();
            QVERIFY(is_view);
        }
    }

    void looks_at_slices() {
        for (const bool transposes : {false, true}) {
            const Tensor packed = random_packed(*ggml_type(2), 9, 64, false);
            const Tensor weight = transposes ? packed_transpose(packed) : packed, dense = unpacked(weight);
            for (const char* slice : {"", "[3]", "[2:7:2]", "[..., 5]", "[-1, 3:6]", "[1:1]", "[4, 5]"}) {
                session::TensorRequest request;
                request.slice = slice;
                const auto mine = session::reduce_tensor(weight, request),
                           wanted = session::reduce_tensor(dense, request);
                QCOMPARE(mine.sliced_shape, wanted.sliced_shape);
                QCOMPARE(mine.strides, wanted.strides);
                QCOMPARE(mine.data.size(), wanted.data.size());
                for (std::size_t i = 0; i < mine.data.size(); ++i)
                    QCOMPARE(mine.data[i].elements, wanted.data[i].elements);
            }
        }
    }

    // Few rows, few columns and many of both, of each layout.
    void multiplies_floats_of_16_bits_data() {
        QTest::addColumn<int>("dtype");
        QTest::newRow("bfloat16") << static_cast<int>(ScalarType::BFloat16);
        QTest::newRow("float16") << static_cast<int>(ScalarType::Float16);
    }
    void multiplies_floats_of_16_bits() {
        QFETCH(int, dtype);
        const auto narrow = [&](const Tensor& t) { return fn::to_dtype(t, std::int64_t{dtype}); };
        const double ulp = static_cast<ScalarType>(dtype) == ScalarType::BFloat16 ? 1.0 / 256 : 1.0 / 2048;
        for (const auto& [m, k, n] : std::vector<std::array<std::int64_t, 3>>{{1, 70, 300},
                                                                              {3, 129, 65},
                                                                              {8, 33, 100},
                                                                              {9, 64, 40},
                                                                              {200, 50, 1},
                                                                              {40, 31, 5},
                                                                              {1, 5, 1},
                                                                              {33, 40, 50}}) {
            const Tensor a = narrow(random_floats({m, k})), b = narrow(random_floats({k, n}));
            const Tensor a_turned = turned(fn::contiguous(turned(a), 0)),
                         b_turned = turned(fn::contiguous(turned(b), 0));
            const Tensor wide = narrow(random_floats({k, 2 * n}));
            const Tensor apart = fn::slice(wide, 1, 0, 2 * n, 2);
            for (const Tensor& left : {a, a_turned}) {
                for (const Tensor& right : {b, b_turned, apart}) compare_product(fn::mm(left, right), left, right, ulp);
            }
            const Tensor bias = narrow(random_floats({n}));
            const Tensor sum = fn::addmm(bias, a, b_turned, Scalar(2), Scalar(3));
            for (std::int64_t j = 0; j < n; ++j) {
                double wanted = 2 * at(fn::unsqueeze(bias, 0), 0, j);
                for (std::int64_t i = 0; i < k; ++i) wanted += 3 * at(a, 0, i) * at(b, i, j);
                QVERIFY(std::fabs(at(sum, 0, j) - wanted) <= ulp * std::fabs(wanted) + 1e-4);
            }
        }
    }

    void multiplies_batches_of_16_bits() {
        const auto narrow = [&](const Tensor& t) {
            return fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::BFloat16));
        };
        const Tensor a = narrow(random_floats({6, 3, 40})), b = narrow(random_floats({6, 40, 20}));
        const Tensor out = fn::bmm(a, b);
        for (std::int64_t i = 0; i < 6; ++i)
            compare_product(fn::select(out, 0, i), fn::select(a, 0, i), fn::select(b, 0, i), 1.0 / 256);
    }
};

}  // namespace

QTEST_GUILESS_MAIN(TestPackedWeights)
#include "test_packed_weights.moc"
