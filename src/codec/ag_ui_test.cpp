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

// The lines that say this of a message or a step, as `id word`.
std::vector<std::string> lines(const std::string& frames, const std::string& type, const std::string& name,
                               const std::string& value = {}) {
    std::vector<std::string> found;
    const std::string mark = "data: ";
    for (std::size_t at = frames.find(mark); at != std::string::npos; at = frames.find(mark, at + 1)) {
        const std::string line = frames.substr(at + mark.size(), frames.find('\n', at) - at - mark.size());
        const model::JsonView json{line};
        if (json.member("type")->as_text() != type) continue;
        found.push_back(json.member(name)->as_text() + (value.empty() ? "" : " " + json.member(value)->as_text()));
    }
    return found;
}

TEST(AgUiEvents, keep_the_words_of_two_children_apart) {
    const Log log({{"tree.opened"},
                   {"lifecycle.started", "{}", 7},
                   {"llm.stream", R"({"delta":"Hel"})", 8},
                   {"llm.stream", R"({"delta":"Wor"})", 9},
                   {"llm.stream", R"({"delta":"lo"})", 8},
                   {"llm.stream", R"({"delta":"ld"})", 9},
                   {"llm.message_start", R"({"message_id":"x"})", 8},
                   {"llm.message_start", R"({"message_id":"x"})", 9},
                   {"llm.stream", R"({"message_id":"x","delta":"a"})", 8},
                   {"llm.message_end", R"({"message_id":"x"})", 8},
                   {"llm.stream", R"({"message_id":"x","delta":"b"})", 9},
                   {"llm.tool_call", R"({"tool_call_id":"c"})", 8},
                   {"llm.tool_result", R"({"tool_call_id":"c"})", 7}});
    const std::string frames = mapped(log, 0, AgUi::Scope::tree);
    EXPECT_EQ(lines(frames, "TEXT_MESSAGE_CONTENT", "messageId", "delta"),
              (Types{"8:m3 Hel", "9:m4 Wor", "8:m3 lo", "9:m4 ld", "8:x a", "9:x b"}));
    EXPECT_EQ(lines(frames, "TEXT_MESSAGE_START", "messageId"), (Types{"8:m3", "9:m4", "8:x", "9:x"}));
    EXPECT_EQ(lines(frames, "TEXT_MESSAGE_END", "messageId"), (Types{"8:m3", "9:m4", "8:x"}));
    EXPECT_EQ(lines(frames, "TOOL_CALL_START", "toolCallId"), (Types{"8:c"}));
    EXPECT_EQ(lines(frames, "TOOL_CALL_RESULT", "toolCallId"), (Types{"c"}));
}

TEST(AgUiEvents, of_a_run_that_ends_close_its_own_steps_and_messages_and_no_others) {
    const Log log({{"tree.opened"},
                   {"step.started", R"({"step_name":"s"})", 7},
                   {"step.started", R"({"step_name":"s"})", 8},
                   {"step.started", R"({"step_name":"s"})", 9},
                   {"llm.message_start", R"({"message_id":"x"})", 9},
                   {"step.finished", R"({"step_name":"s"})", 8},
                   {"lifecycle.completed", R"({"result":null})", 7},
                   {"llm.stream", R"({"message_id":"x","delta":"late"})", 9},
                   {"lifecycle.failed", "{}", 9},
                   {"tree.closed"}});
    const std::string frames = mapped(log, 0, AgUi::Scope::tree);
    EXPECT_EQ(types(frames), (Types{"RUN_STARTED", "STEP_STARTED", "STEP_STARTED", "STEP_STARTED", "TEXT_MESSAGE_START",
                                    "STEP_FINISHED", "STEP_FINISHED", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
                                    "STEP_FINISHED", "CUSTOM", "RUN_FINISHED"}));
    EXPECT_EQ(lines(frames, "STEP_FINISHED", "stepName"), (Types{"8:s", "s", "9:s"}));
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
