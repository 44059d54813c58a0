// SPDX-License-Identifier: Apache-2.0
// Special functions against PyTorch.

#include "tests/ops/cases.h"

class TestSpecial : public OperatorCases {
    Q_OBJECT

  public:
    TestSpecial() : OperatorCases("special") {}
};

QTEST_APPLESS_MAIN(TestSpecial)
#include "test_special.moc"
