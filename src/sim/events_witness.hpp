#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Remembers what producers were told about their events, and says where the engine or the store contradicts it:
// - a new event gets the next sequence, a repeat the answer of then, another body under the same key a refusal;
// - what was acknowledged is in the log once, with its id, sequence and body, until retention or an erasure takes it;
// - what was refused for certain is not; what nobody heard about is there whole or not at all, and then stays so.
class EventsWitness {
public:
    void told(const SentRequest& request, const base::Result<ports::EmitReply>& reply, base::Timestamp now,
              Complaints& complaints);
    // Belfry itself says what it concluded from a report, or from the clock: the entries that it answered with, and
    // the bodies that it published them with.
    void brought(const std::vector<ports::Admitted>& events, const std::map<model::Sequence, std::string>& published,
                 base::Timestamp now, Complaints& complaints);
    // It may have said something that nobody heard. Where that happens again before somebody looks, what is found may
    // be of the first time.
    void may_bring(base::Timestamp now) { brought_unheard_ = brought_unheard_.value_or(now); }

    // An entry of the log that is known since the last call, in the order in which they were taken.
    struct Taken {
        model::Sequence sequence = 0;
        model::EventId id;
        std::string body;
    };
    std::vector<Taken> drain() { return std::exchange(taken_, {}); }

    // The outcome is unknown: `compare` settles it by looking.
    void unheard(const SentRequest& request, base::Timestamp now);
    // Whether it cannot be told any more what an answer to this must be.
    [[nodiscard]] bool is_retired(const SentRequest& request) const;

    // Retention says that it let go of everything up to `floor`. Where it goes by age alone, nothing younger than
    // `older_than` may be among it.
    void dropped(model::Sequence floor, std::optional<base::Timestamp> older_than, Complaints& complaints);
    // Retention worked and nobody heard how far it came.
    void floor_may_rise() { floor_may_rise_ = true; }

    // From now on entries of this user may lose their bodies.
    void erasing(const std::string& user);
    void not_erasing(const std::string& user);
    // His entries up to `through` have none from now on.
    void erased(const std::string& user, model::Sequence through);
    [[nodiscard]] bool is_erased(const std::string& marker) const { return erased_markers_.contains(marker); }

    // Looks at everything; what was open is settled afterwards.
    void compare(const Stock& stock, Complaints& complaints);

    [[nodiscard]] model::Sequence head() const { return head_; }
    [[nodiscard]] model::Sequence floor() const { return floor_; }

private:
    struct Outcome {  // of one entry, as it was answered
        std::optional<ports::Admitted> admitted;
        base::Code code = base::Code::invalid;
    };
    struct Answer {
        std::array<std::uint8_t, 16> fingerprint{};
        std::vector<Outcome> entries;
        base::Timestamp at;
    };
    struct Entry {
        SentEvent sent;
        model::EventId id;
        base::Timestamp at;
        std::string body;
        std::string user;  // empty: its session's, who is known once it was seen
        bool may_vanish = false;
        bool must_vanish = false;
    };
    struct Open {
        SentRequest request;
        base::Timestamp at;
    };

    const Answer* recall(const std::string& key, base::Timestamp now) const;
    // What will become of an entry: a code where it is refused, an answer where it is a repeat, nothing where it is
    // new.
    std::optional<Outcome> foresee(const SentRequest& request, const SentEvent& entry, base::Timestamp now) const;
    void judge(const SentRequest& request, const SentEvent& entry, const ports::Admission& said, base::Timestamp now,
               Complaints& complaints);
    void add(const SentRequest& request, const SentEvent& entry, model::EventId id, base::Timestamp now);
    [[nodiscard]] bool may_be_erased(const std::string& user) const {
        return user.empty() ? !erasing_.empty() : erasing_.contains(user);
    }
    void add_brought(model::EventId id, std::string_view body, base::Timestamp now);
    void compare_entry(const model::LogEntry& stored, Entry& entry, Complaints& complaints);
    bool adopt(const model::LogEntry& stored, std::set<std::string>& found, Complaints& complaints);
    void settle_open(const std::set<std::string>& found, Complaints& complaints);
    void compare_paged(const Stock& stock, Complaints& complaints) const;

    std::map<model::Sequence, Entry> entries_;
    std::map<std::string, Answer> answers_;
    std::set<std::string> retired_;
    std::vector<Open> open_;
    std::multiset<std::string> erasing_;
    std::map<std::string, model::Sequence> erased_through_;  // by user
    std::set<std::string> erased_markers_;
    std::vector<Taken> taken_;
    std::optional<base::Timestamp> brought_unheard_;
    model::Sequence head_ = 0;
    model::Sequence floor_ = 0;
    bool floor_may_rise_ = false;
};

}  // namespace belfry::sim
