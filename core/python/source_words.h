// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words and names in the text of sources and of messages.

#include <string>
#include <string_view>

namespace loupe::python {

// Does the text have the word, which is no part of a longer one, with `after` behind it?
bool has_word(std::string_view text, std::string_view word, std::string_view after = {});
// "ResNet50_" and "resnet50" are one name.
std::string plain_name(std::string_view name);

}  // namespace loupe::python
