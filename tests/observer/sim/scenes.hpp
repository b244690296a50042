#pragma once

#include <functional>
#include <memory>
#include <string>

#include "parties.hpp"
#include "runtimes.hpp"

namespace observer::sim {

// Plays short stories of the audits, each in a session of its own, with two runtimes that share a token or have two.
class Scenes : public Party {
public:
    Scenes(Stage& stage, const std::string& name, SeededRandom random, const std::string& user, bool shares_token);
    void begin() override {
        later(50, 300, [this] { act(); });
    }

private:
    using Next = std::function<void()>;
    using Given = std::function<void(const Pulled&, const PulledItem&)>;

    void act();
    void play(const std::string& session);
    // Emits a matter for the session and has it pulled. The scene ends where it was not given.
    void give(const std::string& session, std::int64_t lease_s, const std::string& code, const std::string& key,
              const Given& then);
    void rest() {
        later(50, 300, [this] { act(); });
    }

    void play_zombie(const std::string& session);
    void report_of_zombie(const std::string& session, const Pulled& pull, const PulledItem& item, const Next& then);
    void end_of_heir(const std::string& session, const Pulled& taken, const PulledItem& now, bool is_decision);
    void play_tool(const std::string& session);
    void do_tool_steps(const std::string& session, const Pulled& pull, const PulledItem& item,
                       const std::shared_ptr<std::vector<std::string>>& steps, std::size_t at, const std::string& tool);
    void play_guess(const std::string& session);
    void play_doomed(const std::string& session);
    void play_newcomer(const std::string& session);
    void play_many_facts(const std::string& session);
    void emit_facts(const std::string& session, std::uint64_t left, const Next& then);
    void pull_facts(const std::string& session, int left);
    void play_untold(const std::string& session);

    std::string user_;
    AgentClient first_;
    AgentClient second_;
    Emitter emitter_;
    Emitter holder_;  // emits with the token of the first runtime
};

}  // namespace observer::sim
