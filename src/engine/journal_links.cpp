#include "base/journal_limits.hpp"
#include "engine/journal.hpp"
#include "rules/journal_check.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JournalRecord;

base::Error was_deleted() {
    return base::error(Code::gone, "this link was deleted; nothing brings it back", "relation");
}

}  // namespace

base::Result<std::vector<const JournalRecord*>> Journal::ends_of(const Actor& actor, const ports::LinkName& name,
                                                                 Unit& unit) {
    const std::vector<std::string> ids{name.from_id, name.to_id};
    TRY(book_.load(name.user_id, ids, unit));
    std::vector<const JournalRecord*> ends;
    for (const std::string& id : ids) {
        TRY_ASSIGN(const JournalRecord* end, book_.find(name.user_id, id, unit));
        if (end != nullptr) {
            TRY_ASSIGN(const bool is_seen, sees(actor, *end, unit));
            if (!is_seen || !lies_inside(actor, *end)) end = nullptr;
        }
        ends.push_back(end);
    }
    return ends;
}

base::Result<void> Journal::check_link_count(const ports::LinkName& name, Unit& unit) {
    for (const std::string& id : {name.from_id, name.to_id}) {
        TRY_ASSIGN(const std::size_t there, book_.link_count(name.user_id, id, unit));
        if (there < limits::links_per_record_max) continue;
        return refused(base::error(Code::too_large,
                                   "a record has at most " + std::to_string(limits::links_per_record_max) + " links",
                                   id == name.from_id ? "from_id" : "to_id"));
    }
    return {};
}

base::Result<ports::PutLinkReply> Journal::carry_out(const ports::PutLink& command, Unit& unit) {
    TRY_ASSIGN(const Actor actor, actor_of(command.principal, command.user_id, command.claim, unit));
    return put_link(actor, command.draft, unit);
}

base::Result<ports::PutLinkReply> Journal::put_link(const Actor& actor, model::Link draft, Unit& unit) {
    draft.user_id = actor.user_id;
    TRY(decided(rules::check_link(draft)));
    const ports::LinkName name = name_of(draft);
    TRY_ASSIGN(const auto ends, ends_of(actor, name, unit));
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends[i] != nullptr && !ends[i]->deleted_at) continue;
        const bool is_from = i == 0;
        return refused(base::error(Code::invalid, "there is no record " + (is_from ? name.from_id : name.to_id),
                                   is_from ? "from_id" : "to_id"));
    }
    TRY_ASSIGN(const model::Link* const there, book_.find_link(name, unit));
    if (there != nullptr && there->deleted_at) return refused(was_deleted());
    const bool is_same = there != nullptr && there->metadata == draft.metadata && there->hidden == draft.hidden;
    if (is_same) return ports::PutLinkReply{*there, false};
    if (there == nullptr) TRY(check_link_count(name, unit));
    draft.revision = there == nullptr ? 1 : there->revision + 1;
    draft.created_at = there == nullptr ? unit.now : there->created_at;
    draft.updated_at = unit.now;
    draft.deleted_at.reset();
    const bool is_new = there == nullptr;
    return ports::PutLinkReply{book_.put_link(std::move(draft), actor.origin), is_new};
}

base::Result<model::Link> Journal::remove_link(const ports::DeleteLink& command, Unit& unit) {
    TRY_ASSIGN(const Actor actor, actor_of(command.principal, command.user_id, command.claim, unit));
    model::Link named;
    named.relation = command.relation;
    named.from_id = command.from_id;
    named.to_id = command.to_id;
    TRY(decided(rules::check_link(named)));
    const ports::LinkName name{actor.user_id, command.relation, command.from_id, command.to_id};
    TRY_ASSIGN(const model::Link* const there, book_.find_link(name, unit));
    TRY_ASSIGN(const auto ends, ends_of(actor, name, unit));
    const bool is_seen = !actor.allowed || (ends[0] != nullptr && ends[1] != nullptr);
    if (there == nullptr || !is_seen) {
        return refused(base::error(Code::not_found, "there is no such link", "relation"));
    }
    if (there->deleted_at) return refused(was_deleted());
    model::Link gone = *there;
    ++gone.revision;
    gone.updated_at = unit.now;
    gone.deleted_at = unit.now;
    return book_.put_link(std::move(gone), actor.origin);
}

}  // namespace belfry::engine
