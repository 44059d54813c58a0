// SPDX-License-Identifier: Apache-2.0
// Memory for LAPACK's float routines whose need grows with the square of the size; see lapack.h.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/ops/linalg/lapack.h"

namespace loupe::linalg {
namespace {

// What the query said, or the next number above it: the true one, rounded to a float, is not larger.
lapack_int elements(float query) {
    return static_cast<lapack_int>(std::nextafter(query, std::numeric_limits<float>::max()));
}
lapack_int elements(std::complex<float> query) { return elements(query.real()); }

std::size_t size(lapack_int count) { return static_cast<std::size_t>(std::max<lapack_int>(1, count)); }

}  // namespace

lapack_int ssyevd(int layout, char job, char triangle, lapack_int n, float* a, lapack_int lda, float* values) {
    float wanted = 0;
    lapack_int wanted_ints = 0;
    if (const lapack_int info =
            LAPACKE_ssyevd_work(layout, job, triangle, n, a, lda, values, &wanted, -1, &wanted_ints, -1);
        info != 0)
        return info;
    std::vector<float> work(size(elements(wanted)));
    std::vector<lapack_int> ints(size(wanted_ints));
    return LAPACKE_ssyevd_work(layout, job, triangle, n, a, lda, values, work.data(), narrow(std::ssize(work)),
                               ints.data(), wanted_ints);
}

lapack_int cheevd(int layout, char job, char triangle, lapack_int n, std::complex<float>* a, lapack_int lda,
                  float* values) {
    std::complex<float> wanted = 0;
    float wanted_reals = 0;
    lapack_int wanted_ints = 0;
    if (const lapack_int info = LAPACKE_cheevd_work(layout, job, triangle, n, a, lda, values, &wanted, -1,
                                                    &wanted_reals, -1, &wanted_ints, -1);
        info != 0)
        return info;
    std::vector<std::complex<float>> work(size(elements(wanted)));
    std::vector<float> reals(size(elements(wanted_reals)));
    std::vector<lapack_int> ints(size(wanted_ints));
    return LAPACKE_cheevd_work(layout, job, triangle, n, a, lda, values, work.data(), narrow(std::ssize(work)),
                               reals.data(), narrow(std::ssize(reals)), ints.data(), wanted_ints);
}

lapack_int sgesdd(int layout, char job, lapack_int m, lapack_int n, float* a, lapack_int lda, float* s, float* u,
                  lapack_int ldu, float* vt, lapack_int ldvt) {
    std::vector<lapack_int> ints(size(8 * std::min(m, n)));
    float wanted = 0;
    if (const lapack_int info =
            LAPACKE_sgesdd_work(layout, job, m, n, a, lda, s, u, ldu, vt, ldvt, &wanted, -1, ints.data());
        info != 0)
        return info;
    std::vector<float> work(size(elements(wanted)));
    return LAPACKE_sgesdd_work(layout, job, m, n, a, lda, s, u, ldu, vt, ldvt, work.data(), narrow(std::ssize(work)),
                               ints.data());
}

lapack_int cgesdd(int layout, char job, lapack_int m, lapack_int n, std::complex<float>* a, lapack_int lda, float* s,
                  std::complex<float>* u, lapack_int ldu, std::complex<float>* vt, lapack_int ldvt) {
    const auto low = static_cast<std::size_t>(std::min(m, n));
    const auto high = static_cast<std::size_t>(std::max(m, n));
    std::vector<lapack_int> ints(std::max<std::size_t>(1, 8 * low));
    // As LAPACK's page of cgesdd says.
    std::vector<float> reals(
        std::max<std::size_t>(1, job == 'N' ? 7 * low : low * std::max(5 * low + 7, 2 * high + 2 * low + 1)));
    std::complex<float> wanted = 0;
    if (const lapack_int info =
            LAPACKE_cgesdd_work(layout, job, m, n, a, lda, s, u, ldu, vt, ldvt, &wanted, -1, reals.data(), ints.data());
        info != 0)
        return info;
    std::vector<std::complex<float>> work(size(elements(wanted)));
    return LAPACKE_cgesdd_work(layout, job, m, n, a, lda, s, u, ldu, vt, ldvt, work.data(), narrow(std::ssize(work)),
                               reals.data(), ints.data());
}

}  // namespace loupe::linalg
