#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/agent_message.hpp"
#include "model/journal.hpp"

namespace belfry::sim {

// A record as far as tools change it.
struct ExpectedRecord {
    std::string kind;
    std::string category;
    std::string parent;  // the task of a checklist, the checklist of an item; empty: none
    std::string says;    // its fields, in a line
    std::int64_t revision = 1;

    bool operator==(const ExpectedRecord&) const = default;
};
[[nodiscard]] ExpectedRecord expected_of(const model::JournalRecord& record);

// What a journal must hold once each of these calls was done exactly once, said in other words than the tools say it.
// Of what a call answered only the ids are believed, for nobody can foretell those.
class ExpectedJournal {
public:
    using Link = std::tuple<std::string, std::string, std::string>;  // relation, from, to

    // What there is before the first call: tasks, of which `task_to_conclude` is touched by nothing but
    // conclude_task_with_rollover, with checklists, and one in a category that the agent is not allowed.
    static std::vector<model::JournalRecord> beginning();
    static constexpr std::string_view task_to_conclude = "t0";
    static constexpr std::string_view day = "2025-06-15";

    ExpectedJournal();

    // The next call that was recorded. Nothing: it went as it must; else what is wrong with it.
    std::string apply(const model::AgentMessage& action, const model::AgentMessage& result);

    [[nodiscard]] const std::map<std::string, ExpectedRecord>& records() const { return records_; }
    [[nodiscard]] const std::set<Link>& links() const { return links_; }
    [[nodiscard]] const std::multiset<std::string>& notes() const { return notes_; }

private:
    // The code with which it must be refused; empty: it must succeed.
    [[nodiscard]] std::string refusal_of(std::string_view tool, model::JsonView arguments) const;
    [[nodiscard]] std::string refusal_of_conclusion(model::JsonView arguments) const;
    void perform(std::string_view tool, model::JsonView arguments, const model::AgentMessage& result);
    void update_task(model::JsonView arguments);
    void add_items(std::string_view tool, model::JsonView arguments, model::JsonView says);
    void conclude(model::JsonView arguments, const model::AgentMessage& result);
    void add_block(model::JsonView arguments);
    void rate(model::JsonView arguments);
    void stop_timer();

    void make(const std::string& id, ExpectedRecord record);
    // Where it says something else than before, it is another revision.
    void put(const std::string& id, const std::string& says);
    [[nodiscard]] bool is_allowed_task(model::JsonView arguments) const;
    [[nodiscard]] std::string first_checklist(const std::string& task) const;

    std::map<std::string, ExpectedRecord> records_;
    std::vector<std::string> made_;  // in their order
    std::set<Link> links_;
    std::multiset<std::string> notes_;  // to itself
    std::string running_;               // the timer; empty: none
    std::set<std::string> told_tokens_;
    bool is_concluded_ = false;
    std::set<std::string> changed_;  // by the call
    std::string wrong_;
};

}  // namespace belfry::sim
