#include "rules/journal_check.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/characters.hpp"
#include "base/date.hpp"
#include "model/journal_fields.hpp"
#include "rules/agent.hpp"
#include "rules/journal_visitor.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using base::Result;

base::Error refused(std::string message, std::string_view field) {
    return base::error(Code::invalid, std::move(message), std::string(field));
}

base::Error too_large(std::size_t max, const char* of_what, std::string_view field) {
    return base::error(Code::too_large, "may have " + std::to_string(max) + ' ' + of_what + " at the most",
                       std::string(field));
}

enum class Lines { one, several };

Result<void> check_text(std::string_view text, std::size_t bytes_max, Lines lines, std::string_view field) {
    if (text.size() > bytes_max) return too_large(bytes_max, "bytes", field);
    while (!text.empty()) {
        const base::Character next = base::first_character(text);
        const bool is_layout = next.code == U'\n' || next.code == U'\r' || next.code == U'\t';
        if (base::is_harmful(next.code) && !(is_layout && lines == Lines::several)) {
            return refused("must not have characters that nobody sees or that turn text around", field);
        }
        text.remove_prefix(next.bytes);
    }
    return {};
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_color(std::string_view text) {
    const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
    return text.size() == 7 && text.front() == '#' && std::ranges::all_of(text.substr(1), is_hex);
}

// Two to eight letters, then parts of one to eight letters and digits: pt-BR.
bool is_language(std::string_view text) {
    bool is_first = true;
    while (true) {
        const std::string_view part = text.substr(0, text.find('-'));
        const auto fits = [is_first](char c) { return is_letter(c) || (!is_first && is_digit(c)); };
        if (part.size() < (is_first ? 2U : 1U) || part.size() > 8 || !std::ranges::all_of(part, fits)) return false;
        if (part.size() == text.size()) return true;
        text.remove_prefix(part.size() + 1);
        is_first = false;
    }
}

Result<void> check_date(std::string_view text, std::string_view field) {
    if (base::parse_date(text)) return {};
    return refused("must be a date, such as 2026-11-16", field);
}

Result<void> check_block(const model::PlanBlock& block, std::set<std::string_view>& ids) {
    TRY(check_journal_id(block.id, "blocks.id"));
    if (!ids.insert(block.id).second) return refused("two blocks must not have the same id", "blocks.id");
    TRY(check_journal_id(block.category_id, "blocks.category_id"));
    if (!block.task_id.empty()) TRY(check_journal_id(block.task_id, "blocks.task_id"));
    TRY(check_text(block.note, limits::journal_title_bytes_max, Lines::several, "blocks.note"));
    if (block.end_at < block.start_at) return refused("must not lie before start_at", "blocks.end_at");
    return {};
}

// Looks at each field of one body by itself.
template <class T>
class CheckVisitor : public FieldVisitor<T> {
public:
    // `before`: the stored body that this one replaces, or null.
    CheckVisitor(const T& body, const T* before) : body_(body), before_(before) {}
    [[nodiscard]] Result<void> take() { return std::move(found_); }

    void text(std::string_view name, std::string T::* member, const model::TextRule& rule) {
        const std::string& text = body_.*member;
        if (rule.required && text.empty()) return note(refused("must not be empty", name));
        note(check_text(text, rule.bytes_max, rule.lines ? Lines::several : Lines::one, name));
        if (text.empty()) return;
        if (name == "color" && !is_color(text)) note(refused("must be a colour, such as #3366cc", name));
        if (name == "language" && !is_language(text)) note(refused("must be a language tag, such as pt-BR", name));
    }
    void date(std::string_view name, std::string T::* member, const model::FieldRule& rule) {
        if (rule.required || !(body_.*member).empty()) note(check_date(body_.*member, name));
    }
    void integer(std::string_view name, std::int64_t T::* member, const model::IntegerRule& rule) {
        number(name, body_.*member, rule);
    }
    void integer(std::string_view name, std::optional<std::int64_t> T::* member, const model::IntegerRule& rule) {
        if (body_.*member) number(name, *(body_.*member), rule);
    }
    void reference(std::string_view name, std::string T::* member, model::JournalKind, const model::FieldRule& rule) {
        if (rule.required || !(body_.*member).empty()) note(check_journal_id(body_.*member, name));
    }
    void references(std::string_view name, std::vector<std::string> T::* member, model::JournalKind) {
        const std::vector<std::string>& ids = body_.*member;
        const bool is_too_large = ids.size() > limits::journal_list_max && !is_as_before(member);
        if (is_too_large) return note(too_large(limits::journal_list_max, "entries", name));
        for (const std::string& id : ids) note(check_journal_id(id, name));
        if (std::set<std::string_view>(ids.begin(), ids.end()).size() != ids.size()) {
            note(refused("must name each only once", name));
        }
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::* member) {
        const std::vector<model::PlanBlock>& all = body_.*member;
        const bool is_too_large = all.size() > limits::journal_blocks_max && !is_as_before(member);
        if (is_too_large) return note(too_large(limits::journal_blocks_max, "blocks", name));
        std::set<std::string_view> ids;
        for (const model::PlanBlock& block : all) note(check_block(block, ids));
        if (!std::ranges::is_sorted(all, {}, &model::PlanBlock::start_at)) {
            note(refused("must stand in the order of their start_at", name));
        }
    }

private:
    void note(Result<void> result) {
        if (found_.ok()) found_ = std::move(result);
    }
    void number(std::string_view name, std::int64_t value, const model::IntegerRule& rule) {
        if (value >= rule.min && value <= rule.max) return;
        note(refused("must lie between " + std::to_string(rule.min) + " and " + std::to_string(rule.max), name));
    }

    // A list that devices have merged may be beyond the limit of one write: it hinders no change of other fields.
    template <class E>
    [[nodiscard]] bool is_as_before(std::vector<E> T::* member) const {
        return before_ != nullptr && before_->*member == body_.*member;
    }

    const T& body_;
    const T* before_;
    Result<void> found_;
};

Result<void> check_span(const std::optional<base::Timestamp>& from, const std::optional<base::Timestamp>& to) {
    if (!from || !to || *from <= *to) return {};
    return refused("must not lie before started_at", "ended_at");
}

// What each type of entry has beside its text and its time.
Result<void> check_members(const model::Entry& entry) {
    using model::EntryType;
    const bool is_audio = entry.type == EntryType::audio;
    const bool is_workout = entry.type == EntryType::workout;
    const bool is_answer = entry.type == EntryType::ai_response;
    const struct {
        const char* name;
        bool is_there;
        bool may_be;
    } members[] = {
        {"audio_uri", !entry.audio_uri.empty(), is_audio},
        {"duration_s", entry.duration_s.has_value(), is_audio || is_workout},
        {"workout_type", !entry.workout_type.empty(), is_workout},
        {"energy_kcal", entry.energy_kcal.has_value(), is_workout},
        {"distance_m", entry.distance_m.has_value(), is_workout},
        {"model_id", !entry.model_id.empty(), is_answer},
        {"prompt", !entry.prompt.empty(), is_answer},
    };
    for (const auto& member : members) {
        if (!member.is_there || member.may_be) continue;
        const std::string_view type = model::entry_type_names[static_cast<std::size_t>(entry.type)];
        return refused("an entry of the type " + std::string(type) + " has no such member", member.name);
    }
    return {};
}

Result<void> check_whole(const model::JournalBody& body) {
    if (const auto* entry = std::get_if<model::Entry>(&body)) {
        TRY(check_members(*entry));
        return check_span(entry->started_at, entry->ended_at);
    }
    if (const auto* time = std::get_if<model::TimeEntry>(&body)) return check_span(time->started_at, time->ended_at);
    if (const auto* rating = std::get_if<model::Rating>(&body)) {
        const bool is_of_day = rating->target != model::RatingTarget::session;
        return is_of_day ? check_date(rating->target_id, "target_id")
                         : check_journal_id(rating->target_id, "target_id");
    }
    return {};
}

bool is_relation(std::string_view text) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; };
    return !text.empty() && text.size() <= limits::link_relation_chars_max && text.front() >= 'a' &&
           text.front() <= 'z' && std::ranges::all_of(text, fits);
}

