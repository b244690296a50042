#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cast.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/outbox.hpp"
#include "ports/streams.hpp"

// The parties around users: programs that emit, interfaces, sinks, users that talk, followers of streams.
namespace observer::sim {

// A request for a notification. `mark` and the answer are filled in.
struct EmitWish {
    std::string user;
    std::string code;  // "uua"
    std::string session = {};
    std::string agent = {};
    std::string key = {};
    std::optional<std::int64_t> lease = {};
    std::string caused_by = {};
    std::int64_t ttl_s = 0;  // 0: a short one
    bool is_idempotent = false;
};

// Emits notifications of every routing, updates by key, events; retries with an idempotency key.
class Emitter : public Party {
public:
    using Then = std::function<void(const Emitted&)>;

    Emitter(Stage& stage, std::string name, SeededRandom random, model::Principal token, std::string role = "emitter")
        : Party(stage, std::move(name), random), token_(std::move(token)), role_(std::move(role)) {}

    void begin() override {
        later(0, 200, [this] { act(); });
    }
    // `then` gets the last observation of the request.
    void emit(const EmitWish& wish, Then then = {});

private:
    void act();
    void act_once();
    void emit_any();
    void update_by_key();
    void emit_to_agent();
    void emit_event();
    void try_emit(const Emitted& asked, int tries, int wanted, const Then& then);
    void try_event(const EventEmitted& asked, int tries);

    model::Principal token_;
    std::string role_;
};

// A device of a user that comes and goes, with or without acknowledgements.
class Interface : public Party {
public:
    enum class Kind { passing, desk, steady };
    Interface(Stage& stage, std::string name, SeededRandom random, std::string user, Kind kind)
        : Party(stage, std::move(name), random), user_(std::move(user)), kind_(kind) {}

    void begin() override;
    void leave() override;
    void lost() override;
    void published() override { pump(); }

private:
    struct Arrival {
        enum class What { head, line, caught_up } what = What::line;
        std::string line = {};
        std::int64_t number = 0;
    };

    void connect();
    void opened(const ports::OpenedInbox& inbox);
    void take_portion(const ports::InboxPortion& portion);
    void pump();
    void arrive(Arrival arrival);
    void read_arrivals();
    void see(const Arrival& arrival);
    void see_notification(const std::string& line);
    void acknowledge(const std::string& id, std::int64_t lease, std::int64_t version);
    void disconnect(bool by_daemon);
    void close();
    void connect_again();

    std::string user_;
    Kind kind_;
    std::string connection_;  // empty: none
    bool is_open_ = false;    // at the daemon
    bool is_seen_ = false;    // the interface knows that it is connected
    std::unique_ptr<ports::Cursor> cursor_;
    std::deque<Arrival> arrivals_;  // frames on their way
    bool is_reading_ = false;
    std::int64_t last_ordinal_ = 0;
    std::int64_t until_ = 0;
    std::int64_t told_ = 0;
    bool has_more_ = false;
    std::uint64_t acks_percent_ = 0;
    std::uint64_t number_ = 0;  // of connections
    Began began_;               // of the request for the connection
};

// Performs the calls of sinks, as the daemon's worker does.
class SinkWorker : public Party {
public:
    using Party::Party;
    void begin() override {}
    void lost() override { calls_.clear(); }
    void perform(const std::vector<ports::Obligation>& owed);

private:
    struct Call {
        ports::Obligation owed;
        bool is_answered = false;
    };
    void call(const base::Uuid& id);
    void finish(const base::Uuid& id, ports::ObligationEnd end);

    std::map<base::Uuid, Call> calls_;
};

// Follows the stream agent:<user> from its beginning.
class Follower : public Party {
public:
    Follower(Stage& stage, std::string name, SeededRandom random, model::Principal token, std::string user)
        : Party(stage, std::move(name), random), token_(std::move(token)), user_(std::move(user)) {}
    void begin() override { follow(); }
    void lost() override;
    void published() override;

private:
    void follow();

    model::Principal token_;
    std::string user_;
    std::string follower_;
    std::unique_ptr<ports::Cursor> cursor_;
};

// The user talks to the agents, rings, and deletes sessions.
class Talker : public Party {
public:
    Talker(Stage& stage, std::string name, SeededRandom random, std::string user)
        : Party(stage, name, random),
          user_(std::move(user)),
          ringer_(stage, name, random.fork(), user_token_of(), "user") {}
    void begin() override {
        later(200, 800, [this] { act(); });
    }

private:
    model::Principal user_token_of() const;
    void act();
    void talk();

    std::string user_;
    Emitter ringer_;
};

}  // namespace observer::sim
