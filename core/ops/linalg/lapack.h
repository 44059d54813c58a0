// SPDX-License-Identifier: Apache-2.0
#pragma once
// LAPACK's routines by element type: Lapack<float>::getrf is LAPACKE_sgetrf. All matrices are column major.

#include <complex>

#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "core/ops/matrix/blas_scope.h"
#include "core/tensor/tensor.h"

namespace loupe::linalg {

template <typename T>
struct Lapack;

// As LAPACKE's of the same names. Those ask LAPACK how much memory it wants, which it says as a float: beyond 2^24
// elements that may be rounded down, and is then refused ("parameter 8 had an illegal value", from n = 2896 on).
lapack_int ssyevd(int layout, char job, char triangle, lapack_int n, float* a, lapack_int lda, float* values);
lapack_int cheevd(int layout, char job, char triangle, lapack_int n, std::complex<float>* a, lapack_int lda,
                  float* values);
lapack_int sgesdd(int layout, char job, lapack_int m, lapack_int n, float* a, lapack_int lda, float* s, float* u,
                  lapack_int ldu, float* vt, lapack_int ldvt);
lapack_int cgesdd(int layout, char job, lapack_int m, lapack_int n, std::complex<float>* a, lapack_int lda, float* s,
                  std::complex<float>* u, lapack_int ldu, std::complex<float>* vt, lapack_int ldvt);

// T, its real type, LAPACK's letter; the endings that differ between real and complex types, and
// where syevd and gesdd come from.
#define LOUPE_LAPACK(type, real, x, org, orm, syevd_, gesdd_, hermitian) \
    template <>                                                          \
    struct Lapack<type> {                                                \
        using Real = real;                                               \
        static constexpr auto getrf = &LAPACKE_##x##getrf;               \
        static constexpr auto getrs = &LAPACKE_##x##getrs;               \
        static constexpr auto potrf = &LAPACKE_##x##potrf;               \
        static constexpr auto potri = &LAPACKE_##x##potri;               \
        static constexpr auto potrs = &LAPACKE_##x##potrs;               \
        static constexpr auto geqrf = &LAPACKE_##x##geqrf;               \
        static constexpr auto orgqr = &LAPACKE_##x##org;                 \
        static constexpr auto ormqr = &LAPACKE_##x##orm;                 \
        static constexpr auto gesdd = &gesdd_;                           \
        static constexpr auto syevd = &syevd_;                           \
        static constexpr auto geev = &LAPACKE_##x##geev;                 \
        static constexpr auto sytrf = &LAPACKE_##x##sytrf;               \
        static constexpr auto sytrs = &LAPACKE_##x##sytrs;               \
        static constexpr auto hetrf = &LAPACKE_##x##hermitian##trf;      \
        static constexpr auto hetrs = &LAPACKE_##x##hermitian##trs;      \
        static constexpr auto gels = &LAPACKE_##x##gels;                 \
        static constexpr auto gelsy = &LAPACKE_##x##gelsy;               \
        static constexpr auto gelsd = &LAPACKE_##x##gelsd;               \
        static constexpr auto gelss = &LAPACKE_##x##gelss;               \
    };
LOUPE_LAPACK(float, float, s, orgqr, ormqr, ssyevd, sgesdd, sy)
LOUPE_LAPACK(double, double, d, orgqr, ormqr, LAPACKE_dsyevd, LAPACKE_dgesdd, sy)
LOUPE_LAPACK(std::complex<float>, float, c, ungqr, unmqr, cheevd, cgesdd, he)
LOUPE_LAPACK(std::complex<double>, double, z, ungqr, unmqr, LAPACKE_zheevd, LAPACKE_zgesdd, he)
#undef LOUPE_LAPACK

template <typename T>
using RealOf = typename Lapack<T>::Real;
template <typename T>
inline constexpr bool kIsComplex = is_complex(scalar_type_of<T>);

// Scope of calls to LAPACK on one thread. NaN is not checked: the routines return what PyTorch returns.
class LapackScope {
  public:
    LapackScope();  // throws Error (Run) without memory to work in

  private:
    BlasScope blas_;
};

inline lapack_int narrow(std::int64_t n) { return static_cast<lapack_int>(n); }
// A leading dimension; LAPACK requires at least 1.
inline lapack_int leading(std::int64_t n) { return static_cast<lapack_int>(n > 1 ? n : 1); }

}  // namespace loupe::linalg
