#pragma once

#include <string>

#include "net/exchange.hpp"
#include "net/guest.hpp"

namespace belfry::net::handlers {

// An interface of a person that is connected. Its words become commands in its caller's name; when it goes, however it
// goes, the engine is told.
class InboxGuest final : public Guest {
public:
    // `user_id` is whose inbox was opened, `session_id` where handles count; it may be empty.
    InboxGuest(Reply home, SharedCaller caller, ConnectionId connection, std::string user_id, std::string session_id);
    ~InboxGuest() override;
    InboxGuest(const InboxGuest&) = delete;
    InboxGuest& operator=(const InboxGuest&) = delete;

private:
    void take(std::uint64_t number, std::string_view message) override;
    template <class C>
    void submit(std::unique_ptr<C> command, std::uint64_t number, std::string type, std::string id, std::string ok);

    Reply home_;
    SharedCaller caller_;
    ConnectionId connection_;
    std::string user_id_;
    std::string session_id_;
};

}  // namespace belfry::net::handlers
