// SPDX-License-Identifier: Apache-2.0
// Operators on Python numbers, strings, lists and dictionaries against PyTorch.

#include "tests/ops/cases.h"

class TestNumbers : public OperatorCases {
    Q_OBJECT

  public:
    TestNumbers() : OperatorCases("numbers") {}
};

QTEST_APPLESS_MAIN(TestNumbers)
#include "test_numbers.moc"
