#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/journal.hpp"
#include "model/memory.hpp"
#include "ports/memory_answers.hpp"

namespace belfry::tools {

// A note of an agent to itself, for a later turn.
struct SelfNote {
    std::string message;
    std::string priority;    // empty: normal
    std::string category;    // empty: none
    std::string deliver_at;  // immediate, next_turn, after_tool; empty: next_turn
};

// What a tool sees and changes: the journal of the agent's person, no further than the agent may, and what the agent
// remembers. Whatever lies outside
// its categories is for a tool as if it were not there. All of it is one transaction; an error ends the tool, and what
// it has changed until then has never happened.
class Bench {
public:
    virtual ~Bench() = default;

    [[nodiscard]] virtual base::Timestamp now() const = 0;
    // The categories that the agent may work in.
    [[nodiscard]] virtual const std::vector<std::string>& categories() const = 0;

    // The record of this id that `argument` names. Where it is none of this kind, is a tombstone or lies outside: an
    // error, which is the same for all of these (`out_of_scope`). The plan of a day is there for whoever is allowed any
    // category, with what it has of his.
    virtual base::Result<model::JournalRecord> find(model::JournalKind kind, const std::string& id,
                                                    std::string_view argument) = 0;
    // Those of these ids that are there, whatever their kind, in this order.
    virtual base::Result<std::vector<model::JournalRecord>> find_all(std::span<const std::string> ids) = 0;
    // The newest of a kind that have all of these terms (rules/journal_terms.hpp), at most 100 categories' worth.
    virtual base::Result<std::vector<model::JournalRecord>> newest(model::JournalKind kind,
                                                                   std::vector<std::string> terms,
                                                                   std::size_t limit) = 0;
    // Those of a kind that have a word which begins so, by their words.
    virtual base::Result<std::vector<model::JournalRecord>> with_beginning(model::JournalKind kind,
                                                                           std::string_view beginning,
                                                                           std::size_t limit) = 0;
    // Tasks that are not closed, have all of these terms and are due from one day to another, with both, by their due
    // date. An empty day is no bound.
    virtual base::Result<std::vector<model::JournalRecord>> due(std::string_view from, std::string_view to,
                                                                std::vector<std::string> terms, std::size_t limit) = 0;
    // Those of these ids that are labels. They are for all of a person's categories.
    virtual base::Result<std::vector<std::string>> labels(std::span<const std::string> ids) = 0;

    // As the journal makes and changes: what is refused there is refused here. An empty id: it is given one.
    virtual base::Result<model::JournalRecord> make(const std::string& id, const model::JournalWish& wish) = 0;
    virtual base::Result<model::JournalRecord> change(const std::string& id, const model::JournalWish& wish) = 0;
    virtual base::Result<void> link(std::string_view relation, const std::string& from_id,
                                    const std::string& to_id) = 0;

    // From all that the agent remembers, whatever its categories: messages that have most of these words, the newest
    // first; and what a summary was made of, a page. One that is not the agent's is not there.
    virtual base::Result<std::vector<model::RecalledMessage>> recall(std::string_view query,
                                                                     std::optional<model::AgentMessageKind> kind,
                                                                     std::size_t limit) = 0;
    virtual base::Result<ports::OpenedSummary> open_summary(const ports::SummaryQuestion& question) = 0;

    // Tells the agent itself, in its session or, without one, in its own context. The id of the event.
    virtual base::Result<std::string> note_to_self(const SelfNote& note) = 0;
};

}  // namespace belfry::tools
