// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <functional>

#include "core/base/error.h"
#include "core/tensor/tensor.h"
#include "tests/support/table.h"

using namespace loupe;

namespace {

using Ints = std::vector<std::int64_t>;

Ints ints(IntSpan span) { return {span.begin(), span.end()}; }

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.message();
    }
    return "nothing was thrown";
}

}  // namespace

class TensorTest : public QObject {
    Q_OBJECT
  private slots:
    void broadcast_as_torch();
    void layouts_as_torch();
    void out_of_bounds_views_data();
    void out_of_bounds_views();
    void views_share_storage_and_version();
    void wrapping_dimensions();
    void broadcast_message();
    void numbers_in_and_out();
    void strided_holds_its_last_element();
    void texts();
    void metadata_of_itself();
};

void TensorTest::broadcast_as_torch() {
    for (const auto& row : test::read_table("tensor/broadcast.txt")) {
        const Ints a = test::int_list(row[0]);
        const Ints b = test::int_list(row[1]);
        const std::string what = row[0] + " with " + row[1];
        if (row[2] == "error") {
            QVERIFY_THROWS_EXCEPTION(Error, broadcast_shapes(a, b));
        } else {
            const Dims result = broadcast_shapes(a, b);
            QVERIFY2(ints(span_of(result)) == test::int_list(row[2]), what.c_str());
        }
    }
}

void TensorTest::layouts_as_torch() {
    const Tensor base = empty(Ints{5000}, ScalarType::Float32);
    for (const auto& row : test::read_table("tensor/layouts.txt")) {
        const std::string what = row[0] + " strides " + row[1];
        const Tensor t = base.view_as_strided(test::int_list(row[0]), test::int_list(row[1]), 0);
        QVERIFY2(t.is_contiguous() == (row[2] == "1"), what.c_str());
        if (t.dim() == 4 || t.dim() == 5) QVERIFY2(t.is_channels_last() == (row[3] == "1"), what.c_str());
        QVERIFY2(t.is_non_overlapping_and_dense() == (row[4] == "1"), what.c_str());
        QVERIFY2(ints(empty_like(t).strides()) == test::int_list(row[5]), what.c_str());
    }
}

void TensorTest::out_of_bounds_views_data() {
    QTest::addColumn<Ints>("sizes");
    QTest::addColumn<Ints>("strides");
    QTest::addColumn<qlonglong>("offset");
    QTest::addColumn<bool>("fits");
    const std::int64_t big = std::int64_t{1} << 62;
    QTest::newRow("all") << Ints{3, 4} << Ints{4, 1} << 0ll << true;
    QTest::newRow("one past") << Ints{3, 4} << Ints{4, 1} << 1ll << false;
    QTest::newRow("last element") << Ints{} << Ints{} << 11ll << true;
    QTest::newRow("behind the end") << Ints{} << Ints{} << 12ll << false;
    QTest::newRow("overlapping") << Ints{3, 3} << Ints{1, 1} << 7ll << true;
    QTest::newRow("expanded") << Ints{100, 12} << Ints{0, 1} << 0ll << true;
    QTest::newRow("empty") << Ints{0, 5} << Ints{5, 1} << 0ll << true;
    QTest::newRow("negative offset") << Ints{1} << Ints{1} << -1ll << false;
    QTest::newRow("negative stride") << Ints{3} << Ints{-1} << 1ll << false;
    QTest::newRow("negative size") << Ints{-1} << Ints{1} << 0ll << false;
    QTest::newRow("overflow") << Ints{4, 2} << Ints{big, big} << 0ll << false;
    QTest::newRow("wrap to zero") << Ints{5, 2} << Ints{big, 1} << 0ll << false;
    QTest::newRow("ranks differ") << Ints{2, 2} << Ints{1} << 0ll << false;
}

void TensorTest::out_of_bounds_views() {
    QFETCH(Ints, sizes);
    QFETCH(Ints, strides);
    QFETCH(qlonglong, offset);
    QFETCH(bool, fits);
    const Tensor base = zeros(Ints{12});
    if (fits) {
        QCOMPARE(base.view_as_strided(sizes, strides, offset).numel(), checked_numel(sizes));
    } else {
        QVERIFY_THROWS_EXCEPTION(Error, base.view_as_strided(sizes, strides, offset));
    }
}

void TensorTest::views_share_storage_and_version() {
    const Tensor base = tensor_of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
    const Tensor row = base.view_as_strided(Ints{3}, Ints{1}, 3);
    QCOMPARE(row.data<float>()[0], 4.0f);
    QVERIFY(row.storage() == base.storage() && !row.is_same(base));
    base.storage()->bump_version();
    QCOMPARE(row.version(), 1u);
    const Tensor copy = row.shallow_copy();
    QCOMPARE(copy.raw_data(), row.raw_data());
    QVERIFY(!copy.is_same(row));
}

