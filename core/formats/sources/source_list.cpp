// SPDX-License-Identifier: Apache-2.0
#include "core/formats/sources/source_list.h"

#include <array>

namespace loupe::data {

std::span<const SourceRecord* const> source_list() {
    static constexpr std::array<const SourceRecord*, 9> kSources{
        &kNpySource,      &kNpzSource,         &kMnistSource, &kIdxSource,  &kCifar10Source,
        &kCifar100Source, &kImageFolderSource, &kCsvSource,   &kTextSource,
    };
    return kSources;
}

}  // namespace loupe::data
