#include "client/client.hpp"
#include "client/cursor.hpp"
#include "client/requests.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

// There is no position: whoever comes back is sent what still waits.
class InboxCursor final : public Cursor {
public:
    InboxCursor(std::string target, const InboxHandlers& handlers) : target_(std::move(target)), handlers_(handlers) {}

    [[nodiscard]] std::string target() const override { return target_; }

    base::Result<bool> take(const codec::SseMessage& message) override {
        TRY_ASSIGN(const model::RawJson json, codec::validate(message.data));
        const bool is_message = json.view().kind() == model::JsonKind::object && json.member("type");
        return is_message ? handlers_.on_message(json) : true;
    }

private:
    std::string target_;
    const InboxHandlers& handlers_;
};

}  // namespace

base::Result<void> Client::follow_inbox(std::string_view user_id, std::string_view session_id,
                                        const InboxHandlers& handlers) {
    InboxCursor cursor("/v1/inbox/live" + Query().add("user", user_id).add("session", session_id).text(), handlers);
    return follow_cursor(cursor, handlers.on_lost);
}

}  // namespace belfry::client
