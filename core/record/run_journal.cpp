// SPDX-License-Identifier: Apache-2.0
#include "core/record/run_journal.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/record/recording_rows.h"
#include "core/record/value_store.h"
#include "core/tensor/copy_elements.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kEvery = std::chrono::seconds(1);
constexpr std::size_t kRowsInABlock = 4096;
constexpr std::uint32_t kMagic = 0x564c504c;  // "LPLV"
constexpr std::size_t kMostDims = 64;
constexpr int kJournalVersion = 1;

struct RecordHead {
    std::uint32_t magic = kMagic;
    ValueId value = 0;
    std::uint32_t dims = 0;
    std::uint32_t crc = 0;
    std::uint64_t bytes = 0;
    char dtype[16] = {};  // its name
};
static_assert(sizeof(RecordHead) == 40);

fs::path file_of(const fs::path& folder, int number, const char* what) {
    return folder / concat("run-", number, ".", what);
}

// The number in "run-12.events"; nullopt for another file.
std::optional<int> number_of(const fs::path& file) {
    const std::string name = file.filename().string();
    if (!name.starts_with("run-")) return std::nullopt;
    int number = 0;
    const auto [end, error] = std::from_chars(name.data() + 4, name.data() + name.size(), number);
    const bool is_ours = error == std::errc() && number > 0 &&
                         (std::string_view(end) == ".events" || std::string_view(end) == ".values");
    return is_ours ? std::optional(number) : std::nullopt;
}

// Greatest first, each once.
std::vector<int> numbers_in(const fs::path& folder) {
    std::vector<int> numbers;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        if (const auto number = number_of(at->path())) numbers.push_back(*number);
    }
    std::sort(numbers.rbegin(), numbers.rend());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

void remove_runs(const fs::path& folder, int below) {
    std::error_code ignored;
    for (const int number : numbers_in(folder)) {
        if (number >= below) continue;
        fs::remove(file_of(folder, number, "events"), ignored);
        fs::remove(file_of(folder, number, "values"), ignored);
    }
}

int open_new(const fs::path& file) {
    return ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

bool write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(fd, bytes.data(), std::min(bytes.size(), std::size_t{1} << 16));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

std::uint64_t quarter_of_free_disk(const fs::path& folder) {
    std::error_code failure;
    const auto space = fs::space(folder, failure);
    return failure ? 0 : space.available / 4;
}

}  // namespace

// What the thread of the journal knows of the run that it writes.
struct RunJournal::Run {
    int number = 0;
    std::shared_ptr<const Recording> recording;
    std::shared_ptr<const GraphModel> graph;
    RunOptions options;
    bool waits = false;                  // mutex_: to be asked for
    std::vector<GradientRow> gradients;  // mutex_
    bool has_gradients = false;          // mutex_: and they are not yet written

    int fd = -1;
    std::uint64_t size = 0;
    bool is_full = false;
    TextTable texts;
    std::size_t texts_written = 0;
    std::size_t events = 0;
    std::size_t values = 0;
    std::size_t frames = 0;
    std::size_t allocations = 0;
    std::size_t savings = 0;
    std::size_t loads = 0;
    std::uint64_t collectives = 0;  // changes of them
    bool has_rank = false;
    std::vector<std::size_t> alive;  // of the allocations written, those that were not freed
    std::int64_t peak = 0;

    void add_rows(Json& block, std::size_t events_until, std::size_t values_until);

    ~Run() {
        if (fd >= 0) ::close(fd);
    }
};

RunJournal::RunJournal(fs::path folder, JournalLimits limits) : folder_(std::move(folder)), limits_(limits) {
    const auto numbers = numbers_in(folder_);
    number_ = numbers.empty() ? 0 : numbers.front();
    thread_ = std::thread([this] { loop(); });
}

RunJournal::~RunJournal() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    wake_.notify_all();
    thread_.join();
    if (values_ >= 0) ::close(values_);
}

std::string RunJournal::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void RunJournal::fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = concat(folder_.string(), ": ", what, ": ", std::strerror(errno));
}

// --- the engine thread ---

void RunJournal::begin(std::shared_ptr<const Recording> recording, std::shared_ptr<const GraphModel> graph,
                       const RunOptions& run, When when) {
    auto next = std::make_shared<Run>();
    next->recording = std::move(recording);
    next->graph = std::move(graph);
    next->options = run;
    next->waits = when == When::WhenAsked;
    if (values_ >= 0) ::close(values_);
    values_ = -1;
    values_size_ = 0;
    next_computed_ = next_given_ = 1;
    elements_written_ = Clock::now();
    const std::lock_guard lock(mutex_);
    failure_.clear();
    next->number = ++number_;
    run_ = std::move(next);
}

