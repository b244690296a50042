#include "sim/journal_cast.hpp"

#include <array>

#include "model/journal_fields.hpp"
#include "rules/journal_check.hpp"

namespace belfry::sim {
namespace {

using model::JournalKind;
using model::JournalRecord;

constexpr std::array<const char*, 4> relations{"parent", "blocked_by", "follow_up", "tool_effect"};
constexpr std::uint32_t all_fields = 0x7FF;

template <class C>
ports::AnyCommand by_house(std::unique_ptr<C> command) {
    command->principal = model::house_principal();
    return command;
}

}  // namespace

const std::vector<std::string> JournalCast::allowed{"general", "gym"};

ports::AnyCommand JournalCast::act(const JournalLook& known, base::Timestamp now) {
    user_ = random_.one_in(3) ? "bob" : "ada";
    const std::uint64_t draw = random_.below(1000);
    if (draw < 350) return create(known, now);
    if (draw < 650) return change(known, now);
    if (draw < 730) return remove(known);
    if (draw < 840) return link(known);
    if (draw < 880) return unlink(known);
    if (draw < 930) return import(known, now);
    return agents_turn();
}

void JournalCast::heard(const ports::Command& command) {
    const auto* const claim = dynamic_cast<const ports::ClaimWake*>(&command);
    if (claim == nullptr || !claim->result().ok() || !claim->result()->grant) return;
    const model::Wake& wake = claim->result()->grant->wake;
    claim_ = {wake.id, wake.fence};
}

// The agent is woken, claims, and ends; in between it writes.
ports::AnyCommand JournalCast::agents_turn() {
    if (claim_ && random_.one_in(3)) {
        auto end = std::make_unique<ports::EndWake>();
        end->id = claim_->wake_id;
        end->fence = claim_->fence;
        if (!random_.one_in(4)) claim_.reset();  // else it goes on as if it had not ended
        return by_house(std::move(end));
    }
    if (random_.one_in(2)) {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = agent;
        wake->request_id = "r" + std::to_string(++named_);
        return by_house(std::move(wake));
    }
    auto claim = std::make_unique<ports::ClaimWake>();
    claim->agents = {agent};
    claim->holder = "w";
    return by_house(std::move(claim));
}

std::optional<ports::JournalClaim> JournalCast::some_claim() {
    if (user_ != "ada" || !claim_ || !random_.one_in(3)) return std::nullopt;
    return claim_;
}

JournalKind JournalCast::some_kind() {
    // Tasks and what belongs to them more often than the rest.
    if (random_.one_in(3)) return JournalKind::task;
    return static_cast<JournalKind>(random_.below(model::journal_kind_count));
}

const JournalRecord* JournalCast::some_record(const JournalLook& known, std::optional<JournalKind> kind) {
    std::vector<const JournalRecord*> fitting;
    for (const auto& [key, record] : known.records) {
        const bool is_fitting = record.user_id == user_ && (!kind || record.kind() == *kind);
        if (is_fitting && (!record.deleted_at || random_.one_in(8))) fitting.push_back(&record);
    }
    return fitting.empty() ? nullptr : fitting[random_.below(fitting.size())];
}

std::string JournalCast::some(const JournalLook& known, std::optional<JournalKind> kind) {
    if (random_.one_in(30)) return "nothing";
    const JournalRecord* const record = some_record(known, random_.one_in(30) ? std::nullopt : kind);
    return record == nullptr ? std::string() : record->id;
}

std::string JournalCast::some_category(const JournalLook& known) {
    if (random_.one_in(3)) return some(known, JournalKind::category);
    constexpr std::array<const char*, 3> usual{"general", "gym", "home"};
    return usual[random_.below(usual.size())];
}

std::string JournalCast::some_text() {
    constexpr std::array<const char*, 8> words{"milk", "Run", "ÄPFEL", "run, milk", "two\nlines", "", "x9", "ΣΊΣΥΦΟΣ"};
    return words[random_.below(words.size())];
}

std::string JournalCast::some_date() {
    if (random_.one_in(4)) return "";
    return "2026-11-" + std::to_string(10 + random_.below(random_.one_in(20) ? 30 : 5));
}

base::Timestamp JournalCast::some_time(base::Timestamp now) {
    return now - base::seconds(static_cast<std::int64_t>(random_.below(100)));
}

model::JournalBody JournalCast::body(JournalKind kind, const JournalLook& known, base::Timestamp now) {
    const auto number = [this]() -> std::optional<std::int64_t> {
        if (random_.one_in(2)) return std::nullopt;
        return static_cast<std::int64_t>(random_.below(100));
    };
    switch (kind) {
        case JournalKind::category: return model::Category{some_text(), random_.one_in(2) ? "#3366cc" : ""};
        case JournalKind::label: return model::Label{some_text(), ""};
        case JournalKind::entry: {
            model::Entry entry;
            entry.type = static_cast<model::EntryType>(random_.below(4));
            entry.text = some_text();
            if (entry.type == model::EntryType::workout) entry.workout_type = random_.one_in(2) ? "running" : "rowing";
            if (entry.type == model::EntryType::audio) entry.duration_s = number();
            return entry;
        }
        case JournalKind::task: {
            model::Task task;
            task.title = some_text() + "t";
            task.text = some_text();
            task.status = static_cast<model::TaskStatus>(random_.below(model::task_status_names.size()));
            task.priority = static_cast<model::TaskPriority>(random_.below(4));
            task.due_date = some_date();
            task.estimate_min = number();
            for (std::uint64_t i = random_.below(3); i > 0; --i)
                task.label_ids.push_back(some(known, JournalKind::label));
            std::erase(task.label_ids, "");
            return task;
        }
        case JournalKind::checklist:
            return model::Checklist{some(known, JournalKind::task), some_text() + "c", number().value_or(0)};
        case JournalKind::checklist_item:
            return model::ChecklistItem{some(known, JournalKind::checklist), some_text() + "i", random_.one_in(2), 0};
        case JournalKind::time_entry: {
            model::TimeEntry time;
            if (random_.one_in(2)) time.task_id = some(known, JournalKind::task);
            time.note = some_text();
            time.started_at = some_time(now);
            if (!random_.one_in(3)) time.ended_at = now;
            return time;
        }
        case JournalKind::day_plan: {
            model::DayPlan plan;
            plan.plan_date = some_date();
            plan.note = some_text();
            for (std::uint64_t i = random_.below(3); i > 0; --i) {
                plan.blocks.push_back({"b" + std::to_string(i), some_category(known), some_time(now), now, some_text(),
                                       random_.one_in(2) ? some(known, JournalKind::task) : ""});
            }
            return plan;
        }
        case JournalKind::rating: break;
    }
    model::Rating rating;
    rating.target = static_cast<model::RatingTarget>(random_.below(3));
    rating.target_id =
        rating.target == model::RatingTarget::session ? some(known, JournalKind::time_entry) : some_date();
    rating.score = static_cast<std::int64_t>(random_.below(7));
    return rating;
}

model::JournalWish JournalCast::wish(JournalKind kind, const JournalLook& known, base::Timestamp now) {
    model::JournalWish wish;
    wish.values = body(kind, known, now);
    wish.given = random_.one_in(3) ? static_cast<std::uint32_t>(random_.next()) & all_fields : all_fields;
    if (random_.one_in(3)) wish.category_id = some_category(known);
    if (random_.one_in(6)) {
        wish.extension = model::RawJson::trusted("{\"acme.n\":" + std::to_string(random_.below(3)) + "}");
    }
    return wish;
}

ports::AnyCommand JournalCast::create(const JournalLook& known, base::Timestamp now) {
    auto command = std::make_unique<ports::CreateRecord>();
    command->user_id = user_;
    const JournalKind kind = some_kind();
    command->wish = wish(kind, known, now);
    if (kind == JournalKind::category) {
        command->id = random_.one_in(2) ? some_category(known) : "cat" + std::to_string(random_.below(5));
        command->wish.category_id.reset();
    } else if (random_.one_in(2)) {
        command->id = random_.one_in(3) ? some(known, std::nullopt) : "r" + std::to_string(random_.below(200));
    }
    if (random_.one_in(3)) command->wish.given = all_fields;
    command->claim = some_claim();
    return by_house(std::move(command));
}

ports::AnyCommand JournalCast::change(const JournalLook& known, base::Timestamp now) {
    auto command = std::make_unique<ports::ChangeRecord>();
    command->user_id = user_;
    const JournalRecord* const record = some_record(known, some_kind());
    const JournalKind kind = record == nullptr ? some_kind() : record->kind();
    command->id = record == nullptr ? "nothing" : record->id;
    command->wish = wish(kind, known, now);
    // What stays as it was made would be refused mostly.
    if (kind == JournalKind::entry || kind == JournalKind::day_plan) command->wish.given &= ~1U;
    if (kind == JournalKind::rating) command->wish.given &= ~3U;
    if (record != nullptr && random_.one_in(2)) {
        command->revision = record->revision - (random_.one_in(4) ? 1 : 0);
    }
    if (record != nullptr && random_.one_in(8)) {
        command->wish.given = 0;
        command->wish.extension.reset();
        command->wish.category_id = some_category(known);
    }
    if (command->wish.category_id && command->wish.category_id->empty()) command->wish.category_id.reset();
    command->claim = some_claim();
    return by_house(std::move(command));
}

ports::AnyCommand JournalCast::remove(const JournalLook& known) {
    auto command = std::make_unique<ports::DeleteRecord>();
    command->user_id = user_;
    const JournalRecord* const record = some_record(known, std::nullopt);
    command->kind = record == nullptr || random_.one_in(20) ? some_kind() : record->kind();
    command->id = record == nullptr ? "nothing" : record->id;
    if (record != nullptr && random_.one_in(2)) command->revision = record->revision - (random_.one_in(4) ? 1 : 0);
    command->claim = some_claim();
    return by_house(std::move(command));
}

ports::AnyCommand JournalCast::link(const JournalLook& known) {
    auto command = std::make_unique<ports::PutLink>();
    command->user_id = user_;
    command->draft.relation = relations[random_.below(random_.one_in(10) ? 4 : 3)];
    command->draft.from_id = some(known, std::nullopt);
    command->draft.to_id = some(known, std::nullopt);
    command->draft.hidden = random_.one_in(3);
    if (random_.one_in(2)) {
        command->draft.metadata = model::RawJson::trusted("{\"n\":" + std::to_string(random_.below(3)) + "}");
    }
    command->claim = some_claim();
    return by_house(std::move(command));
}

ports::AnyCommand JournalCast::unlink(const JournalLook& known) {
    auto command = std::make_unique<ports::DeleteLink>();
    command->user_id = user_;
    std::vector<const model::Link*> mine;
    for (const auto& [name, link] : known.links) {
        if (link.user_id == user_) mine.push_back(&link);
    }
    if (!mine.empty()) {
        const model::Link& link = *mine[random_.below(mine.size())];
        command->relation = link.relation;
        command->from_id = link.from_id;
        command->to_id = link.to_id;
    }
    command->claim = some_claim();
    return by_house(std::move(command));
}

// Records of elsewhere, some that are there already, and some of these with a difference.
ports::AnyCommand JournalCast::import(const JournalLook& known, base::Timestamp now) {
    auto command = std::make_unique<ports::ImportJournal>();
    command->user_id = user_;
    for (std::uint64_t i = 1 + random_.below(6); i > 0; --i) {
        const JournalRecord* const there = some_record(known, std::nullopt);
        if (there != nullptr && random_.one_in(3)) {
            JournalRecord record = *there;
            if (random_.one_in(2)) ++record.revision;
            command->items.emplace_back(std::move(record));
            continue;
        }
        JournalRecord record;
        const JournalKind kind = some_kind();
        record.body = body(kind, known, now);
        record.id = rules::made_id(record.body);
        if (record.id.empty()) record.id = "imp" + std::to_string(random_.below(300));
        record.category_id = kind == JournalKind::category ? record.id : "general";
        record.revision = static_cast<std::int64_t>(random_.below(9));
        record.created_at = some_time(now);
        record.updated_at = now;
        if (random_.one_in(3)) record.deleted_at = now;
        command->items.emplace_back(record);
        if (there == nullptr || !random_.one_in(2)) continue;
        model::Link link;
        link.relation = relations[random_.below(3)];
        link.from_id = there->id;
        link.to_id = record.id;
        link.revision = 1 + static_cast<std::int64_t>(random_.below(4));
        link.created_at = some_time(now);
        link.updated_at = now;
        command->items.emplace_back(std::move(link));
    }
    return by_house(std::move(command));
}

}  // namespace belfry::sim
