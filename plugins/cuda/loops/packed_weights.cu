// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/packed_weights.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// A thread the two weights of a byte: columns 16 apart in a whole block, else neighbours.
struct PackBody4 {
    const std::int32_t* weights;
    std::int64_t columns, depth;
    std::uint8_t* packed;

    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t k = i % depth, pair = i / depth, block = pair / 16, j = pair % 16;
        const bool is_whole = columns - block * 32 >= 32;
        const std::int64_t low = block * 32 + (is_whole ? j : 2 * j), high = low + (is_whole ? 16 : 1);
        if (high >= columns) return;
        const auto lower = static_cast<unsigned>(weights[low * depth + k]) & 15U;
        const auto upper = static_cast<unsigned>(weights[high * depth + k]) & 15U;
        packed[nibble_of(low, k, columns, depth).byte] = static_cast<std::uint8_t>(lower | upper << 4);
    }
};
struct UnpackBody4 {
    const std::uint8_t* packed;
    std::int64_t columns, depth, group;
    const float* parameters;
    float* weights;

    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t n = i / depth, k = i % depth;
        const Nibble place = nibble_of(n, k, columns, depth);
        const int q = place.is_upper ? packed[place.byte] >> 4 : packed[place.byte] & 15;
        const float* const pair = parameters + (k / group * columns + n) * 2;
        weights[i] = static_cast<float>(q - 8) * pair[0] + pair[1];
    }
};

struct RoundBody {
    std::int64_t depth;
    const float* x;
    std::int32_t* offsets;
    float* steps;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t row) const {
        const float* const own = x + row * depth;
        float least = 0, most = 0;
        for (std::int64_t i = team.rank(); i < depth; i += team.size()) {
            least = own[i] < least ? own[i] : least;
            most = own[i] > most ? own[i] : most;
        }
        least = -team.largest(-least);
        most = team.largest(most);
        constexpr float kLeast = -128, kMost = 127;
        const float scale = least == most ? 1.0F : (kMost - kLeast) / (most - least);
        const float low = least * scale, high = most * scale;
        float point = kLeast + low + (kMost + high) > 0 ? kLeast - low : kMost - high;
        point = point < kLeast ? kLeast : point > kMost ? kMost : point;
        const auto zero_point = static_cast<std::int32_t>(std::nearbyint(point));
        for (std::int64_t i = team.rank(); i < depth; i += team.size()) {
            std::int32_t q = static_cast<std::int32_t>(std::round(own[i] * scale)) + zero_point;
            q = q < -128 ? -128 : q > 127 ? 127 : q;
            offsets[row * depth + i] = q - zero_point;
        }
        if (team.rank() == 0) steps[row] = scale != 0 ? 1.0F / scale : 0.0F;
    }
};

struct RoundedProductBody {
    RowProduct p;
    const std::int32_t* offsets;
    const float* steps;
    float* out;

    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t row = i / p.columns, n = i % p.columns, blocks = p.depth / p.block;
        const std::int32_t* const own = offsets + row * p.depth;
        float sum = 0;
        for (std::int64_t b = 0; b < blocks; ++b) {
            std::int32_t whole = 0;
            for (std::int64_t k = b * p.block; k < (b + 1) * p.block; ++k) {
                const auto byte = static_cast<int>(p.bytes[(n * p.depth + k) / 2]);
                whole += own[k] * ((k % 2 == 0 ? byte & 15 : byte >> 4) - 8);
            }
            sum += static_cast<float>(whole) * p.scales[n * blocks + b];
        }
        out[i] = sum * steps[row];
    }
};

}  // namespace

void run_pack_nibbles(const Queue& queue, const std::int32_t* weights, std::int64_t columns, std::int64_t depth,
                      std::uint8_t* packed) {
    launch(queue, (columns + 31) / 32 * 16 * depth, PackBody4{weights, columns, depth, packed});
}
void run_unpack_nibbles(const Queue& queue, const std::uint8_t* packed, std::int64_t columns, std::int64_t depth,
                        std::int64_t group, const float* parameters, float* weights) {
    launch(queue, columns * depth, UnpackBody4{packed, columns, depth, group, parameters, weights});
}
void run_round_rows(const Queue& queue, std::int64_t rows, std::int64_t depth, const float* x, std::int32_t* offsets,
                    float* steps) {
    launch_teams(queue, rows, depth, RoundBody{depth, x, offsets, steps});
}
void run_rounded_product(const Queue& queue, const RowProduct& product, const std::int32_t* offsets, const float* steps,
                         float* out) {
    launch(queue, product.rows * product.columns, RoundedProductBody{product, offsets, steps, out});
}

}  // namespace loupe::cuda
