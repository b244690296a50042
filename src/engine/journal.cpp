#include "engine/journal.hpp"

#include <algorithm>
#include <map>

#include "base/journal_limits.hpp"
#include "base/limits.hpp"
#include "rules/journal_check.hpp"
#include "rules/journal_parent.hpp"
#include "rules/journal_scope.hpp"
#include "rules/journal_sight.hpp"
#include "rules/journal_terms.hpp"
#include "rules/journal_wish.hpp"
#include "rules/may.hpp"
#include "tools/registry.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JournalKind;
using model::JournalRecord;

std::string name_of(JournalKind kind) {
    std::string name(model::journal_kind_name(kind));
    std::ranges::replace(name, '_', ' ');
    return name;
}

// Whether its person wants a word in what it changes of the journal.
bool is_asked_about(const model::Agent& agent) {
    return std::ranges::any_of(agent.tool_policies, [](const auto& one) {
        const auto& [tool, policy] = one;
        return policy != model::ToolPolicy::run && (tool == "*" || tools::find_tool(tool) != nullptr);
    });
}

bool is_like(const JournalRecord& a, const JournalRecord& b) {
    return a.body == b.body && a.category_id == b.category_id && a.extension == b.extension;
}

base::Error is_missing(const rules::JournalReference& named) {
    return base::error(Code::invalid, "there is no " + name_of(named.kind) + ' ' + named.id, named.field);
}

base::Error too_many(std::size_t count) {
    return base::error(Code::too_large,
                       "more than " + std::to_string(limits::journal_followers_max) +
                           " records would be changed with it (" + std::to_string(count) + " or more)",
                       "id");
}

}  // namespace

std::vector<std::type_index> Journal::handles() const {
    return {typeid(ports::CreateRecord), typeid(ports::ChangeRecord), typeid(ports::DeleteRecord),
            typeid(ports::PutLink),      typeid(ports::DeleteLink),   typeid(ports::ImportJournal)};
}

base::Result<void> Journal::rebuild(Unit&) {
    dropped();
    return {};
}

void Journal::committed(Effects&) {
    book_.clear();
}

base::Error Journal::refused(base::Error why) {
    is_refused_ = true;
    return why;
}

template <class C>
base::Result<void> Journal::answer(C& command, base::Result<typename C::Reply> reply) {
    if (!reply.ok() && !std::exchange(is_refused_, false)) return std::move(reply).error();
    command.settle(std::move(reply));
    return {};
}

base::Result<void> Journal::apply(ports::Command& command, Unit& unit) {
    is_refused_ = false;
    if (auto* wish = dynamic_cast<ports::CreateRecord*>(&command)) return answer(*wish, carry_out(*wish, unit));
    if (auto* wish = dynamic_cast<ports::ChangeRecord*>(&command)) return answer(*wish, carry_out(*wish, unit));
    if (auto* wish = dynamic_cast<ports::DeleteRecord*>(&command)) return answer(*wish, carry_out(*wish, unit));
    if (auto* wish = dynamic_cast<ports::PutLink*>(&command)) return answer(*wish, carry_out(*wish, unit));
    if (auto* wish = dynamic_cast<ports::DeleteLink*>(&command)) return answer(*wish, remove_link(*wish, unit));
    auto& wish = static_cast<ports::ImportJournal&>(command);
    return answer(wish, import(wish, unit));
}

