// SPDX-License-Identifier: Apache-2.0
#pragma once
// The list of data sources: a file gives its records by one function, which is a line here and in source_list.cpp.

#include <span>

#include "core/formats/sources/source_record.h"

namespace loupe::data {

std::span<const SourceRecord> array_sources();
std::span<const SourceRecord> idx_sources();
std::span<const SourceRecord> cifar_sources();
std::span<const SourceRecord> image_folder_sources();
std::span<const SourceRecord> csv_sources();
std::span<const SourceRecord> text_sources();

std::span<const SourceRecord* const> source_list();

}  // namespace loupe::data
