// SPDX-License-Identifier: Apache-2.0
#pragma once
// The side of the session: an engine in a process of its own, seen as if it were in this one. What it shows are copies
// that follow the engine's; when the process ends they stay. See messages.h.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/session/backend.h"
#include "core/session/far_place.h"
#include "core/session/remote/engine_launch.h"
#include "core/session/remote/engine_life.h"
#include "core/session/remote/link_messages.h"
#include "core/session/remote/messages.h"
#include "core/session/remote/recording_stream.h"
#include "core/session/restored_run.h"
#include "core/session/session_settings.h"

namespace loupe::session {

struct SaveRecordingQuery;

class RemoteEngine final : public Backend, private EngineLife::Owner {
  public:
    // Makes a life, which is not started yet.
    using Begin = std::function<std::shared_ptr<EngineLife>(EngineLife::Owner& owner)>;

    // home: of "tensorloupe-engine". One that does not start is an engine that has ended: engine_end() says why.
    RemoteEngine(std::unique_ptr<EngineHome> home, SessionListener* listener);
    RemoteEngine(Begin begin, SessionListener* listener);
    // Of an engine far away, which may have had another session before: then what it has is shown, and nothing of this
    // session's is brought there. No order brings a connection back that has ended: restart_engine() does.
    RemoteEngine(std::shared_ptr<FarPlace> place, SessionListener* listener);
    RemoteEngine(const RemoteEngine&) = delete;
    RemoteEngine& operator=(const RemoteEngine&) = delete;
    ~RemoteEngine() override;

    void perform(const VerbRecord& verb, std::shared_ptr<const void> value, VerbDone done) override;
    void ask(const std::string& tag, const QueryRecord& record, std::shared_ptr<const void> query,
             std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress) override;
    void wait_idle() override;

    Status status() const override;
    std::shared_ptr<const ModelInfo> model() const override;
    std::shared_ptr<const Recording> recording() const override;
    std::shared_ptr<const TrainingLog> training() const override;
    std::vector<std::shared_ptr<const TrainingLog>> trainings() const override;
    std::shared_ptr<const Generation> generation() const override;
    std::vector<InputSpec> inputs() const override { return seen_.settings.inputs(); }
    RunOptions run_options() const override { return seen_.settings.options(); }
    FilePermissions permissions_of(const std::filesystem::path& source) const override {
        return seen_.settings.permissions_of(source);
    }
    RunControl& control() override { return seen_.control; }
    std::map<std::string, std::vector<Breakpoint>> breakpoints_elsewhere() override;
    void log(SessionListener::LogEntry entry) override;

    bool has_process() const override { return true; }
    EngineEnd engine_end() const override;
    void kill_engine() override;
    void restart_engine(bool goes_back) override;

  private:
    struct GivenVerb {
        const VerbRecord* record = nullptr;
        std::shared_ptr<const void> value;
        VerbDone done;
        std::function<void()> dropped = {};  // in place of done; may be empty
        std::uint64_t grant = 0;             // 0: none
    };
    struct AskedQuery {
        const QueryRecord* record = nullptr;
        std::shared_ptr<const void> query;
        std::function<void(QueryValue)> reply;
        std::function<void(QueryValue)> progress;
        std::shared_ptr<AtomicFile> written = {};  // by the engine; whole with an answer that says so
        std::string tag = {};
        std::uint64_t grant = 0;  // 0: none
    };
    struct CopiedTraining {
        std::shared_ptr<TrainingLog> log;
        bool began = false;
    };

    // EngineLife::Owner: on the reading thread of a life.
    void take(EngineLife& life, const Message& message) override;
    void ended(EngineLife& life, const EngineLife::End& end) override;
    void silent(std::chrono::seconds time) override;

    void take_joined(std::string_view bytes);
    void take_settings(std::string_view bytes);
    void take_model(std::string_view bytes);
    void take_generation(std::string_view bytes);
    void show_recording(std::string_view bytes);
    void forget(std::string_view bytes);
    void drop_order(std::string_view bytes);
    void end_grant_of(const GivenVerb& verb);
    void take_growth(std::string_view bytes);
    void take_training_growth(std::string_view bytes);
    void take_shown(std::string_view bytes);
    void take_log(std::string_view bytes);
    void take_status(std::string_view bytes);
    void take_answer(std::string_view bytes);
    void send(const std::shared_ptr<EngineLife>& life, AskedQuery asked);
    std::optional<AskedQuery> take_asked(std::uint64_t number);
    void drop_question(std::string_view bytes);
    void take_progress(std::string_view bytes);
    void take_done(std::string_view bytes);
    RecordingCopy& copy_of(std::uint64_t number);
    std::shared_ptr<const Recording> recording_of(std::uint64_t number) const;
    std::shared_ptr<const TrainingLog> training_of(std::uint64_t number) const;

