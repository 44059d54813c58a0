// SPDX-License-Identifier: Apache-2.0
#pragma once
// zlib's stream that inflates. Memory that runs out is said as such: to zlib's callers it is one error code among those
// of damaged data.

#include <zlib.h>

#include <new>

#include "core/base/error.h"

namespace loupe {

class InflateStream {
  public:
    // `window` as inflateInit2 takes it: negative for raw deflate, 16 more for gzip. Throws std::bad_alloc, and Error
    // (Internal) for a window that zlib does not have.
    explicit InflateStream(int window) {
        if (checked(inflateInit2(&stream_, window)) != Z_OK)
            throw Error(ErrorKind::Internal, "Invalid initialization option");
    }
    InflateStream(const InflateStream&) = delete;
    InflateStream& operator=(const InflateStream&) = delete;
    ~InflateStream() { inflateEnd(&stream_); }

    // zlib's status. Throws std::bad_alloc.
    int inflate() { return checked(::inflate(&stream_, Z_NO_FLUSH)); }
    // Whether another stream can follow.
    bool reset() { return inflateReset(&stream_) == Z_OK; }

    z_stream* operator->() { return &stream_; }

  private:
    static int checked(int status) {
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        return status;
    }

    z_stream stream_{};
};

}  // namespace loupe
