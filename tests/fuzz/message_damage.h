// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams of frames damaged at random, so that much of them stays what it was.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loupe::fuzz {

// Small and quick: a million streams are damaged in a moment.
class Chance {
  public:
    // What is given is drawn first, two bytes at a time.
    explicit Chance(std::uint64_t seed, std::span<const std::uint8_t> given = {})
        : state_(seed * 2 + 1), given_(given) {}
    std::uint64_t next() {
        if (given_.size() >= 2) {
            const std::uint64_t drawn = given_[0] + 256U * given_[1];
            given_ = given_.subspan(2);
            return drawn;
        }
        // SplitMix64.
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(next() % end); }
    bool one_in(std::size_t count) { return below(count) == 0; }

  private:
    std::uint64_t state_;
    std::span<const std::uint8_t> given_;
};

// One to three changes of the frames: bits, numbers and counts, cut off, twice, left out, exchanged, another kind, a
// part of one in another; with the size of the frame made right again, or not.
void damage_frames(std::vector<std::string>& frames, Chance& chance);
// Of bytes without frames.
void damage_bytes(std::string& bytes, Chance& chance);
// Of lines of JSON: numbers, names and values exchanged, taken away, nested, twice; or their bytes.
void damage_line(std::string& line, Chance& chance);

}  // namespace loupe::fuzz
