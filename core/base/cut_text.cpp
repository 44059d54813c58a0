// SPDX-License-Identifier: Apache-2.0
#include "core/base/cut_text.h"

#include <string_view>

namespace loupe {
namespace {

// Of UTF-8: a byte that goes on with a character.
bool goes_on(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string cut_middle(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    constexpr std::string_view kGap = " ... ";
    const std::size_t room = most - kGap.size();
    std::size_t front = room * 2 / 3;
    std::size_t back = text.size() - (room - front);
    while (front > 0 && goes_on(text[front])) --front;
    while (back < text.size() && goes_on(text[back])) ++back;
    return text.replace(front, back - front, kGap);
}

}  // namespace loupe
