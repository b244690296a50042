#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cast.hpp"
#include "parties.hpp"
#include "ports/commands/sessions.hpp"

// The parties around agents: runtimes that share sessions and tokens, chains, the one that ends the world.
namespace observer::sim {

// How a runtime pulls.
struct PullWish {
    std::string point = "turn_start";
    std::int64_t lease_s = 2;
    std::int64_t budget = 0;
    std::string named = {};        // the pull before, as `pull_id`
    std::string acknowledge = {};  // the pull before, as `acknowledge`
    bool is_used = true;
};

// How a runtime ends its turn.
struct EndWish {
    std::string pull_id = {};
    std::vector<PulledItem> acknowledged = {};
    bool names_leases = true;  // of what it acknowledges
    bool names_all = false;    // it names the leases of what it holds in `leases`
    std::vector<PulledItem> held = {};
    bool only_named = false;
};

// The calls of one runtime, each recorded. Each call that ends says its status.
class AgentClient {
public:
    using Then = std::function<void(std::int64_t status)>;
    using ThenPulled = std::function<void(const Pulled&)>;

    AgentClient(Stage& stage, std::string runtime, std::string token_name, const std::string& user)
        : stage_(stage),
          runtime_(std::move(runtime)),
          token_name_(std::move(token_name)),
          user_(user),
          token_(agent_of(token_name_, user)) {}

    void start(const std::string& session, const Then& then);
    void pull(const std::string& session, const PullWish& wish, const ThenPulled& then);
    // Under its lease, or by the pull.
    void narrate(const std::string& session, const PulledItem& item, const std::string& pull_id, const Then& then);
    void acknowledge(const std::string& session, const std::vector<PulledItem>& items, const Then& then);
    void confirm(const std::string& session, const std::string& pull_id, const Then& then);
    void end(const std::string& session, const EndWish& wish, const Then& then);
    void heartbeat(const std::string& session, const std::string& pull_id, const std::vector<PulledItem>& leases,
                   std::int64_t lease_s, const Then& then);
    // Reports a call of a tool; `item` may be null.
    void tool(const std::string& session, const PulledItem* item, const std::string& tool, bool is_external,
              const std::string& status, const std::string& pull_id, const Then& then);
    void post(const std::string& session, const Then& then);

    std::string new_external_tool() { return "mail_" + std::to_string(stage_.recorder.count("mail")); }
    std::string some_internal_tool() { return "look_" + std::to_string(stage_.recorder.count("look") % 8); }

    [[nodiscard]] const std::string& user() const { return user_; }
    [[nodiscard]] const std::string& token_name() const { return token_name_; }
    [[nodiscard]] const model::Principal& token() const { return token_; }

private:
    static model::Principal agent_of(const std::string& token_name, const std::string& user);
    template <class C, class Seen>
    void ask(std::unique_ptr<C> command, Seen seen, std::int64_t status,
             std::function<void(Seen&, const typename C::Reply&)> read, const std::function<void(const Seen&)>& then);
    template <class Seen>
    Seen call_of(const std::string& session) const;

    Stage& stage_;
    std::string runtime_;
    std::string token_name_;
    std::string user_;
    model::Principal token_;
};

// The items that need an answer.
std::vector<PulledItem> matters_of(const Pulled& pull);

// One turn after another, each in another way.
class Runtime : public Party {
public:
    Runtime(Stage& stage, const std::string& name, SeededRandom random, const std::string& token_name,
            const std::string& user, std::vector<std::size_t> sessions, bool names)
        : Party(stage, name, random),
          agent_(stage, name, token_name, user),
          emitter_(stage, token_name, random_.fork(), agent_.token(), "agent"),
          sessions_(std::move(sessions)),
          names_(names) {}
    void begin() override {
        later(0, 400, [this] { act(); });
    }

private:
    using Next = std::function<void()>;
    // One thing that a turn does. It calls `Next` when it has an answer.
    using Deed = std::function<void(const Next&)>;
    struct Turn {
        std::string session;
        std::int64_t lease_s = 2;
        Pulled pull;
        std::vector<PulledItem> done;
    };
    using SharedTurn = std::shared_ptr<Turn>;

    void act();
    void play(const SharedTurn& turn);
    void do_all(std::shared_ptr<std::vector<Deed>> deeds, std::size_t at = 0);
    std::vector<Deed> choose_way(const SharedTurn& turn);
    void add_good(const SharedTurn& turn, std::vector<Deed>& deeds);
    void add_late(const SharedTurn& turn, std::vector<Deed>& deeds);
    void add_tools(const SharedTurn& turn, std::vector<Deed>& deeds);
    void add_mixed(const SharedTurn& turn, std::vector<Deed>& deeds);
    Deed pause(std::int64_t pause_us);
    Deed narrate(const SharedTurn& turn, const PulledItem& item);
    Deed acknowledge(const SharedTurn& turn, std::vector<PulledItem> items);
    Deed heartbeat(const SharedTurn& turn);
    Deed post(const SharedTurn& turn);
    Deed finish(const SharedTurn& turn, std::vector<PulledItem> acknowledged);
    Deed use_tool(const SharedTurn& turn, const PulledItem& item);
    Deed emit(const SharedTurn& turn, const PulledItem& item);

    AgentClient agent_;
    Emitter emitter_;
    std::vector<std::size_t> sessions_;  // which of the user's sessions
    bool names_;                         // it names pulls and leases; else it names nothing where it can
};

// Emits a further matter with its token while it holds one, wherever it can.
class ChainRuntime : public Party {
public:
    ChainRuntime(Stage& stage, const std::string& name, SeededRandom random, const std::string& token_name,
                 const std::string& user)
        : Party(stage, name, random),
          agent_(stage, name, token_name, user),
          emitter_(stage, token_name, random_.fork(), agent_.token(), "agent"),
          root_(stage, "chain-root", random_.fork(), root_token()) {}
    void begin() override;

private:
    static model::Principal root_token();
    void act();
    void make_root();
    void answer(const std::shared_ptr<Pulled>& pull, std::size_t at);

    AgentClient agent_;
    Emitter emitter_;
    Emitter root_;
};

// Ends the world: a runtime that names everything and pulls until nothing is due.
class Closer {
public:
    Closer(Stage& stage, const std::string& name, const std::string& user) : agent_(stage, name, name, user) {}
    // One whole turn. `then` gets true if it was given something.
    void sweep(const std::string& session, const std::function<void(bool)>& then);

private:
    AgentClient agent_;
};

}  // namespace observer::sim
