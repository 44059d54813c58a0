// SPDX-License-Identifier: Apache-2.0
#include "core/python/stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "core/base/strings.h"
#include "core/python/builtin_objects.h"
#include "core/python/evaluator_state.h"
#include "core/python/standard_modules.h"

namespace loupe::python {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 31;  // that a file is read of

using FilePointer = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

FilePointer open_stream(const std::string& path, const char* mode) {
    FilePointer file(std::fopen(path.c_str(), mode), std::fclose);
    if (!file) throw_os_error(errno, path);
    return file;
}

std::string contents_of(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) throw_os_error(errno, path);
    if (S_ISDIR(facts.st_mode)) throw_os_error(EISDIR, path);
    // Of pipes and devices nobody knows the end.
    if (!S_ISREG(facts.st_mode)) throw_os_error(EINVAL, path);
    if (static_cast<std::uint64_t>(facts.st_size) > kMostBytes) throw_os_error(EFBIG, path);
    const FilePointer file = open_stream(path, "rb");
    std::string out;
    std::array<char, 1 << 16> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
        out.append(part.data(), count);
        if (out.size() > kMostBytes) throw_os_error(EFBIG, path);
    }
    return out;
}

void use_plain_newlines(std::string& text) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < text.size(); ++from) {
        char c = text[from];
        if (c == '\r') {
            if (from + 1 < text.size() && text[from + 1] == '\n') ++from;
            c = '\n';
        }
        text[to++] = c;
    }
    text.resize(to);
}

// Where the character behind `count` ones ends.
std::size_t characters_end(std::string_view text, std::size_t from, std::int64_t count) {
    std::size_t at = from;
    for (; count > 0 && at < text.size(); --count) {
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
    }
    return at;
}

StreamObject& stream_of(const CallArguments& a) {
    auto* stream = a.positional.empty() ? nullptr : object_as<StreamObject>(a.positional[0]);
    if (stream == nullptr) throw_type_error("a method of a stream needs a stream");
    return *stream;
}

IValue contents(const StreamObject& stream, std::string bytes) {
    return stream.is_text ? IValue(std::move(bytes)) : make_bytes(std::move(bytes));
}

std::int64_t write_value(StreamObject& stream, const IValue& given) {
    const IValue& value = plain(given);
    if (stream.is_text) {
        if (!value.is_string()) throw_type_error(concat("write() argument must be str, not ", type_name(given)));
        stream.write(value.to_string());
        return text_length(value.to_string());
    }
    const auto* bytes = object_as<BytesObject>(value);
    if (bytes == nullptr) throw_type_error(concat("a bytes-like object is required, not '", type_name(given), "'"));
    stream.write(bytes->data);
    return static_cast<std::int64_t>(bytes->data.size());
}

std::int64_t count_argument(const CallArguments& a) {
    return a.positional.size() > 1 && !a.positional[1].is_none() ? to_index(a.positional[1]) : -1;
}

IValue all_lines(StreamObject& stream) {
    std::vector<IValue> lines;
    while (true) {
        std::string line = stream.read_line();
        if (line.empty()) return make_list(std::move(lines));
        lines.push_back(contents(stream, std::move(line)));
    }
}

void define_reading(ClassObject& cls) {
    cls.define("read", [](CallArguments a) {
        StreamObject& stream = stream_of(a);
        std::int64_t count = count_argument(a);
        if (stream.is_text && count > 0) {
            const std::size_t from = std::min(stream.position, stream.data.size());
            count = static_cast<std::int64_t>(characters_end(stream.data, from, count) - from);
        }
        return contents(stream, stream.read(count));
    });
    cls.define("readline", [](CallArguments a) { return contents(stream_of(a), stream_of(a).read_line()); });
    cls.define("readlines", [](CallArguments a) { return all_lines(stream_of(a)); });
    cls.define("readable", [](CallArguments a) { return IValue(stream_of(a).can_read); });
    cls.define("getvalue", [](CallArguments a) { return contents(stream_of(a), stream_of(a).data); });
    cls.define("getbuffer", [](CallArguments a) { return contents(stream_of(a), stream_of(a).data); });
    cls.define("__iter__", [](CallArguments a) { return a.positional.at(0); });
    cls.define("__next__", [](CallArguments a) {
        std::string line = stream_of(a).read_line();
        if (line.empty()) throw PythonError(make_ptr<ExceptionObject>(exception_class("StopIteration"), std::vector<IValue>{}));
        return contents(stream_of(a), std::move(line));
    });
}

