// SPDX-License-Identifier: Apache-2.0
// The module zlib.
#include <zlib.h>

#include <array>
#include <new>
#include <optional>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/inflate_stream.h"
#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

ClassPtr error_class() {
    static const ClassPtr cls = [] {
        auto made = make_ptr<ClassObject>("error", "zlib", std::vector<ClassPtr>{exception_class("Exception")});
        return made;
    }();
    return cls;
}

[[noreturn]] void fail(int code, const char* what, const char* message) {
    std::string text = concat("Error ", code, " ", what);
    if (message != nullptr) text += concat(": ", message);
    throw PythonError(make_ptr<ExceptionObject>(error_class(), std::vector<IValue>{IValue(std::move(text))}));
}

const std::string& bytes_argument(const IValue& value) {
    const auto* bytes = object_as<BytesObject>(value);
    if (bytes == nullptr) throw_type_error(concat("a bytes-like object is required, not '", type_name(value), "'"));
    return bytes->data;
}

Bytef* input_of(const std::string& data) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));  // zlib does not write there
}

std::string deflated(const std::string& data, int level, int window) {
    z_stream stream{};
    const int began = deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
    if (began == Z_MEM_ERROR) throw std::bad_alloc();
    if (began != Z_OK) throw_value_error("Bad compression level");
    std::string out(deflateBound(&stream, data.size()) + 32, '\0');
    stream.next_in = input_of(data);
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int done = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (done != Z_STREAM_END) fail(done, "while compressing data", stream.msg);
    return out;
}

struct Inflated {
    std::string data;
    std::string rest;  // behind the stream
};

// A stream that grows past what fits is a MemoryError.
Inflated inflated(const std::string& data, int window) {
    std::optional<InflateStream> opened;
    try {
        opened.emplace(window);
    } catch (const Error& error) {
        throw_value_error(error.message());
    }
    InflateStream& stream = *opened;
    stream->next_in = input_of(data);
    stream->avail_in = static_cast<uInt>(data.size());
    Inflated out;
    std::array<char, 65536> part{};
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        check_cancelled();
        stream->next_out = reinterpret_cast<Bytef*>(part.data());
        stream->avail_out = static_cast<uInt>(part.size());
        code = stream.inflate();
        if (code == Z_BUF_ERROR || (code == Z_OK && stream->avail_in == 0 && stream->avail_out > 0))
            fail(Z_BUF_ERROR, "while decompressing data", "incomplete or truncated stream");
        if (code != Z_OK && code != Z_STREAM_END) fail(code, "while decompressing data", stream->msg);
        out.data.append(part.data(), part.size() - stream->avail_out);
        check_size(static_cast<std::int64_t>(out.data.size()), 4);
    }
    out.rest = data.substr(data.size() - stream->avail_in);
    return out;
}

IValue compress(CallArguments arguments) {
    const BoundArguments given(arguments, "compress", {"data", "/", "level=", "wbits="});
    return make_bytes(deflated(bytes_argument(given[0]), static_cast<int>(given.int_or(1, -1)),
                               static_cast<int>(given.int_or(2, MAX_WBITS))));
}

IValue decompress(CallArguments arguments) {
    const BoundArguments given(arguments, "decompress", {"data", "/", "wbits=", "bufsize="});
    return make_bytes(inflated(bytes_argument(given[0]), static_cast<int>(given.int_or(1, MAX_WBITS))).data);
}

// (data, what lies behind the stream).
IValue decompress_first(CallArguments arguments) {
    const BoundArguments given(arguments, "_decompress_first", {"data", "wbits"});
    Inflated out = inflated(bytes_argument(given[0]), static_cast<int>(to_index(given[1])));
    return make_tuple({make_bytes(std::move(out.data)), make_bytes(std::move(out.rest))});
}

IValue checksum(CallArguments& arguments, std::string_view name, uLong (*sum)(uLong, const Bytef*, uInt), uLong first) {
    check_positional(arguments, name, 1, 2);
    const std::string& data = bytes_argument(arguments.positional[0]);
    if (arguments.positional.size() == 2) first = static_cast<uLong>(to_index(arguments.positional[1]));
    return static_cast<std::int64_t>(sum(first, input_of(data), static_cast<uInt>(data.size())));
}

}  // namespace

void fill_zlib(PythonModule& module) {
    module.define("error", IValue::other(error_class()));
    module.define("compress", compress);
    module.define("decompress", decompress);
    module.define("_decompress_first", decompress_first);
    module.define("crc32", [](CallArguments a) { return checksum(a, "crc32", ::crc32, 0); });
    module.define("adler32", [](CallArguments a) { return checksum(a, "adler32", ::adler32, 1); });
    module.define("MAX_WBITS", IValue(std::int64_t{MAX_WBITS}));
    module.define("DEFLATED", IValue(std::int64_t{Z_DEFLATED}));
    module.define("Z_DEFAULT_COMPRESSION", IValue(std::int64_t{-1}));
    module.define("Z_BEST_COMPRESSION", IValue(std::int64_t{9}));
    module.define("Z_BEST_SPEED", IValue(std::int64_t{1}));
}

}  // namespace loupe::python
