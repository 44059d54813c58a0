// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/input_mends.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include "core/base/strings.h"

namespace loupe::python {
namespace {

InputGuess tokens(std::vector<std::int64_t> shape, std::int64_t high) {
    InputGuess out;
    out.shape = std::move(shape);
    out.dtype = ScalarType::Int64;
    out.high = high;
    return out;
}

std::int64_t number(const std::string& text) {
    std::int64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

Mend with_size(std::int64_t from, std::int64_t to, bool only_last) {
    return {[=](InputGuess& guess) {
        if (guess.shape.empty() || guess.dtype == ScalarType::Int64) return false;
        if (guess.shape.back() == from) {
            guess.shape.back() = to;
            return true;
        }
        const auto at = std::find(guess.shape.rbegin(), guess.shape.rend(), from);
        if (only_last || at == guess.shape.rend()) return false;
        *at = to;
        return true;
    }};
}
Mend with_dimensions(std::size_t wanted) {
    return {[=](InputGuess& guess) {
        if (guess.shape.size() == wanted || wanted > 6) return false;
        if (wanted == 4 && guess.shape.size() < 3) {  // images
            guess.shape = {1, 3, 32, 32};
            return true;
        }
        while (guess.shape.size() > wanted) guess.shape.erase(guess.shape.begin());
        while (guess.shape.size() < wanted) {
            const std::int64_t size = guess.shape.empty() ? 1 : wanted > 3 ? 3 : 16;
            guess.shape.insert(guess.shape.begin() + std::min<std::ptrdiff_t>(1, std::ssize(guess.shape)), size);
        }
        return true;
    }};
}
// Of the first that has so many, as the one that the error is about has.
Mend with_dimensions_from(std::size_t from, std::size_t wanted) {
    return {[=, change = with_dimensions(wanted).edit](InputGuess& guess) {
        return guess.shape.size() == from && change(guess);
    }};
}
Mend with_channels(std::int64_t from, std::int64_t to) {
    return {[=](InputGuess& guess) {
        if (guess.shape.size() == 2 && guess.shape[0] == from) {  // unbatched
            guess.shape = {1, to, std::max<std::int64_t>(guess.shape[1], 16)};
            return true;
        }
        if (guess.shape.size() < 2 || guess.shape[1] != from) return false;
        guess.shape[1] = to;
        return true;
    }};
}
Mend with_width(std::int64_t width) {
    return {[=](InputGuess& guess) {
        if (guess.shape.empty() || guess.dtype == ScalarType::Int64 || guess.shape.back() == width) return false;
        guess.shape.back() = width;
        return true;
    }};
}

// Of images and volumes: as many more tokens as the error misses, by sides that are longer each.
Mend with_longer_sides(std::int64_t from, std::int64_t to) {
    return {[=](InputGuess& guess) {
        const std::size_t sides = guess.shape.size() < 3 ? 0 : guess.shape.size() - 2;
        for (const std::int64_t own : {std::int64_t{0}, std::int64_t{1}}) {  // a class token is none of the image's
            if (sides == 0 || from <= own || (to - own) % (from - own) != 0) continue;
            const std::int64_t ratio = (to - own) / (from - own);
            const std::size_t first = guess.shape.size() - sides;
            for (std::size_t used = sides; used > 1; --used) {
                const auto factor = static_cast<std::int64_t>(
                    std::lround(std::pow(static_cast<double>(ratio), 1.0 / static_cast<double>(used))));
                std::int64_t product = 1;
                for (std::size_t i = 0; i < used; ++i) product *= factor;
                if (factor < 2 || product != ratio) continue;
                for (std::size_t i = first + sides - used; i < guess.shape.size(); ++i) guess.shape[i] *= factor;
                return true;
            }
        }
        return false;
    }};
}
// Images of another side, for what a layer wants of them when they are flattened.
Mend with_sides(std::int64_t side) {
    return {[=](InputGuess& guess) {
        if (guess.shape.size() != 4 || is_integral(guess.dtype) || guess.shape.back() == side) return false;
        guess.shape[2] = guess.shape[3] = side;
        return true;
    }};
}
// The same number of times in each direction: `from` flattened numbers become `to`.
Mend with_sides_scaled(std::int64_t from, std::int64_t to) {
    return {[=](InputGuess& guess) {
        if (guess.shape.size() != 4 || is_integral(guess.dtype)) return false;
        const double factor = std::sqrt(static_cast<double>(to) / static_cast<double>(from));
        for (const std::size_t d : {2U, 3U})
            guess.shape[d] = std::max<std::int64_t>(1, std::lround(static_cast<double>(guess.shape[d]) * factor));
        return true;
    }};
}
// The next of the sizes that images usually have.
Mend with_larger_images() {
    return {[](InputGuess& guess) {
        if (guess.shape.size() < 3 || is_integral(guess.dtype)) return false;
        for (const std::int64_t side : {64, 128, 224, 299, 331}) {
            if (guess.shape.back() >= side) continue;
            for (std::size_t i = 2; i < guess.shape.size(); ++i)
                guess.shape[i] = guess.shape.size() > 4 ? side / 2 : side;
            return true;
        }
        return false;
    }};
}
// Of tokens too.
Mend with_length(std::int64_t from, std::int64_t to) {
    return {[=](InputGuess& guess) {
                const auto at = std::find(guess.shape.begin(), guess.shape.end(), from);
                if (at == guess.shape.end() || to <= 0 || to > 4096) return false;
                *at = to;
                return true;
            },
            true};
}
// What forward itself adds to the width stays.
Mend with_width_less(std::int64_t wanted, std::int64_t got) {
    return {[=](InputGuess& guess) {
        if (guess.shape.size() < 3 || is_integral(guess.dtype)) return false;
        const std::int64_t width = guess.shape.back() + wanted - got;
        if (width <= 0 || width == guess.shape.back()) return false;
        guess.shape.back() = width;
        return true;
    }};
}

Mend as_one_row_of_tokens() {
    return {[](InputGuess& guess) {
        if (guess.dtype == ScalarType::Int64 && guess.shape.size() == 1) return false;
        guess = tokens({guess.shape.empty() ? 16 : guess.shape.front()}, 4);
        return true;
    }};
}

// A layer got `from` numbers in a row and wants `to`.
std::vector<Mend> mends_for_product(std::int64_t from, std::int64_t to) {
    std::vector<Mend> mends{with_size(from, to, true), with_size(from, to, false), with_width_less(to, from)};
    if (from > 0 && to > 0) mends.push_back(with_sides_scaled(from, to));
    for (const std::int64_t side : {28, 64, 224, 96, 128, 48, 16, 8, 256}) mends.push_back(with_sides(side));
    return mends;
}

}  // namespace

std::vector<Mend> mends_for(const std::string& error) {
    static const std::regex kProduct(R"(\((\d+)x(\d+) and (\d+)x(\d+)\))");
    static const std::regex kChannels(R"(expected input\[.*\] to have (\d+) channels, but got (\d+) channels)");
    static const std::regex kDimensions(R"(Expected (\d)D \(unbatched\) or (\d)D \(batched\) input)");
    static const std::regex kNormalized(
        R"(expected input with shape \[\*(?:, )?(\d+)\], but got input of size\[(?:\d+, )*(\d+)\])");
    static const std::regex kUnpack(R"(unpack \(expected (\d+))");
    static const std::regex kEinops(R"([Ee]xpected (\d+) dim.*[Rr]eceived (\d+)-dim)");
    static const std::regex kBroadcast(
        R"(size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+))");
    static const std::regex kWidth(R"(input.size\(-1\) must be equal to input_size. Expected (\d+), got (\d+))");
    static const std::regex kOutOfRange(
        R"(Dimension out of range \(expected to be in range of \[-\d+, (\d+)\], but got (-?\d+)\))");
    static const std::regex kSubscripts(
        R"(number of subscripts in the equation \((\d+)\) does not match the number of dimensions \((\d+)\))");
    static const std::regex kChunks(R"(can't divide axis of length (\d+) in chunks of (\d+))");
    static const std::regex kWanted(
        R"((\d)-?[dD]\b.* but got .*[Ss]ize\(\[|[Ee]xpected (\d)-?[dD]\b|must be (\d) dimensions)");
    static const std::regex kSeen(
        R"(has size (\d+) for operand \d+ which does not broadcast with previously seen size (\d+))");
    static const std::regex kTogether(R"(Expected size (\d+) but got size (\d+) for tensor number)");
    static const std::regex kMask(R"(attn_mask is torch.Size\(\[(\d+), (\d+)\]\), but should be \((\d+), )");
    static const std::regex kGot(R"([Ee]xpected\D{1,60}(\d+)\D{1,20}(?:got|received)\D{0,20}(\d+))");
    std::smatch found;
    const auto says = [&](const std::regex& words) { return std::regex_search(error, found, words); };
    const auto at = [&](std::size_t i) { return number(found[i]); };
    if (says(kProduct)) return mends_for_product(at(2), at(3));
    if (says(kChannels)) return {with_channels(at(2), at(1))};
    if (says(kDimensions)) return {with_dimensions(static_cast<std::size_t>(at(2)))};
    if (says(kNormalized)) return {with_size(at(2), at(1), true), with_width(at(1)), with_width_less(at(1), at(2))};
    if (says(kWidth)) return {with_size(at(2), at(1), true)};
    if (says(kEinops) || says(kUnpack)) return {with_dimensions(static_cast<std::size_t>(at(1)))};
    if (says(kOutOfRange)) {
        const std::int64_t last = at(1), wanted = at(2);
        return {with_dimensions_from(static_cast<std::size_t>(last + 1),
                                     static_cast<std::size_t>(wanted < 0 ? -wanted : wanted + 1))};
    }
    if (says(kSubscripts))
        return {with_dimensions_from(static_cast<std::size_t>(at(2)), static_cast<std::size_t>(at(1)))};
    if (says(kChunks)) return {with_size(at(1), at(2), false)};
    if (says(kBroadcast))
        return {with_longer_sides(at(1), at(2)), with_size(at(1), at(2), false), with_size(at(2), at(1), false)};
    if (says(kSeen)) return {with_size(at(1), at(2), false), with_size(at(2), at(1), false)};
    if (says(kTogether)) return {with_size(at(2), at(1), false), with_size(at(1), at(2), false)};
    if (says(kMask)) return {with_length(at(3), at(1))};
    if (error.find("Output size is too small") != std::string::npos) return {with_larger_images()};
    if (error.find("bincount only supports 1-d") != std::string::npos) return {as_one_row_of_tokens()};
    if (error.find("Expected more than 1 value per channel") != std::string::npos)
        return {{[](InputGuess& guess) {
                     if (guess.shape.empty() || guess.shape[0] != 1) return false;
                     guess.shape[0] = 2;
                     return true;
                 },
                 true}};
    if (error.find("'indices' to have one of the following scalar types") != std::string::npos)
        return {{[](InputGuess& guess) {
            if (guess.shape.empty() || guess.shape.size() > 2 || guess.dtype == ScalarType::Int64) return false;
            guess = tokens(guess.shape, 2);
            return true;
        }}};
    if (says(kWanted)) {
        const auto wanted = static_cast<std::size_t>(found[1].matched ? at(1) : found[2].matched ? at(2) : at(3));
        return {with_dimensions(wanted)};
    }
    if (error.find("index out of range") != std::string::npos)
        return {{[](InputGuess& guess) {
                     if (guess.dtype != ScalarType::Int64 || guess.high <= 2) return false;
                     guess.high = 2;
                     return true;
                 },
                 true}};
    if (says(kGot)) return {with_size(at(2), at(1), false)};
    return {};
}

}  // namespace loupe::python