void TensorTest::wrapping_dimensions() {
    QCOMPARE(wrap_dim(-1, 4), std::int64_t{3});
    QCOMPARE(wrap_dim(-1, 0), std::int64_t{0});
    QCOMPARE(wrap_dim(0, 0), std::int64_t{0});
    QCOMPARE(message_of([] { wrap_dim(2, 2); }),
             std::string("Dimension out of range (expected to be in range of [-2, 1], but got 2)"));
    QCOMPARE(message_of([] { wrap_dim(-3, 2); }),
             std::string("Dimension out of range (expected to be in range of [-2, 1], but got -3)"));
    const Tensor t = zeros(Ints{2, 3});
    QCOMPARE(t.size(-1), std::int64_t{3});
    QCOMPARE(t.stride(-2), std::int64_t{3});
    QVERIFY_THROWS_EXCEPTION(Error, t.size(2));
}

void TensorTest::broadcast_message() {
    QCOMPARE(message_of([] {
                 broadcast_shapes(Ints{2, 3, 4}, Ints{2, 4});
             }),
             std::string("The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1"));
    QVERIFY(message_of([] {
                zeros(Ints{4}).view_as_strided(Ints{3, 3}, Ints{1, 1}, 0);
            })
                .starts_with("setStorage: sizes [3, 3], strides [1, 1], storage offset 0, and itemsize 4 requiring a "
                             "storage size of 20 are out of bounds for storage of size 16"));
}

void TensorTest::numbers_in_and_out() {
    for (int number = 0; number < 16; ++number) {
        const auto dtype = dtype_from_number(number);
        if (!dtype) continue;
        const Tensor t = scalar_tensor(Scalar(1), *dtype);
        QCOMPARE(t.dim(), std::int64_t{0});
        QCOMPARE(item(t).to_double(), 1.0);
        QCOMPARE(item(t).kind(), is_complex(*dtype)           ? Scalar::Kind::Complex
                                 : is_floating(*dtype)        ? Scalar::Kind::Double
                                 : *dtype == ScalarType::Bool ? Scalar::Kind::Bool
                                                              : Scalar::Kind::Int);
    }
    QVERIFY(wrapped_number(2).impl()->wrapped_number);
    QCOMPARE(wrapped_number(2.5).dtype(), ScalarType::Float64);
    QCOMPARE(message_of([] { item(zeros(Ints{2})); }),
             std::string("a Tensor with 2 elements cannot be converted to Scalar"));
}

void TensorTest::strided_holds_its_last_element() {
    const Tensor t = empty_strided(Ints{2, 3}, Ints{1, 4}, ScalarType::Int16);
    QCOMPARE(t.storage()->bytes(), std::size_t{(1 + 8 + 1) * 2});
    QCOMPARE(empty_strided(Ints{0, 3}, Ints{3, 1}, ScalarType::Int16).storage()->bytes(), std::size_t{0});
    QVERIFY_THROWS_EXCEPTION(Error, empty_strided(Ints{2}, Ints{-1}, ScalarType::Int16));
    QVERIFY_THROWS_EXCEPTION(
        Error, empty_strided(Ints{2, 2}, Ints{std::int64_t{1} << 62, std::int64_t{1} << 62}, ScalarType::Int16));
}

void TensorTest::texts() {
    QCOMPARE(shape_text(Ints{1, 64, 56}), std::string("1x64x56"));
    QCOMPARE(shape_text(Ints{}), std::string("scalar"));
    QCOMPARE(shape_list_text(Ints{1, 2}), std::string("[1, 2]"));
    QCOMPARE(shape_list_text(Ints{}), std::string("[]"));
    QCOMPARE(describe(zeros(Ints{2, 3})), std::string("float32 2x3"));
    QCOMPARE(describe(Tensor()), std::string("undefined"));
}

void TensorTest::metadata_of_itself() {
    const Tensor t = tensor_of<float>({1, 2, 3, 4}, {2, 2});
    t.set_metadata_from(t);
    QCOMPARE(ints(t.sizes()), (Ints{2, 2}));
    const Tensor other = tensor_of<float>({5, 6, 7}, {3});
    t.set_metadata_from(other);
    QCOMPARE(ints(t.sizes()), Ints{3});
    QCOMPARE(t.numel(), std::int64_t{3});
    QCOMPARE(t.raw_data(), other.raw_data());
}

QTEST_APPLESS_MAIN(TensorTest)
#include "tensor_test.moc"
