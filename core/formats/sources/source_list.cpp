// SPDX-License-Identifier: Apache-2.0
#include "core/formats/sources/source_list.h"

#include "core/base/record_list.h"

namespace loupe::data {

std::span<const SourceRecord* const> source_list() {
    static const auto all = records_of_files<SourceRecord>(
        {array_sources(), idx_sources(), cifar_sources(), image_folder_sources(), csv_sources(), text_sources()});
    return all;
}

}  // namespace loupe::data
