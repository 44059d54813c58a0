// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lines that a person reads, of texts that may come from a file.

#include <string>

namespace loupe {

// A text of more bytes loses its middle, between characters: "net.layer1 ... .weight". most: at least 16.
std::string cut_middle(std::string text, std::size_t most);

}  // namespace loupe
