#include <gtest/gtest.h>
#include <list>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "codec/ag_ui.hpp"

// What a reader of AG-UI may be told, checked by a reader that knows nothing of how it was made.
namespace belfry::codec {
namespace {

struct Log {
    std::list<std::string> texts;
    std::vector<model::LogEntry> entries;

    void add(const std::string& event, const std::string& data, model::RunId run = 7) {
        model::LogEntry entry;
        entry.sequence = entries.size() + 1;
        std::string& body = texts.emplace_back();
        model::append_run_event_head(body, {"id", run, {}, static_cast<std::int64_t>(entry.sequence), "null", event});
        body += data + "}";
        entry.body = body;
        entry.facets.type = texts.emplace_back(event);
        entries.push_back(entry);
    }
};

using Random = std::mt19937;

std::size_t any(Random& random, std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
}

constexpr const char* ends[] = {"lifecycle.completed", "lifecycle.failed", "lifecycle.cancelled"};

// Of a tree three runs speak. Every word says whose it is.
Log some_log(Random& random, AgUi::Scope scope) {
    Log log;
    if (any(random, 4) > 0) log.add("lifecycle.started", "{}");
    for (std::size_t left = any(random, 120); left > 0; --left) {
        const model::RunId run = 7 + (scope == AgUi::Scope::run ? 0 : static_cast<model::RunId>(any(random, 3)));
        const std::string id = "\"message_id\":\"x" + std::to_string(any(random, 80)) + "\"";
        const std::string step = R"({"step_name":"s)" + std::to_string(any(random, 80)) + "\"}";
        const std::string word = "\"delta\":\"w" + std::to_string(run) + "\"";
        switch (any(random, 9)) {
            case 0: log.add("llm.message_start", "{" + id + "}", run); break;
            case 1: log.add("llm.message_end", any(random, 2) == 0 ? "{" + id + "}" : "{}", run); break;
            case 2: log.add("llm.stream", "{" + id + "," + word + "}", run); break;
            case 3: log.add("step.started", step, run); break;
            case 4: log.add("step.finished", step, run); break;
            case 5: log.add("llm.tool_call", R"({"tool_call_id":"c","tool_name":"t","arguments":{}})", run); break;
            case 6: log.add("some.thing", "{}", run); break;
            default: log.add("llm.stream", "{" + word + "}", run); break;  // long ones without a name
        }
        if (run != 7 && any(random, 20) == 0) log.add(ends[any(random, 3)], "{}", run);
    }
    if (any(random, 3) > 0) log.add(ends[any(random, 3)], "{}");
    if (scope == AgUi::Scope::tree && any(random, 3) > 0) log.add("tree.closed", "{}");
    return log;
}

// One connection: a reader who has all up to `after` comes when all up to `floor` is gone; while he reads, at
// `falls_at` he falls behind and `falls` entries are gone, too.
std::string connection(const Log& log, AgUi::Scope scope, model::Sequence after, model::Sequence floor,
                       model::Sequence until, model::Sequence falls_at = 0, model::Sequence falls = 0) {
    AgUi mapper(7, "", scope, after);
    std::string out;
    if (floor > 0) mapper.append_gap(out, 1, floor);
    for (model::Sequence at = floor + 1; at <= until && at <= log.entries.size(); ++at) {
        if (falls_at > 0 && at == falls_at) {
            const model::Sequence to = std::min<model::Sequence>(at + falls, log.entries.size());
            mapper.append_gap(out, at, to);
            at = to;
            continue;
        }
        mapper.append(out, log.entries[at - 1]);
    }
    return out;
}

// What is wrong with what a reader was told; nothing: it is well-formed.
std::string fault_of(const std::string& frames) {
    std::set<std::string> messages;
    std::map<std::string, std::string> words;  // of each message, the one that it has
    std::set<std::string> steps;
    bool began = false;
    bool over = false;
    const std::string mark = "data: ";
    for (std::size_t at = frames.find(mark); at != std::string::npos; at = frames.find(mark, at + 1)) {
        const std::string line = frames.substr(at + mark.size(), frames.find('\n', at) - at - mark.size());
        const model::JsonView json{line};
        const auto word = [&json](std::string_view name) {
            const auto member = json.member(name);
            return member ? member->as_text() : std::string();
        };
        const std::string type = word("type");
        const std::string message = word("messageId");
        if (over) return "after the end: " + line;
        const bool may_begin = type == "RUN_STARTED" || (!began && type == "RUN_ERROR");  // it never ran
        if (began == may_begin) return (began ? "a second start: " : "before the start: ") + line;
        began = true;
        if (type == "TEXT_MESSAGE_START" && !messages.insert(message).second) return "started twice: " + line;
        if (type == "TEXT_MESSAGE_CONTENT" && !messages.contains(message)) return "not started: " + line;
        if (type == "TEXT_MESSAGE_CONTENT" && words.try_emplace(message, word("delta")).first->second != word("delta"))
            return "the words of two runs: " + line;
        if (type == "TEXT_MESSAGE_END" && messages.erase(message) == 0) return "ended without a start: " + line;
        if (type == "STEP_STARTED" && !steps.insert(word("stepName")).second) return "begun twice: " + line;
        if (type == "STEP_FINISHED" && steps.erase(word("stepName")) == 0) return "finished without a start: " + line;
        if (type == "RUN_FINISHED" && !(messages.empty() && steps.empty())) return "something is open: " + line;
        over = type == "RUN_FINISHED" || type == "RUN_ERROR";
        if (messages.size() > 64 || steps.size() > 64) return "it grows: " + line;
    }
    return "";
}

TEST(AgUiProperty, any_log_is_well_formed_to_any_reader_wherever_he_comes_back) {
    for (unsigned seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        const AgUi::Scope scope = seed % 2 == 0 ? AgUi::Scope::tree : AgUi::Scope::run;
        const Log log = some_log(random, scope);
        const model::Sequence head = log.entries.size();
        const model::Sequence place = any(random, head + 1);
        const std::string whole = connection(log, scope, 0, 0, head);
        EXPECT_EQ(fault_of(whole), "") << "seed " << seed;
        EXPECT_EQ(connection(log, scope, 0, 0, place) + connection(log, scope, place, 0, head), whole)
            << "seed " << seed;
        // A part is gone, of what he had or of more. What he gets goes on where he was, unless he had some of what is
        // gone.
        const model::Sequence floor = any(random, head + 1);
        const model::Sequence falls_at = floor + 1 + any(random, 40);
        for (const model::Sequence falls : {model::Sequence{0}, falls_at}) {
            const bool goes_on = floor == 0 && (falls == 0 || falls > place);
            const std::string had = goes_on ? connection(log, scope, 0, 0, place) : "";
            EXPECT_EQ(fault_of(had + connection(log, scope, place, floor, head, falls, any(random, 40))), "")
                << "seed " << seed << " place " << place << " floor " << floor << " falls at " << falls;
        }
    }
}

}  // namespace
}  // namespace belfry::codec
