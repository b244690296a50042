#include "notifications/mix.hpp"

#include <array>
#include <string_view>

namespace belfry::bench {
namespace {

using model::JsonWriter;

constexpr std::uint64_t session_life = 500;
constexpr std::uint64_t heard_by_nobody = 600;  // of 1,000

constexpr std::array<std::string_view, 8> tools{"vault_search",  "web_fetch",   "run_tests",     "read_file",
                                                "execute_shell", "query_sales", "send_calendar", "compile"};
constexpr std::array<std::string_view, 6> errors{"timeout",      "permission_denied", "not_found",
                                                 "rate_limited", "parse_error",       "connection_reset"};
constexpr std::array<std::string_view, 6> sentences{
    "Operation gave up after 5000ms: no answer from the index",
    "Permission denied: the token does not cover this folder",
    "No such file or directory",
    "Too many requests, try again in 30 seconds",
    "Unexpected token } in JSON at position 1841, line 62",
    "Connection reset by peer while reading the response body",
};
constexpr std::array<std::string_view, 8> words{"orders", "invoice", "session", "parser",
                                                "report", "index",   "mail",    "plan"};
constexpr std::array<std::string_view, 4> notes{
    "Check the totals of the second sheet before answering", "The user wants the short form of dates",
    "Ask which of the two branches is to be merged", "Run the integration tests again after the migration"};

template <class List>
std::string_view one_of(const List& list, std::uint64_t number) {
    return list[number % list.size()];
}

// A payload is written member by member.
class Payload {
public:
    Payload() { writer_.begin_object(); }
    Payload& text(std::string_view name, std::string_view value) {
        writer_.field(name, value);
        return *this;
    }
    Payload& number(std::string_view name, std::uint64_t value) {
        writer_.field(name, static_cast<long long>(value));
        return *this;
    }
    model::RawJson done() {
        writer_.end_object();
        return model::RawJson::trusted(std::move(bytes_));
    }

private:
    std::string bytes_;
    JsonWriter writer_{bytes_};
};

std::string call_id(std::uint64_t number) {
    return "call_" + std::to_string(1'000'000 + number);
}

}  // namespace

EventMix::EventMix(MixKind kind, std::uint64_t seed, std::size_t sessions) : kind_(kind), state_(seed) {
    if (kind == MixKind::worst) return;
    sessions_.resize(sessions);
    for (Session& session : sessions_) {
        begin(session);
        session.said = draw(session_life);  // so that they do not all end at once
    }
}

// SplitMix64.
std::uint64_t EventMix::draw(std::uint64_t below) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31U)) % below;
}

