// SPDX-License-Identifier: Apache-2.0
// Quantisation, products with quantised weights and operators made of others against PyTorch.

#include "tests/ops/cases.h"

class TestQuantized : public OperatorCases {
    Q_OBJECT

  public:
    TestQuantized() : OperatorCases("quantized") {}
};

QTEST_APPLESS_MAIN(TestQuantized)
#include "test_quantized.moc"
