#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/journal_limits.hpp"
#include "base/limits.hpp"
#include "model/journal_fields.hpp"
#include "rules/journal_sight.hpp"
#include "rules/journal_terms.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/journal_plan.hpp"

namespace belfry::view {
namespace {

using base::Code;
namespace limits = base::limits;
using Records = std::vector<model::JournalRecord>;
using Links = std::vector<model::Link>;

constexpr std::size_t rows_at_once = 100;  // of records that may be large

// About what one takes in an answer.
class BodySize {
public:
    template <class T>
    std::size_t operator()(const T& body) const {
        if constexpr (requires { body.text; }) return body.text.size();
        else if constexpr (requires { body.blocks; }) return body.note.size() + body.blocks.size() * 200;
        else if constexpr (requires { body.note; }) return body.note.size();
        else return 0;
    }
};

std::size_t bytes_of(const model::JournalRecord& record) {
    constexpr std::size_t frame_bytes = 400;
    return frame_bytes + record.extension.bytes().size() + std::visit(BodySize{}, record.body);
}

bool sees_nothing(const JournalSight& sight) {
    return sight.categories && sight.categories->empty();
}

// No record names others to somebody who may not see those, and a plan does not show their blocks.
base::Result<void> narrow(ports::JournalReading& journal, const JournalSight& sight, Records& records) {
    if (!sight.categories) return {};
    std::set<std::string> named;
    for (const model::JournalRecord& record : records) {
        for (std::string& id : rules::named_by(record.body)) named.insert(std::move(id));
    }
    std::set<std::string> seen;
    if (!named.empty()) {
        const std::vector<std::string> ids(named.begin(), named.end());
        TRY_ASSIGN(const Records found, journal.find(sight.user_id, ids, sight.categories));
        for (const model::JournalRecord& one : found) seen.insert(one.id);
    }
    std::erase_if(records, [&](const model::JournalRecord& record) { return rules::is_hidden(record.body, seen); });
    for (model::JournalRecord& record : records) {
        rules::hide_unseen(record.body, *sight.categories, seen);
        rules::hide_own_part(record, *sight.categories);
    }
    return {};
}

// The plan of a day is found by whoever may see anything; what it shows is narrowed.
ports::JournalScope scope_of(const JournalSight& sight, model::JournalKind kind) {
    return kind == model::JournalKind::day_plan ? ports::JournalScope{} : sight.categories;
}

base::Result<model::JournalRecord> find_record(ports::Reading& reading, const JournalSight& sight,
                                               model::JournalKind kind, const std::string& id) {
    const auto missing =
        base::error(Code::not_found, "there is no such " + std::string(model::journal_kind_name(kind)), "id");
    if (sees_nothing(sight)) return missing;
    TRY_ASSIGN(Records found, reading.journal().find(sight.user_id, {&id, 1}, scope_of(sight, kind)));
    if (found.empty() || found.front().kind() != kind) return missing;
    TRY(narrow(reading.journal(), sight, found));
    if (found.empty()) return missing;
    if (found.front().deleted_at) {
        return base::error(Code::gone, "it was deleted at " + base::format_timestamp(*found.front().deleted_at), "id");
    }
    return std::move(found.front());
}

// What no term tells is looked for in what is found: when time was spent, and several statuses beside a beginning of a
// word or a due date, along which the list is gone.
bool is_sifted(const ports::JournalQuestion& question) {
    return question.states.size() > 1 || question.spent_from || question.spent_to;
}

bool passes(const ports::JournalQuestion& question, const model::JournalRecord& record) {
    if (const auto* const task = std::get_if<model::Task>(&record.body);
        task != nullptr && question.states.size() > 1) {
        const std::string_view status = model::task_status_names[static_cast<std::size_t>(task->status)];
        return std::ranges::find(question.states, status) != question.states.end();
    }
    if (const auto* const time = std::get_if<model::TimeEntry>(&record.body)) {
        const bool is_over = question.spent_from && time->ended_at && *time->ended_at <= *question.spent_from;
        return !is_over && (!question.spent_to || time->started_at < *question.spent_to);
    }
    return true;
}

// A page ends with its limit, with what an answer can hold, or where it has looked at enough.
base::Result<ports::JournalList> read_list(ports::JournalReading& journal, ports::JournalFilter filter,
                                           const ports::JournalQuestion& question) {
    const std::size_t limit = question.limit;
    ports::JournalList list;
    std::size_t bytes = 0;
    std::size_t looked = 0;
    ports::JournalPlace place;
    for (;;) {
        filter.limit = is_sifted(question) ? rows_at_once : std::min(rows_at_once, limit + 1 - list.records.size());
        TRY_ASSIGN(ports::JournalPage page, journal.list(filter));
        for (model::JournalRecord& record : page.records) {
            if (list.records.size() == limit || bytes >= limits::page_bytes_max || looked == limits::journal_scan_max) {
                list.next = std::move(place);
                return list;
            }
            ++looked;
            place = place_of(filter, record);
            if (!passes(question, record)) continue;
            bytes += bytes_of(record);
            list.records.push_back(std::move(record));
        }
        if (page.looked_to) {
            list.next = std::move(page.looked_to);
            return list;
        }
        if (page.records.size() < filter.limit) return list;
        filter.after = place;
    }
}

bool is_found_by(const ports::JournalFilter& filter, const model::JournalRecord& record) {
    const std::vector<std::string> terms = rules::terms_of(record);
    const auto has = [&](const std::string& term) { return std::ranges::binary_search(terms, term); };
    return std::ranges::all_of(filter.terms, has) && (filter.any_of.empty() || std::ranges::any_of(filter.any_of, has));
}

// There is one at the most, and it has to have all else that is asked for, too.
base::Result<ports::JournalList> find_day(ports::Reading& reading, const JournalSight& sight,
                                          const std::string& plan_date, const ports::JournalFilter& filter) {
    const std::string id = model::day_plan_id(plan_date);
    ports::JournalList list;
    const ports::JournalScope scope = scope_of(sight, model::JournalKind::day_plan);
    TRY_ASSIGN(list.records, reading.journal().find(sight.user_id, {&id, 1}, scope));
    TRY(narrow(reading.journal(), sight, list.records));
    std::erase_if(list.records, [&](const model::JournalRecord& record) { return !is_found_by(filter, record); });
    return list;
}

bool may_be_narrowed(model::JournalKind kind) {
    using enum model::JournalKind;
    return kind == day_plan || kind == checklist || kind == checklist_item || kind == time_entry;
}

base::Result<ports::JournalList> list_records(ports::Reading& reading, const JournalSight& sight,
                                              const ports::JournalQuestion& question) {
    if (sees_nothing(sight)) return ports::JournalList{};
    const bool is_of_day = !question.plan_date.empty();
    const JournalSight walked{sight.user_id, is_of_day ? ports::JournalScope{} : sight.categories};
    TRY_ASSIGN(std::optional<ports::JournalFilter> filter, plan_list(reading.journal(), walked, question));
    if (!filter) return ports::JournalList{};
    if (is_of_day) return find_day(reading, sight, question.plan_date, *filter);
    TRY_ASSIGN(ports::JournalList list, read_list(reading.journal(), *filter, question));
    TRY(narrow(reading.journal(), sight, list.records));
    // A record is found by all that it has. By what is hidden of it it must not be, or that could be guessed.
    std::erase_if(list.records, [&](const model::JournalRecord& record) {
        return sight.categories && may_be_narrowed(record.kind()) && !is_found_by(*filter, record);
    });
    return list;
}

base::Result<Links> list_links(ports::Reading& reading, const JournalSight& sight, ports::LinkFilter filter) {
    if (sees_nothing(sight)) return Links{};
    filter.user_id = sight.user_id;
    filter.categories = sight.categories;
    if (filter.after) filter.after->user_id = sight.user_id;
    return reading.journal().links(filter);
}

base::Result<void> export_records(ports::Reading& reading, const JournalSight& sight, std::int64_t after,
                                  std::size_t limit, ports::ExportPage& page) {
    std::size_t bytes = 0;
    while (page.items.size() < limit) {
        const std::size_t wanted = std::min(rows_at_once, limit - page.items.size());
        TRY_ASSIGN(Records records, reading.journal().records_after(sight.user_id, after, sight.categories, wanted));
        const bool is_last = records.size() < wanted;
        const std::int64_t looked_to = records.empty() ? after : records.back().number;
        TRY(narrow(reading.journal(), sight, records));
        for (model::JournalRecord& record : records) {
            after = record.number;
            bytes += bytes_of(record);
            page.items.emplace_back(std::move(record));
            if (bytes < limits::page_bytes_max) continue;
            page.next = ports::ExportPlace{after, {}};
            return {};
        }
        after = looked_to;
        if (is_last) return {};
    }
    page.next = ports::ExportPlace{after, {}};
    return {};
}

base::Result<ports::ExportPage> export_page(ports::Reading& reading, const JournalSight& sight,
                                            const ports::ExportQuestion& question) {
    ports::ExportPage page;
    if (sees_nothing(sight)) return page;
    if (!question.after.link) {
        TRY(export_records(reading, sight, question.after.number, question.limit, page));
        if (page.next) return page;
    }
    ports::LinkName last = question.after.link.value_or(ports::LinkName{});
    last.user_id = sight.user_id;
    const std::size_t wanted = question.limit - page.items.size();
    TRY_ASSIGN(Links links, reading.journal().links_after(last, sight.categories, wanted));
    if (links.size() == wanted && wanted > 0) {
        const model::Link& end = links.back();
        page.next = ports::ExportPlace{0, ports::LinkName{end.user_id, end.relation, end.from_id, end.to_id}};
    }
    for (model::Link& link : links) page.items.emplace_back(std::move(link));
    return page;
}

base::Result<ports::JournalOverview> look_over(ports::Reading& reading, const JournalSight& sight) {
    ports::JournalOverview overview;
    if (sees_nothing(sight)) return overview;
    if (sight.categories) {
        TRY_ASSIGN(const Records seen, reading.journal().records_after(sight.user_id, 0, sight.categories, 1));
        overview.holds_anything = !seen.empty();
    } else {
        TRY_ASSIGN(overview.holds_anything, reading.journal().holds_anything(sight.user_id));
    }
    ports::JournalQuestion question;
    question.kind = model::JournalKind::time_entry;
    question.running = true;
    question.limit = 1;
    TRY_ASSIGN(ports::JournalList running, list_records(reading, sight, question));
    if (!running.records.empty()) overview.running = std::move(running.records.front());
    return overview;
}

}  // namespace

void Answers::journal_record(const model::Principal& who, ports::JournalAccess access, model::JournalKind kind,
                             std::string_view id, std::function<void(base::Result<model::JournalRecord>)> done) {
    ask<model::JournalRecord>(
        beside_,
        [who, access = std::move(access), kind, id = std::string(id), owner = owner_,
         now = clock_.now()](ports::Reading& reading) -> base::Result<model::JournalRecord> {
            TRY_ASSIGN(const JournalSight sight, sight_of(reading, who, access, owner, now));
            return find_record(reading, sight, kind, id);
        },
        std::move(done));
}

void Answers::journal_list(const model::Principal& who, ports::JournalQuestion question,
                           std::function<void(base::Result<ports::JournalList>)> done) {
    ask<ports::JournalList>(
        beside_,
        [who, question = std::move(question), owner = owner_,
         now = clock_.now()](ports::Reading& reading) -> base::Result<ports::JournalList> {
            TRY_ASSIGN(const JournalSight sight, sight_of(reading, who, question.access, owner, now));
            return list_records(reading, sight, question);
        },
        std::move(done));
}

void Answers::journal_links(const model::Principal& who, ports::LinkQuestion question,
                            std::function<void(base::Result<Links>)> done) {
    ask<Links>(
        beside_,
        [who, question = std::move(question), owner = owner_,
         now = clock_.now()](ports::Reading& reading) -> base::Result<Links> {
            TRY_ASSIGN(const JournalSight sight, sight_of(reading, who, question.access, owner, now));
            return list_links(reading, sight, question.filter);
        },
        std::move(done));
}

void Answers::journal_export(const model::Principal& who, ports::ExportQuestion question,
                             std::function<void(base::Result<ports::ExportPage>)> done) {
    ask<ports::ExportPage>(
        beside_,
        [who, question = std::move(question), owner = owner_,
         now = clock_.now()](ports::Reading& reading) -> base::Result<ports::ExportPage> {
            TRY_ASSIGN(const JournalSight sight, sight_of(reading, who, question.access, owner, now));
            return export_page(reading, sight, question);
        },
        std::move(done));
}

void Answers::journal_overview(const model::Principal& who, ports::JournalAccess access,
                               std::function<void(base::Result<ports::JournalOverview>)> done) {
    ask<ports::JournalOverview>(
        beside_,
        [who, access = std::move(access), owner = owner_,
         now = clock_.now()](ports::Reading& reading) -> base::Result<ports::JournalOverview> {
            TRY_ASSIGN(const JournalSight sight, sight_of(reading, who, access, owner, now));
            return look_over(reading, sight);
        },
        std::move(done));
}

}  // namespace belfry::view