// Whose journal it is turns out later, where a claim says so; most say it themselves.
base::Result<void> Journal::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::map<std::string, std::vector<std::string>> ids;  // by user
    std::vector<ports::LinkName> links;
    const auto user_of = [this](const ports::Command& command, const std::string& named) {
        return named.empty() ? rules::default_user(command.principal, owner_) : named;
    };
    const auto add_wish = [](std::vector<std::string>& to, const std::string& id, const model::JournalWish& wish) {
        const std::string own = id.empty() ? rules::made_id(wish.values) : id;
        if (!own.empty()) to.push_back(own);
        to.push_back(wish.category_id.value_or(std::string(model::default_category)));
        for (const rules::JournalReference& one : rules::references_of(wish.values)) to.push_back(one.id);
    };
    const auto add_link = [&](const std::string& user, const std::string& relation, const std::string& from,
                              const std::string& to) {
        ids[user].push_back(from);
        ids[user].push_back(to);
        links.push_back({user, relation, from, to});
    };
    for (const ports::Command* const any : commands) {
        if (const auto* wish = dynamic_cast<const ports::CreateRecord*>(any)) {
            add_wish(ids[user_of(*any, wish->user_id)], wish->id, wish->wish);
        } else if (const auto* change = dynamic_cast<const ports::ChangeRecord*>(any)) {
            add_wish(ids[user_of(*any, change->user_id)], change->id, change->wish);
        } else if (const auto* removal = dynamic_cast<const ports::DeleteRecord*>(any)) {
            ids[user_of(*any, removal->user_id)].push_back(removal->id);
        } else if (const auto* link = dynamic_cast<const ports::PutLink*>(any)) {
            add_link(user_of(*any, link->user_id), link->draft.relation, link->draft.from_id, link->draft.to_id);
        } else if (const auto* unlink = dynamic_cast<const ports::DeleteLink*>(any)) {
            add_link(user_of(*any, unlink->user_id), unlink->relation, unlink->from_id, unlink->to_id);
        } else if (const auto* import = dynamic_cast<const ports::ImportJournal*>(any)) {
            if (import->items.size() > limits::journal_import_records_max) continue;
            const std::string user = user_of(*any, import->user_id);
            for (const ports::JournalItem& item : import->items) {
                if (const auto* record = std::get_if<JournalRecord>(&item)) ids[user].push_back(record->id);
                else if (const auto* edge = std::get_if<model::Link>(&item))
                    add_link(user, edge->relation, edge->from_id, edge->to_id);
            }
        }
    }
    for (const auto& [user, some] : ids) TRY(book_.load(user, some, unit));
    return book_.load_links(links, unit);
}

base::Result<Journal::Actor> Journal::actor_of(const model::Principal& who, const std::string& user_id,
                                               const std::optional<ports::JournalClaim>& claim, Unit& unit) {
    if (!claim) {
        if (who.role == model::Role::agent) {
            return refused(base::error(Code::forbidden,
                                       "an agent changes the journal for a wake that it has claimed: name wake and "
                                       "fence",
                                       "wake"));
        }
        const std::string own = rules::default_user(who, owner_);
        Actor person{user_id.empty() ? own : user_id, {}, {}};
        if (auto may = rules::may_set_for(who, person.user_id); !may.ok()) {
            const bool is_own = person.user_id == own;
            return refused(is_own ? std::move(may).error()
                                  : base::error(Code::not_found, "there is no such journal", "user"));
        }
        return person;
    }
    TRY_ASSIGN(auto held, wakes_.claimed(who, claim->wake_id, claim->fence, unit));
    TRY(decided(held.ok() ? base::Result<void>{} : base::Result<void>(held.error())));
    if (!user_id.empty() && user_id != held->user_id) {
        return refused(base::error(Code::not_found, "this wake is another person's", "user_id"));
    }
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(held->agent_id, unit));
    // What somebody wants to be asked about first would be changed here without a word.
    if (agent != nullptr && is_asked_about(agent->agent)) {
        return refused(base::error(Code::forbidden,
                                   "some of what this agent does is to be asked for or proposed: it changes the "
                                   "journal by its tools",
                                   "wake", "policy"));
    }
    TRY_ASSIGN(model::ChangeOrigin origin, wakes_.origin_of(*held, unit));
    return Actor{held->user_id, std::move(origin),
                 agent == nullptr ? std::vector<std::string>{} : agent->agent.allowed_category_ids};
}

base::Result<void> Journal::check_scope(const Actor& actor, const JournalRecord* before, const JournalRecord& after) {
    if (!actor.allowed) return {};
    return decided(rules::check_scope(*actor.allowed, rules::touched_categories(before, after)));
}

