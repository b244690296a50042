#include "base/journal_limits.hpp"
#include "engine/journal.hpp"
#include "rules/journal_check.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JournalRecord;

base::Error differs() {
    return base::error(Code::conflict, "another one is there and stays as it is");
}

base::Result<void> check_history(std::int64_t revision) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    if (revision >= 1 && revision <= most) return {};
    return base::error(Code::invalid, "must lie between 1 and " + std::to_string(most), "revision");
}

std::string text_of(const base::Error& why) {
    return why.field.empty() ? why.message : why.field + ": " + why.message;
}

}  // namespace

base::Result<ports::Imported> Journal::import(const ports::ImportJournal& command, Unit& unit) {
    TRY_ASSIGN(const Actor actor, actor_of(command.principal, command.user_id, std::nullopt, unit));
    if (command.items.size() > limits::journal_import_records_max) {
        return refused(base::error(Code::too_large, "at most " + std::to_string(limits::journal_import_records_max) +
                                                        " records and links at once"));
    }
    ports::Imported imported;
    for (std::size_t i = 0; i < command.items.size(); ++i) {
        const ports::JournalItem& item = command.items[i];
        auto taken = std::visit([&](const auto& one) { return take(one, actor, unit); }, item);
        if (!taken.ok() && !std::exchange(is_refused_, false)) return std::move(taken).error();
        if (!taken.ok()) {
            const auto* const record = std::get_if<JournalRecord>(&item);
            const std::string& id = record != nullptr ? record->id : std::get<model::Link>(item).relation;
            imported.conflicts.push_back({i, id, text_of(taken.error())});
        } else if (*taken == Taken::yes) {
            ++imported.taken;
        } else {
            ++imported.unchanged;
        }
    }
    return imported;
}

// What it names may come later, with the next slice: that is not looked at.
base::Result<Journal::Taken> Journal::take(JournalRecord record, const Actor& actor, Unit& unit) {
    record.user_id = actor.user_id;
    TRY(decided(rules::check_record(record)));
    TRY(decided(check_history(record.revision)));
    TRY_ASSIGN(const JournalRecord* const there, book_.find(actor.user_id, record.id, unit));
    if (there != nullptr) {
        record.number = there->number;
        if (record == *there) return Taken::was_there;
        return refused(differs());
    }
    TRY(decided(rules::check_new_id(record)));
    TRY(check_running(actor, record, unit));
    TRY(book_.add(std::move(record), actor.origin, unit));
    return Taken::yes;
}

base::Result<Journal::Taken> Journal::take(model::Link link, const Actor& actor, Unit& unit) {
    link.user_id = actor.user_id;
    TRY(decided(rules::check_link(link)));
    TRY(decided(check_history(link.revision)));
    const ports::LinkName name = name_of(link);
    TRY_ASSIGN(const auto ends, ends_of(actor, name, unit));
    if (ends[0] == nullptr || ends[1] == nullptr) {
        const bool lacks_from = ends[0] == nullptr;
        return refused(base::error(Code::invalid, "there is no record " + (lacks_from ? link.from_id : link.to_id),
                                   lacks_from ? "from_id" : "to_id"));
    }
    TRY_ASSIGN(const model::Link* const there, book_.find_link(name, unit));
    if (there != nullptr && *there == link) return Taken::was_there;
    if (there != nullptr) return refused(differs());
    if (!link.deleted_at) TRY(check_link_count(name, unit));
    book_.put_link(std::move(link), actor.origin);
    return Taken::yes;
}

}  // namespace belfry::engine
