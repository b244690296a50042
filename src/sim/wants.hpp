#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/subscriber.hpp"
#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Who wants which event, as it stands now: the catalogue that is held, and what people have switched off. Outcomes that
// nobody heard leave both possible until the store was looked at.
class Wants {
public:
    // The catalogue under which the next commands are decided.
    void hold(std::shared_ptr<const model::Catalogue> catalogue) { catalogue_ = std::move(catalogue); }

    void told(const SentSettings& sent, const base::Result<model::UserSettings>& reply, Complaints& complaints);
    void told(const SentToggle& sent, const base::Result<model::UserSettings>& reply, Complaints& complaints);
    void unheard(const SentSettings& sent);
    void unheard(const SentToggle& sent);
    void erased(const std::string& user) { off_[user] = {{}}; }
    void maybe_erased(const std::string& user);
    // Looks whether the settings are what was asked for; what was open is settled afterwards.
    void compare(const Stock& stock, Complaints& complaints);

    // What one subscriber makes of an event: under which dedupe key it counts for which user, and whether it was
    // certainly wanted or only perhaps. The user is `?` where the event names none and its session decides.
    struct Wish {
        std::string subscriber_id;
        std::string user_id;
        std::string dedupe_key;
        bool is_certain = true;
    };
    [[nodiscard]] std::vector<Wish> of(std::string_view event_json) const;

    // The user under which a row counts: its own, or `?`.
    static std::string user_of(const std::string& user_id, const std::string& dedupe_key);

private:
    using Off = std::set<std::string>;

    std::vector<Off>& choices(const std::string& user);
    // Whether it is on in all of the lists that may hold, and in any.
    [[nodiscard]] std::pair<bool, bool> is_on(const std::string& user, const std::string& subscriber) const;

    std::shared_ptr<const model::Catalogue> catalogue_;
    std::map<std::string, std::vector<Off>> off_;  // by user: each list that he may have, mostly one
};

}  // namespace belfry::sim
