// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files and buffers of programs: what open(), io.BytesIO and io.StringIO give.

#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/base/file_sandbox.h"
#include "core/python/language/class.h"

namespace loupe::python {

// The contents stand in memory; of a file, what was written goes to the disk when it is flushed, closed or let go.
class StreamObject final : public Instance {
  public:
    explicit StreamObject(ClassPtr cls) : Instance(std::move(cls)) {}
    ~StreamObject() override;

    std::string data;
    std::size_t position = 0;
    FileHandle file;   // not open: of memory
    std::string path;  // as the program named the file
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

// A class of the module io, which makes such objects: of text, or of bytes.
ClassPtr make_stream_class(const std::string& name, bool is_text, ClassPtr base);
// open(): throws FileNotFoundError and the like, ValueError for a mode that is none.
IValue open_file(CallArguments arguments);
// str, bytes or an object with __fspath__ as the path that it names. Throws TypeError.
std::string path_text(const IValue& value);
// What a function of the engine reads, where a program gives a path, or an object with read(). Throws OSError.
Ptr<MappedFile> file_to_read(const IValue& given);
// What it writes, where a program gives a path, or an object with write().
class FileToWrite {
  public:
    // Throws OSError.
    explicit FileToWrite(const IValue& given);
    const FileTarget& target() const { return target_; }
    // Gives what was written to the object's write().
    void finish();

  private:
    std::shared_ptr<const FileHandle> memory_;  // for an object
    IValue object_;
    FileTarget target_;
};

// OSError or what is derived from it for that errno; ValueError for a path with a null byte.
[[noreturn]] void throw_os_error(int number, const std::string& path);
[[noreturn]] void throw_os_error(const SystemError& error);

FileSandbox& files_of_program();

// Runs the work on the files of the program that runs; what the system or the sandbox refuses comes out as OSError.
template <typename Work>
auto with_files(Work&& work) {
    try {
        return work(files_of_program());
    } catch (const SystemError& error) {
        throw_os_error(error);
    }
}

}  // namespace loupe::python
