// SPDX-License-Identifier: Apache-2.0
// Tensors made from numbers, and random numbers against PyTorch.

#include "tests/ops/cases.h"

class TestCreation : public OperatorCases {
    Q_OBJECT

  public:
    TestCreation() : OperatorCases("creation") {}
};

QTEST_APPLESS_MAIN(TestCreation)
#include "test_creation.moc"
