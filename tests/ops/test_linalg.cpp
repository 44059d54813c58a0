// SPDX-License-Identifier: Apache-2.0
// Linear algebra, against PyTorch.

#include "core/ops/linalg/calls.h"
#include "core/tensor/tensor.h"
#include "tests/ops/cases.h"

using namespace loupe;

class TestLinalg : public OperatorCases {
    Q_OBJECT

  public:
    TestLinalg() : OperatorCases("linalg") {}

  private slots:
    void large_matrices_of_floats();
};

// LAPACK says in the matrix's own type how much memory it wants. For this size a float cannot hold that number.
void TestLinalg::large_matrices_of_floats() {
    constexpr std::int64_t kSize = 2897;
    for (const ScalarType type : {ScalarType::Float32, ScalarType::Complex64}) {
        const Tensor diagonal = zeros(std::vector{kSize, kSize}, type);
        for (std::int64_t i = 0; i < kSize; ++i) {
            const auto value = static_cast<float>(i + 1);
            if (type == ScalarType::Float32)
                diagonal.data<float>()[i * kSize + i] = value;
            else
                diagonal.data<std::complex<float>>()[i * kSize + i] = value;
        }
        const auto [values, vectors] = linalg::call::eigh(diagonal, "L");
        for (std::int64_t i = 0; i < kSize; ++i) QCOMPARE(values.data<float>()[i], static_cast<float>(i + 1));
    }
}

QTEST_APPLESS_MAIN(TestLinalg)
#include "test_linalg.moc"
