// SPDX-License-Identifier: Apache-2.0
// Elementwise operators against PyTorch.

#include "tests/ops/cases.h"

class TestPointwise : public OperatorCases {
    Q_OBJECT

  public:
    TestPointwise() : OperatorCases("pointwise") {}
};

QTEST_APPLESS_MAIN(TestPointwise)
#include "test_pointwise.moc"
