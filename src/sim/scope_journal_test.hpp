#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ports/commands/journal.hpp"
#include "sim/random.hpp"

// A journal as nobody would keep it: anything names anything, across all categories. Only tests include it.
namespace belfry::sim {

inline constexpr const char* secret_word = "zzyzx";  // in every text that the agent may not see
inline constexpr const char* scope_dates[] = {"2027-01-13", "2027-01-14", "2027-01-15", "2027-01-16"};

// Whether an agent that is allowed these categories may see a record at all, among all that there are. A day plan is
// everybody's in part, and not asked for here.
template <class Find>
bool is_visible(const model::JournalRecord& record, const std::set<std::string>& scope, Find find) {
    if (!scope.contains(record.category_id)) return false;
    const auto* const rating = std::get_if<model::Rating>(&record.body);
    if (rating == nullptr || rating->target != model::RatingTarget::session) return true;
    const model::JournalRecord* const session = find(rating->target_id);
    return session != nullptr && scope.contains(session->category_id);
}

class ScopeJournal {
public:
    // `scope` has some of the categories, made by this; `is_foreign`: nothing of it is anybody else's business.
    ScopeJournal(SeededRandom dice, base::Timestamp now, bool is_foreign) : dice_(dice), now_(now) {
        for (std::uint64_t count = 2 + dice_.below(4); count > 0; --count) categories_.push_back(new_id());
        if (dice_.one_in(2)) categories_.emplace_back(model::default_category);
        if (!is_foreign) draw_scope();
        for (const std::string& id : categories_) add(id, id, model::Category{text(id), ""});
        fill();
    }

    [[nodiscard]] const std::set<std::string>& scope() const { return scope_; }
    [[nodiscard]] const std::map<std::string, model::JournalRecord>& records() const { return records_; }
    // Records first, and then the links between them.
    [[nodiscard]] std::vector<ports::JournalItem> items() const {
        std::vector<ports::JournalItem> items;
        for (const auto& [id, record] : records_) items.emplace_back(record);
        for (const auto& [name, link] : links_) items.emplace_back(link);
        return items;
    }
    // Ids that an agent of this scope must never hear: of what it may not see, and of what is named and not there.
    [[nodiscard]] std::set<std::string> secret_ids() const {
        std::set<std::string> secret = given_;
        for (const auto& [id, record] : records_) {
            const auto find = [&](const std::string& one) { return find_record(one); };
            const bool is_everybodys = record.kind() == model::JournalKind::day_plan ||
                                       record.kind() == model::JournalKind::label || id == model::default_category;
            if (is_everybodys || is_visible(record, scope_, find)) secret.erase(id);
            else secret.insert(id);
            const auto* const plan = std::get_if<model::DayPlan>(&record.body);
            if (plan == nullptr) continue;
            for (const model::PlanBlock& block : plan->blocks) {
                if (scope_.contains(block.category_id)) secret.erase(block.id);
            }
        }
        for (const std::string& id : scope_) secret.erase(id);
        return secret;
    }

    // Sixteen signs that no word and no other id has.
    static std::string made_up_id(SeededRandom& dice) {
        std::string id = "q";
        while (id.size() < 16) id += "bcdfghjkmnpqrstvwx0123456789"[dice.below(28)];
        return id;
    }
    static std::string words(SeededRandom& dice) {
        static constexpr const char* all[] = {"milk", "bread", "run", "call", "mother", "Tax", "the", "garden"};
        std::string text = all[dice.below(8)];
        for (std::uint64_t more = dice.below(3); more > 0; --more) text += std::string(" ") + all[dice.below(8)];
        return text;
    }

private:
    std::string new_id() {
        std::string id = made_up_id(dice_);
        given_.insert(id);
        return id;
    }
    void draw_scope() {
        if (dice_.one_in(8)) return;  // nothing at all
        for (const std::string& id : categories_) {
            if (dice_.one_in(2)) scope_.insert(id);
        }
        if (dice_.one_in(6)) scope_.insert(made_up_id(dice_));
        if (dice_.one_in(6)) scope_.emplace(model::default_category);
    }
    std::string text(bool is_secret) {
        return is_secret ? words(dice_) + ' ' + secret_word + ' ' + words(dice_) : words(dice_);
    }
    std::string text(const std::string& category) { return text(!scope_.contains(category)); }
    std::string category() { return categories_[dice_.below(categories_.size())]; }
    const model::JournalRecord* find_record(const std::string& id) const {
        const auto at = records_.find(id);
        return at == records_.end() ? nullptr : &at->second;
    }

    void add(const std::string& id, const std::string& category, model::JournalBody body) {
        model::JournalRecord record;
        record.id = id;
        record.category_id = category;
        record.revision = 1 + static_cast<std::int64_t>(dice_.below(5));
        record.created_at = now_ - base::hours(100);
        record.updated_at = now_ - base::hours(50);
        record.body = std::move(body);
        const bool is_category = record.kind() == model::JournalKind::category;
        if (!is_category && dice_.one_in(12)) record.deleted_at = record.updated_at;
        if (!scope_.contains(category)) record.extension = model::RawJson::trusted(R"({"a.b":"zzyzx"})");
        by_kind_[record.kind()].push_back(id);
        all_.push_back(id);
        records_.emplace(id, std::move(record));
    }
    // The id of some record of this kind; now and then of any, or of none.
    std::string some(model::JournalKind kind) {
        if (dice_.one_in(15)) return new_id();
        const std::vector<std::string>& of = dice_.one_in(10) || by_kind_[kind].empty() ? all_ : by_kind_[kind];
        return of[dice_.below(of.size())];
    }
    // Mostly where its owner is.
    std::string category_beside(const std::string& owner) {
        const model::JournalRecord* const there = find_record(owner);
        return there == nullptr || dice_.one_in(4) ? category() : there->category_id;
    }

