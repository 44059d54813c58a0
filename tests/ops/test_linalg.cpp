// SPDX-License-Identifier: Apache-2.0
// Linear algebra, against PyTorch.

#include "tests/ops/cases.h"

class TestLinalg : public OperatorCases {
    Q_OBJECT

  public:
    TestLinalg() : OperatorCases("linalg") {}
};

QTEST_APPLESS_MAIN(TestLinalg)
#include "test_linalg.moc"
