// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reader of Python model sources is core/python's, which stands above this room.

#include "core/formats/format_reader.h"

namespace loupe::python {

FormatReader model_source_format();

}  // namespace loupe::python
