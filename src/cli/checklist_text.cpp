#include "cli/checklist_text.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/journal_limits.hpp"
#include "host/printable.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;

// By their positions, then by age, then by id: the same on every device.
template <class Body>
base::Result<std::vector<client::RecordNow>> in_order(client::Journal& journal, JournalKind kind,
                                                      const std::string& filter, std::string_view parent_id) {
    client::RecordQuestion question;
    question.kind = kind;
    question.filters = {{filter, std::string(parent_id)}};
    question.limit = base::limits::journal_followers_max;
    TRY_ASSIGN(client::RecordList found, journal.list(question));
    std::ranges::sort(found.records, {}, [](const client::RecordNow& now) {
        const model::JournalRecord& record = now.record;
        return std::tuple(std::get<Body>(record.body).position, record.created_at, std::string_view(record.id));
    });
    return std::move(found.records);
}

}  // namespace

base::Result<std::vector<ChecklistNow>> find_checklists(client::Journal& journal, std::string_view task_id) {
    TRY_ASSIGN(std::vector<client::RecordNow> lists,
               in_order<model::Checklist>(journal, JournalKind::checklist, "task", task_id));
    std::vector<ChecklistNow> found;
    for (client::RecordNow& list : lists) {
        TRY_ASSIGN(std::vector<client::RecordNow> items,
                   in_order<model::ChecklistItem>(journal, JournalKind::checklist_item, "checklist", list.record.id));
        found.push_back({std::move(list), std::move(items)});
    }
    return found;
}

std::string checklists_text(const std::vector<ChecklistNow>& lists) {
    std::string text;
    for (const ChecklistNow& now : lists) {
        const model::JournalRecord& list = now.list.record;
        host::append_printable(text, std::get<model::Checklist>(list.body).title + " (" + list.id + ")");
        text += '\n';
        for (const client::RecordNow& item : now.items) {
            const auto& body = std::get<model::ChecklistItem>(item.record.body);
            text += body.checked ? "  [x] " : "  [ ] ";
            host::append_printable(text, body.title + " (" + item.record.id + ")");
            text += '\n';
        }
    }
    return text;
}

}  // namespace belfry::cli