base::Result<const JournalRecord*> Journal::find_live(const Actor& actor, JournalKind kind, const std::string& id,
                                                      const std::optional<std::int64_t>& revision, Unit& unit) {
    TRY_ASSIGN(const JournalRecord* const there, book_.find(actor.user_id, id, unit));
    bool is_there = there != nullptr && there->kind() == kind;
    if (is_there) {
        TRY_ASSIGN(is_there, sees(actor, *there, unit));
    }
    if (!is_there) return refused(base::error(Code::not_found, "there is no such " + name_of(kind), "id"));
    if (there->deleted_at) {
        return refused(base::error(Code::gone, "this " + name_of(kind) + " was deleted; nothing brings it back", "id"));
    }
    if (revision && *revision != there->revision) {
        return refused(base::error(Code::conflict,
                                   "it was changed since: its revision is " + std::to_string(there->revision),
                                   "revision", "stale_revision"));
    }
    return there;
}

base::Result<ports::CreatedRecord> Journal::carry_out(const ports::CreateRecord& command, Unit& unit) {
    TRY_ASSIGN(const Actor actor, actor_of(command.principal, command.user_id, command.claim, unit));
    return create(actor, command.id, command.wish, unit);
}

base::Result<ports::CreatedRecord> Journal::create(const Actor& actor, const std::string& id,
                                                   const model::JournalWish& wish, Unit& unit) {
    TRY(check_named(actor, wish, unit));
    TRY_ASSIGN(JournalRecord draft, draft_of(actor, id, wish, unit));
    TRY(decided(rules::check_record(draft)));
    TRY(check_scope(actor, nullptr, draft));
    TRY_ASSIGN(const JournalRecord* const there, book_.find(actor.user_id, draft.id, unit));
    if (there != nullptr) {
        TRY_ASSIGN(const bool is_seen, sees(actor, *there, unit));
        if (is_seen && there->deleted_at) {
            return refused(base::error(Code::gone, "a record of this id was deleted; nothing brings it back", "id"));
        }
        TRY_ASSIGN(JournalRecord shown, shown_to(actor, *there, unit));
        if (is_seen && is_like(shown, draft)) return ports::CreatedRecord{std::move(shown), false};
        return refused(base::error(Code::conflict, "another record has the id " + draft.id, "id", "taken"));
    }
    TRY(decided(rules::check_new_id(draft)));
    TRY(check_references(actor, nullptr, draft, unit));
    TRY(check_running(actor, draft, unit));
    TRY(make_default_category(draft, actor, unit));
    TRY_ASSIGN(const JournalRecord* const made, book_.add(std::move(draft), actor.origin, unit));
    return ports::CreatedRecord{*made, true};
}

base::Result<JournalRecord> Journal::draft_of(const Actor& actor, const std::string& id, const model::JournalWish& wish,
                                              Unit& unit) {
    JournalRecord draft;
    draft.user_id = actor.user_id;
    draft.revision = 1;
    draft.created_at = unit.now;
    draft.updated_at = unit.now;
    draft.body = model::empty_body(static_cast<JournalKind>(wish.values.index()));
    TRY(decided(rules::apply_wish(draft.body, wish, rules::WishFor::making)));
    if (wish.extension) draft.extension = *wish.extension;
    draft.id = id.empty() ? rules::made_id(draft.body) : id;
    if (draft.id.empty()) {
        draft.id = base::format_uuid(base::make_uuid7(unit.now, unit.random.next(), unit.random.next()));
    }
    if (auto* time = std::get_if<model::TimeEntry>(&draft.body);
        time != nullptr && !rules::is_given(wish, "started_at")) {
        // The second of two equal wishes finds what the first has made.
        TRY_ASSIGN(const JournalRecord* const there, book_.find(actor.user_id, draft.id, unit));
        const auto* const earlier = there == nullptr ? nullptr : std::get_if<model::TimeEntry>(&there->body);
        time->started_at = earlier == nullptr ? unit.now : earlier->started_at;
    }
    if (wish.category_id) {
        draft.category_id = *wish.category_id;
    } else {
        TRY_ASSIGN(draft.category_id, category_of(draft, unit));
    }
    fill_blocks(draft, unit);
    return draft;
}