bool RunJournal::is_due() const { return Clock::now() - elements_written_ >= kEvery; }

bool RunJournal::add_elements(const std::function<Tensor(ValueId)>& find, std::size_t bytes) {
    std::shared_ptr<Run> run;
    {
        const std::lock_guard lock(mutex_);
        run = run_;
        if (run == nullptr || !failure_.empty()) return false;
    }
    elements_written_ = Clock::now();
    if (values_ < 0) {
        values_ = open_new(file_of(folder_, run->number, "values"));
        if (values_ < 0) {
            fail("cannot be written");
            return false;
        }
        values_limit_ = std::min(limits_.element_bytes, quarter_of_free_disk(folder_));
    }
    const Recording& recording = *run->recording;
    const auto count = static_cast<ValueId>(recording.value_count());
    std::size_t written = 0;
    for (const bool is_given : {false, true}) {
        ValueId& next = is_given ? next_given_ : next_computed_;
        for (; next <= count; ++next) {
            if (written >= bytes) return true;
            const Value& value = recording.value(next);
            if ((value.producer == 0) != is_given) continue;
            if (values_size_ + static_cast<std::uint64_t>(value.bytes) > values_limit_) continue;
            Tensor t = find(next);
            if (!t.defined() || t.dim() > static_cast<std::int64_t>(kMostDims)) continue;
            if (!t.is_contiguous() || !t.is_host_memory()) t = copy_elements(t);
            RecordHead head;
            head.value = next;
            const std::string_view name = dtype_name(t.dtype());
            if (name.size() > sizeof head.dtype) continue;
            std::memcpy(head.dtype, name.data(), name.size());
            head.dims = static_cast<std::uint32_t>(t.dim());
            head.bytes = t.bytes();
            head.crc = libdeflate_crc32(0, t.raw_data(), t.bytes());
            const auto sizes = std::as_bytes(std::span(t.sizes().data(), t.sizes().size()));
            const std::span<const std::byte> payload(static_cast<const std::byte*>(t.raw_data()), t.bytes());
            const bool is_written = write_all(values_, std::as_bytes(std::span(&head, 1))) &&
                                    write_all(values_, sizes) && write_all(values_, payload);
            if (!is_written) {
                fail("cannot write elements");
                return false;
            }
            values_size_ += sizeof head + sizes.size() + payload.size();
            written += payload.size() + 256;
        }
    }
    return false;
}

void RunJournal::add_gradients(std::vector<GradientRow> gradients) {
    const std::lock_guard lock(mutex_);
    if (run_ == nullptr) return;
    run_->gradients = std::move(gradients);
    run_->has_gradients = true;
}

void RunJournal::write_now() {
    {
        const std::lock_guard lock(mutex_);
        is_urgent_ = true;
        if (run_ != nullptr) run_->waits = false;
    }
    wake_.notify_all();
}

void RunJournal::forget() {
    if (values_ >= 0) ::close(values_);
    values_ = -1;
    const std::lock_guard lock(mutex_);
    run_.reset();
    remove_runs(folder_, number_ + 1);
}

// --- the journal's thread ---

void RunJournal::loop() {
    // Whatever the machine has to do comes before this.
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10);
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait_for(lock, kEvery, [this] { return quit_ || is_urgent_; });
        is_urgent_ = false;
        const bool is_last = quit_;
        const std::shared_ptr<Run> run = run_;
        lock.unlock();
        try {
            while (run != nullptr && write_block(*run)) {
                const std::lock_guard look(mutex_);
                if (run_ != run) break;
            }
        } catch (const std::exception& error) {
            errno = 0;
            fail(error.what());
        }
        lock.lock();
        if (is_last) break;
    }
}

