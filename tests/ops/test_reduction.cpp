// SPDX-License-Identifier: Apache-2.0
// Reductions against PyTorch.

#include "tests/ops/cases.h"

class TestReduction : public OperatorCases {
    Q_OBJECT

  public:
    TestReduction() : OperatorCases("reduction") {}
};

QTEST_APPLESS_MAIN(TestReduction)
#include "test_reduction.moc"
