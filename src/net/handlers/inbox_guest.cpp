#include "net/handlers/inbox_guest.hpp"

#include <utility>

#include "codec/utf8.hpp"
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

InboxGuest::InboxGuest(Reply home, SharedCaller caller, ConnectionId connection, std::string user_id,
                       std::string session_id)
    : home_(home),
      caller_(std::move(caller)),
      connection_(connection),
      user_id_(std::move(user_id)),
      session_id_(std::move(session_id)) {}

InboxGuest::~InboxGuest() {
    auto close = std::make_unique<ports::CloseInbox>();
    close->principal = caller_->principal;
    close->producer = connection_;
    close->lane = ports::Lane::control;
    close->bytes = sizeof(ports::CloseInbox);
    close->user_id = user_id_;
    home_.service().send_surely(std::move(close));
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
    ports::OneNotification which{session_id_, word->id};
    if (word->type == "ack") {
        return submit(ack_of(*word, std::move(which)), number, "ack_result", word->id, {});
    }
    auto mark = mark_of(*word, std::move(which));
    if (!mark) return answer(number, error_text(mark.error()));
    submit(std::move(mark).value(), number, "read_result", word->id, std::string(model::read_mark_name(*word->mark)));
}

}  // namespace belfry::net::handlers