// What was recorded since the last line: the events until there, and the values until there or that they name. In the
// middle of a great run the other values are the next line's.
void RunJournal::Run::add_rows(Json& block, std::size_t events_until, std::size_t values_until) {
    Json& event_rows = block["events"] = Json::array();
    ValueId last_value = 0;
    for (; events < events_until; ++events) {
        const Event& event = recording->event(static_cast<EventId>(events + 1));
        for (const auto* ids : {&event.inputs, &event.outputs}) {
            for (const ValueId id : *ids) last_value = std::max(last_value, id);
        }
        event_rows.push_back(event_row(event, 0, texts));
    }
    values_until = std::max<std::size_t>(values_until, last_value);
    Json& value_rows = block["values"] = Json::array();
    for (; values < values_until; ++values) {
        value_rows.push_back(value_row(recording->value(static_cast<ValueId>(values + 1)), 0, texts));
    }
    Json& frame_rows = block["frames"] = Json::array();
    for (const std::size_t count = recording->frame_count(); frames < count; ++frames) {
        frame_rows.push_back(frame_row(recording->frame(static_cast<std::uint32_t>(frames + 1)), 0, texts));
    }
    // Before the blocks: those that they name are there then.
    Json& saving_rows = block["savings"] = Json::array();
    for (const Saving& saving : recording->savings(savings)) saving_rows.push_back(saving_row(saving, texts));
    savings += saving_rows.size();
    Json& load_rows = block["loads"] = Json::array();
    for (const LoadSpan& load : recording->loads(loads)) load_rows.push_back(load_row(load));
    loads += load_rows.size();
    Json& collective_rows = block["collectives"] = Json::array();
    for (const auto& [index, each] : recording->changed_collectives(collectives))
        collective_rows.push_back(collective_json(index, each));
    if (const auto rank = recording->rank(); rank && !std::exchange(has_rank, true)) block["rank"] = *rank;
    Json& freed = block["freed"] = Json::array();
    std::erase_if(alive, [&](std::size_t index) {
        const EventId at = recording->allocation(index).freed;
        if (at != 0) freed.push_back(Json::array({index, at}));
        return at != 0;
    });
    Json& allocation_rows = block["allocations"] = Json::array();
    for (const std::size_t count = recording->allocation_count(); allocations < count; ++allocations) {
        const Allocation allocation = recording->allocation(allocations);
        if (allocation.freed == 0) alive.push_back(allocations);
        allocation_rows.push_back(allocation_row(allocation, texts));
    }
}

// A line of what was recorded since the last. True: there is more.
bool RunJournal::write_block(Run& run) {
    std::vector<GradientRow> gradients;
    bool has_gradients = false;
    {
        const std::lock_guard lock(mutex_);
        if (!failure_.empty() || run.waits) return false;
        has_gradients = std::exchange(run.has_gradients, false);
        if (has_gradients) gradients = run.gradients;
    }
    const Recording& recording = *run.recording;
    // Values, frames and blocks of an event are there before it.
    const std::size_t events_there = recording.event_count();
    const std::size_t events = std::min(events_there, run.events + kRowsInABlock);
    const std::size_t values = events < events_there ? run.values : recording.value_count();
    const bool has_blocks = recording.allocation_count() > run.allocations || recording.saving_count() > run.savings ||
                            recording.load_count() > run.loads || recording.collective_changes() > run.collectives;
    const bool has_rows = events > run.events || values > run.values || recording.frame_count() > run.frames;
    const bool is_news = has_rows || has_blocks || has_gradients;
    if (run.fd >= 0 && !is_news) return false;
    Json block;
    if (run.fd < 0) {
        {
            const std::lock_guard lock(mutex_);
            if (run_.get() != &run) return false;  // it was forgotten meanwhile
            run.fd = open_new(file_of(folder_, run.number, "events"));
        }
        if (run.fd < 0) {
            fail("cannot be written");
            return false;
        }
        block["version"] = kJournalVersion;
        block["run"] = run.options;
        block["graph"] = *run.graph;
        if (const auto edit = run.recording->edit()) block["edit"] = edit_json(*edit);
    }
    if (run.is_full) return false;
    run.add_rows(block, events, values);
    if (has_gradients) block["gradients"] = gradients;
    block["peak"] = Json::array({recording.peak_bytes(), recording.peak_event()});
    if (const BackwardStart* start = recording.backward_start()) block["backward_start"] = backward_start_json(*start);
    Json& strings = block["strings"] = Json::array();
    for (; run.texts_written < run.texts.texts().size(); ++run.texts_written)
        strings.push_back(run.texts.texts()[run.texts_written]);
    std::string line = block.dump(-1, ' ', false, Json::error_handler_t::replace);
    line += '\n';
    if (run.size + line.size() > limits_.event_bytes && run.size > 0) {
        run.is_full = true;
        return false;
    }
    if (!write_all(run.fd, std::as_bytes(std::span(line)))) {
        fail("cannot write events");
        return false;
    }
    if (run.size == 0) remove_runs(folder_, run.number);
    run.size += line.size();
    return run.events < recording.event_count();
}

// --- reading ---