void EventMix::begin(Session& session) {
    session = {};
    session.id = "session-" + std::to_string(100'000 + begun_++);
    session.seed = draw(1'000'000);
}

EventMix::Session& EventMix::some_session() {
    Session& session = sessions_[draw(sessions_.size())];
    if (session.said++ == session_life) begin(session);
    return session;
}

std::string EventMix::path() {
    return "src/" + std::string(one_of(words, draw(8))) + "/" + std::string(one_of(words, draw(8))) + "_" +
           std::to_string(draw(30)) + ".py";
}

model::Event EventMix::next() {
    model::Event event;
    ++given_;
    if (kind_ == MixKind::worst) {
        ++wanted_;
        event.session_id = "session-" + std::to_string(100'000 + given_);
        event.agent_id = "agent-" + std::to_string(given_ % 50);
        say_failure(event, given_, {given_ / 8, path(), draw(3)});
        return event;
    }
    Session& session = some_session();
    event.session_id = session.id;
    event.agent_id = "agent-" + std::to_string(session.seed % 50);
    if (session.seed % 2 == 0) event.user_id = "user-" + std::to_string(session.seed % 100);
    const std::uint64_t kind = draw(1000);
    if (kind >= heard_by_nobody) ++wanted_;
    if (kind < 480 || (kind >= 600 && kind < 810)) of_tools(event, session, kind);
    else if (kind >= 810 && kind < 860) of_budgets(event, kind);
    else of_agents(event, session, kind);
    return event;
}

void EventMix::of_tools(model::Event& event, Session& session, std::uint64_t kind) {
    const std::uint64_t which = draw(3);
    const std::uint64_t tool = session.seed + which;
    event.source = "tool_executor";
    if (kind < 230) {
        event.type = "tool.call.pending";
        event.payload = Payload()
                            .text("tool_name", one_of(tools, tool))
                            .text("call_id", call_id(given_))
                            .text("arguments", path())
                            .done();
    } else if (kind < 480) {
        event.type = "tool.call.success";
        event.payload = Payload()
                            .text("tool_name", one_of(tools, tool))
                            .text("call_id", call_id(given_))
                            .number("duration_ms", 20 + draw(3000))
                            .text("result_summary", "3 matches in " + path())
                            .done();
    } else if (kind < 760) {
        Call& call = session.failing[which];
        fail_or_retry(call, session.seed / 8 + which + (which == 2 ? draw(2) : 0));
        say_failure(event, tool, call);
    } else {
        event.type = "tool.call.timeout";
        event.payload = Payload()
                            .text("tool_name", one_of(tools, tool))
                            .text("call_id", call_id(given_))
                            .number("timeout_ms", 5000)
                            .number("retry_count", draw(3))
                            .done();
    }
}

void EventMix::fail_or_retry(Call& call, std::uint64_t error) {
    const bool is_retry = !call.path.empty() && call.retries < 2 && draw(3) > 0;
    if (is_retry) ++call.retries;
    else call = {error, path(), 0};
}

void EventMix::say_failure(model::Event& event, std::uint64_t tool, const Call& call) {
    event.type = "tool.call.failure";
    event.source = "tool_executor";
    event.payload = Payload()
                        .text("tool_name", one_of(tools, tool))
                        .text("call_id", call_id(given_))
                        .text("error_type", one_of(errors, call.error))
                        .text("error_message", std::string(one_of(sentences, call.error)) + ": " + call.path)
                        .number("retry_count", call.retries)
                        .done();
}

void EventMix::of_budgets(model::Event& event, std::uint64_t kind) {
    event.source = "session_monitor";
    const std::uint64_t used = 80 + draw(15);
    if (kind < 835) {
        const bool is_token = kind < 825;
        const std::uint64_t limit = is_token ? 50'000 : 30;
        const std::uint64_t current = limit * used / 100;
        event.type = is_token ? "budget.token.warning" : "budget.iteration.warning";
        event.payload = Payload()
                            .text("budget_type", is_token ? "token" : "iteration")
                            .number("current", current)
                            .number("limit", limit)
                            .number("percentage", used)
                            .number("remaining", limit - current)
                            .done();
    } else if (kind < 840) {
        event.type = "budget.timeout.warning";
        event.payload = Payload()
                            .number("elapsed_seconds", used * 6)
                            .number("limit_seconds", 600)
                            .number("remaining_seconds", 600 - used * 6)
                            .done();
    } else if (kind < 845) {
        event.type = kind < 843 ? "budget.token.exceeded" : "budget.iteration.exceeded";
        event.payload = Payload().number("current", 50'000 + draw(4000)).number("limit", 50'000).done();
    } else {
        event.type = "context.approaching_limit";
        const std::uint64_t current = used * 1280 + draw(1280);
        event.payload = Payload()
                            .number("current_tokens", current)
                            .number("max_tokens", 128'000)
                            .number("percent", used)
                            .number("remaining_tokens", 128'000 - current)
                            .done();
    }
}

void EventMix::of_agents(model::Event& event, Session& session, std::uint64_t kind) {
    event.source = "agent";
    if (kind < 520) {
        event.type = "agent.turn.start";
        event.payload = Payload().number("turn_number", session.turn).text("session_id", session.id).done();
    } else if (kind < 560) {
        event.type = "agent.turn.end";
        event.payload = Payload()
                            .number("turn_number", session.turn++)
                            .text("session_id", session.id)
                            .text("reason", "answered")
                            .number("tool_calls", draw(9))
                            .number("tokens_used", 500 + draw(4000))
                            .done();
    } else if (kind < 600) {
        event.type = "cli.event";
        event.source = "terminal";
        event.payload = Payload().text("event_name", "file_saved").text("data", path()).done();
    } else if (kind < 895) {
        event.type = "source.stale";
        event.source = "file_watcher";
        event.payload = Payload()
                            .text("path", path())
                            .text("previous_hash", std::to_string(draw(1ULL << 40U)))
                            .text("current_hash", std::to_string(draw(1ULL << 40U)))
                            .done();
    } else if (kind < 930) {
        event.type = kind < 920 ? "agent.self.notify" : "agent.self.remind";
        event.payload = Payload()
                            .text("message", std::string(one_of(notes, draw(4))) + " (" + path() + ")")
                            .text("category", one_of(words, draw(8)))
                            .done();
    } else if (kind < 960) {
        const bool failed = kind >= 950;
        event.type = failed ? "subagent.failed" : "subagent.complete";
        event.source = "subagents";
        Payload payload;
        payload.text("task_id", "task-" + std::to_string(draw(100'000)));
        if (failed) payload.text("error_message", one_of(sentences, draw(6)));
        else
            payload.text("result_summary", "Rewrote " + path() + ", all tests pass")
                .number("duration_ms", draw(90'000));
        event.payload = payload.done();
    } else if (kind < 985) {
        event.type = "task.checkpoint";
        event.payload =
            Payload().text("message", "Finished " + path() + " and its tests").number("turn", session.turn).done();
    } else if (kind < 990) {
        event.type = "agent.loop.detected";
        event.source = "session_monitor";
        event.payload = Payload()
                            .text("pattern", std::string(one_of(tools, session.seed)) + " > " +
                                                 std::string(one_of(tools, session.seed + 1)))
                            .number("repetitions", 3)
                            .number("window_seconds", 60)
                            .done();
    } else if (kind < 995) {
        event.type = "session.resumed";
        event.payload = Payload()
                            .number("nodes_loaded", 2 + draw(40))
                            .text("last_question", "Which of the orders of " + path() + " were never shipped?")
                            .done();
    } else {
        event.type = "client.status_update";
        event.source = "web_client";
        event.payload = Payload().text("status", "idle").text("view", one_of(words, draw(8))).done();
    }
}

}  // namespace belfry::bench
