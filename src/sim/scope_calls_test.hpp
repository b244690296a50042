#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/journal_look.hpp"
#include "sim/scope_journal_test.hpp"
#include "tools/tool.hpp"

// Calls of tools as an agent might make them that is clever, careless or curious. Only tests include it.
namespace belfry::sim {

// Arguments for any tool, by its schema: ids are drawn from all that there is, inside and outside, and made up; most
// values are plausible and some make no sense.
class ScopeCalls {
public:
    using Members = std::vector<std::pair<std::string, std::string>>;  // names and JSON

    explicit ScopeCalls(SeededRandom dice) : dice_(dice) {}

    // What can be named from now on. `insiders` are those that the agent may see, the others all the rest.
    void know(const std::vector<const model::JournalRecord*>& insiders,
              const std::vector<const model::JournalRecord*>& others, const std::set<std::string>& scope) {
        inside_.clear();
        outside_.clear();
        for (const model::JournalRecord* const one : insiders) add(*one, inside_, scope);
        for (const model::JournalRecord* const one : others) add(*one, outside_, scope);
    }

    Members arguments_for(const tools::Tool& tool) {
        day_ = scope_dates[dice_.below(std::size(scope_dates))];
        list_.clear();
        is_careful_ = dice_.one_in(2);
        return members_of(tool.contract.input_schema.view());
    }
    static std::string text_of(const Members& members) {
        std::string text = "{";
        for (const auto& [name, value] : members) {
            text += (text.size() > 1 ? ",\"" : "\"") + name + "\":" + value;
        }
        return text + '}';
    }

private:
    // Ids by what they are of: `task`, `block`.
    using Ids = std::map<std::string, std::vector<std::string>, std::less<>>;

    void add(const model::JournalRecord& record, Ids& to, const std::set<std::string>& scope) {
        to[std::string(model::journal_kind_name(record.kind()))].push_back(record.id);
        if (const auto* const item = std::get_if<model::ChecklistItem>(&record.body))
            list_of_[record.id] = item->checklist_id;
        const auto* const plan = std::get_if<model::DayPlan>(&record.body);
        if (plan == nullptr) return;
        for (const model::PlanBlock& block : plan->blocks) {
            (scope.contains(block.category_id) ? inside_ : outside_)["block"].push_back(block.id);
        }
    }

    static std::string quoted(std::string_view text) {
        std::string out;
        model::JsonWriter(out).text(text);
        return out;
    }
    std::string one_of(const Ids& ids, std::string_view kind) {
        const auto at = ids.find(kind);
        return at == ids.end() ? ScopeJournal::made_up_id(dice_) : at->second[dice_.below(at->second.size())];
    }
    std::string id_of(std::string_view kind) {
        const std::uint64_t roll = dice_.below(100);
        if (is_careful_ || roll < 60) return one_of(inside_, kind);
        if (roll < 85) return one_of(outside_, kind);
        if (roll < 90) return ScopeJournal::made_up_id(dice_);
        const Ids& ids = dice_.one_in(2) ? inside_ : outside_;
        if (ids.empty()) return ScopeJournal::made_up_id(dice_);
        return one_of(ids, std::next(ids.begin(), static_cast<std::ptrdiff_t>(dice_.below(ids.size())))->first);
    }

