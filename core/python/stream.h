// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files and buffers of programs: what open(), io.BytesIO and io.StringIO give.

#include <string>

#include "core/python/class.h"

namespace loupe::python {

// The contents stand in memory; of a file, what was written goes to the disk when it is flushed, closed or let go.
class StreamObject final : public Instance {
  public:
    explicit StreamObject(ClassPtr cls) : Instance(std::move(cls)) {}
    ~StreamObject() override;

    std::string data;
    std::size_t position = 0;
    std::string path;  // empty: of memory
    bool is_text = false;
    bool can_read = true;
    bool can_write = true;
    bool appends = false;
    bool is_closed = false;

    // Bytes from the position on: all when count is negative. Throws ValueError when closed or not for reading.
    std::string read(std::int64_t count);
    std::string read_line();
    void write(std::string_view bytes);
    void seek(std::int64_t offset, std::int64_t whence);
    void flush();  // throws OSError
    void close();

  private:
    void check_open() const;
    std::size_t unsaved_from_ = std::string::npos;
};

// open(): throws FileNotFoundError and the like, ValueError for a mode that is none.
IValue open_file(CallArguments arguments);
// str, bytes or an object with __fspath__ as the path that it names. Throws TypeError.
std::string path_text(const IValue& value);
// A file that a function of the engine reads or writes by its path, where a program may give an object with read() or
// write() instead. What it gives stands in a temporary file meanwhile.
class FileArgument {
  public:
    enum class Use { Read, Write };
    FileArgument(const IValue& file, Use use);
    FileArgument(const FileArgument&) = delete;
    FileArgument& operator=(const FileArgument&) = delete;
    ~FileArgument();  // removes the temporary file
    const std::string& path() const { return path_; }
    // Gives what was written to the object's write().
    void finish();

  private:
    IValue file_;  // None: there was a path
    std::string path_;
};

// OSError or what is derived from it for that errno.
[[noreturn]] void throw_os_error(int number, const std::string& path);

}  // namespace loupe::python
