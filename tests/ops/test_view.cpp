// SPDX-License-Identifier: Apache-2.0
// Views against PyTorch.

#include "tests/ops/cases.h"

class TestView : public OperatorCases {
    Q_OBJECT

  public:
    TestView() : OperatorCases("view") {}
};

QTEST_APPLESS_MAIN(TestView)
#include "test_view.moc"
