// SPDX-License-Identifier: Apache-2.0
// Fourier transforms against PyTorch.

#include "tests/ops/cases.h"

class TestFft : public OperatorCases {
    Q_OBJECT

  public:
    TestFft() : OperatorCases("fft") {}
};

QTEST_APPLESS_MAIN(TestFft)
#include "test_fft.moc"
