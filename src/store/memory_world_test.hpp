#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "store/notification_world_test.hpp"

// What the tests of how memory is kept share. Only tests include it.
namespace belfry::store::testing {

using Positions = std::vector<std::int64_t>;

template <class T>
Positions positions(const base::Result<std::vector<T>>& found) {
    EXPECT_OK(found);
    Positions list;
    if (!found.ok()) return list;
    for (const T& one : *found) list.push_back(one.position);
    return list;
}

// Of agent `a` in `a:run:k` unless the test says otherwise.
inline model::AgentMessage remembered(std::int64_t position, const std::string& thread = "a:run:k",
                                      model::AgentMessageKind kind = model::AgentMessageKind::thought) {
    model::AgentMessage made;
    made.id = uuid_of(static_cast<std::uint64_t>(position), 5);
    made.agent_id = thread.substr(0, thread.find(':'));
    made.thread_id = thread;
    made.kind = kind;
    made.position = position;
    made.created_at = at_second(position);
    made.tokens_approx = 10 * position;
    made.content = model::RawJson::trusted("{\"text\":\"number " + std::to_string(position) + "\"}");
    return made;
}

inline model::AgentThread agent_thread(const std::string& id, std::int64_t last_second) {
    model::AgentThread made;
    made.thread_id = id;
    made.agent_id = id.substr(0, id.find(':'));
    made.user_id = "ada";
    made.messages = 9;
    made.folded_through = 4;
    made.hot_messages = 5;
    made.hot_tokens = 600;
    made.last_at = at_second(last_second);
    return made;
}

inline model::SummaryPlace summary_place(std::int64_t position, std::int64_t depth = 1,
                                         const std::string& agent = "a") {
    model::SummaryPlace made;
    made.message_id = uuid_of(static_cast<std::uint64_t>(position), 5);
    made.position = position;
    made.agent_id = agent;
    made.thread_id = agent + ":run:k";
    made.depth = depth;
    made.start_position = position - 5;
    made.end_position = position - 1;
    made.tokens = 77;
    return made;
}

inline model::FoldJob fold_job(std::uint64_t number, const std::string& thread) {
    model::FoldJob made;
    made.id = uuid_of(number, 6);
    made.agent_id = thread.substr(0, thread.find(':'));
    made.user_id = "ada";
    made.thread_id = thread;
    made.depth = 2;
    made.start_message_id = uuid_of(1, 5);
    made.end_message_id = uuid_of(4, 5);
    made.start_position = 1;
    made.end_position = 4;
    made.messages = 4;
    made.attempts = 1;
    made.next_attempt_at = at_second(static_cast<std::int64_t>(number));
    made.summarizer = model::Summarizer::model;
    made.last_error = odd_text;
    made.created_at = at_second(static_cast<std::int64_t>(number));
    made.updated_at = at_second(static_cast<std::int64_t>(number) + 1);
    return made;
}

inline model::AgentRecord agent_of(const std::string& id, const std::string& user) {
    model::AgentRecord record;
    record.agent.id = id;
    record.agent.user_id = user;
    record.state.agent_id = record.runtime.agent_id = id;
    return record;
}

inline ports::RecallFilter words_of_agent(const std::string& agent, std::vector<std::string> words) {
    ports::RecallFilter filter;
    filter.agent_id = agent;
    filter.words = std::move(words);
    filter.limit = 10;
    return filter;
}

class MemorySuite : public TableSuite {
protected:
    ports::MemoryTable& table() { return store().memory(); }
    ports::MemoryQuestions& questions() { return table().questions(); }
    void add(const std::vector<model::AgentMessage>& messages) { ASSERT_OK(store().agent_messages().add(messages)); }
};

}  // namespace belfry::store::testing
