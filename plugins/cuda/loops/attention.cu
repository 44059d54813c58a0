// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/attention.h"

#include "plugins/cuda/loops/tile.h"

namespace loupe::cuda {
namespace {

LOUPE_HD inline std::int64_t first_of(const HeadStrides& s, std::int64_t batch, std::int64_t head) {
    return batch * s.batch + head * s.head;
}
LOUPE_HD inline std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// One head's part of the shape.
struct Head {
    std::int64_t batch, head;

    LOUPE_HD Head(const AttentionShape& s, std::int64_t index) : batch(index / s.heads), head(index % s.heads) {}
    template <typename S>
    LOUPE_HD S* of(S* data, const HeadStrides& strides) const {
        return data + first_of(strides, batch, head);
    }
};

// Rows from `first` on of a matrix in memory, zeros beyond its rows and columns.
template <typename S, int kDim>
LOUPE_HD void load_tile(const TileTeam& team, const TileMatrix<S>& to, const S* from, std::int64_t step,
                        std::int64_t first, std::int64_t rows, int width) {
    constexpr int kCount = Pack<S>::kCount, kPacks = kDim / kCount;
    const bool is_packed = width % kCount == 0 && step % kCount == 0 && starts_pack(from);
    for (int i = team.rank(); i < kTile * kPacks; i += team.size()) {
        const int row = i / kPacks, column = i % kPacks * kCount;
        Pack<S> pack;
        for (int k = 0; k < kCount; ++k) pack.v[k] = stored<S>(0.0F);
        if (first + row < rows) {
            const S* const place = from + (first + row) * step + column;
            if (is_packed && column < width)
                pack = *reinterpret_cast<const Pack<S>*>(place);
            else
                for (int k = 0; k < kCount; ++k)
                    if (column + k < width) pack.v[k] = place[k];
        }
        *reinterpret_cast<Pack<S>*>(&to.at(row, column)) = pack;
    }
}

template <int kDim>
LOUPE_HD void clear(const TileTeam& team, const TileMatrix<float>& tile) {
    for (int i = team.rank(); i < kTile * kDim; i += team.size()) tile.at(i / kDim, i % kDim) = 0;
}

template <typename S, int kDim>
LOUPE_HD void store_tile(const TileTeam& team, const TileMatrix<float>& tile, S* to, std::int64_t step,
                         std::int64_t first, std::int64_t rows, int width) {
    for (int i = team.rank(); i < kTile * kDim; i += team.size()) {
        const int row = i / kDim, column = i % kDim;
        if (first + row < rows && column < width) to[(first + row) * step + column] = stored<S>(tile.at(row, column));
    }
}

template <typename S>
LOUPE_HD TileMatrix<const S> constant(const TileMatrix<S>& tile) {
    return {tile.data, tile.leading};
}

// To as many bits as a share has that is kept as S.
template <typename S>
LOUPE_HD float exponential(float x) {
#ifdef __CUDA_ARCH__
    if constexpr (!std::is_same_v<S, float>) return __expf(x);
#endif
    return std::exp(x);
}

// The score of a query and a key as it counts: scaled, with its bias; -inf where the query does not see the key.
template <typename S>
struct Scores {
    const AttentionShape& s;
    const S* bias;  // of the head
    std::int64_t first_row, first_column;
    bool is_plain;  // the query's tile sees all keys of the tile, without a bias

