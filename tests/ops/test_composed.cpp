// SPDX-License-Identifier: Apache-2.0
// Operators written with others, against PyTorch.

#include "tests/ops/cases.h"

class TestComposed : public OperatorCases {
    Q_OBJECT

  public:
    TestComposed() : OperatorCases("composed") {}
};

QTEST_APPLESS_MAIN(TestComposed)
#include "test_composed.moc"
