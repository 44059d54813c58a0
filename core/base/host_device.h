// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formulas that the CPU's kernels and those of devices have in common are marked LOUPE_HD: nvcc compiles them for both.

#ifndef LOUPE_HD
#ifdef __CUDACC__
#define LOUPE_HD __host__ __device__
#else
#define LOUPE_HD
#endif
#endif
