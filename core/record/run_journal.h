// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run on disk while it goes on, for a program that ends without a word: what a crash or kill -9 leaves of it.
//
// A journal is two files in a folder. run-N.events has a JSON object a line: first the run and its graph, then what was
// recorded since the line before (rows as in recording_file.h). A last line that is cut off does not count.
// run-N.values has the elements of values, one record after another. N counts runs; the files of the run before go when
// the first events of the next are written. Nothing in them is trusted when they are read.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/record/recording_file.h"

namespace loupe::session {

struct JournalLimits {
    std::uint64_t event_bytes = std::uint64_t{256} << 20;
    // Of elements; never more than a quarter of the free disk. Beyond it events are kept without the elements.
    std::uint64_t element_bytes = std::uint64_t{512} << 20;
};

class RunJournal {
  public:
    // The folder must be there. Runs that it holds stay until another begins.
    explicit RunJournal(std::filesystem::path folder, JournalLimits limits = {});
    RunJournal(const RunJournal&) = delete;
    RunJournal& operator=(const RunJournal&) = delete;
    // Writes what was recorded and not yet written.
    ~RunJournal();

    const std::filesystem::path& folder() const { return folder_; }

    // --- the engine thread; a thread of the journal's own writes the events ---
    // A run begins: its recording grows from now on. Its events are written every second, or not before write_now().
    enum class When { EverySecond, WhenAsked };
    void begin(std::shared_ptr<const Recording> recording, std::shared_ptr<const GraphModel> graph,
               const RunOptions& run, When when);
    // Elements of values that have none in the file yet, at most about `bytes` of them: first what was computed, then
    // what the run began with. True: there are more. find: undefined where none were kept.
    bool add_elements(const std::function<Tensor(ValueId)>& find, std::size_t bytes);
    void add_gradients(std::vector<GradientRow> gradients);
    // Elements are wanted during a run: the last were written a second ago.
    bool is_due() const;
    // The events so far are written now, and from now on every second.
    void write_now();
    // Files of all runs are removed.
    void forget();

    // Why nothing is written any more; empty: it is. Any thread.
    std::string failure() const;

  private:
    struct Run;

    void loop();
    bool write_block(Run& run);
    void fail(const std::string& what);

    std::filesystem::path folder_;
    JournalLimits limits_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::shared_ptr<Run> run_;
    int number_ = 0;
    bool is_urgent_ = false;
    bool quit_ = false;
    std::string failure_;
    // The engine thread's own.
    int values_ = -1;
    std::uint64_t values_size_ = 0;
    std::uint64_t values_limit_ = 0;
    ValueId next_computed_ = 1;
    ValueId next_given_ = 1;
    std::chrono::steady_clock::time_point elements_written_{};
    std::thread thread_;  // last: it uses everything above
};

// The newest run that a journal in the folder holds; null when there is none. The file has no model. note: what of it
// is missing, one sentence; empty when nothing is. Throws Error (File) when it is damaged beyond use.
std::unique_ptr<RecordingFile> read_journal(const std::filesystem::path& folder, std::string& note);

}  // namespace loupe::session