base::Result<std::string> Journal::category_of(const JournalRecord& draft, Unit& unit) {
    if (draft.kind() == JournalKind::category) return draft.id;
    const rules::JournalParent parent = rules::parent_of(draft.body);
    const JournalRecord* owner = nullptr;
    const auto* const rating = std::get_if<model::Rating>(&draft.body);
    const bool is_of_day = rating != nullptr && rating->target != model::RatingTarget::session;
    if (!parent.id.empty() && !is_of_day) {
        TRY_ASSIGN(owner, book_.find(draft.user_id, std::string(parent.id), unit));
    }
    const bool takes_it = owner != nullptr && owner->kind() == parent.kind;
    return takes_it ? owner->category_id : std::string(model::default_category);
}

void Journal::fill_blocks(JournalRecord& record, Unit& unit) {
    auto* const plan = std::get_if<model::DayPlan>(&record.body);
    if (plan == nullptr) return;
    for (model::PlanBlock& block : plan->blocks) {
        if (block.category_id.empty()) block.category_id = record.category_id;
        if (!block.id.empty()) continue;
        block.id = base::format_uuid(base::make_uuid7(unit.now, unit.random.next(), unit.random.next()));
    }
}

base::Result<void> Journal::check_named(const Actor& actor, const model::JournalWish& wish, Unit& unit) {
    if (!actor.allowed) return {};
    model::JournalBody asked = model::empty_body(static_cast<JournalKind>(wish.values.index()));
    TRY(decided(rules::apply_wish(asked, wish, rules::WishFor::making)));
    TRY_ASSIGN(const std::set<std::string> seen, seen_names(actor, asked, unit));
    for (const rules::JournalReference& one : rules::references_of(asked)) {
        const bool is_for_all = one.kind == JournalKind::label || one.kind == JournalKind::category;
        if (!is_for_all && !seen.contains(one.id)) return refused(is_missing(one));
    }
    return {};
}

base::Result<void> Journal::check_blocks(const Actor& actor, const JournalRecord& before,
                                         const model::JournalWish& wish) {
    const bool is_asked = actor.allowed && rules::is_given(wish, "blocks");
    if (!is_asked || !rules::takes_unseen_block(before.body, wish.values, *actor.allowed)) return {};
    return refused(base::error(Code::conflict, "another block has this id", "blocks.id", "taken"));
}

base::Result<void> Journal::check_references(const Actor& actor, const JournalRecord* before,
                                             const JournalRecord& after, Unit& unit) {
    std::vector<rules::JournalReference> named = rules::references_of(after.body);
    named.push_back({"category_id", JournalKind::category, after.category_id});
    std::vector<rules::JournalReference> known;
    if (before != nullptr) {
        known = rules::references_of(before->body);
        known.push_back({"category_id", JournalKind::category, before->category_id});
    }
    std::erase_if(named, [&](const rules::JournalReference& one) {
        const bool is_itself = one.kind == JournalKind::category && one.id == after.id;
        return is_itself || std::ranges::find(known, one) != known.end();
    });
    std::vector<std::string> ids;
    for (const rules::JournalReference& one : named) ids.push_back(one.id);
    TRY(book_.load(after.user_id, ids, unit));
    for (const rules::JournalReference& one : named) TRY(check_reference(actor, one, unit));
    return {};
}

base::Result<void> Journal::check_reference(const Actor& actor, const rules::JournalReference& named, Unit& unit) {
    TRY_ASSIGN(const JournalRecord* const there, book_.find(actor.user_id, named.id, unit));
    const bool is_category = named.kind == JournalKind::category;
    if (there == nullptr && is_category && named.id == model::default_category) return {};  // it will be made
    if (there != nullptr && there->kind() == named.kind && !there->deleted_at) return {};
    return refused(is_missing(named));
}