    LOUPE_HD Scores(const AttentionShape& shape, const S* of_head, std::int64_t row, std::int64_t column)
        : s(shape),
          bias(of_head),
          first_row(row),
          first_column(column),
          is_plain(of_head == nullptr && row + kTile <= shape.rows && column + kTile <= shape.columns &&
                   (!shape.is_causal || column + kTile <= row + 1)) {}
    LOUPE_HD float operator()(float product, int r, int c) const {
        if (is_plain) return product * s.scale;
        const std::int64_t row = first_row + r, column = first_column + c;
        if (row >= s.rows || column >= s.columns || (s.is_causal && column > row))
            return -std::numeric_limits<float>::infinity();
        float score = product * s.scale;
        if (bias != nullptr) score += static_cast<float>(bias[row * s.of_bias.row + column * s.bias_column]);
        return score;
    }
};

template <typename S>
LOUPE_HD const S* bias_of(const AttentionShape& s, const Head& head) {
    return s.bias == nullptr ? nullptr : head.of(static_cast<const S*>(s.bias), s.of_bias);
}

// Where a block's matrices lie. Weights of float32 take the place of what they are made of.
template <typename S, int kDim>
struct ForwardMemory {
    std::size_t query, key, value, scores, weights, out, most, sum, bytes;

    LOUPE_HD ForwardMemory() {
        TileMemory memory;
        query = memory.take<S>(kTile, padded<S>(kDim));
        key = memory.take<S>(kTile, padded<S>(kDim));
        value = memory.take<S>(kTile, padded<S>(kDim));
        scores = memory.take<float>(kTile, padded_sums<S>(kTile));
        weights = std::is_same_v<S, float> ? scores : memory.take<S>(kTile, padded<S>(kTile));
        out = memory.take<float>(kTile, padded_sums<S>(kDim));
        most = memory.take<float>(1, kTile);
        sum = memory.take<float>(1, kTile);
        bytes = memory.used;
    }
};

template <typename S, int kDim>
struct ForwardBody {
    AttentionShape s;
    const S *query, *key, *value;
    S* out;
    HeadStrides of_out;
    float* sums;

    LOUPE_HD void operator()(const TileTeam& team, std::int64_t index) const {
        const ForwardMemory<S, kDim> at;
        const auto tile = [&](std::size_t place) {
            return TileMatrix<S>{reinterpret_cast<S*>(team.memory + place), padded<S>(kDim)};
        };
        const TileMatrix<S> q = tile(at.query), k = tile(at.key), v = tile(at.value);
        const TileMatrix<float> scores{reinterpret_cast<float*>(team.memory + at.scores), padded_sums<S>(kTile)};
        const TileMatrix<S> weights{reinterpret_cast<S*>(team.memory + at.weights), padded<S>(kTile)};
        const TileMatrix<float> mixed{reinterpret_cast<float*>(team.memory + at.out), padded_sums<S>(kDim)};
        auto* const most = reinterpret_cast<float*>(team.memory + at.most);
        auto* const sum = reinterpret_cast<float*>(team.memory + at.sum);
        const std::int64_t tiles = (s.rows + kTile - 1) / kTile;
        const Head head(s, index / tiles);
        const std::int64_t first = (tiles - 1 - index % tiles) * kTile;  // those that see most come first
        load_tile<S, kDim>(team, q, head.of(query, s.query), s.query.row, first, s.rows, s.width);
        clear<kDim>(team, mixed);
        for (int i = team.rank(); i < kTile; i += team.size()) {
            most[i] = -std::numeric_limits<float>::infinity();
            sum[i] = 0;
        }
        const std::int64_t seen = s.is_causal ? smaller(s.columns, first + kTile) : s.columns;
        for (std::int64_t column = 0; column < seen; column += kTile) {
            team.wait();
            load_tile<S, kDim>(team, k, head.of(key, s.key), s.key.row, column, s.columns, s.width);
            load_tile<S, kDim>(team, v, head.of(value, s.value), s.value.row, column, s.columns, s.out);
            team.wait();
            multiply<false, true, kTile, kDim>(scores, constant(q), constant(k), false);
            team.wait();
            const Scores<S> counted(s, bias_of<S>(s, head), first, column);
            take_shares(team, counted, scores, weights, mixed, most, sum);
            team.wait();
            multiply<false, false, kDim, kTile>(mixed, constant(weights), constant(v), true);
        }
        team.wait();
        write(team, head, first, mixed, most, sum);
    }

