#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/journal_book.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/journal.hpp"
#include "rules/journal_references.hpp"

namespace belfry::engine {

// The journal: records that are made, changed and deleted, and links between them. Each change of one is one revision
// of it and one line in the log of changes, in the same transaction.
class Journal final : public Capability {
public:
    Journal(AgentBook& agents, Wakes& wakes, ChangeLog& log, std::string owner)
        : agents_(agents), wakes_(wakes), book_(log), owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override { return book_.flush(unit); }
    void committed(Effects& effects) override;
    void dropped() override { book_.dropped(); }

    // The records as this transaction sees them, for whoever keeps them in step with other devices.
    [[nodiscard]] JournalBook& book() { return book_; }

    // A slice of a user's journal; how many rows, 0 when there are none left.
    base::Result<std::uint64_t> erase_user(const std::string& user_id, Unit& unit);

    // Who changes whose journal, and where he may.
    struct Actor {
        std::string user_id;
        model::ChangeOrigin origin;
        std::optional<std::vector<std::string>> allowed;  // categories; nothing: all
    };
    // What a command does, for whoever works on the journal inside the engine. Where it was refused and the store has
    // not failed, `take_refusal` says so, once.
    base::Result<ports::CreatedRecord> create(const Actor& actor, const std::string& id, const model::JournalWish& wish,
                                              Unit& unit);
    base::Result<model::JournalRecord> change(const Actor& actor, const std::string& id,
                                              const std::optional<std::int64_t>& revision,
                                              const model::JournalWish& wish, Unit& unit);
    base::Result<model::JournalRecord> remove(const Actor& actor, model::JournalKind kind, const std::string& id,
                                              const std::optional<std::int64_t>& revision, Unit& unit);
    base::Result<ports::PutLinkReply> put_link(const Actor& actor, model::Link draft, Unit& unit);
    [[nodiscard]] bool take_refusal() { return std::exchange(is_refused_, false); }

    // The records of these ids that are there, without tombstones, as far as the actor sees them.
    base::Result<std::vector<model::JournalRecord>> seen(const Actor& actor, std::span<const std::string> ids,
                                                         Unit& unit);
    // The newest that the filter finds, as far as the actor sees them. Its user and categories are the actor's.
    base::Result<std::vector<model::JournalRecord>> list(const Actor& actor, ports::JournalFilter filter, Unit& unit);

    // Several changes of which all happen or none: what is changed from here on is kept, or undone as if it had never
    // been.
    base::Result<void> begin_trial(Unit& unit) { return book_.begin_trial(unit); }
    base::Result<void> keep_trial(Unit& unit) { return book_.keep_trial(unit); }
    base::Result<void> undo_trial(Unit& unit) { return book_.undo_trial(unit); }
    // What the trial has changed, each record and link once.
    base::Result<std::vector<rules::TrialChange>> trial_changes(const Actor& actor, Unit& unit) {
        return book_.trial_changes(actor.user_id, unit);
    }
    // What this transaction has changed so far, of all; from `first` on.
    [[nodiscard]] std::size_t changes_noted() const { return book_.changes_noted(); }
    [[nodiscard]] std::span<const NewChange> changes_since(std::size_t first) const {
        return book_.changes_since(first);
    }

private:
    // What follows answers with an error where the store fails and where the command is to be refused; the latter goes
    // through one of these two, so that `answer` can tell.
    base::Error refused(base::Error why);
    template <class T>
    base::Result<T> decided(base::Result<T> result);
    template <class C>
    base::Result<void> answer(C& command, base::Result<typename C::Reply> reply);

    base::Result<ports::CreatedRecord> carry_out(const ports::CreateRecord& command, Unit& unit);
    base::Result<model::JournalRecord> carry_out(const ports::ChangeRecord& command, Unit& unit);
    base::Result<model::JournalRecord> carry_out(const ports::DeleteRecord& command, Unit& unit);
    base::Result<ports::PutLinkReply> carry_out(const ports::PutLink& command, Unit& unit);
    base::Result<model::Link> remove_link(const ports::DeleteLink& command, Unit& unit);
    base::Result<ports::Imported> import(const ports::ImportJournal& command, Unit& unit);

