// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/message_damage.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/session/remote/frame_head.h"

namespace loupe::fuzz {
namespace {

using session::kFrameHead, session::put_number;

std::uint64_t strange_number(Chance& chance) {
    constexpr std::array<std::uint64_t, 14> kNumbers{0,
                                                     1,
                                                     2,
                                                     0x7f,
                                                     0xff,
                                                     0x7fff'ffff,
                                                     0x8000'0000,
                                                     0xffff'ffff,
                                                     std::uint64_t{1} << 40,
                                                     std::uint64_t{1} << 62,
                                                     0x7fff'ffff'ffff'ffff,
                                                     std::uint64_t{1} << 63,
                                                     ~std::uint64_t{0},
                                                     0x7ff0'0000'0000'0000};  // infinity
    return chance.one_in(4) ? chance.below(1000) : kNumbers[chance.below(kNumbers.size())];
}

void set_size(std::string& frame) {
    if (frame.size() >= kFrameHead) put_number(frame.data() + 4, static_cast<std::uint32_t>(frame.size() - kFrameHead));
}

void put_number_somewhere(std::string& bytes, std::size_t from, Chance& chance) {
    if (bytes.size() <= from) return;
    const std::size_t at = from + chance.below(bytes.size() - from);
    const std::uint64_t number = strange_number(chance);
    const std::size_t width = std::size_t{1} << chance.below(4);
    std::memcpy(bytes.data() + at, &number, std::min(width, bytes.size() - at));
}

// Behind a place that holds a small count of 8 bytes there may be that many of something: another count.
void change_count(std::string& bytes, std::size_t from, Chance& chance) {
    for (int i = 0; i < 20 && bytes.size() > from + 8; ++i) {
        const std::size_t at = from + chance.below(bytes.size() - from - 8);
        std::uint64_t count = 0;
        std::memcpy(&count, bytes.data() + at, 8);
        if (count == 0 || count > bytes.size()) continue;
        count = chance.one_in(2) ? count + 1 - 2 * chance.below(2) : strange_number(chance);
        std::memcpy(bytes.data() + at, &count, 8);
        return;
    }
}

void damage_frame(std::string& frame, const std::string& other, Chance& chance) {
    switch (chance.below(8)) {
        case 0:  // bits
            for (std::size_t i = 0, flips = 1 + chance.below(4); i < flips && !frame.empty(); ++i)
                frame[chance.below(frame.size())] ^= static_cast<char>(1U << chance.below(8));
            break;
        case 1:
        case 2:
            put_number_somewhere(frame, kFrameHead, chance);
            break;
        case 3:
            change_count(frame, kFrameHead, chance);
            break;
        case 4:  // cut off
            frame.resize(chance.below(frame.size() + 1));
            if (!chance.one_in(3)) set_size(frame);
            break;
        case 5: {  // a part of another one, or of itself once more
            const std::string& source = chance.one_in(2) ? frame : other;
            const std::size_t from = chance.below(source.size());
            const std::string part = source.substr(from, 1 + chance.below(64));
            const std::size_t at = std::min(frame.size(), kFrameHead + chance.below(frame.size()));
            frame.replace(at, chance.one_in(2) ? part.size() : 0, part);
            if (!chance.one_in(4)) set_size(frame);
            break;
        }
        case 6:  // another kind
            if (frame.size() >= kFrameHead) put_number(frame.data(), static_cast<std::uint32_t>(chance.below(40)));
            break;
        case 7:  // another size
            if (frame.size() >= kFrameHead)
                put_number(frame.data() + 4, static_cast<std::uint32_t>(strange_number(chance)));
            break;
    }
}

}  // namespace

void damage_frames(std::vector<std::string>& frames, Chance& chance) {
    for (std::size_t i = 0, changes = 1 + chance.below(3); i < changes && !frames.empty(); ++i) {
        const std::size_t at = chance.below(frames.size());
        const std::size_t other = chance.below(frames.size());
        switch (chance.below(8)) {
            case 0:
                frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            case 1:
                std::swap(frames[at], frames[other]);
                break;
            case 2: {  // twice
                const std::string again = frames[at];
                frames.insert(frames.begin() + static_cast<std::ptrdiff_t>(other), again);
                break;
            }
            default: {
                const std::string source = frames[other];
                damage_frame(frames[at], source, chance);
            }
        }
    }
}

void damage_bytes(std::string& bytes, Chance& chance) {
    for (std::size_t i = 0, changes = 1 + chance.below(3); i < changes && !bytes.empty(); ++i) {
        switch (chance.below(4)) {
            case 0:
                bytes[chance.below(bytes.size())] ^= static_cast<char>(1U << chance.below(8));
                break;
            case 1:
                put_number_somewhere(bytes, 0, chance);
                break;
            case 2:
                bytes.resize(chance.below(bytes.size()));
                break;
            case 3: {
                const std::string part = bytes.substr(chance.below(bytes.size()), 1 + chance.below(64));
                bytes.insert(chance.below(bytes.size()), part);
                break;
            }
        }
    }
}

namespace {

bool is_in_number(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == 'e' || c == '+'; }

// Where one begins, from about there on; npos: there is none.
std::size_t number_near(const std::string& line, std::size_t at) {
    while (at < line.size() && !is_in_number(line[at])) ++at;
    while (at > 0 && at < line.size() && is_in_number(line[at - 1])) --at;
    return at < line.size() ? at : std::string::npos;
}

// A piece of it that may be a value: behind ':' or ',' up to ',' or a bracket.
std::pair<std::size_t, std::size_t> value_near(const std::string& line, std::size_t at) {
    const std::size_t from = line.find_first_of(":,[", at);
    if (from == std::string::npos) return {0, 0};
    const std::size_t to = line.find_first_of(",]}", from + 1);
    return {from + 1, to == std::string::npos ? 0 : to - from - 1};
}

}  // namespace

void damage_line(std::string& line, Chance& chance) {
    constexpr std::array<std::string_view, 18> kValues{"0",
                                                       "-1",
                                                       "1e400",
                                                       "-0.0",
                                                       "2147483648",
                                                       "9223372036854775807",
                                                       "-9223372036854775808",
                                                       "18446744073709551615",
                                                       "1e308",
                                                       "null",
                                                       "true",
                                                       "\"\"",
                                                       "\"a\\u0000b\"",
                                                       "[]",
                                                       "{}",
                                                       "[[1,2],[3]]",
                                                       "[[[[[[[[]]]]]]]]",
                                                       "4294967295"};
    for (std::size_t i = 0, changes = 1 + chance.below(3); i < changes && !line.empty(); ++i) {
        const std::size_t at = chance.below(line.size());
        const std::string_view value = kValues[chance.below(kValues.size())];
        switch (chance.below(6)) {
            case 0:
            case 1:
                if (const std::size_t from = number_near(line, at); from != std::string::npos) {
                    std::size_t to = from;
                    while (to < line.size() && is_in_number(line[to])) ++to;
                    line.replace(from, to - from, value);
                }
                break;
            case 2: {
                const auto [from, size] = value_near(line, at);
                if (size > 0) line.replace(from, size, value);
                break;
            }
            case 3: {  // taken away, with its comma
                const auto [from, size] = value_near(line, at);
                if (size > 0) line.erase(from, std::min(size + 1, line.size() - from));
                break;
            }
            case 4: {  // once more, here or elsewhere
                const auto [from, size] = value_near(line, at);
                const std::string part = line.substr(from, size + 1);
                if (size > 0)
                    line.insert(chance.one_in(2) ? from : value_near(line, chance.below(line.size())).first, part);
                break;
            }
            case 5:
                damage_bytes(line, chance);
                break;
        }
    }
}

}  // namespace loupe::fuzz
