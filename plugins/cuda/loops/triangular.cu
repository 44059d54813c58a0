// SPDX-License-Identifier: Apache-2.0
// A team a column. Each thread reads again only what it has written itself: the elements whose places are its rank's.
#include "plugins/cuda/loops/triangular.h"

#include "plugins/cuda/loops/scalars.h"

namespace loupe::cuda {
namespace {

template <typename T>
struct TriangularBody {
    TriangularShape s;

    LOUPE_HD T element(std::int64_t batch, std::int64_t i, std::int64_t k) const {
        const T value = place_of<T>(s.a, batch).at(i, k);
        return s.conjugates ? conjugate(value) : value;
    }
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t batch = quotient(index, s.columns), column = index - batch * s.columns;
        T* const x = static_cast<T*>(const_cast<void*>(s.x.data)) + batch * s.x.batch + column * s.x.column;
        for (std::int64_t step = 0; step < s.n; ++step) {
            const std::int64_t i = s.upper ? s.n - 1 - step : step;
            const T right = x[i * s.x.row];
            T sum = nothing<T>();
            // Those that are solved.
            for (std::int64_t done = team.rank(); done < step; done += team.size()) {
                const std::int64_t k = s.upper ? s.n - 1 - done : done;
                add_product(sum, element(batch, i, k), x[k * s.x.row]);
            }
            T value = difference(right, sum_of_team(team, sum));
            if (!s.unit) value = quotient_of(value, element(batch, i, i));
            if (step % team.size() == team.rank()) x[i * s.x.row] = value;
        }
    }
};

}  // namespace

void run_triangular(const Queue& queue, const TriangularShape& s) {
    visit_scalar(s.factor, [&](auto tag) {
        using T = decltype(tag);
        launch_teams(queue, s.batch * s.columns, s.n, TriangularBody<T>{s});
    });
}

}  // namespace loupe::cuda