base::Result<void> Journal::check_running(const Actor& actor, const JournalRecord& record, Unit& unit) {
    const auto* const time = std::get_if<model::TimeEntry>(&record.body);
    if (time == nullptr || time->ended_at || record.deleted_at) return {};
    TRY_ASSIGN(const std::vector<std::string> running, book_.with_term(record.user_id, rules::running_term, 2, unit));
    for (const std::string& id : running) {
        if (id == record.id) continue;
        TRY_ASSIGN(const JournalRecord* const other, book_.find(record.user_id, id, unit));
        bool is_seen = other != nullptr;
        if (is_seen) {
            TRY_ASSIGN(is_seen, sees(actor, *other, unit));
        }
        return refused(base::error(Code::conflict, is_seen ? "another timer runs: " + id : "another timer runs",
                                   "ended_at", "running"));
    }
    return {};
}

base::Result<void> Journal::make_default_category(const JournalRecord& user, const Actor& actor, Unit& unit) {
    bool is_needed = user.category_id == model::default_category && user.id != user.category_id;
    for (const rules::JournalReference& one : rules::references_of(user.body)) {
        is_needed = is_needed || (one.kind == JournalKind::category && one.id == model::default_category);
    }
    if (!is_needed) return {};
    const std::string id(model::default_category);
    TRY_ASSIGN(const JournalRecord* const there, book_.find(user.user_id, id, unit));
    if (there != nullptr) return {};
    JournalRecord category;
    category.id = id;
    category.user_id = user.user_id;
    category.category_id = id;
    category.revision = 1;
    category.created_at = unit.now;
    category.updated_at = unit.now;
    category.body = model::Category{id, {}};
    TRY(book_.add(std::move(category), actor.origin, unit));
    return {};
}

base::Result<JournalRecord> Journal::carry_out(const ports::ChangeRecord& command, Unit& unit) {
    TRY_ASSIGN(const Actor actor, actor_of(command.principal, command.user_id, command.claim, unit));
    return change(actor, command.id, command.revision, command.wish, unit);
}

base::Result<JournalRecord> Journal::change(const Actor& actor, const std::string& id,
                                            const std::optional<std::int64_t>& revision, const model::JournalWish& wish,
                                            Unit& unit) {
    const auto kind = static_cast<JournalKind>(wish.values.index());
    TRY_ASSIGN(const JournalRecord* const there, find_live(actor, kind, id, revision, unit));
    TRY(check_named(actor, wish, unit));
    TRY(check_blocks(actor, *there, wish));
    JournalRecord changed = *there;
    TRY(decided(rules::apply_wish(changed.body, wish, rules::WishFor::change)));
    if (wish.extension) changed.extension = *wish.extension;
    if (wish.category_id) changed.category_id = *wish.category_id;
    fill_blocks(changed, unit);
    TRY(keep_unseen(actor, *there, changed, unit));
    if (is_like(*there, changed)) return shown_to(actor, *there, unit);
    TRY(decided(rules::check_record(changed, there)));
    TRY(check_scope(actor, there, changed));
    TRY(check_references(actor, there, changed, unit));
    TRY(check_running(actor, changed, unit));
    std::vector<JournalRecord> moved;
    if (changed.category_id != there->category_id) {
        TRY_ASSIGN(moved, followers(actor, *there, Along::moved, unit));
        std::erase_if(moved, [&](const JournalRecord& one) { return one.category_id == changed.category_id; });
    }
    TRY(make_default_category(changed, actor, unit));
    for (JournalRecord& one : moved) {
        one.category_id = changed.category_id;
        book_.change(std::move(one), actor.origin, unit);
    }
    return shown_to(actor, book_.change(std::move(changed), actor.origin, unit), unit);
}