    base::Result<Actor> actor_of(const model::Principal& who, const std::string& user_id,
                                 const std::optional<ports::JournalClaim>& claim, Unit& unit);
    base::Result<void> check_scope(const Actor& actor, const model::JournalRecord* before,
                                   const model::JournalRecord& after);
    // Whether it is there for him. What lies outside an agent's categories is answered like what is not there.
    // Of the plan of a day whoever is allowed anything has his part.
    base::Result<bool> sees(const Actor& actor, const model::JournalRecord& record, Unit& unit);
    // Whether its category is one of his.
    static bool lies_inside(const Actor& actor, const model::JournalRecord& record);
    // The record that is to be changed, and that it is as the caller knows it.
    base::Result<const model::JournalRecord*> find_live(const Actor& actor, model::JournalKind kind,
                                                        const std::string& id,
                                                        const std::optional<std::int64_t>& revision, Unit& unit);

    // A new record as the wish has it, with what is given to it where the wish says nothing.
    base::Result<model::JournalRecord> draft_of(const Actor& actor, const std::string& id,
                                                const model::JournalWish& wish, Unit& unit);
    base::Result<std::string> category_of(const model::JournalRecord& draft, Unit& unit);
    static void fill_blocks(model::JournalRecord& record, Unit& unit);
    // What an agent was not shown it has not left out, and it is not told either.
    base::Result<std::set<std::string>> seen_names(const Actor& actor, const model::JournalBody& body, Unit& unit);
    base::Result<void> keep_unseen(const Actor& actor, const model::JournalRecord& before, model::JournalRecord& after,
                                   Unit& unit);
    base::Result<model::JournalRecord> shown_to(const Actor& actor, model::JournalRecord record, Unit& unit);
    // What an agent names has to be there for it, before anything else is looked at: another answer would tell it what
    // a record that it was not shown names.
    base::Result<void> check_named(const Actor& actor, const model::JournalWish& wish, Unit& unit);
    // Nor may it take the id of a block that it was not shown.
    base::Result<void> check_blocks(const Actor& actor, const model::JournalRecord& before,
                                    const model::JournalWish& wish);
    // What it names that it did not name before has to be there, and to be the actor's business.
    base::Result<void> check_references(const Actor& actor, const model::JournalRecord* before,
                                        const model::JournalRecord& after, Unit& unit);
    base::Result<void> check_reference(const Actor& actor, const rules::JournalReference& named, Unit& unit);
    // Whether a timer may run now.
    base::Result<void> check_running(const Actor& actor, const model::JournalRecord& record, Unit& unit);
    // Makes the category that nobody has to make, where it is needed and not there yet.
    base::Result<void> make_default_category(const model::JournalRecord& user, const Actor& actor, Unit& unit);

    // What belongs to a record, and to that in turn, and is moved or deleted with it. What the actor does not see stays
    // where it is.
    enum class Along { moved, deleted };
    base::Result<std::vector<model::JournalRecord>> followers(const Actor& actor, const model::JournalRecord& record,
                                                              Along along, Unit& unit);

    // The records at its two ends, tombstones too; null where there is none for him.
    base::Result<std::vector<const model::JournalRecord*>> ends_of(const Actor& actor, const ports::LinkName& name,
                                                                   Unit& unit);
    base::Result<void> check_link_count(const ports::LinkName& name, Unit& unit);

    enum class Taken { yes, was_there };
    base::Result<Taken> take(model::JournalRecord record, const Actor& actor, Unit& unit);
    base::Result<Taken> take(model::Link link, const Actor& actor, Unit& unit);

    AgentBook& agents_;
    Wakes& wakes_;
    JournalBook book_;
    std::string owner_;
    bool is_refused_ = false;
};

template <class T>
base::Result<T> Journal::decided(base::Result<T> result) {
    if (!result.ok()) is_refused_ = true;
    return result;
}

}  // namespace belfry::engine