void define_writing(ClassObject& cls) {
    cls.define("write", [](CallArguments a) {
        check_positional(a, "write", 2, 2);
        return IValue(write_value(stream_of(a), a.positional[1]));
    });
    cls.define("writelines", [](CallArguments a) -> IValue {
        check_positional(a, "writelines", 2, 2);
        for (const IValue& line : to_vector(a.positional[1])) write_value(stream_of(a), line);
        return {};
    });
    cls.define("truncate", [](CallArguments a) {
        StreamObject& stream = stream_of(a);
        const std::int64_t size = count_argument(a);
        const std::size_t at = size < 0 ? stream.position : static_cast<std::size_t>(size);
        if (!stream.path.empty()) throw_error("NotImplementedError", "truncate() of a file is not available here; open it with mode 'w'");
        if (at < stream.data.size()) stream.data.resize(at);
        return IValue(static_cast<std::int64_t>(at));
    });
    cls.define("writable", [](CallArguments a) { return IValue(stream_of(a).can_write); });
    cls.define("flush", [](CallArguments a) -> IValue {
        stream_of(a).flush();
        return {};
    });
}

void define_rest(ClassObject& cls) {
    cls.define("seek", [](CallArguments a) {
        check_positional(a, "seek", 2, 3);
        StreamObject& stream = stream_of(a);
        stream.seek(to_index(a.positional[1]), a.positional.size() > 2 ? to_index(a.positional[2]) : 0);
        return IValue(static_cast<std::int64_t>(stream.position));
    });
    cls.define("tell", [](CallArguments a) { return IValue(static_cast<std::int64_t>(stream_of(a).position)); });
    cls.define("seekable", [](CallArguments) { return IValue(true); });
    cls.define("isatty", [](CallArguments) { return IValue(false); });
    cls.define("close", [](CallArguments a) -> IValue {
        stream_of(a).close();
        return {};
    });
    cls.define("__enter__", [](CallArguments a) { return a.positional.at(0); });
    cls.define("__exit__", [](CallArguments a) {
        stream_of(a).close();
        return IValue(false);
    });
    cls.define_property("closed", [](const IValue& self) {
        const auto* stream = object_as<StreamObject>(self);
        return IValue(stream == nullptr || stream->is_closed);
    });
}

ClassPtr make_stream_class(const std::string& name, bool is_text, ClassPtr base) {
    auto cls = make_ptr<ClassObject>(name, "_io", std::vector<ClassPtr>{std::move(base)});
    define_reading(*cls);
    define_writing(*cls);
    define_rest(*cls);
    cls->set_instance_maker([is_text](ClassObject& made, CallArguments& a) -> ClassObject::Made {
        auto stream = make_ptr<StreamObject>(ClassPtr(&made));
        stream->is_text = is_text;
        const BoundArguments given(a, made.name(), {"initial=", "newline="});
        if (given.has(0) && !given[0].is_none()) {
            write_value(*stream, given[0]);
            stream->position = 0;
        }
        a.positional.clear();
        a.keywords.clear();
        return {IValue::other(stream), made.find("__init__") == builtin_classes().object->find("__init__")};
    });
    return cls;
}

struct Mode {
    bool reads = false, writes = false, appends = false, creates = false, is_binary = false;
};

