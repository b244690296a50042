#include "net/handlers/inbox_guest.hpp"

#include <utility>

#include "codec/utf8.hpp"
#include "model/notification_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/notification_words.hpp"

namespace belfry::net::handlers {
namespace {

base::Result<InterfaceWord> read_word(std::string_view message) {
    InterfaceWord word;
    codec::JsonReader reader(message);
    TRY(read_body(reader, [&](std::string_view name) { return read_word_member(reader, name, word); }));
    if (word.type.empty()) return missing("type");
    if (word.id.empty()) return missing("id");
    const bool is_ack = word.type == "ack";
    if (is_ack && word.mark) return base::error(base::Code::invalid, "does not belong to type ack", "mark");
    if (!is_ack && (word.lease || word.version || word.how)) {
        return base::error(base::Code::invalid, "does not belong to type read",
                           word.lease     ? "lease"
                           : word.version ? "version"
                                          : "how");
    }
    return word;
}

void write_refusal(model::JsonWriter& writer, const base::Error& error) {
    writer.field("detail", codec::to_utf8(error.message));
    if (!error.field.empty()) writer.field("field", codec::to_utf8(error.field));
}

std::string error_text(const base::Error& error) {
    std::string text;
    model::JsonWriter writer(text);
    writer.begin_object().field("type", "error").field("code", base::code_name(error.code));
    write_refusal(writer, error);
    writer.end_object();
    return text;
}

// `status` is what became of it, or the word for why nothing did.
std::string result_text(std::string_view type, std::string_view id, std::string_view status, const base::Error* error) {
    std::string text;
    model::JsonWriter writer(text);
    writer.begin_object().field("type", type).field("id", id).field("status", status);
    if (error != nullptr) write_refusal(writer, *error);
    writer.end_object();
    return text;
}

std::string refusal_text(std::string_view type, std::string_view id, const base::Error& error) {
    return result_text(type, id, error.reason.empty() ? base::code_name(error.code) : error.reason, &error);
}

}  // namespace

namespace {

// While the store is down nothing is decided, this neither: it is said again with the next sweep.
std::unique_ptr<ports::CloseInbox> closing(Service& service, const model::Principal& who, ConnectionId connection,
                                           const std::string& user_id, const std::string& session_id) {
    auto close = std::make_unique<ports::CloseInbox>();
    close->principal = who;
    close->producer = connection;
    close->lane = ports::Lane::control;
    close->bytes = sizeof(ports::CloseInbox);
    close->user_id = user_id;
    close->session_id = session_id;
    close->done = [&service, who, connection, user_id, session_id](const base::Result<ports::Nothing>& result) {
        if (result.ok()) return;
        const base::Code code = result.error().code;
        if (code != base::Code::unavailable && code != base::Code::outcome_unknown) return;
        service.unsent.push_back(closing(service, who, connection, user_id, session_id));
    };
    return close;
}

}  // namespace

void close_inbox(Service& service, const model::Principal& who, ConnectionId connection, const std::string& user_id,
                 const std::string& session_id) {
    service.send_surely(closing(service, who, connection, user_id, session_id));
}

std::string question_lines(const std::vector<model::Interaction>& questions, StreamFormat format) {
    std::string out;
    std::string line;
    for (const model::Interaction& question : questions) {
        line.clear();
        model::append_interaction_line(line, question);
        append_inbox_line(out, format, 0, line);
    }
    return out;
}

std::string snapshot_lines(InboxSnapshot& snapshot, const ports::InboxPortion& portion) {
    std::string out;
    std::string line;
    for (const model::Notification& notification : portion.waiting) {
        line.clear();
        model::append_interface_json(line, notification);
        append_inbox_line(out, snapshot.format, 0, line);
        snapshot.last = notification.ordinal;
    }
    snapshot.told += portion.waiting.size();
    snapshot.more = portion.more;
    if (snapshot.more) return out;
    line.clear();
    model::JsonWriter writer(line);
    writer.begin_object().field("type", "caught_up").field("waiting", static_cast<long long>(snapshot.told));
    writer.field("as_of", static_cast<long long>(snapshot.as_of)).end_object();
    append_inbox_line(out, snapshot.format, snapshot.as_of, line);
    return out;
}

InboxGuest::InboxGuest(Reply home, SharedCaller caller, ConnectionId connection, InboxSnapshot snapshot)
    : home_(home),
      caller_(std::move(caller)),
      connection_(connection),
      snapshot_(std::make_shared<InboxSnapshot>(std::move(snapshot))) {}

InboxGuest::~InboxGuest() {
    close_inbox(home_.service(), caller_->principal, connection_, snapshot_->user_id, snapshot_->session_id);
}

bool InboxGuest::ask_for_more() {
    auto next = std::make_unique<ports::ContinueInbox>();
    next->principal = caller_->principal;
    next->producer = connection_;
    next->bytes = sizeof(ports::ContinueInbox);
    next->user_id = snapshot_->user_id;
    next->session_id = snapshot_->session_id;
    next->after = snapshot_->last;
    next->until = snapshot_->until;
    next->done = [home = home_, snapshot = snapshot_](const base::Result<ports::InboxPortion>& result) {
        Connection* const connection = home.connection();
        if (connection == nullptr) return;
        connection->tell(result.ok() ? std::optional(snapshot_lines(*snapshot, *result)) : std::nullopt);
    };
    ports::AnyCommand any = std::move(next);
    return home_.service().ports.gateway.submit(any).ok();
}

template <class C>
void InboxGuest::submit(std::unique_ptr<C> command, std::uint64_t number, std::string type, std::string id,
                        std::string ok) {
    command->principal = caller_->principal;
    command->producer = connection_;
    command->bytes = sizeof(C) + id.size();
    command->done = [home = home_, number, type, id, ok](const base::Result<model::Notification>& result) {
        Connection* const connection = home.connection();
        if (connection == nullptr) return;
        if (!result) return connection->answer_word(number, refusal_text(type, id, result.error()));
        const std::string_view state = ok.empty() ? model::delivery_state_name(result->state) : std::string_view(ok);
        connection->answer_word(number, result_text(type, id, state, nullptr));
    };
    ports::AnyCommand any = std::move(command);
    const auto taken = home_.service().ports.gateway.submit(any);
    if (!taken.ok()) answer(number, refusal_text(type, id, taken.error()));
}

void InboxGuest::take(std::uint64_t number, std::string_view message) {
    auto word = read_word(message);
    if (!word) return answer(number, error_text(word.error()));
    ports::OneNotification which{snapshot_->session_id, word->id};
    if (word->type == "ack") {
        return submit(ack_of(*word, std::move(which)), number, "ack_result", word->id, {});
    }
    auto mark = mark_of(*word, std::move(which));
    if (!mark) return answer(number, error_text(mark.error()));
    submit(std::move(mark).value(), number, "read_result", word->id, std::string(model::read_mark_name(*word->mark)));
}

}  // namespace belfry::net::handlers