base::Result<std::vector<JournalRecord>> Journal::followers(const Actor& actor, const JournalRecord& record,
                                                            Along along, Unit& unit) {
    std::vector<JournalRecord> found;
    std::vector<std::string> ratings;  // of sessions that are moved
    if (record.kind() == JournalKind::time_entry && along == Along::moved) {
        ratings.push_back(model::rating_id(model::RatingTarget::session, record.id));
    } else if (record.kind() != JournalKind::task && record.kind() != JournalKind::checklist) {
        return found;
    }
    const auto term_of = along == Along::moved ? rules::parent_term : rules::follower_term;
    const auto follows = along == Along::moved ? rules::moves_with_parent : rules::goes_with_parent;
    constexpr std::size_t limit = limits::journal_followers_max + 1;
    std::vector<std::pair<JournalKind, std::string>> owners;
    if (ratings.empty()) owners.emplace_back(record.kind(), record.id);
    for (std::size_t i = 0; i < owners.size(); ++i) {
        TRY_ASSIGN(const std::vector<std::string> ids,
                   book_.with_term(record.user_id, term_of(owners[i].second), limit, unit));
        TRY(book_.load(record.user_id, ids, unit));
        for (const std::string& id : ids) {
            TRY_ASSIGN(const JournalRecord* const one, book_.find(record.user_id, id, unit));
            // What was imported may name anything.
            const bool is_its = one != nullptr && rules::parent_of(one->body).kind == owners[i].first;
            if (!is_its || !follows(one->kind())) continue;
            TRY_ASSIGN(const bool is_seen, sees(actor, *one, unit));
            if (!is_seen) continue;
            found.push_back(*one);
            if (one->kind() == JournalKind::checklist) owners.emplace_back(one->kind(), id);
            if (one->kind() == JournalKind::time_entry) {
                ratings.push_back(model::rating_id(model::RatingTarget::session, id));
            }
        }
        const std::size_t count = std::max(ids.size(), found.size());
        if (count >= limit) return refused(too_many(count));
    }
    TRY(book_.load(record.user_id, ratings, unit));
    for (const std::string& id : ratings) {
        TRY_ASSIGN(const JournalRecord* const one, book_.find(record.user_id, id, unit));
        if (one == nullptr || one->deleted_at) continue;
        TRY_ASSIGN(const bool is_seen, sees(actor, *one, unit));
        if (is_seen) found.push_back(*one);
    }
    if (found.size() >= limit) return refused(too_many(found.size()));
    return found;
}

base::Result<JournalRecord> Journal::carry_out(const ports::DeleteRecord& command, Unit& unit) {
    TRY_ASSIGN(const Actor actor, actor_of(command.principal, command.user_id, command.claim, unit));
    return remove(actor, command.kind, command.id, command.revision, unit);
}

base::Result<JournalRecord> Journal::remove(const Actor& actor, JournalKind kind, const std::string& id,
                                            const std::optional<std::int64_t>& revision, Unit& unit) {
    TRY_ASSIGN(const JournalRecord* const there, find_live(actor, kind, id, revision, unit));
    JournalRecord gone = *there;
    // With a plan go all its blocks, whose categories are touched then.
    JournalRecord nothing_left = gone;
    nothing_left.body = model::empty_body(kind);
    if (actor.allowed && !rules::check_scope(*actor.allowed, rules::touched_categories(&gone, nothing_left)).ok()) {
        return refused(base::error(Code::forbidden, "not all of it is of categories that this agent is allowed", "id",
                                   "out_of_scope"));
    }
    if (gone.id == model::default_category) {
        return refused(
            base::error(Code::conflict, "what has no category is put into this one: it stays", "id", "needed"));
    }
    if (kind == JournalKind::category) {
        TRY_ASSIGN(const std::vector<std::string> held,
                   book_.with_term(actor.user_id, rules::category_term(gone.id), 2, unit));
        if (std::ranges::any_of(held, [&](const std::string& one) { return one != gone.id; })) {
            return refused(base::error(Code::conflict, "there are records in this category", "id", "not_empty"));
        }
    }
    TRY_ASSIGN(std::vector<JournalRecord> others, followers(actor, gone, Along::deleted, unit));
    for (JournalRecord& one : others) {
        one.deleted_at = unit.now;
        book_.change(std::move(one), actor.origin, unit);
    }
    gone.deleted_at = unit.now;
    return shown_to(actor, book_.change(std::move(gone), actor.origin, unit), unit);
}

base::Result<std::uint64_t> Journal::erase_user(const std::string& user_id, Unit& unit) {
    // What earlier commands of this transaction made is written first, or it would outlive its user.
    TRY(book_.flush(unit));
    TRY_ASSIGN(const std::uint64_t gone, unit.store.journal().erase_user(user_id, limits::sweep_slice_rows));
    if (gone > 0) book_.clear();
    return gone;
}

}  // namespace belfry::engine
