#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/journal.hpp"

// The journal in the store. Records of one kind lie in a table of their own; a directory knows of every id what it is.
// What a record is found by are its terms (rules/journal_terms.hpp): texts such as its words, its status, its labels.
// Under each term of a person stand the numbers of his records that have it, so that a list reads, newest first, only
// what it shows. Tombstones have no terms.
namespace belfry::ports {

// One term of one record.
struct JournalTerm {
    std::string user_id;
    std::string term;
    std::int64_t number = 0;  // of the record
    std::string category_id;  // its category, so that nobody else's has to be opened
    model::JournalKind kind = model::JournalKind::task;

    auto operator<=>(const JournalTerm&) const = default;
};

struct LinkName {
    std::string user_id{};
    std::string relation{};
    std::string from_id{};
    std::string to_id{};

    auto operator<=>(const LinkName&) const = default;
};

// Only what is of these categories, at most limits::allowed_categories_max; nothing: of all. Of others nothing is read
// but that they are there.
using JournalScope = std::optional<std::vector<std::string>>;

// Where a list goes on: behind this record, and, of a list by terms, this term.
struct JournalPlace {
    std::string term;
    std::int64_t number = 0;
};

struct JournalFilter {
    std::string user_id{};
    // All of these have to be there, newest first. It is gone along the one that is the rarest from there on, whatever
    // their order is. At most limits::journal_terms_max.
    std::vector<std::string> terms{};
    // It is gone along these instead, newest first: what has any of them, each record once. At most
    // limits::journal_ways_max. The terms of a kind in each allowed category, or the words with one beginning.
    std::vector<std::string> any_of{};
    // Or these: from the one to before the other, in their order, and under each the oldest first.
    std::string range_from{};
    std::string range_to{};
    JournalScope categories{};
    std::optional<JournalPlace> after{};
    std::size_t limit = 0;
};

struct JournalPage {
    std::vector<model::JournalRecord> records;
    // It has stopped here, after limits::journal_scan_max candidates; more may follow.
    std::optional<JournalPlace> looked_to;
};

// As the engine's thread sees it.
class JournalTable {
public:
    virtual ~JournalTable() = default;

    // The largest number that a record has; 0: there is none.
    virtual base::Result<std::int64_t> last_number() = 0;
    // Those of these that are there, tombstones too, in any order: one query a kind, however many they are.
    virtual base::Result<std::vector<model::JournalRecord>> find(std::string_view user_id,
                                                                 std::span<const std::string> ids) = 0;
    // Inserts or replaces.
    virtual base::Result<void> put(std::span<const model::JournalRecord> records) = 0;
    // Inserts, or replaces the category of one that is there.
    virtual base::Result<void> add_terms(std::span<const JournalTerm> terms) = 0;
    virtual base::Result<void> remove_terms(std::span<const JournalTerm> terms) = 0;
    // Ids of the newest records that have this term.
    virtual base::Result<std::vector<std::string>> with_term(std::string_view user_id, std::string_view term,
                                                             std::size_t limit) = 0;
    virtual base::Result<JournalPage> list(const JournalFilter& filter) = 0;

    virtual base::Result<std::vector<model::Link>> find_links(std::span<const LinkName> names) = 0;
    // From or to any of these records, hidden ones too, each once, without tombstones; the other end may be one. Those
    // of agents' relations are left out, here and below: their ends are no records.
    virtual base::Result<std::vector<model::Link>> links_of(std::string_view user_id, std::span<const std::string> ids,
                                                            std::size_t limit) = 0;
    // Inserts or replaces.
    virtual base::Result<void> put_links(std::span<const model::Link> links) = 0;

    // A slice of all that a user has here; how many rows, 0 when there are none left.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

// Between two records that are there. One whose end is a tombstone is not found.
struct LinkFilter {
    std::string user_id{};
    std::string from_id{};  // at least one of the two is named
    std::string to_id{};
    std::string relation{};     // empty: any
    bool hidden = false;        // those too
    JournalScope categories{};  // of both ends
    std::size_t limit = 0;
    std::optional<LinkName> after{};
};

// Reading beside the engine.
class JournalReading {
public:
    virtual ~JournalReading() = default;

    // Those of these that are there, tombstones too, in any order.
    virtual base::Result<std::vector<model::JournalRecord>> find(std::string_view user_id,
                                                                 std::span<const std::string> ids,
                                                                 const JournalScope& categories) = 0;
    virtual base::Result<JournalPage> list(const JournalFilter& filter) = 0;
    // Terms that begin so, in their order: at most so many.
    virtual base::Result<std::vector<std::string>> terms_from(std::string_view user_id, std::string_view prefix,
                                                              std::size_t limit) = 0;
    // By relation, other end; those with both ends named, by relation.
    virtual base::Result<std::vector<model::Link>> links(const LinkFilter& filter) = 0;

    // All of a person's records, tombstones too, by number; and all links, tombstones too, whatever their ends are, in
    // the order of their from, relation, to.
    virtual base::Result<std::vector<model::JournalRecord>> records_after(std::string_view user_id, std::int64_t number,
                                                                          const JournalScope& categories,
                                                                          std::size_t limit) = 0;
    virtual base::Result<std::vector<model::Link>> links_after(const LinkName& last, const JournalScope& categories,
                                                               std::size_t limit) = 0;
    virtual base::Result<bool> holds_anything(std::string_view user_id) = 0;
};

}  // namespace belfry::ports
