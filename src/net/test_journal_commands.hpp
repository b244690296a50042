#pragma once

#include "net/test_queries.hpp"
#include "ports/commands/journal.hpp"

namespace belfry::net::test {

// What the test's gateway answers to those who change the journal; false where it is no such command. Revision 9 is
// stale, and `again` was there already.
inline bool decide_journal_command(ports::Command& command) {
    const auto stale = base::error(base::Code::conflict, "its revision is 7", "revision", "stale_revision");
    const auto kind_of = [](const model::JournalWish& wish) {
        return static_cast<model::JournalKind>(wish.values.index());
    };
    if (auto* create = dynamic_cast<ports::CreateRecord*>(&command)) {
        create->settle(ports::CreatedRecord{test_record(kind_of(create->wish), create->id), create->id != "again"});
    } else if (auto* change = dynamic_cast<ports::ChangeRecord*>(&command)) {
        if (change->revision == 9) change->refuse(stale);
        else change->settle(test_record(kind_of(change->wish), change->id));
    } else if (auto* remove = dynamic_cast<ports::DeleteRecord*>(&command)) {
        if (remove->revision == 9) remove->refuse(stale);
        else remove->settle(test_record(remove->kind, remove->id));
    } else if (auto* put = dynamic_cast<ports::PutLink*>(&command)) {
        put->settle(ports::PutLinkReply{put->draft, put->draft.relation != "again"});
    } else if (auto* unlink = dynamic_cast<ports::DeleteLink*>(&command)) {
        unlink->settle(model::Link{});
    } else if (auto* import = dynamic_cast<ports::ImportJournal*>(&command)) {
        ports::Imported imported;
        imported.taken = import->items.size();
        if (import->items.size() > 1) imported.conflicts.push_back({1, "r1", "it differs"});
        import->settle(std::move(imported));
    } else {
        return false;
    }
    return true;
}

}  // namespace belfry::net::test
