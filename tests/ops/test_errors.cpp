// SPDX-License-Identifier: Apache-2.0
// Calls that PyTorch refuses, and its words.

#include "tests/ops/cases.h"

class TestErrors : public OperatorCases {
    Q_OBJECT

  public:
    TestErrors() : OperatorCases("errors") {}
};

QTEST_APPLESS_MAIN(TestErrors)
#include "test_errors.moc"
