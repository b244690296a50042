#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "sim/agents.hpp"
#include "sim/blocks_witness.hpp"
#include "sim/clock.hpp"
#include "sim/delivery_witness.hpp"
#include "sim/disk.hpp"
#include "sim/erasures_witness.hpp"
#include "sim/events_witness.hpp"
#include "sim/notifications_witness.hpp"
#include "sim/people.hpp"
#include "sim/places.hpp"
#include "sim/planner.hpp"
#include "sim/sessions_witness.hpp"
#include "sim/sinks.hpp"
#include "sim/subscribers.hpp"
#include "sim/tokens_witness.hpp"
#include "sim/vfs.hpp"
#include "sim/wants.hpp"
#include "sim/weather.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

struct Tally {
    std::uint64_t commands = 0;
    std::uint64_t sweeps = 0;
    std::uint64_t applied = 0;  // commands that an engine which was up was given
    std::uint64_t events = 0;
    std::uint64_t power_losses = 0;
    std::uint64_t process_losses = 0;
    std::uint64_t commits_failed = 0;
    std::uint64_t commits_unknown = 0;
    std::uint64_t reopened = 0;
    std::uint64_t comparisons = 0;
    std::uint64_t blocks_dropped = 0;
    std::uint64_t obligations_finished = 0;
    std::uint64_t disk_operations = 0;
    std::uint64_t looks_for_erased = 0;  // for bytes of theirs on the disk
    std::uint64_t notifications_made = 0;
    std::uint64_t notifications_handed_over = 0;
    std::uint64_t notifications_acknowledged = 0;
    std::uint64_t notifications_gave_way = 0;
};

// The real engine over the real SQLite store, on a made-up disk and in made-up time, driven from one seed on one
// thread. What it was asked and what it answered is kept by witnesses outside of it; after every opening, and from time
// to time, they compare all that the store holds.
class World {
public:
    World(std::uint64_t seed, bool verbose, bool is_crowd = false);
    ~World();

    // Does so many steps, then lets everything come to rest in good weather. Stops at the first contradiction; no
    // complaint means that there was none.
    Complaints run(std::uint64_t steps);

    [[nodiscard]] std::uint64_t steps_done() const { return step_; }
    [[nodiscard]] const Tally& tally() const { return tally_; }

private:
    struct Process {
        Process(store::SqlStoreOptions options, ports::Random& random, const ports::Subscribers& subscribers,
                engine::EngineOptions engine_options)
            : store(std::move(options), random), engine(store, random, subscribers, std::move(engine_options)) {}
        store::SqlStore store;
        engine::Engine engine;
    };

    void one_step();
    void start();
    void die();
    void stop();
    void bring_trouble();
    void change_catalogue();
    void pass_time();
    void send_group();
    Sent plan();
    std::optional<Sent> plan_for_agents(std::uint64_t draw);
    void hear_answers(const std::vector<Sent>& sent, const engine::Effects& effects);
    void hear_nothing(const std::vector<Sent>& sent);
    void hear(const engine::Effects& effects);
    // What became of one command, by its kind.
    using Bodies = std::map<model::Sequence, std::string>;
    void told(const SentRequest& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentMint& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentRevoke& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentErase& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentSlice& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentPostpone& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentPull& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentAcknowledge& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentTurn& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentToolCall& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentSelf& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentSession& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentMessage& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentSettings& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentToggle& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentReload& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentEmit& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentAck& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentMark& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentNarrate& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentHeartbeat& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentRetry& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentOpen& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentContinue& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentClose& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentDelete& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentTool& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told(const SentFinish& sent, const ports::AnyCommand& answered, const Bodies& published);
    void told_report(const std::string& session, const base::Result<ports::ReportReply>& reply,
                     const Bodies& published);
    // Whether a refusal tells that its session was deleted, which one that was deleted may be.
    [[nodiscard]] bool is_gone(const std::string& session, const base::Error& error) const;
    void hear_of_delivery(const engine::Effects& effects);
    void unheard(const Sent& sent);
    void erased_part(const std::string& user, bool is_whole, bool is_certain);
    static Bodies bodies_of(const engine::Effects& effects);
    void hear_of_the_clock(const engine::Effects& effects);
    void tend();
    void checkpoint(const char* how);
    void compare();
    void come_to_rest();
    void rest_windows();
    void rest_deliveries();
    void tend_all();
    void finish_calls();
    static bool reply_is_ok(const engine::Effects& effects);
    void look_for_erased_bytes();
    void say(const std::string& what) const;
    [[nodiscard]] bool is_up() const { return process_ && process_->engine.state() == engine::State::open; }

    bool verbose_;
    SeededRandom random_;
    SeededRandom engine_random_;
    MadeUpClock clock_;
    Disk disk_;
    Vfs vfs_;
    Weather weather_;
    HeldSubscribers subscribers_;
    HeldSinks sinks_;
    SeededRandom catalogue_random_;
    Places places_;
    Planner planner_;
    Agents agents_;
    People people_;
    EventsWitness events_;
    TokensWitness tokens_;
    ErasuresWitness erasures_{events_, tokens_};
    BlocksWitness blocks_;
    Wants wants_;
    NotificationsWitness notifications_;
    DeliveryWitness delivery_;
    SessionsWitness sessions_;
    base::Timestamp began_at_;
    base::Timestamp compared_at_;
    base::Timestamp behind_until_;   // the engine may rest so long where something of its work failed
    std::vector<SentSlice> claims_;  // what the performer holds: erasures
    std::vector<SentFinish> calls_;  // and calls of sinks
    Complaints complaints_;
    Tally tally_;
    std::uint64_t step_ = 0;
    std::uint64_t full_until_ = 0;
    std::unique_ptr<Process> process_;
};

}  // namespace belfry::sim
