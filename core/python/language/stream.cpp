// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"

namespace loupe::python {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 31;  // that a file is read of

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
        if (line.empty())
            throw PythonError(make_ptr<ExceptionObject>(exception_class("StopIteration"), std::vector<IValue>{}));
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
        for_each(a.positional[1], [&](const IValue& line) {
            write_value(stream_of(a), line);
            return true;
        });
        return {};
    });
    cls.define("truncate", [](CallArguments a) {
        StreamObject& stream = stream_of(a);
        const std::int64_t size = count_argument(a);
        const std::size_t at = size < 0 ? stream.position : static_cast<std::size_t>(size);
        if (stream.file.is_open())
            throw_error("NotImplementedError", "truncate() of a file is not available here; open it with mode 'w'");
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

struct Mode {
    bool reads = false, writes = false, appends = false, creates = false, is_binary = false;
};

Mode parse_mode(const std::string& text) {
    Mode mode;
    int kinds = 0;
    for (const char c : text) {
        kinds += c == 'r' || c == 'w' || c == 'a' || c == 'x' ? 1 : 0;
        if (c == 'r')
            mode.reads = true;
        else if (c == 'w' || c == 'a' || c == 'x')
            mode.writes = true;
        else if (c == 'b')
            mode.is_binary = true;
        else if (c != 't' && c != '+')
            throw_value_error(concat("invalid mode: '", text, "'"));
        if (c == 'a') mode.appends = true;
        if (c == 'x') mode.creates = true;
    }
    if (kinds != 1) throw_value_error("Must have exactly one of create/read/write/append mode and at most one plus");
    return mode;
}

}  // namespace

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

FileSandbox& files_of_program() { return Evaluator::current()->state().files(); }

Ptr<MappedFile> file_to_read(const IValue& given) {
    const bool is_object = given.is_other() && find_attribute(given, "read").has_value();
    if (!is_object) return with_files([path = path_text(given)](FileSandbox& files) { return files.map(path); });
    const IValue read = call_method(given, "read", {});
    const auto* bytes = object_as<BytesObject>(read);
    if (bytes == nullptr)
        throw_type_error(
            concat("a bytes-like object is required, not '", type_name(read), "'; open the file in mode 'rb'"));
    return with_files([&](FileSandbox&) {
        const FileHandle memory = memory_file();
        write_at(memory, 0, bytes->data, "archive");
        return MappedFile::map(memory, "archive");
    });
}

FileToWrite::FileToWrite(const IValue& given) : target_("archive") {
    if (given.is_other() && find_attribute(given, "write").has_value()) {
        object_ = given;
        memory_ = std::make_shared<const FileHandle>(memory_file());
        target_ = FileTarget("archive", memory_);
    } else {
        target_ = with_files([path = path_text(given)](FileSandbox& files) { return files.target(path); });
    }
}

void FileToWrite::finish() {
    if (memory_ == nullptr) return;
    std::string written = with_files([&](FileSandbox&) { return contents_of(*memory_, "archive"); });
    call_method(object_, "write", CallArguments{{make_bytes(std::move(written))}, {}});
}

void throw_os_error(int number, const std::string& path) {
    throw_os_error(SystemError(number, path, std::strerror(number)));
}

void throw_os_error(const SystemError& error) {
    // The system's functions never get such a path, in CPython neither.
    if (error.path().find('\0') != std::string::npos) throw_value_error("embedded null byte");
    const int number = error.number();
    const std::string_view name = number == ENOENT                      ? "FileNotFoundError"
                                  : number == EEXIST                    ? "FileExistsError"
                                  : number == EISDIR                    ? "IsADirectoryError"
                                  : number == ENOTDIR                   ? "NotADirectoryError"
                                  : number == EACCES || number == EPERM ? "PermissionError"
                                                                        : "OSError";
    std::vector<IValue> arguments = {IValue(number), IValue(error.message()), IValue(error.path())};
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
        return;  // no caller is left to handle it
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
    if (!file.is_open() || unsaved_from_ == std::string::npos) return;
    const std::size_t from = std::exchange(unsaved_from_, std::string::npos);
    try {
        write_at(file, from, std::string_view(data).substr(from), path);
    } catch (const SystemError& error) {
        throw_os_error(error);
    }
}

void StreamObject::close() {
    if (is_closed) return;
    flush();
    is_closed = true;
    file.reset();
    data.clear();
}

IValue open_file(CallArguments arguments) {
    const BoundArguments given(
        arguments, "open", {"file", "mode=", "buffering=", "encoding=", "errors=", "newline=", "closefd=", "opener="});
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
    with_files([&](FileSandbox& files) {
        using Create = FileSandbox::Create;
        using Keep = FileSandbox::Keep;
        if (!stream->can_write) {
            stream->data = contents_of(files.open_to_read(path), path, kMostBytes);
            return;
        }
        const Create create = mode.creates ? Create::Always : mode.reads ? Create::No : Create::IfMissing;
        const Keep keep = mode.reads || mode.appends ? Keep::Contents : Keep::Nothing;
        stream->file = files.open_to_write(path, create, keep);
        if (keep == Keep::Contents) stream->data = contents_of(stream->file, path, kMostBytes);
    });
    if (stream->is_text && !stream->can_write) use_plain_newlines(stream->data);
    if (mode.appends) stream->position = stream->data.size();
    stream->path = path;
    stream->attributes.set("name", given[0]);
    stream->attributes.set("mode", IValue(mode_text));
    return IValue::other(stream);
}

}  // namespace loupe::python
