// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON that is made for a program to be written.

#include "core/base/json_document.h"
#include "core/base/ordered_json.h"

namespace loupe::exported {

using Json = OrderedJson;

// A value that was read, to be written again.
inline Json written_json(const JsonValue& value) { return Json::parse(value.dump()); }

}  // namespace loupe::exported