namespace {

[[noreturn]] void damaged(const std::string& what) {
    throw Error(ErrorKind::File, concat("damaged journal of a run: ", what));
}

// The elements in a file of values; each is checked when it is asked for.
class JournalValues {
  public:
    explicit JournalValues(Ptr<MappedFile> file) : file_(std::move(file)) {
        const auto bytes = file_->bytes();
        for (std::size_t at = 0; at < bytes.size();) {
            RecordHead head;
            if (bytes.size() - at < sizeof head) break;  // cut off while it was written
            std::memcpy(&head, bytes.data() + at, sizeof head);
            const std::size_t sizes = std::size_t{8} * head.dims;
            const std::size_t left = bytes.size() - at - sizeof head;
            if (head.magic != kMagic || head.dims > kMostDims || sizes > left || head.bytes > left - sizes) break;
            records_[head.value] = at;
            at += sizeof head + sizes + static_cast<std::size_t>(head.bytes);
        }
    }

    bool has(ValueId id) const { return records_.contains(id); }
    Tensor find(ValueId id) const {
        const auto found = records_.find(id);
        if (found == records_.end()) return {};
        const std::byte* at = file_->bytes().data() + found->second;
        RecordHead head;
        std::memcpy(&head, at, sizeof head);
        at += sizeof head;
        Shape sizes(head.dims);
        if (!sizes.empty()) std::memcpy(sizes.data(), at, sizes.size() * sizeof sizes.front());
        at += sizes.size() * 8;
        const std::string_view name(head.dtype, strnlen(head.dtype, sizeof head.dtype));
        const auto known = dtype_from_name(name);
        if (!known) damaged("elements of no dtype");
        const ScalarType dtype = *known;
        std::uint64_t count = 1;
        for (const std::int64_t size : sizes) {
            const bool is_sane =
                size >= 0 && (size == 0 || count <= (std::uint64_t{1} << 48) / static_cast<std::uint64_t>(size));
            if (!is_sane) damaged("elements of an impossible shape");
            count *= static_cast<std::uint64_t>(size);
        }
        if (count * static_cast<std::uint64_t>(element_size(dtype)) != head.bytes)
            damaged("elements of another size than their shape");
        if (libdeflate_crc32(0, at, static_cast<std::size_t>(head.bytes)) != head.crc)
            damaged("elements with a wrong checksum");
        Tensor t = empty(sizes, dtype);
        if (head.bytes > 0) std::memcpy(t.raw_data(), at, static_cast<std::size_t>(head.bytes));
        return t;
    }

  private:
    Ptr<MappedFile> file_;
    std::unordered_map<ValueId, std::size_t> records_;
};

void append_rows(Json& to, const Json& block, const char* name) {
    const auto found = block.find(name);
    if (found == block.end()) return;
    if (!found->is_array()) damaged(concat("no rows of ", name));
    for (const Json& row : *found) to.push_back(row);
}

// The lines of the file as one recording. False: none of them counts.
bool read_lines(std::string_view text, Json& all, std::string& note) {
    for (const char* name : {"events", "values", "frames", "allocations", "strings"}) all[name] = Json::array();
    all["gradients"] = Json::array();
    all["peak"] = Json::array({0, 0});
    bool has_head = false;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) break;  // cut off while it was written
        const Json block = Json::parse(text.substr(0, end), nullptr, false);
        text.remove_prefix(end + 1);
        if (!block.is_object()) {
            note = "what was recorded last is damaged and left out";
            break;
        }
        if (!has_head) {
            if (block.value("version", 0) != kJournalVersion) damaged("written by another version");
            all["run"] = block.at("run");
            all["graph"] = block.at("graph");
            if (block.contains("edit")) all["edit"] = block["edit"];
            has_head = true;
        }
        for (const char* name : {"events", "values", "frames", "allocations", "strings"})
            append_rows(all[name], block, name);
        for (const char* name : {"savings", "loads", "collectives"}) {
            if (block.contains(name)) append_rows(all[name], block, name);  // older journals lack them
        }
        if (block.contains("freed")) {
            for (const Json& pair : block["freed"])
                all["allocations"].at(pair.at(0).get<std::size_t>()).at(kAllocationFreed) = pair.at(1);
        }
        if (block.contains("gradients")) all["gradients"] = block["gradients"];
        if (block.contains("peak")) all["peak"] = block["peak"];
        if (block.contains("rank")) all["rank"] = block["rank"];
        if (block.contains("backward_start")) all["backward_start"] = block["backward_start"];
    }
    return has_head;
}

// Those of blocks, or by events, that were cut off.
void drop_savings(Json& savings, std::size_t allocations, std::int64_t events) {
    Json kept = Json::array();
    for (Json& row : savings) {
        const bool has_block = row.at(kSavingAllocation).get<std::uint64_t>() < allocations;
        if (has_block && row.at(kSavingBy).get<std::int64_t>() <= events) kept.push_back(std::move(row));
    }
    savings = std::move(kept);
}