    Members members_of(model::JsonView schema) {
        Members members;
        const auto properties = schema.member("properties");
        if (!properties) return members;
        std::vector<std::string> required;
        if (const auto names = schema.member("required")) {
            model::JsonWalker walker(*names);
            while (const auto one = walker.next()) required.push_back(one->as_text());
        }
        model::JsonWalker walker(*properties);
        std::string_view name;
        while (const auto one = walker.next(&name)) {
            const bool is_required = std::ranges::find(required, name) != required.end();
            const bool is_wise = name == "categoryId" || name == "upserts" || name == "previewOnly";
            const bool is_given =
                is_careful_ ? is_required || dice_.percent(is_wise ? 90 : 40) : dice_.percent(is_required ? 98 : 35);
            if (!is_given || name == "operationId") continue;
            if (name == "previewToken" && (is_careful_ || !dice_.one_in(5))) continue;
            members.emplace_back(name, value_of(name, *one));
        }
        if (!is_careful_ && dice_.one_in(60)) members.emplace_back("everything", "true");
        return members;
    }
    std::string value_of(std::string_view name, model::JsonView schema) {
        static constexpr const char* nonsense[] = {"null", "7", "\"\"", "[]", "{}", "true", "-1e99", "1e999", "\"*\""};
        if (!is_careful_ && dice_.one_in(50)) return nonsense[dice_.below(std::size(nonsense))];
        std::string type = schema.member("type") ? schema.member("type")->as_text() : "";
        if (type.starts_with('[')) {  // something or null
            if (dice_.one_in(4)) return "null";
            type = type.find("integer") != std::string::npos ? "integer" : "string";
        }
        if (const auto names = schema.member("enum")) {
            std::vector<std::string> all;
            model::JsonWalker walker(*names);
            while (const auto one = walker.next()) all.emplace_back(one->text);
            return all[dice_.below(all.size())];
        }
        if (type == "object") return text_of(members_of(schema));
        if (type == "array") return array_of(name, *schema.member("items"));
        if (is_careful_ && name == "previewOnly") return "true";
        if (type == "boolean") return dice_.one_in(2) ? "true" : "false";
        if (type == "integer") return std::to_string(dice_.one_in(20) ? -3 : 1 + static_cast<int>(dice_.below(5)));
        if (type == "number") return dice_.one_in(2) ? "0" : "0.3";
        return quoted(text_for(name, schema));
    }
    std::string array_of(std::string_view name, model::JsonView items) {
        std::string text = "[";
        for (std::uint64_t count = !is_careful_ && dice_.one_in(10) ? 0 : 1 + dice_.below(3); count > 0; --count) {
            text += (text.size() > 1 ? "," : "") + value_of(name, items);
        }
        return text + ']';
    }
    std::string text_for(std::string_view name, model::JsonView schema) {
        static const std::map<std::string_view, std::string_view> kinds{
            {"taskId", "task"},
            {"sourceTaskId", "task"},
            {"taskIds", "task"},
            {"checklistId", "checklist"},
            {"toChecklistId", "checklist"},
            {"timeEntryId", "time_entry"},
            {"categoryId", "category"},
            {"labelId", "label"},
            {"labelIds", "label"},
            {"sourceEntryId", "entry"},
            {"id", "block"},
            {"deletes", "block"},
        };
        if (const auto at = kinds.find(name); at != kinds.end()) return id_of(at->second);
        if (name == "itemId" || name == "itemIds") return item();
        if (name == "fromChecklistId")
            return list_.empty() || (!is_careful_ && dice_.one_in(4)) ? id_of("checklist") : list_;
        const std::string day = dice_.one_in(8) ? scope_dates[dice_.below(std::size(scope_dates))] : day_;
        if (name == "targetId") return dice_.one_in(2) ? day : id_of("time_entry");
        if (name == "reference") return reference();
        if (name == "language") return "de";
        const auto format = schema.member("format");
        if (format && format->as_text() == "date") return day;
        if (!format) return ScopeJournal::words(dice_);
        const bool is_end = name.starts_with("end");
        const std::uint64_t hour = (is_end ? 12 : 2) + dice_.below(is_end ? 8 : 10);
        return day + 'T' + (hour < 10 ? "0" : "") + std::to_string(hour) + ":00:00Z";
    }
    // Mostly of the same checklist as the one before.
    std::string item() {
        std::string id = id_of("checklist_item");
        for (int tries = 0; tries < 20 && !list_.empty() && list_of_[id] != list_; ++tries)
            id = id_of("checklist_item");
        list_ = list_of_[id];
        return id;
    }
    std::string reference() {
        const std::uint64_t roll = dice_.below(4);
        if (roll == 0) return secret_word;
        return roll == 1 ? id_of("task") : ScopeJournal::words(dice_);
    }

    SeededRandom dice_;
    Ids inside_;
    Ids outside_;
    std::map<std::string, std::string> list_of_;  // of each item its checklist
    bool is_careful_ = false;                     // this call means to be done
    std::string day_;                             // that this call is about
    std::string list_;                            // whose items this call names
};

}  // namespace belfry::sim