  private:
    // exp(score - largest so far); what was mixed before is brought to the same largest.
    LOUPE_HD void take_shares(const TileTeam& team, const Scores<S>& counted, const TileMatrix<float>& scores,
                              const TileMatrix<S>& weights, const TileMatrix<float>& mixed, float* most,
                              float* sum) const {
        const RowTeam lanes;
        for (int r = team.first_row(); r < kTile; r += team.row_step()) {
            const float before = most[r], summed = sum[r];
            float largest = before;
            Four held[kTile / 4];
            LOUPE_UNROLL
            for (int c = lanes.rank() * 4, i = 0; c < kTile; c += lanes.size() * 4, ++i) {
                held[i] = *reinterpret_cast<const Four*>(&scores.at(r, c));
                for (int l = 0; l < 4; ++l) {
                    held[i].v[l] = counted(held[i].v[l], r, c + l);
                    largest = held[i].v[l] > largest ? held[i].v[l] : largest;
                }
            }
            largest = lanes.largest(largest);
            const float base = largest == -std::numeric_limits<float>::infinity() ? 0.0F : largest;
            const float kept = exponential<S>(before - base);
            float own = 0;
            LOUPE_UNROLL
            for (int c = lanes.rank() * 4, i = 0; c < kTile; c += lanes.size() * 4, ++i) {
                Quad<S> shares;
                for (int l = 0; l < 4; ++l) {
                    const float share = exponential<S>(held[i].v[l] - base);
                    own += share;
                    shares.v[l] = stored<S>(share);
                }
                *reinterpret_cast<Quad<S>*>(&weights.at(r, c)) = shares;
            }
            own = lanes.sum(own);
            if (kept != 1.0F) scale_row(lanes, mixed, r, kept);
            lanes.wait();  // all have read what was before
            if (lanes.rank() == 0) {
                most[r] = largest;
                sum[r] = summed * kept + own;
            }
        }
    }
    LOUPE_HD static void scale_row(const RowTeam& lanes, const TileMatrix<float>& mixed, int r, float factor) {
        LOUPE_UNROLL
        for (int c = lanes.rank() * 4; c < kDim; c += lanes.size() * 4) {
            auto* const place = reinterpret_cast<Four*>(&mixed.at(r, c));
            Four four = *place;
            for (int l = 0; l < 4; ++l) four.v[l] *= factor;
            *place = four;
        }
    }

    LOUPE_HD void write(const TileTeam& team, const Head& head, std::int64_t first, const TileMatrix<float>& mixed,
                        const float* most, const float* sum) const {
        S* const to = head.of(out, of_out);
        for (int i = team.rank(); i < kTile * kDim; i += team.size()) {
            const int row = i / kDim, column = i % kDim;
            if (first + row >= s.rows || column >= s.out) continue;
            const float whole = sum[row];
            to[(first + row) * of_out.row + column] = stored<S>(whole > 0 ? mixed.at(row, column) / whole : whole);
        }
        if (sums == nullptr) return;
        float* const of_head = sums + (head.batch * s.heads + head.head) * s.sum_rows;
        for (int i = team.rank(); i < kTile; i += team.size())
            if (first + i < s.rows) of_head[first + i] = sum[i] > 0 ? most[i] + std::log(sum[i]) : sum[i];
    }
};

template <typename S>
struct AlongBody {
    AttentionShape s;
    const S* grad;
    HeadStrides of_grad;
    const S* out;
    HeadStrides of_out;
    float* along;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const Head head(s, index / s.rows);
        const std::int64_t row = index % s.rows;
        const S* const g = head.of(grad, of_grad) + row * of_grad.row;
        const S* const o = head.of(out, of_out) + row * of_out.row;
        float sum = 0;
        for (int c = team.rank(); c < s.out; c += team.size())
            sum += static_cast<float>(g[c]) * static_cast<float>(o[c]);
        sum = team.sum(sum);
        if (team.rank() == 0) along[index] = sum;
    }
};

template <typename S, int kDim>
struct BackwardMemory {
    std::size_t query, grad, key, value, scores, along, weights, slopes, first, second, bytes;

