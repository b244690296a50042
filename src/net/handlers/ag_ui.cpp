#include "codec/ag_ui.hpp"

#include <utility>

#include "base/limits.hpp"
#include "model/text_of.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/live.hpp"
#include "net/run_opening.hpp"
#include "ports/commands/wakes.hpp"

// Agents for those who speak AG-UI: one request says something to an agent, and its answer is what the agent does.
namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
using model::JsonKind;
namespace limits = base::limits;

base::Result<void> expect(JsonReader& reader, JsonKind wanted, const char* words) {
    TRY_ASSIGN(const JsonKind kind, reader.peek());
    return kind == wanted ? base::Result<void>{} : reader.invalid(words);
}

// Returns the user's messages since the last answer, oldest first: the whole conversation comes with every turn, and
// only these are new in it. Each message has an id and a role. The other members depend on the role, and are the
// agent's to read.
base::Result<std::vector<ports::SpokenMessage>> read_last_words(JsonReader& reader) {
    TRY(expect(reader, JsonKind::array, "must be a list of messages"));
    TRY(reader.begin_array());
    std::vector<ports::SpokenMessage> said;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return said;
        TRY(expect(reader, JsonKind::object, "must be a message, an object"));
        std::string id;
        std::string role;
        model::RawJson content;
        TRY(reader.begin_object());
        std::string_view name;
        for (;;) {
            TRY_ASSIGN(const bool another, reader.next_field(name));
            if (!another) break;
            if (name == "content") {
                TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
                content = span.compact();
            } else if (name == "id" || name == "role") {
                TRY_ASSIGN((name == "id" ? id : role), read_text(reader, 1, limits::wake_request_id_bytes_max));
            }
        }
        if (id.empty() || role.empty()) return reader.invalid("must have an id and a role");
        if (role == "assistant") said.clear();
        if (role != "user") continue;
        std::string text = model::text_of(content.view());
        said.push_back({std::move(id), std::move(text), std::move(content)});
    }
}

// What AG-UI calls RunAgentInput. What it has besides comes to the agent as it is: the protocol grows.
base::Result<std::unique_ptr<ports::WakeAgent>> read_run_input(const Exchange& exchange) {
    auto wish = std::make_unique<ports::WakeAgent>();
    wish->agent_id = exchange.captures.front();
    wish->reason = model::WakeReason::user_initiated;
    JsonReader whole(exchange.request.body);
    TRY_ASSIGN(wish->input, read_json_object(whole, limits::wake_input_bytes_max));
    TRY(whole.finish());
    JsonReader reader(exchange.request.body);
    bool has_messages = false;
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) break;
        if (name == "threadId") {
            TRY_ASSIGN(wish->session_id, read_scope_id(reader));
        } else if (name == "runId") {
            TRY_ASSIGN(wish->request_id, read_text(reader, 1, limits::wake_request_id_bytes_max));
        } else if (name == "messages") {
            TRY_ASSIGN(wish->spoken, read_last_words(reader));
            has_messages = true;
        } else if (name == "tools" || name == "context") {
            TRY(expect(reader, JsonKind::array, "must be a list"));
        }
    }
    if (wish->session_id.empty()) return missing("threadId");
    if (wish->request_id.empty()) return missing("runId");
    if (!has_messages) return missing("messages");
    return wish;
}

// Whoever does not say what he takes, takes what there is.
bool takes_sse(const wire::Request& request) {
    const std::string_view accept = request.header(wire::Header::accept);
    const auto names = [&](std::string_view type) { return accept.find(type) != std::string_view::npos; };
    return accept.empty() || names("text/event-stream") || names("text/*") || names("*/*");
}

void open_answer(const Reply& to, const SharedCaller& caller, const model::Run& run, const std::string& name) {
    Connection* const connection = to.connection();
    if (connection == nullptr) return;
    auto opened = open_run(to.service().ports.streams, caller->principal, run, {}, RunReading::whole);
    if (!opened) return connection->fail(opened.error());
    RunReader reader;
    reader.had = opened->had;
    reader.ends_here = opened->ends_here;
    reader.mapper = std::make_unique<codec::AgUi>(run.id, run.session_id, codec::AgUi::Scope::run, opened->had, name);
    connection->follow(StreamFormat::ag_ui_answer, sse_head(to.service(), *connection), std::move(opened->cursor),
                       caller, nullptr, std::move(reader));
}

}  // namespace

void run_agent_ag_ui(const Exchange& exchange) {
    if (!takes_sse(exchange.request)) {
        return exchange.fail(base::error(base::Code::not_acceptable,
                                         "AG-UI events go out as server-sent events: Accept: text/event-stream"));
    }
    auto wish = read_run_input(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->bytes = exchange.request.body.size();
    command->done = [to = exchange.reply(), caller = exchange.caller,
                     name = command->request_id](const base::Result<ports::AddedWake>& result) {
        if (!result) return to.fail(result.error());
        to.service().ports.queries.run(caller->principal, result->wake.run_id,
                                       [to, caller, name](const base::Result<model::Run>& run) {
                                           if (!run) return to.fail(run.error());
                                           open_answer(to, caller, *run, name);
                                       });
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
