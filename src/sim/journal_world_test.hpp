#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/commands/journal.hpp"
#include "rules/journal_terms.hpp"
#include "rules/journal_wish.hpp"
#include "sim/changes_world_test.hpp"
#include "sim/journal_look.hpp"

// The journal through the real engine and the real store, in time that the test gives. Only tests include it.
namespace belfry::sim {

// A wish that names these fields, with what stands in the body.
inline model::JournalWish wish_of(model::JournalBody body, std::initializer_list<std::string_view> names) {
    model::JournalWish wish;
    wish.values = std::move(body);
    std::uint32_t given = 0;
    for (std::uint32_t place = 0; place < 32; ++place) {
        wish.given = 1U << place;
        for (const std::string_view name : names) {
            if (rules::is_given(wish, name)) given |= wish.given;
        }
    }
    wish.given = given;
    return wish;
}

class JournalTest : public Changes {
protected:
    using Records = std::map<JournalLook::Key, model::JournalRecord>;

    static model::JournalWish task_wish(const std::string& title) {
        model::Task task;
        task.title = title;
        return wish_of(task, {"title"});
    }
    static model::JournalWish category_wish(const std::string& name) {
        return wish_of(model::Category{name, ""}, {"name"});
    }
    std::unique_ptr<ports::CreateRecord> creation(const std::string& id, model::JournalWish wish,
                                                  const std::string& category = {}) {
        auto command = std::make_unique<ports::CreateRecord>();
        command->user_id = user_;
        command->id = id;
        command->wish = std::move(wish);
        if (!category.empty()) command->wish.category_id = category;
        return command;
    }
    model::JournalRecord make(const std::string& id, model::JournalWish wish, const std::string& category = {}) {
        return ask(creation(id, std::move(wish), category)).record;
    }
    base::Error refusal(const std::string& id, model::JournalWish wish, const std::string& category = {}) {
        return error_of(try_to(creation(id, std::move(wish), category)));
    }
    std::unique_ptr<ports::ChangeRecord> change_of(const std::string& id, model::JournalWish wish,
                                                   std::optional<std::int64_t> revision = {}) {
        auto command = std::make_unique<ports::ChangeRecord>();
        command->user_id = user_;
        command->id = id;
        command->wish = std::move(wish);
        command->revision = revision;
        return command;
    }
    base::Result<model::JournalRecord> alter(const std::string& id, model::JournalWish wish,
                                             std::optional<std::int64_t> revision = {}) {
        return try_to(change_of(id, std::move(wish), revision));
    }
    base::Result<model::JournalRecord> move_to(const std::string& id, model::JournalBody kind,
                                               const std::string& category) {
        model::JournalWish wish = wish_of(std::move(kind), {});
        wish.category_id = category;
        return alter(id, std::move(wish));
    }
    std::unique_ptr<ports::DeleteRecord> removal(model::JournalKind kind, const std::string& id,
                                                 std::optional<std::int64_t> revision = {}) {
        auto command = std::make_unique<ports::DeleteRecord>();
        command->user_id = user_;
        command->kind = kind;
        command->id = id;
        command->revision = revision;
        return command;
    }
    base::Result<model::JournalRecord> remove(model::JournalKind kind, const std::string& id,
                                              std::optional<std::int64_t> revision = {}) {
        return try_to(removal(kind, id, revision));
    }
    std::unique_ptr<ports::PutLink> link_of(const std::string& relation, const std::string& from, const std::string& to,
                                            bool hidden = false) {
        auto command = std::make_unique<ports::PutLink>();
        command->user_id = user_;
        command->draft.relation = relation;
        command->draft.from_id = from;
        command->draft.to_id = to;
        command->draft.hidden = hidden;
        return command;
    }
    base::Result<model::Link> unlink(const std::string& relation, const std::string& from, const std::string& to) {
        auto command = std::make_unique<ports::DeleteLink>();
        command->user_id = user_;
        command->relation = relation;
        command->from_id = from;
        command->to_id = to;
        return try_to(std::move(command));
    }
    template <class T>
    static base::Error error_of(const base::Result<T>& result) {
        return result.ok() ? base::Error{base::Code::internal, "it was taken", "", "taken in"} : result.error();
    }

    JournalLook look() {
        auto looked = look_at_journal(*store_, {"ada", "bob"});
        EXPECT_TRUE(looked.ok()) << (looked.ok() ? "" : looked.error().message);
        return looked.ok() ? std::move(*looked) : JournalLook{};
    }
    // `task t-1 user key:TASK …`, since the last time, agents' own left out.
    std::vector<std::string> new_changes() {
        std::vector<std::string> lines;
        for (const model::Change& change : look().changes) {
            if (change.number <= seen_) continue;
            seen_ = change.number;
            if (change.unit.kind == model::agent_kind || change.unit.kind == model::agent_state_kind) continue;
            std::string line = change.unit.kind + " " + change.unit.id + " " + model::origin_text(change.origin);
            for (const model::ChangeToken& token : change.tokens) line += " " + model::to_text(token);
            lines.push_back(std::move(line));
        }
        return lines;
    }
    // Terms are those of the records, whatever was done to them.
    void expect_terms() {
        const JournalLook all = look();
        std::set<ports::JournalTerm> wanted;
        for (const auto& [key, record] : all.records) {
            for (const std::string& term : rules::terms_of(record)) {
                wanted.insert({record.user_id, term, record.number, record.category_id, record.kind()});
            }
        }
        EXPECT_EQ(all.terms, wanted);
    }
    model::JournalRecord record(const std::string& id) {
        const JournalLook all = look();
        const auto at = all.records.find({user_, id});
        return at == all.records.end() ? model::JournalRecord{} : at->second;
    }

    std::string user_ = "ada";
    std::int64_t seen_ = 0;
};

}  // namespace belfry::sim
