// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/lists.h"

#include "plugins/cuda/loops/team.h"
#define LOUPE_LIST_HD LOUPE_HD
#include "core/kernels/list_step_inl.h"

namespace loupe::cuda {
namespace {

// Elements that a thread takes through a step at once, a team's width apart.
constexpr int kWide = 4;

template <typename T>
struct ListBody {
    ListLaunch launch;

    LOUPE_HD const ListLaunch::Entry& entry_of(std::int64_t chunk) const {
        int low = 0, high = launch.entries;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (launch.entry[middle].first_chunk <= chunk)
                low = middle;
            else
                high = middle;
        }
        return launch.entry[low];
    }

    // The entry's numbers, its scalars and what the prologue makes of them.
    LOUPE_HD void ready(const ListLaunch::Entry& entry, T* numbers) const {
        const ListProgram& program = launch.program;
        double all[ListProgram::kMaxNumbers];
        int count = 0;
        for (; count < program.numbers; ++count) all[count] = launch.numbers[entry.numbers + count];
        for (int i = 0; i < program.scalars; ++i)
            all[count++] = load<double>(entry.scalar[i], launch.scalar_element[i]);
        for (int i = 0; i < program.prologue_steps; ++i) {
            const ListStep& s = program.prologue[i];
            all[s.to - kListNumberPlace] =
                list_value(s.op, all[s.a - kListNumberPlace], all[s.b - kListNumberPlace], all[s.c - kListNumberPlace]);
        }
        count += program.prologue_steps;
        for (int i = 0; i < count; ++i) numbers[i] = static_cast<T>(all[i]);
    }

    LOUPE_HD void step(const ListStep& s, T (*registers)[kWide], const T* numbers, int there) const {
        T a[kWide], b[kWide], c[kWide];
        const auto read = [&](T* to, std::uint8_t place) {
            LOUPE_UNROLL
            for (int k = 0; k < kWide; ++k)
                to[k] = place < kListNumberPlace ? registers[place][k] : numbers[place - kListNumberPlace];
        };
        read(a, s.a);
        read(b, s.b);
        read(c, s.c);
        if (s.op == ListOp::FlagInfinite && launch.flag != nullptr) {
            // All write the same.
            for (int k = 0; k < there; ++k) {
                if (!(a[k] - a[k] == T(0))) *launch.flag = 1;
            }
        }
        T* const to = registers[s.to];
        LOUPE_UNROLL
        for (int k = 0; k < kWide; ++k) to[k] = list_value(s.op, a[k], b[k], c[k]);
    }

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t chunk) const {
        if (launch.skip != nullptr && *launch.skip != 0) return;
        const ListLaunch::Entry& entry = entry_of(chunk);
        const ListProgram& program = launch.program;
        T numbers[ListProgram::kMaxNumbers];
        ready(entry, numbers);
        const std::int64_t first = (chunk - entry.first_chunk) * kListChunk;
        const std::int64_t end = first + kListChunk < entry.count ? first + kListChunk : entry.count;
        for (std::int64_t i = first + team.rank(); i < end; i += team.size() * kWide) {
            T registers[ListProgram::kMaxRegisters][kWide];
            int there = 0;
            while (there < kWide && i + there * team.size() < end) ++there;
            const auto each = [&](int t, auto&& visit) {
                const int size = size_of(launch.element[t]);
                for (int k = 0; k < there; ++k) visit(k, entry.data[t] + (i + k * team.size()) * size);
            };
            for (int t = 0; t < program.tensors; ++t) {
                if (!program.is_read[t]) continue;
                each(t, [&](int k, const char* at) { registers[t][k] = load<T>(at, launch.element[t]); });
            }
            for (int s = 0; s < program.steps; ++s) step(program.step[s], registers, numbers, there);
            for (int t = 0; t < program.tensors; ++t) {
                if (!program.is_written[t]) continue;
                const int place = program.result[t];
                each(t, [&](int k, char* at) {
                    store(at, launch.element[t],
                          place < kListNumberPlace ? registers[place][k] : numbers[place - kListNumberPlace]);
                });
            }
        }
    }
};

template <typename T>
void run_as(const Queue& queue, const ListLaunch& launch) {
    const ListBody<T> body{launch};
#ifdef __CUDACC__
    constexpr std::int64_t kMostBlocks = 1 << 20;
    const auto blocks = static_cast<unsigned>(launch.chunks < kMostBlocks ? launch.chunks : kMostBlocks);
    each_block<ListBody<T>, kThreads>
        <<<blocks, kThreads, 0, static_cast<cudaStream_t>(queue.stream)>>>(body, launch.chunks);
    check_launch("a kernel over lists");
#else
    in_turn(queue, [body, chunks = launch.chunks] {
        for (std::int64_t i = 0; i < chunks; ++i) body(HostTeam(), i);
    });
#endif
}

}  // namespace

void run_list(const Queue& queue, const ListLaunch& launch, bool in_double) {
    if (launch.chunks == 0) return;
    if (in_double)
        run_as<double>(queue, launch);
    else
        run_as<float>(queue, launch);
}

}  // namespace loupe::cuda
