#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/house_tools.hpp"
#include "engine/journal.hpp"
#include "tools/bench.hpp"

namespace belfry::engine {

// The journal as one call of a tool works on it: in the agent's name, no further than its categories.
class JournalBench final : public tools::Bench {
public:
    JournalBench(Journal& journal, HouseTools& house, const ToolActor& actor, model::ChangeOrigin origin, Unit& unit);

    [[nodiscard]] base::Timestamp now() const override { return unit_.now; }
    [[nodiscard]] const std::vector<std::string>& categories() const override { return *actor_.allowed; }
    base::Result<model::JournalRecord> find(model::JournalKind kind, const std::string& id,
                                            std::string_view argument) override;
    base::Result<std::vector<model::JournalRecord>> find_all(std::span<const std::string> ids) override;
    base::Result<std::vector<model::JournalRecord>> newest(model::JournalKind kind, std::vector<std::string> terms,
                                                           std::size_t limit) override;
    base::Result<std::vector<model::JournalRecord>> with_beginning(model::JournalKind kind, std::string_view beginning,
                                                                   std::size_t limit) override;
    base::Result<std::vector<model::JournalRecord>> due(std::string_view from, std::string_view to,
                                                        std::vector<std::string> terms, std::size_t limit) override;
    base::Result<std::vector<std::string>> labels(std::span<const std::string> ids) override;
    base::Result<model::JournalRecord> make(const std::string& id, const model::JournalWish& wish) override;
    base::Result<model::JournalRecord> change(const std::string& id, const model::JournalWish& wish) override;
    base::Result<void> link(std::string_view relation, const std::string& from_id, const std::string& to_id) override;
    base::Result<std::vector<model::RecalledMessage>> recall(std::string_view query,
                                                             std::optional<model::AgentMessageKind> kind,
                                                             std::size_t limit) override;
    base::Result<ports::OpenedSummary> open_summary(const ports::SummaryQuestion& question) override;
    base::Result<std::string> note_to_self(const tools::SelfNote& note) override;

    // Whether an error that a tool came back with is the store's.
    [[nodiscard]] bool has_failed() const { return has_failed_; }
    [[nodiscard]] const Journal::Actor& actor() const { return actor_; }

private:
    // What the store says is remembered; what the journal refuses is told in a tool's words.
    template <class T>
    base::Result<T> checked(base::Result<T> result);
    // The same of what nobody but the store can refuse.
    template <class T>
    base::Result<T> stored(base::Result<T> result);
    // One more than are asked for, where there are so many.
    base::Result<std::vector<model::AgentMessage>> folded_into(const ports::SummaryQuestion& question);
    // Of the next thing that this call makes; empty: the journal is to make one up.
    std::string next_id();
    // The wish with ids for what it makes inside a record.
    model::JournalWish with_ids(model::JournalWish wish);
    // What a wish names, and the record had not named before, is there and inside. Labels are for all categories.
    base::Result<void> check_named(const model::JournalWish& wish, const model::JournalRecord* before);

    Journal& journal_;
    HouseTools& house_;
    const ToolActor& caller_;
    Journal::Actor actor_;
    Unit& unit_;
    std::uint64_t made_ = 0;
    bool has_failed_ = false;
};

}  // namespace belfry::engine