    void answer_apart(std::function<QueryValue()> answer, std::function<void(QueryValue)> reply);
    std::string save_what_came(const SaveRecordingQuery& query) const;
    void wait_for_apart();
    // What an engine far away may not open, see grant_giver.h: the number. Throws Error (Usage).
    static std::uint64_t grant(EngineLife& life, GrantMessage what);
    static std::uint64_t grant_to_ask(EngineLife& life, const AskedQuery& asked, const std::string& value);
    static QueryValue put_in_place(const AskedQuery& asked, const QueryValue& answer);

    // order_mutex_ is held.
    void start();
    void permit(const VerbRecord& verb, const void* value);
    void give_up_life();
    FileHandle opened_for(const GivenVerb& verb);
    void grant_to_open(EngineLife& life, GivenVerb& verb);
    void give(GivenVerb verb);
    enum class Restore { Model, Run };  // Run: and the run that is shown
    std::function<void()> way_back();
    void restart(bool reopens, Restore what, std::function<void()> then);
    // Of an engine that died before this session came: what of it is back, and what is not.
    struct TakenUp {
        std::string died;
        RunningPlace::Facts place;
        std::vector<Said> back;
        std::vector<Said> lost;
    };
    // taken_up: hears what is lost in place of the log; may be null.
    void restore(bool reopens, Restore what, std::function<void()> then, std::shared_ptr<TakenUp> taken_up = {});
    void restore_kept(const std::filesystem::path& folder, const std::function<Restore()>& what,
                      std::function<void()> then, const std::shared_ptr<TakenUp>& taken_up);
    static void note_run(const RestoredRun& run, TakenUp& taken_up);
    void note_training(TakenUp& taken_up) const;
    void take_up(const JoinedMessage& joined);
    void tell(const TakenUp& taken_up);
    std::filesystem::path kept_in() const;
    template <typename Verb>
    void give_now(Verb verb, VerbDone done = {});
    template <typename Query>
    void ask_now(Query query, std::function<void(typename Query::Answer)> reply);
    void tell(const std::function<void()>& work);
    void note_end(EngineEnd& end);
    void report_end(const EngineEnd& end, const Status& status);
    void refuse(const std::map<std::uint64_t, AskedQuery>& asked, const std::map<std::uint64_t, GivenVerb>& given,
                const std::string& text);

    const std::unique_ptr<EngineHome> home_;  // null: the engine was not started by this session
    RemoteEngine(Begin begin, std::shared_ptr<FarPlace> place, SessionListener* listener);

    const Begin begin_;
    const std::shared_ptr<FarPlace> place_;  // null: it is on this machine
    SessionListener* const listener_;

    // Of orders, one after another; taken before mutex_.
    std::recursive_mutex order_mutex_;
    SessionSettings seen_;
    std::vector<GivenVerb> lasting_;        // for an engine that is started anew
    std::optional<GivenVerb> opened_;       // how the model was opened
    std::atomic<std::uint64_t> orders_{0};  // given to this life
    std::atomic<std::uint64_t> works_{0};   // runs and the like, of all lives
    bool is_outgrown_ = false;              // its process may not write what its user has permitted since
    bool has_opened_ = false;               // something was ordered to be opened

    std::mutex giving_mutex_;  // of a file and the question that it is of
    std::mutex apart_mutex_;
    std::thread apart_;               // answers what needs no engine
    std::function<void()> when_new_;  // of an engine far away that has no state

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<EngineLife> life_;  // null: none, it has ended
    bool is_closing_ = false;
    std::vector<std::shared_ptr<EngineLife>> ended_lives_;
    EngineEnd end_;
    std::int64_t ended_in_step_ = 0;  // of a training, from 1; 0: none
    std::uint64_t last_number_ = 0;   // of questions
    std::uint64_t noted_order_ = 0;   // the last that changed what callers see
    std::map<std::uint64_t, AskedQuery> asked_;
    // Of an engine far away no more than kMostAsked of a tag are on their way: answers to what is asked no more would
    // fill the line. One waits here; a newer one takes its place, as it would there.
    static constexpr int kMostAsked = 2;
    std::map<std::string, int> on_their_way_;  // by tag
    std::map<std::string, AskedQuery> held_;
    std::map<std::uint64_t, GivenVerb> given_;  // whose end is waited for
    std::uint64_t idle_asked_ = 0;
    std::uint64_t idle_answered_ = 0;

    // Copies of this life's, by number.
    std::map<std::uint64_t, std::shared_ptr<RecordingCopy>> recordings_;
    std::map<std::uint64_t, CopiedTraining> trainings_;
    bool keeps_shown_ = false;  // of a life before, until this one shows something
    Status status_;
    std::shared_ptr<const ModelInfo> model_;
    std::shared_ptr<const Recording> recording_;
    std::shared_ptr<const TrainingLog> training_;
    std::vector<std::shared_ptr<const TrainingLog>> all_trainings_;
    std::shared_ptr<const Generation> generation_;
};

}  // namespace loupe::session