Mode parse_mode(const std::string& text) {
    Mode mode;
    int kinds = 0;
    for (const char c : text) {
        kinds += c == 'r' || c == 'w' || c == 'a' || c == 'x' ? 1 : 0;
        if (c == 'r') mode.reads = true;
        else if (c == 'w' || c == 'a' || c == 'x') mode.writes = true;
        else if (c == 'b') mode.is_binary = true;
        else if (c != 't' && c != '+') throw_value_error(concat("invalid mode: '", text, "'"));
        if (c == 'a') mode.appends = true;
        if (c == 'x') mode.creates = true;
    }
    if (kinds != 1) throw_value_error("Must have exactly one of create/read/write/append mode and at most one plus");
    return mode;
}

}  // namespace

FileArgument::FileArgument(const IValue& file, Use use) {
    const bool is_object = file.is_other() && find_attribute(file, use == Use::Read ? "read" : "write").has_value();
    if (!is_object) {
        path_ = path_text(file);
        if (use == Use::Write) Evaluator::current()->state().made_paths.insert(fs::absolute(path_).lexically_normal().string());
        return;
    }
    file_ = file;
    static std::atomic<unsigned> counter = 0;
    const fs::path folder = fs::temp_directory_path() / concat("loupe-", ::getpid(), "-", counter++);
    fs::create_directories(folder);
    path_ = (folder / "archive").string();
    if (use == Use::Write) return;
    const IValue given = call_method(file, "read", {});
    const auto* bytes = object_as<BytesObject>(given);
    if (bytes == nullptr) throw_type_error(concat("a bytes-like object is required, not '", type_name(given), "'; open the file in mode 'rb'"));
    const FilePointer out = open_stream(path_, "wb");
    if (std::fwrite(bytes->data.data(), 1, bytes->data.size(), out.get()) != bytes->data.size()) throw_os_error(errno, path_);
}

FileArgument::~FileArgument() {
    std::error_code ignored;
    if (!file_.is_none()) fs::remove_all(fs::path(path_).parent_path(), ignored);
}

void FileArgument::finish() {
    if (file_.is_none()) return;
    call_method(file_, "write", CallArguments{{make_bytes(contents_of(path_))}, {}});
}

void throw_os_error(int number, const std::string& path) {
    const std::string_view name = number == ENOENT    ? "FileNotFoundError"
                                  : number == EEXIST  ? "FileExistsError"
                                  : number == EISDIR  ? "IsADirectoryError"
                                  : number == ENOTDIR ? "NotADirectoryError"
                                  : number == EACCES || number == EPERM ? "PermissionError"
                                                                        : "OSError";
    std::vector<IValue> arguments = {IValue(number), IValue(std::string(std::strerror(number))), IValue(path)};
    throw PythonError(make_ptr<ExceptionObject>(exception_class(name), std::move(arguments)));
}

std::string path_text(const IValue& given) {
    const IValue& value = plain(given);
    if (value.is_string()) return value.to_string();
    if (const auto* bytes = object_as<BytesObject>(value)) return bytes->data;
    if (const ClassObject* cls = dynamic_class(value)) {
        if (auto text = call_special(*cls, "__fspath__", value)) return path_text(*text);
    }
    throw_type_error(concat("expected str, bytes or os.PathLike object, not ", type_name(given)));
}

StreamObject::~StreamObject() {
    try {
        flush();
    } catch (const Error&) {
        // Nobody is left to be told.
        return;
    }
}

void StreamObject::check_open() const {
    if (is_closed) throw_value_error(path.empty() || is_text ? "I/O operation on closed file." : "read of closed file");
}

std::string StreamObject::read(std::int64_t count) {
    check_open();
    if (!can_read) throw_error("UnsupportedOperation", is_text ? "not readable" : "read");
    const std::size_t from = std::min(position, data.size());
    const std::size_t left = data.size() - from;
    const std::size_t size = count < 0 ? left : std::min(left, static_cast<std::size_t>(count));
    position = from + size;
    return data.substr(from, size);
}

std::string StreamObject::read_line() {
    const std::size_t end = data.find('\n', std::min(position, data.size()));
    return read(end == std::string::npos ? -1 : static_cast<std::int64_t>(end + 1 - position));
}

