// SPDX-License-Identifier: Apache-2.0
// Sorting against PyTorch.

#include "tests/ops/cases.h"

class TestSorting : public OperatorCases {
    Q_OBJECT

  public:
    TestSorting() : OperatorCases("sorting") {}
};

QTEST_APPLESS_MAIN(TestSorting)
#include "test_sorting.moc"
