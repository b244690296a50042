#include "codec/ag_ui.hpp"

#include <gtest/gtest.h>
#include <list>
#include <vector>

namespace belfry::codec {
namespace {

struct Said {
    std::string event;
    std::string data = "{}";
    model::RunId run = 7;
};

class Log {
public:
    explicit Log(const std::vector<Said>& said) {
        for (const Said& one : said) {
            model::LogEntry entry;
            entry.sequence = entries_.size() + 1;
            std::string& body = bodies_.emplace_back();
            model::append_run_event_head(
                body, {"id", one.run, {}, static_cast<std::int64_t>(entry.sequence), "null", one.event});
            body += one.data + "}";
            entry.facets.type = types_.emplace_back(one.event);
            entry.body = body;
            entries_.push_back(entry);
        }
    }
    [[nodiscard]] const std::vector<model::LogEntry>& entries() const { return entries_; }

private:
    std::list<std::string> bodies_;
    std::list<std::string> types_;
    std::vector<model::LogEntry> entries_;
};

// The data of the frames, one a line, with the ids in front.
std::string mapped(const Log& log, model::Sequence after = 0, AgUi::Scope scope = AgUi::Scope::run) {
    AgUi mapper(7, "", scope, after);
    std::string out;
    for (const model::LogEntry& entry : log.entries()) mapper.append(out, entry);
    return out;
}

std::vector<std::string> types(const std::string& frames) {
    std::vector<std::string> found;
    const std::string mark = "data: {\"type\":\"";
    for (std::size_t at = frames.find(mark); at != std::string::npos; at = frames.find(mark, at + 1)) {
        const std::size_t begin = at + mark.size();
        found.push_back(frames.substr(begin, frames.find('"', begin) - begin));
    }
    return found;
}
using Types = std::vector<std::string>;

TEST(AgUiEvents, of_a_plain_run_begin_and_end_it) {
    const Log log({{"lifecycle.queued"}, {"lifecycle.started"}, {"lifecycle.completed", R"({"result":{"a":1}})"}});
    EXPECT_EQ(
        mapped(log),
        "id: 2\ndata: {\"type\":\"RUN_STARTED\",\"threadId\":\"run-7\",\"runId\":\"7\"}\n\n"
        "id: 3\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"run-7\",\"runId\":\"7\",\"result\":{\"a\":1}}\n\n");
}

TEST(AgUiEvents, of_chunks_without_a_start_begin_and_end_their_message) {
    const Log log({{"lifecycle.started"},
                   {"llm.stream", R"({"delta":"a"})"},
                   {"llm.stream", R"({"delta":""})"},
                   {"llm.stream", R"({"content":"b"})"},
                   {"my.event"},
                   {"llm.stream", R"({"delta":"c"})"}});
    const std::string frames = mapped(log);
    EXPECT_EQ(types(frames), (Types{"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT",
                                    "TEXT_MESSAGE_END", "CUSTOM", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"}));
    EXPECT_NE(frames.find("\"messageId\":\"m2\",\"delta\":\"b\""), std::string::npos);
    EXPECT_NE(frames.find("\"messageId\":\"m6\",\"delta\":\"c\""), std::string::npos);
}

TEST(AgUiEvents, of_messages_that_were_started_end_them_when_they_say_so_or_the_run_does) {
    const Log log({{"lifecycle.started"},
                   {"llm.message_start", R"({"message_id":"x"})"},
                   {"llm.stream", R"({"message_id":"x","delta":"a"})"},
                   {"llm.stream", R"({"message_id":"y","delta":"b"})"},
                   {"llm.tool_call", R"({"name":"t","arguments":"{}"})"},
                   {"llm.message_end", R"({"message_id":"x"})"},
                   {"step.started", R"({"name":"s"})"},
                   {"step.finished", R"({"name":"other"})"},
                   {"llm.stream", R"({"message_id":"z","delta":"c"})"},
                   {"lifecycle.completed"}});
    EXPECT_EQ(types(mapped(log)),
              (Types{"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_START",
                     "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END",
                     "TEXT_MESSAGE_END", "STEP_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT",
                     "TEXT_MESSAGE_END", "STEP_FINISHED", "RUN_FINISHED"}));
}

TEST(AgUiEvents, are_the_same_wherever_a_reader_comes_back) {
    const Log log({{"lifecycle.started"},
                   {"llm.stream", R"({"delta":"a"})"},
                   {"llm.stream", R"({"delta":"b"})"},
                   {"step.started", R"({"name":"s"})"},
                   {"llm.stream", R"({"message_id":"q","delta":"c"})"},
                   {"llm.tool_result", R"({"tool_call_id":"t","result":{"x":1}})"},
                   {"lifecycle.failed", R"({"error":{"type":"T","message":"m"}})"}});
    const std::string whole = mapped(log);
    for (model::Sequence after = 1; after <= 7; ++after) {
        const std::string mark = "id: " + std::to_string(after) + "\n";
        const std::size_t at = whole.find(mark);
        ASSERT_NE(at, std::string::npos);
        EXPECT_EQ(mapped(log, after), whole.substr(whole.find("\n\n", at) + 2)) << "after " << after;
    }
}

TEST(AgUiEvents, of_a_tree_end_with_it_and_not_with_its_root) {
    const Log log({{"tree.opened"},
                   {"lifecycle.started", "{}", 8},
                   {"lifecycle.completed", R"({"result":null})", 7},
                   {"llm.stream", R"({"delta":"late"})", 8},
                   {"lifecycle.completed", R"({"result":1})", 8},
                   {"tree.closed"}});
    EXPECT_EQ(types(mapped(log, 0, AgUi::Scope::tree)),
              (Types{"RUN_STARTED", "CUSTOM", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
                     "CUSTOM", "RUN_FINISHED"}));
}

TEST(AgUiEvents, tell_what_is_gone) {
    AgUi mapper(7, "s", AgUi::Scope::run, 0);
    std::string out;
    mapper.append_gap(out, 1, 5);
    EXPECT_EQ(types(out), (Types{"RUN_STARTED", "CUSTOM"}));
    EXPECT_NE(out.find(R"("name":"gap","value":{"from":1,"to":5})"), std::string::npos);
    AgUi later(7, "s", AgUi::Scope::run, 5);
    out.clear();
    later.append_gap(out, 1, 5);
    EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace belfry::codec
