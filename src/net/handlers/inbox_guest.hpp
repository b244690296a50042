#pragma once

#include <memory>
#include <string>

#include "net/encoded_blocks.hpp"
#include "net/exchange.hpp"
#include "net/guest.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net::handlers {

// What of an inbox that was opened is still to be told.
struct InboxSnapshot {
    std::string user_id;     // whose it is
    std::string session_id;  // where handles count, and what it is narrowed to; may be empty
    StreamFormat format = StreamFormat::inbox_sse;
    model::Sequence as_of = 0;
    std::int64_t until = 0;
    std::int64_t last = 0;  // the ordinal of the last one that was told
    std::size_t told = 0;
    bool more = false;
};
// Questions of agents that wait for an answer, in a line each.
std::string question_lines(const std::vector<model::Interaction>& questions, StreamFormat format);
// The lines of a portion; after the last one, a line that says so.
std::string snapshot_lines(InboxSnapshot& snapshot, const ports::InboxPortion& portion);

// Tells the engine that an interface has gone, as often as it takes.
void close_inbox(Service& service, const model::Principal& who, ConnectionId connection, const std::string& user_id,
                 const std::string& session_id);

// An interface of a person that is connected. Its words become commands in its caller's name; when it goes, however it
// goes, the engine is told.
class InboxGuest final : public Guest {
public:
    InboxGuest(Reply home, SharedCaller caller, ConnectionId connection, InboxSnapshot snapshot);
    ~InboxGuest() override;
    InboxGuest(const InboxGuest&) = delete;
    InboxGuest& operator=(const InboxGuest&) = delete;

    [[nodiscard]] bool has_more_to_tell() const override { return snapshot_->more; }
    [[nodiscard]] bool ask_for_more() override;

private:
    void take(std::uint64_t number, std::string_view message) override;
    template <class C>
    void submit(std::unique_ptr<C> command, std::uint64_t number, std::string type, std::string id, std::string ok);

    Reply home_;
    SharedCaller caller_;
    ConnectionId connection_;
    std::shared_ptr<InboxSnapshot> snapshot_;  // shared with the answer that is on its way
};

}  // namespace belfry::net::handlers