// Ids that Belfry will want for a record of one kind are of no use to any other.
Result<void> check_reserved(const model::JournalRecord& record) {
    using enum model::JournalKind;
    const std::string_view id = record.id;
    const bool is_plans = id.starts_with(model::day_plan_id(""));
    const bool is_ratings = id.starts_with("rating:");
    if (id == model::default_category && record.kind() != category) return refused("is the id of a category", "id");
    if (is_plans && record.kind() != day_plan) return refused("day_plan: begins the ids of day plans", "id");
    if (is_ratings && record.kind() != rating) return refused("rating: begins the ids of ratings", "id");
    return {};
}

}  // namespace

Result<void> check_journal_id(std::string_view id, std::string_view field) {
    if (id.empty()) return refused("must not be empty", field);
    return check_text(id, limits::journal_id_bytes_max, Lines::one, field);
}

std::string made_id(const model::JournalBody& body) {
    if (const auto* plan = std::get_if<model::DayPlan>(&body)) return model::day_plan_id(plan->plan_date);
    if (const auto* rating = std::get_if<model::Rating>(&body)) {
        return model::rating_id(rating->target, rating->target_id);
    }
    return {};
}

Result<void> check_record(const model::JournalRecord& record, const model::JournalRecord* before) {
    TRY(std::visit(
        [before]<class T>(const T& body) {
            CheckVisitor<T> visit(body, before != nullptr ? std::get_if<T>(&before->body) : nullptr);
            describe(visit, std::type_identity<T>{});
            return visit.take();
        },
        record.body));
    TRY(check_whole(record.body));
    TRY(check_journal_id(record.id, "id"));
    if (const std::string must = made_id(record.body); !must.empty() && record.id != must) {
        return refused("must be " + must, "id");
    }
    TRY(check_reserved(record));
    TRY(check_journal_id(record.category_id, "category_id"));
    if (record.kind() == model::JournalKind::category && record.category_id != record.id) {
        return refused("a category is its own", "category_id");
    }
    if (record.kind() == model::JournalKind::category && record.id.find(',') != std::string::npos) {
        return refused("must have no comma, which stands between categories where they are listed", "id");
    }
    if (record.extension.bytes().size() > limits::journal_extension_bytes_max) {
        return too_large(limits::journal_extension_bytes_max, "bytes", "extension");
    }
    if (record.extension.view().kind() != model::JsonKind::object) return refused("must be an object", "extension");
    return check_extension(record.extension, "extension");
}

