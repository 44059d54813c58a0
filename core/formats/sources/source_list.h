// SPDX-License-Identifier: Apache-2.0
#pragma once
// The list of data sources. Adding one adds a file and a line here and in source_list.cpp.

#include <span>

#include "core/formats/sources/source_record.h"

namespace loupe::data {

extern const SourceRecord kNpySource;
extern const SourceRecord kNpzSource;
extern const SourceRecord kCsvSource;
extern const SourceRecord kMnistSource;
extern const SourceRecord kIdxSource;
extern const SourceRecord kCifar10Source;
extern const SourceRecord kCifar100Source;
extern const SourceRecord kImageFolderSource;
extern const SourceRecord kTextSource;

std::span<const SourceRecord* const> source_list();

}  // namespace loupe::data
