// SPDX-License-Identifier: Apache-2.0
#pragma once
// The readers of what is run as Python are core/python's, which stands above this room.

#include "core/formats/format_reader.h"

namespace loupe::python {

FormatReader model_source_format();
FormatReader pretrained_format();
FormatReader gguf_format();

}  // namespace loupe::python