Result<void> check_new_id(const model::JournalRecord& record) {
    const auto* const rating = std::get_if<model::Rating>(&record.body);
    const std::string& id = rating != nullptr ? rating->target_id : record.id;
    if (id.size() <= limits::journal_new_id_bytes_max) return {};
    return too_large(limits::journal_new_id_bytes_max, "bytes", rating != nullptr ? "target_id" : "id");
}

Result<void> check_link(const model::Link& link) {
    if (!is_relation(link.relation)) {
        return refused("must be a small letter and then small letters, digits and '_', at most " +
                           std::to_string(limits::link_relation_chars_max) + " in all",
                       "relation");
    }
    if (std::ranges::find(model::agent_relations, link.relation) != model::agent_relations.end()) {
        return refused("links of agents are made by Belfry alone", "relation");
    }
    TRY(check_journal_id(link.from_id, "from_id"));
    TRY(check_journal_id(link.to_id, "to_id"));
    if (link.from_id == link.to_id) return refused("must be another record", "to_id");
    if (link.metadata.bytes().size() > limits::link_metadata_bytes_max) {
        return too_large(limits::link_metadata_bytes_max, "bytes", "metadata");
    }
    if (link.metadata.view().kind() != model::JsonKind::object) return refused("must be an object", "metadata");
    return {};
}

}  // namespace belfry::rules
