// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpenBLAS needs a buffer per concurrent call. Without memory for it OpenBLAS 0.3 retries forever: the buffers are
// allocated in advance.

namespace loupe {

class BlasScope {
  public:
    // callers: threads that call BLAS or LAPACK concurrently in this scope. OpenBLAS runs on the calling thread only.
    // Throws Error (Run) without memory for the buffers.
    explicit BlasScope(int callers = 1);
    BlasScope(const BlasScope&) = delete;
    BlasScope& operator=(const BlasScope&) = delete;
    ~BlasScope();

  private:
    int callers_;
};

}  // namespace loupe
