// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opens cases, files or one file of a folder that belongs together, and runs what opens.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace loupe::session {
class Program;
}

namespace loupe::fuzz {

class FileFuzzer {
  public:
    explicit FileFuzzer(bool verbose);
    ~FileFuzzer();
    FileFuzzer(const FileFuzzer&) = delete;
    FileFuzzer& operator=(const FileFuzzer&) = delete;

    // Of what the next cases are damaged forms of; its inputs lie beside it, NAME.in.npz.
    void set_original(const std::filesystem::path& path);
    // The next cases are damaged forms of this file, and the model is the folder that it is in. Files beside it are as
    // they were.
    void set_part(const std::filesystem::path& path);
    // The same, of a file that is opened itself and needs others beside it.
    void set_file_among(const std::filesystem::path& path);

    // Into its own file, and that opened. Ends the process when that takes too long.
    void run(const std::string& name, const std::string& extension, const std::string& bytes);
    // Prints the sums; 0, or 1 when anything was wrong.
    int finish() const;
    std::size_t wrong() const { return wrong_; }

  private:
    void open(const std::filesystem::path& path, const std::string& extension);
    void open_program(const std::filesystem::path& path);
    bool can_run(const session::Program& program) const;
    void run_method(const std::shared_ptr<session::Program>& program);
    void copy_beside(const std::filesystem::path& path);
    std::filesystem::path write_case(const std::string& extension, const std::string& bytes) const;
    void check_line(const std::string& name, const std::string& line);
    void report(const std::string& name, const std::string& what);

    bool verbose_;
    std::filesystem::path folder_;
    std::filesystem::path inputs_;  // empty: the cases are not run
    std::filesystem::path place_;   // of the next cases; empty: by their extension
    bool is_folder_ = false;        // what is opened is the folder of place_
    bool brings_own_ = false;       // inputs, inside the file
    std::size_t cases_ = 0, opened_ = 0, ran_ = 0, wrong_ = 0;
    std::pair<double, std::string> slowest_;
};

}  // namespace loupe::fuzz