    LOUPE_HD explicit BackwardMemory(bool of_keys) {
        TileMemory memory;
        query = memory.take<S>(kTile, padded<S>(kDim));
        grad = memory.take<S>(kTile, padded<S>(kDim));
        key = memory.take<S>(kTile, padded<S>(kDim));
        value = memory.take<S>(kTile, padded<S>(kDim));
        scores = memory.take<float>(kTile, padded_sums<S>(kTile));
        along = memory.take<float>(kTile, padded_sums<S>(kTile));
        weights = std::is_same_v<S, float> ? scores : memory.take<S>(kTile, padded<S>(kTile));
        slopes = std::is_same_v<S, float> ? along : memory.take<S>(kTile, padded<S>(kTile));
        first = memory.take<float>(kTile, padded_sums<S>(kDim));
        second = of_keys ? memory.take<float>(kTile, padded_sums<S>(kDim)) : first;
        bytes = memory.used;
    }
};

// A tile of keys, over all queries that see them: gradients of keys and values. Or a tile of queries over all keys that
// it sees: its own gradient.
template <typename S, int kDim, bool kOfKeys>
struct BackwardBody {
    AttentionShape s;
    const S *query, *key, *value, *grad;
    HeadStrides of_grad;
    const float *sums, *along;
    AttentionGradients gradients;

    struct Tiles {
        TileMatrix<S> query, grad, key, value, weights, slopes;
        TileMatrix<float> scores, along, first, second;

        LOUPE_HD explicit Tiles(char* memory) {
            const BackwardMemory<S, kDim> at(kOfKeys);
            const auto wide = [&](std::size_t place) {
                return TileMatrix<S>{reinterpret_cast<S*>(memory + place), padded<S>(kDim)};
            };
            const auto square = [&](std::size_t place) {
                return TileMatrix<S>{reinterpret_cast<S*>(memory + place), padded<S>(kTile)};
            };
            const auto sum = [&](std::size_t place, int columns) {
                return TileMatrix<float>{reinterpret_cast<float*>(memory + place), padded_sums<S>(columns)};
            };
            query = wide(at.query);
            grad = wide(at.grad);
            key = wide(at.key);
            value = wide(at.value);
            weights = square(at.weights);
            slopes = square(at.slopes);
            scores = sum(at.scores, kTile);
            along = sum(at.along, kTile);
            first = sum(at.first, kDim);
            second = sum(at.second, kDim);
        }
    };

    LOUPE_HD void operator()(const TileTeam& team, std::int64_t index) const {
        const Tiles t(team.memory);
        const std::int64_t count = kOfKeys ? s.columns : s.rows, tiles = (count + kTile - 1) / kTile;
        const Head head(s, index / tiles);
        const std::int64_t own = (kOfKeys ? index % tiles : tiles - 1 - index % tiles) * kTile;
        if (kOfKeys)
            load_keys(team, t, head, own);
        else
            load_queries(team, t, head, own);
        clear<kDim>(team, t.first);
        if (kOfKeys) clear<kDim>(team, t.second);
        const std::int64_t begin = kOfKeys && s.is_causal ? own : 0;
        const std::int64_t end = kOfKeys ? s.rows : s.is_causal ? smaller(s.columns, own + kTile) : s.columns;
        for (std::int64_t other = begin; other < end; other += kTile) {
            team.wait();
            if (kOfKeys)
                load_queries(team, t, head, other);
            else
                load_keys(team, t, head, other);
            team.wait();
            multiply<false, true, kTile, kDim>(t.scores, constant(t.query), constant(t.key), false);
            multiply<false, true, kTile, kDim>(t.along, constant(t.grad), constant(t.value), false);
            team.wait();
            take_slopes(team, t, head, kOfKeys ? other : own, kOfKeys ? own : other);
            team.wait();
            if constexpr (kOfKeys) {
                multiply<true, false, kDim, kTile>(t.first, constant(t.slopes), constant(t.query), true);
                multiply<true, false, kDim, kTile>(t.second, constant(t.weights), constant(t.grad), true);
            } else {
                multiply<false, false, kDim, kTile>(t.first, constant(t.slopes), constant(t.key), true);
            }
        }
        team.wait();
        if constexpr (kOfKeys) {
            store<kDim>(team, t.first, gradients.key, gradients.of_key, head, own, s.columns, s.width);
            store<kDim>(team, t.second, gradients.value, gradients.of_value, head, own, s.columns, s.out);
        } else {
            store<kDim>(team, t.first, gradients.query, gradients.of_query, head, own, s.rows, s.width);
        }
    }