void StreamObject::write(std::string_view bytes) {
    check_open();
    if (!can_write) throw_error("UnsupportedOperation", is_text ? "not writable" : "write");
    if (appends) position = data.size();
    if (position + bytes.size() > kMostBytes) throw_error("MemoryError", "a file of more than 2 GB is too large");
    if (data.size() < position) data.resize(position, '\0');
    unsaved_from_ = std::min(unsaved_from_, position);
    data.replace(position, std::min(bytes.size(), data.size() - position), bytes);
    position += bytes.size();
}

void StreamObject::seek(std::int64_t offset, std::int64_t whence) {
    check_open();
    const std::int64_t base = whence == 0 ? 0 : static_cast<std::int64_t>(whence == 1 ? position : data.size());
    if (base + offset < 0) throw_value_error(concat("negative seek value ", offset));
    if (base + offset > static_cast<std::int64_t>(kMostBytes)) throw_value_error("seek behind 2 GB");
    position = static_cast<std::size_t>(base + offset);
}

void StreamObject::flush() {
    if (path.empty() || unsaved_from_ == std::string::npos) return;
    const std::size_t from = std::exchange(unsaved_from_, std::string::npos);
    const FilePointer file = open_stream(path, "r+b");
    const bool is_placed = std::fseek(file.get(), static_cast<long>(from), SEEK_SET) == 0;
    const std::size_t size = data.size() - from;
    if (!is_placed || std::fwrite(data.data() + from, 1, size, file.get()) != size || std::fflush(file.get()) != 0) {
        throw_os_error(errno, path);
    }
}

void StreamObject::close() {
    if (is_closed) return;
    flush();
    is_closed = true;
    data.clear();
}

IValue open_file(CallArguments arguments) {
    const BoundArguments given(arguments, "open",
                               {"file", "mode=", "buffering=", "encoding=", "errors=", "newline=", "closefd=", "opener="});
    const std::string path = path_text(given[0]);
    const std::string mode_text = given.has(1) ? str(given[1]) : "r";
    const Mode mode = parse_mode(mode_text);
    const IValue io = Evaluator::current()->import_module("io");
    auto* cls = object_as<ClassObject>(get_attribute(io, mode.is_binary ? "BufferedRandom" : "TextIOWrapper"));
    auto stream = make_ptr<StreamObject>(ClassPtr(cls));
    stream->is_text = !mode.is_binary;
    stream->can_read = mode.reads || mode_text.find('+') != std::string::npos;
    stream->can_write = mode.writes || mode_text.find('+') != std::string::npos;
    stream->appends = mode.appends;
    std::error_code unknown;
    const bool is_there = fs::exists(path, unknown);
    if (mode.creates && is_there) throw_os_error(EEXIST, path);
    if (mode.reads || (mode.appends && is_there)) stream->data = contents_of(path);
    if (mode.writes) {
        open_stream(path, mode.appends ? "ab" : "wb");
        if (!is_there) Evaluator::current()->state().made_paths.insert(fs::absolute(path).lexically_normal().string());
    }
    if (stream->is_text && !stream->can_write) use_plain_newlines(stream->data);
    if (mode.appends) stream->position = stream->data.size();
    stream->path = path;
    stream->attributes.set("name", given[0]);
    stream->attributes.set("mode", IValue(mode_text));
    return IValue::other(stream);
}

void fill_io(PythonModule& module) {
    auto base = make_ptr<ClassObject>("IOBase", "io", std::vector<ClassPtr>{builtin_classes().object});
    module.define("IOBase", IValue::other(base));
    module.define("BytesIO", IValue::other(make_stream_class("BytesIO", false, base)));
    module.define("StringIO", IValue::other(make_stream_class("StringIO", true, base)));
    module.define("TextIOWrapper", IValue::other(make_stream_class("TextIOWrapper", true, base)));
    module.define("BufferedRandom", IValue::other(make_stream_class("BufferedRandom", false, base)));
    module.define("UnsupportedOperation", IValue::other(exception_class("UnsupportedOperation")));
    module.define("open", open_file);
    module.define("SEEK_SET", IValue(0));
    module.define("SEEK_CUR", IValue(1));
    module.define("SEEK_END", IValue(2));
}

}  // namespace loupe::python
