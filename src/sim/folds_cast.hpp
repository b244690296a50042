#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/agent_message.hpp"
#include "sim/folds_witness.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// What agents say in the world of memory: idle talk, goals, decisions and open loops, what closes them, calls of tools,
// questions to people, and strangers who would like to set goals. No two of them say the same, but what was closed may
// be opened again in the same words.
class FoldsCast {
public:
    explicit FoldsCast(SeededRandom random) : random_(random) {}

    struct Words {
        std::vector<model::AgentMessage> drafts;
        std::vector<Said> said;  // as many
    };
    Words speak(const std::string& agent_id, const std::string& thread_id, base::Timestamp now);
    // It was not said after all, for certain or as far as anybody knows.
    void forget_open(const std::string& thread_id) {
        open_.erase(thread_id);
        closed_.erase(thread_id);
    }

private:
    using Meaning = Said::Meaning;
    struct Open {
        Meaning meaning = Meaning::goal;
        std::string item;
        base::Uuid id;
    };
    // Something that was closed is aimed at, or open, again. Whether there was something.
    bool open_again(Words& words, Said& said);
    Meaning next_meaning(const std::string& agent_id, const std::vector<Open>& open);
    void add(Words& words, Said said, model::AgentMessage draft, const std::string& text);
    void say_marked(Words& words, Said said, model::AgentMessage draft, std::vector<Open>& open);
    void close_one(Words& words, Said said, model::AgentMessage draft, std::vector<Open>& open,
                   std::vector<Open>& closed);
    void ask(Words& words, Said said, model::AgentMessage draft, std::vector<Open>& open);
    void call(Words& words, Said said, model::AgentMessage draft, base::Timestamp now);
    void chat(Words& words, Said said, model::AgentMessage draft);

    SeededRandom random_;
    std::uint64_t count_ = 0;
    std::map<std::string, std::vector<Open>> open_;    // by the thread: what may be closed
    std::map<std::string, std::vector<Open>> closed_;  // likewise: goals and loops that may be opened again
    std::map<std::string, std::size_t> marks_;         // of an agent: so many that no list has too many
};

}  // namespace belfry::sim