  private:
    LOUPE_HD void load_keys(const TileTeam& team, const Tiles& t, const Head& head, std::int64_t first) const {
        load_tile<S, kDim>(team, t.key, head.of(key, s.key), s.key.row, first, s.columns, s.width);
        load_tile<S, kDim>(team, t.value, head.of(value, s.value), s.value.row, first, s.columns, s.out);
    }
    LOUPE_HD void load_queries(const TileTeam& team, const Tiles& t, const Head& head, std::int64_t first) const {
        load_tile<S, kDim>(team, t.query, head.of(query, s.query), s.query.row, first, s.rows, s.width);
        load_tile<S, kDim>(team, t.grad, head.of(grad, of_grad), of_grad.row, first, s.rows, s.out);
    }
    template <int kColumns>
    LOUPE_HD void store(const TileTeam& team, const TileMatrix<float>& tile, void* to, const HeadStrides& strides,
                        const Head& head, std::int64_t first, std::int64_t rows, int width) const {
        if (to != nullptr)
            store_tile<S, kColumns>(team, tile, head.of(static_cast<S*>(to), strides), strides.row, first, rows, width);
    }

    // The weights, and the gradient of the products of queries and keys.
    LOUPE_HD void take_slopes(const TileTeam& team, const Tiles& t, const Head& head, std::int64_t first_row,
                              std::int64_t first_column) const {
        const Scores<S> counted(s, bias_of<S>(s, head), first_row, first_column);
        const std::int64_t of_head = head.batch * s.heads + head.head;
        const RowTeam lanes;
        for (int r = team.first_row(); r < kTile; r += team.row_step()) {
            const std::int64_t row = first_row + r;
            const float sum = row < s.rows ? sums[of_head * s.sum_rows + row] : 0.0F;
            const float mean = row < s.rows ? along[of_head * s.rows + row] : 0.0F;
            LOUPE_UNROLL
            for (int c = lanes.rank() * 4; c < kTile; c += lanes.size() * 4) {
                const Four score = *reinterpret_cast<const Four*>(&t.scores.at(r, c));
                const Four product = *reinterpret_cast<const Four*>(&t.along.at(r, c));
                Quad<S> shares, slopes;
                for (int l = 0; l < 4; ++l) {
                    const float share = exponential<S>(counted(score.v[l], r, c + l) - sum);
                    shares.v[l] = stored<S>(share);
                    slopes.v[l] = stored<S>(share * (product.v[l] - mean) * s.scale);
                }
                *reinterpret_cast<Quad<S>*>(&t.weights.at(r, c)) = shares;
                *reinterpret_cast<Quad<S>*>(&t.slopes.at(r, c)) = slopes;
            }
        }
    }
};

// visit(S(), std::integral_constant<int, kDim>()); false for what has no kernel.
// Where there are no gradients numbers of 16 bits may be wide.
template <bool kWide, typename Visit>
bool visit_kernel(Element element, int width, Visit&& visit) {
    const auto by_width = [&](auto tag) {
        if (width <= 32)
            visit(tag, std::integral_constant<int, 32>());
        else if (width <= 64)
            visit(tag, std::integral_constant<int, 64>());
        else if (width <= 128)
            visit(tag, std::integral_constant<int, 128>());
        else if constexpr (kWide && !std::is_same_v<decltype(tag), float>)
            visit(tag, std::integral_constant<int, kMostWidth>());
    };
    if (width > kMostWidth) return false;
    switch (element) {
        case Element::Float32:
            return by_width(float()), true;
        case Element::Float16:
            return by_width(Half()), true;
        case Element::BFloat16:
            return by_width(Brain()), true;
        default:
            return false;
    }
}
int wider(const AttentionShape& s) { return s.width > s.out ? s.width : s.out; }
std::int64_t tiles_of(std::int64_t rows) { return (rows + kTile - 1) / kTile; }

}  // namespace

