#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ports/commands/command.hpp"
#include "ports/commands/journal.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/journal_look.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// Who acts in the world of the journal: two people who make, change, move, link, delete and import whatever comes to
// their mind, often what is there no more or was changed since, and an agent of one of them that does the same under
// its claim, also where it must not.
class JournalCast {
public:
    static constexpr const char* agent = "coach";
    static const std::vector<std::string> allowed;  // the agent's categories

    explicit JournalCast(SeededRandom random) : random_(random) {}

    // `known`: what they have seen last.
    ports::AnyCommand act(const JournalLook& known, base::Timestamp now);
    void heard(const ports::Command& command);

private:
    ports::AnyCommand create(const JournalLook& known, base::Timestamp now);
    ports::AnyCommand change(const JournalLook& known, base::Timestamp now);
    ports::AnyCommand remove(const JournalLook& known);
    ports::AnyCommand link(const JournalLook& known);
    ports::AnyCommand unlink(const JournalLook& known);
    ports::AnyCommand import(const JournalLook& known, base::Timestamp now);
    ports::AnyCommand agents_turn();

    model::JournalWish wish(model::JournalKind kind, const JournalLook& known, base::Timestamp now);
    model::JournalBody body(model::JournalKind kind, const JournalLook& known, base::Timestamp now);
    // A record of this person, mostly of this kind; empty: there is none.
    std::string some(const JournalLook& known, std::optional<model::JournalKind> kind);
    const model::JournalRecord* some_record(const JournalLook& known, std::optional<model::JournalKind> kind);
    std::string some_category(const JournalLook& known);
    std::string some_text();
    std::string some_date();
    base::Timestamp some_time(base::Timestamp now);
    std::optional<ports::JournalClaim> some_claim();
    model::JournalKind some_kind();

    SeededRandom random_;
    std::string user_ = "ada";
    std::optional<ports::JournalClaim> claim_;
    std::uint64_t named_ = 0;
};

}  // namespace belfry::sim
