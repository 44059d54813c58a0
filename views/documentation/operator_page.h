// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An operator's record as a page of rich text, with data of the current event.

#include <QString>
#include <vector>

#include "core/record/recording.h"
#include "core/study/operator_info.h"

namespace loupe::views {

// Where a model calls an operator.
struct OperatorUse {
    QString link;    // "event:12", "node:3"
    QString place;   // "#12 forward, layer1.0.conv1"
    QString detail;  // shape and time
    bool is_current = false;
};

struct OperatorPage {
    session::OperatorInfo info;
    // The current event: null when it is of another operator.
    const session::Recording* recording = nullptr;
    session::EventId event = 0;
    std::vector<OperatorUse> uses;
    std::size_t use_count = 0;  // total; uses has the first of them
};

// Links: "op:aten::add.Tensor", "event:12", "node:3", "value:7".
QString operatorPageHtml(const OperatorPage& page);
// For node kinds that are no operators: "prim::If", "AccumulateGrad".
QString languagePageHtml(const QString& kind, const std::vector<OperatorUse>& uses, std::size_t use_count);

}  // namespace loupe::views