#ifdef __CUDACC__
std::size_t most_tile_memory() {
    int device = 0, bytes = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return static_cast<std::size_t>(bytes);
}
#endif

bool has_attention(Element element, int width, bool with_gradients) {
    bool fits = false;
    visit_kernel<true>(element, width, [&](auto tag, auto dim) {
        using S = decltype(tag);
        constexpr int kDim = decltype(dim)::value;
        if (with_gradients && kDim > 128) return;
        fits = (with_gradients ? BackwardMemory<S, kDim>(true).bytes : ForwardMemory<S, kDim>().bytes) <=
               most_tile_memory();
    });
    return fits;
}

void run_attention(const Queue& queue, const AttentionShape& s, const void* query, const void* key, const void* value,
                   void* out, HeadStrides of_out, float* sums) {
    visit_kernel<true>(s.element, wider(s), [&](auto tag, auto dim) {
        using S = decltype(tag);
        constexpr int kDim = decltype(dim)::value;
        launch_tiles(queue, s.batch * s.heads * tiles_of(s.rows), ForwardMemory<S, kDim>().bytes,
                     ForwardBody<S, kDim>{s, static_cast<const S*>(query), static_cast<const S*>(key),
                                          static_cast<const S*>(value), static_cast<S*>(out), of_out, sums});
    });
}

void run_attention_along(const Queue& queue, const AttentionShape& s, const void* grad, HeadStrides of_grad,
                         const void* out, HeadStrides of_out, float* along) {
    visit_kernel<false>(s.element, 1, [&](auto tag, auto) {
        using S = decltype(tag);
        launch_teams(queue, s.batch * s.heads * s.rows, s.out,
                     AlongBody<S>{s, static_cast<const S*>(grad), of_grad, static_cast<const S*>(out), of_out, along});
    });
}

void run_attention_gradients(const Queue& queue, const AttentionShape& s, const void* query, const void* key,
                             const void* value, const void* grad, HeadStrides of_grad, const float* sums,
                             const float* along, const AttentionGradients& gradients) {
    visit_kernel<false>(s.element, wider(s), [&](auto tag, auto dim) {
        using S = decltype(tag);
        constexpr int kDim = decltype(dim)::value;
        const auto run = [&](auto of_keys, std::int64_t count) {
            constexpr bool kOfKeys = decltype(of_keys)::value;
            launch_tiles(queue, s.batch * s.heads * tiles_of(count), BackwardMemory<S, kDim>(kOfKeys).bytes,
                         BackwardBody<S, kDim, kOfKeys>{s, static_cast<const S*>(query), static_cast<const S*>(key),
                                                        static_cast<const S*>(value), static_cast<const S*>(grad),
                                                        of_grad, sums, along, gradients});
        };
        if (gradients.key != nullptr || gradients.value != nullptr) run(std::true_type(), s.columns);
        if (gradients.query != nullptr) run(std::false_type(), s.rows);
    });
}

}  // namespace loupe::cuda
