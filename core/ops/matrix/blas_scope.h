// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpenBLAS takes a buffer for each call under way. Where there is no memory for it OpenBLAS 0.3 asks again and again, forever:
// the buffers are made sure of before.

namespace loupe {

class BlasScope {
  public:
    // callers: threads that call BLAS or LAPACK at once while it lives. OpenBLAS itself keeps to the calling thread. Throws Error (Run)
    // without memory for them.
    explicit BlasScope(int callers = 1);
    BlasScope(const BlasScope&) = delete;
    BlasScope& operator=(const BlasScope&) = delete;
    ~BlasScope();

  private:
    int callers_;
};

}  // namespace loupe
