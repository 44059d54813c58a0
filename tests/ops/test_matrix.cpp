// SPDX-License-Identifier: Apache-2.0
// Matrix products against PyTorch.

#include "tests/ops/cases.h"

class TestMatrix : public OperatorCases {
    Q_OBJECT

  public:
    TestMatrix() : OperatorCases("matrix") {}
};

QTEST_APPLESS_MAIN(TestMatrix)
#include "test_matrix.moc"
