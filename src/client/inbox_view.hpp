#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/raw_json.hpp"

namespace belfry::client {

// Decides what an interface shows of the messages of an inbox, which may come more than once: after a lost connection
// what still waits is sent again, and several devices hear of one another. Pure; whoever owns it draws.
//
// Every notification is shown once, whatever the others' leases are. The same one again changes nothing; with a higher
// lease, or with the same lease and a higher version, it takes its own place. Marks and final states never go back.
class InboxView {
public:
    enum class Change : std::uint8_t {
        none,
        added,     // show it
        replaced,  // show it in its own place, anew: it is to be acknowledged again
        marked,    // what is shown stays; its state or its marks are others
    };
    struct Item {
        std::string id;
        std::string session_id;
        std::string text;  // the agent's words where it has narrated it
        std::string content;
        std::string priority;
        std::string state;
        std::int64_t lease = 0;
        std::int64_t version = 0;
        bool narrated = false;  // the text is an agent's own
        std::string timestamp;
        std::string seen_at;
        std::string acted_at;
        std::string dismissed_at;
    };

    // One message as it came, `{"type":"notification",…}`. Types that are not about a notification change nothing.
    Change take(const model::RawJson& message);

    // In the order in which they were first shown.
    [[nodiscard]] const std::vector<Item>& items() const { return items_; }
    [[nodiscard]] const Item* find(std::string_view id) const;

private:
    Change take_notification(const model::RawJson& message);
    Change take_state(const model::RawJson& message);
    Item* known(const std::string& id);
    Item& add(const std::string& id);

    std::vector<Item> items_;
    std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace belfry::client
