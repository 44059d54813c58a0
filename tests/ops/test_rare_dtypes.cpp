// SPDX-License-Identifier: Apache-2.0
// Unsigned integers above eight bits and floats of eight bits against PyTorch.

#include "tests/ops/cases.h"

class TestRareDtypes : public OperatorCases {
    Q_OBJECT

  public:
    TestRareDtypes() : OperatorCases("rare_dtypes") {}
};

QTEST_APPLESS_MAIN(TestRareDtypes)
#include "test_rare_dtypes.moc"
