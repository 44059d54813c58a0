// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plain_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace loupe::cli {
namespace {

struct PlainStream {
    int descriptor;
    bool is_within = false;  // the last byte begins a character of two
};

// Of UTF-8: U+0000 to U+001F, U+007F, and U+0080 to U+009F, which are C2 80 to C2 9F.
char plain(char byte, bool is_within) {
    const auto code = static_cast<unsigned char>(byte);
    const bool stays = byte == '\n' || byte == '\t' || byte == '\r';
    if ((code < 0x20 && !stays) || code == 0x7f) return '?';
    return is_within && code < 0xa0 ? '\xbf' : byte;  // C2 BF is an inverted question mark
}

ssize_t write_plain(void* cookie, const char* bytes, std::size_t size) {
    auto& stream = *static_cast<PlainStream*>(cookie);
    std::string text(bytes, size);
    for (char& byte : text) {
        const bool begins = static_cast<unsigned char>(byte) == 0xc2;
        byte = plain(byte, stream.is_within);
        stream.is_within = begins;
    }
    for (std::size_t done = 0; done < size;) {
        const ssize_t put = ::write(stream.descriptor, text.data() + done, size - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return 0;
        done += static_cast<std::size_t>(put);
    }
    return static_cast<ssize_t>(size);
}

// Null: it stays as it is.
FILE* plain_stream(int descriptor, int buffering) {
    static PlainStream streams[] = {{STDOUT_FILENO}, {STDERR_FILENO}};
    PlainStream& stream = streams[descriptor == STDERR_FILENO ? 1 : 0];
    FILE* file = ::fopencookie(&stream, "w", {nullptr, &write_plain, nullptr, nullptr});
    if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
    return file;
}

}  // namespace

void keep_output_plain() {
    const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
    if (FILE* out = plain_stream(STDOUT_FILENO, is_terminal ? _IOLBF : _IOFBF)) stdout = out;
    if (FILE* err = plain_stream(STDERR_FILENO, _IOLBF)) stderr = err;
}

}  // namespace loupe::cli
