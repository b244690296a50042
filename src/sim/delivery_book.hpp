#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/expected.hpp"

namespace belfry::sim {

// A notification as it must be by all that was heard of it.
struct Followed {
    model::Notification row;
    expected::Steps steps;
    bool is_sure = true;      // false: more may have happened to it than was heard
    bool knows_steps = true;  // false: the row is known, not how it came there
};

// The ledger as the witness believes it to be, with what it is searched by.
class DeliveryBook {
public:
    [[nodiscard]] const Followed* find(const base::Uuid& id) const;
    [[nodiscard]] const Followed* find_handle(const std::string& session, std::int64_t handle) const;
    // As an agent names it in its session: `n7`, or an id that has to do with that session.
    [[nodiscard]] const Followed* find_named(const std::string& session, const std::string& key) const;

    void put(Followed one);
    void remove(const base::Uuid& id);
    template <class Work>
    void change(const base::Uuid& id, Work&& work) {
        Followed& one = all_.at(id);
        leave(one.row);
        work(one);
        enter(one.row);
    }

    using Ids = std::vector<base::Uuid>;
    // By ordinal: what a session's agent has in hand; open ones that a person's interfaces have to show; open ones that
    // live in a session; those of one hand-over.
    [[nodiscard]] Ids held(const std::string& session) const { return of(held_, session); }
    [[nodiscard]] Ids shown(const std::string& user) const { return of(shown_, user); }
    [[nodiscard]] Ids living_in(const std::string& session) const { return of(living_in_, session); }
    [[nodiscard]] Ids of_pull(const base::Uuid& pull) const;
    // Whether it was sent again, and that is still on its way.
    [[nodiscard]] bool is_sent_again(const base::Uuid& id) const;
    // The newest open one under a deduplication key; where a lease is named, first the newest that is held under it.
    [[nodiscard]] const Followed* under_key(const std::string& user, const std::string& key,
                                            std::optional<std::int64_t> lease = {}) const;
    // By deadline, then ordinal.
    [[nodiscard]] Ids overdue(base::Timestamp now) const;

    [[nodiscard]] const std::map<base::Uuid, Followed>& all() const { return all_; }

private:
    using Index = std::map<std::pair<std::string, std::int64_t>, base::Uuid>;

    static Ids of(const Index& index, const std::string& name);
    void enter(const model::Notification& row);
    void leave(const model::Notification& row);

    std::map<base::Uuid, Followed> all_;
    Index held_;
    Index shown_;
    Index living_in_;
    std::map<std::pair<base::Uuid, std::int64_t>, base::Uuid> retries_;  // open ones, by what they repeat
    std::map<std::pair<std::string, std::int64_t>, base::Uuid> handles_;
    std::map<std::tuple<std::string, std::string, std::int64_t>, base::Uuid> keys_;
    std::map<std::pair<base::Uuid, std::int64_t>, base::Uuid> pulls_;
    std::map<std::pair<base::Timestamp, std::int64_t>, base::Uuid> deadlines_;
};

}  // namespace belfry::sim