// What was not known when a row was written, or points behind the last event.
void complete(Json& all, const JournalValues* elements, std::string& note) {
    const auto events = static_cast<std::int64_t>(all["events"].size());
    Json& values = all["values"];
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].at(kValueProducer).get<std::int64_t>() <= events) continue;
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(i), values.end());  // of an event that was under way
        break;
    }
    const auto count = static_cast<std::int64_t>(values.size());
    bool is_without = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].at(kValueGradientOf).get<std::int64_t>() > count) values[i][kValueGradientOf] = 0;
        const bool has = elements != nullptr && elements->has(static_cast<ValueId>(i + 1));
        values[i].at(kValueArray) = has ? 1 : 0;
        is_without = is_without || !has;
    }
    if (is_without && note.empty()) note = "not all elements were kept";
    Json& frames = all["frames"];
    std::vector<std::int64_t> last(frames.size() + 1, 0);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        Json& first = frames[i].at(kFrameFirst);
        if (first.get<std::int64_t>() > events + 1) first = events + 1;
    }
    for (std::int64_t id = 1; id <= events; ++id) {
        Json& event = all["events"][static_cast<std::size_t>(id - 1)];
        auto frame = event.at(kEventFrame).get<std::int64_t>();
        while (frame > 0 && frame < static_cast<std::int64_t>(last.size()) &&
               last[static_cast<std::size_t>(frame)] != id) {
            last[static_cast<std::size_t>(frame)] = id;
            const auto parent = frames[static_cast<std::size_t>(frame - 1)].at(kFrameParent).get<std::int64_t>();
            if (parent >= frame) break;
            frame = parent;
        }
        const auto peer = event.at(kEventPeer).get<std::int64_t>();
        const bool is_backward = event.at(kEventPhase).get<int>() == static_cast<int>(RunPhase::Backward);
        if (!is_backward || peer <= 0 || peer > events) continue;
        Json& backward = all["events"][static_cast<std::size_t>(peer - 1)].at(kEventBackward);
        if (backward == 0) backward = id;
    }
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i].at(kFrameLast) = last[i + 1];
    Json& allocations = all["allocations"];
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (allocations[i].at(kAllocationAllocated).get<std::int64_t>() > events + 1) {
            allocations.erase(allocations.begin() + static_cast<std::ptrdiff_t>(i), allocations.end());
            break;
        }
        for (const std::size_t field : {kAllocationFreed, kAllocationSavedBy}) {
            if (allocations[i].at(field).get<std::int64_t>() > events + 1) allocations[i][field] = 0;
        }
    }
    if (all.contains("savings")) drop_savings(all["savings"], allocations.size(), events);
    if (all.contains("collectives")) {
        for (Json& each : all["collectives"]) {
            for (const char* name : {"event", "waited_by"}) {
                if (each.at(name).get<std::int64_t>() > events + 1) each[name] = 0;
            }
        }
    }
    if (all.contains("edit") && all["edit"].at("event").get<std::int64_t>() > events + 1) all.erase("edit");
    if (all.contains("backward_start") && all["backward_start"].at("event").get<std::int64_t>() > events)
        all.erase("backward_start");
    if (all["peak"].at(1).get<std::int64_t>() > events + 1) all["peak"][1] = events;
    for (const Json& row : all["gradients"]) {
        const auto parsed = row.get<GradientRow>();
        if (parsed.event <= events && parsed.value <= count) continue;
        all["gradients"] = Json::array();
        break;
    }
}

}  // namespace

std::unique_ptr<RecordingFile> read_journal(const fs::path& folder, std::string& note) {
    note.clear();
    for (const int number : numbers_in(folder)) {
        const fs::path file = file_of(folder, number, "events");
        std::error_code failure;
        if (!fs::is_regular_file(fs::symlink_status(file, failure))) continue;
        try {
            Json all;
            if (!read_lines(read_text_file(file), all, note) || all["events"].empty()) continue;
            std::shared_ptr<const JournalValues> elements;
            const fs::path values = file_of(folder, number, "values");
            if (fs::is_regular_file(fs::symlink_status(values, failure)))
                elements = std::make_shared<JournalValues>(MappedFile::open(values));
            complete(all, elements.get(), note);
            return std::make_unique<RecordingFile>(
                all, [elements](ValueId id) { return elements ? elements->find(id) : Tensor(); });
        } catch (const nlohmann::json::exception& error) {
            damaged(error.what());
        }
    }
    return nullptr;
}

}  // namespace loupe::session