    void fill() {
        for (int i = 0; i < 3; ++i) {
            const std::string in = category();
            add(new_id(), in, model::Label{std::string(secret_word) + std::to_string(i), ""});
        }
        for (std::uint64_t count = dice_.below(4); count > 0; --count) {
            const std::string in = category();
            model::Entry entry;
            entry.text = text(in);
            add(new_id(), in, entry);
        }
        for (std::uint64_t count = 5 + dice_.below(8); count > 0; --count) add_task();
        for (std::uint64_t count = 3 + dice_.below(6); count > 0; --count) {
            const std::string task = some(model::JournalKind::task);
            const std::string in = category_beside(task);
            add(new_id(), in, model::Checklist{task, text(in), static_cast<std::int64_t>(dice_.below(3))});
        }
        for (std::uint64_t count = 5 + dice_.below(12); count > 0; --count) {
            const std::string list = some(model::JournalKind::checklist);
            const std::string in = category_beside(list);
            add(new_id(), in, model::ChecklistItem{list, text(in), dice_.one_in(3), 0});
        }
        for (std::uint64_t count = 3 + dice_.below(5); count > 0; --count) add_time(count == 1 && dice_.one_in(2));
        for (const char* const date : scope_dates) {
            if (dice_.one_in(2)) add_plan(date);
        }
        for (std::uint64_t count = 2 + dice_.below(6); count > 0; --count) add_rating();
        for (std::uint64_t count = 3 + dice_.below(8); count > 0; --count) add_link();
    }
    void add_task() {
        const std::string in = category();
        model::Task task;
        task.title = text(in);
        task.text = text(in);
        task.status = static_cast<model::TaskStatus>(dice_.below(7));
        if (dice_.one_in(2)) task.due_date = scope_dates[dice_.below(std::size(scope_dates))];
        const auto& labels = by_kind_[model::JournalKind::label];
        if (dice_.one_in(2)) task.label_ids = {labels[dice_.below(labels.size())]};
        add(new_id(), in, task);
    }
    void add_time(bool is_running) {
        model::TimeEntry time;
        time.task_id = dice_.one_in(6) ? std::string() : some(model::JournalKind::task);
        if (dice_.one_in(3)) time.source_entry_id = some(model::JournalKind::entry);
        const std::string in = category_beside(time.task_id);
        time.note = text(in);
        time.started_at = now_ - base::hours(1 + static_cast<std::int64_t>(dice_.below(60)));
        if (!is_running) time.ended_at = time.started_at + base::seconds(60);
        add(new_id(), in, time);
    }
    void add_plan(const std::string& date) {
        const std::string in = dice_.one_in(2) ? std::string(model::default_category) : category();
        model::DayPlan plan;
        plan.plan_date = date;
        plan.note = text(in);
        base::Timestamp start = *base::parse_timestamp(date + "T06:00:00Z");
        for (std::uint64_t count = dice_.below(5); count > 0; --count, start = start + base::hours(1)) {
            const std::string of = category();
            const std::string task = dice_.one_in(2) ? std::string() : some(model::JournalKind::task);
            plan.blocks.push_back({new_id(), of, start, start + base::hours(1), text(of), task});
        }
        for (std::uint64_t count = dice_.below(4); count > 0; --count) {
            std::string task = some(model::JournalKind::task);
            if (std::ranges::find(plan.pinned_task_ids, task) == plan.pinned_task_ids.end()) {
                plan.pinned_task_ids.push_back(std::move(task));
            }
        }
        add(model::day_plan_id(date), in, plan);
    }
    void add_rating() {
        model::Rating rating;
        rating.target = static_cast<model::RatingTarget>(dice_.below(3));
        rating.target_id = rating.target == model::RatingTarget::session
                               ? some(model::JournalKind::time_entry)
                               : scope_dates[dice_.below(std::size(scope_dates))];
        rating.score = 1 + static_cast<std::int64_t>(dice_.below(5));
        const std::string id = model::rating_id(rating.target, rating.target_id);
        if (records_.contains(id)) return;
        model::JournalRecord record;
        record.category_id = category_beside(rating.target_id);
        record.body = rating;
        const auto find = [&](const std::string& one) { return find_record(one); };
        rating.note = text(!is_visible(record, scope_, find));
        add(id, record.category_id, rating);
    }
    void add_link() {
        static constexpr const char* relations[] = {"follow_up", "blocked_by"};
        model::Link link;
        link.relation = relations[dice_.below(2)];
        link.from_id = all_[dice_.below(all_.size())];
        link.to_id = all_[dice_.below(all_.size())];
        link.revision = 1;
        link.created_at = now_ - base::hours(1);
        link.updated_at = link.created_at;
        link.metadata = model::RawJson::trusted(R"({"why":"zzyzx"})");
        if (dice_.one_in(10)) link.deleted_at = link.created_at;
        if (link.from_id != link.to_id) links_[{link.relation, link.from_id + '\n' + link.to_id}] = link;
    }

    SeededRandom dice_;
    base::Timestamp now_;
    std::vector<std::string> categories_;
    std::set<std::string> scope_;
    std::set<std::string> given_;  // all ids that were made up for it
    std::map<std::string, model::JournalRecord> records_;
    std::map<std::pair<std::string, std::string>, model::Link> links_;
    std::map<model::JournalKind, std::vector<std::string>> by_kind_;
    std::vector<std::string> all_;
};

}  // namespace belfry::sim
