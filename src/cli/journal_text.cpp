#include "cli/journal_text.hpp"

#include "cli/console.hpp"
#include "cli/table.hpp"
#include "model/journal_fields.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t shown_bytes_max = 100;

template <std::size_t count, class Enum>
std::string name_of(const std::array<std::string_view, count>& names, Enum value) {
    return std::string(names[static_cast<std::size_t>(value)]);
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
    return all;
}

std::string span_text(base::Timestamp from, const std::optional<base::Timestamp>& to, const LocalClock& clock) {
    if (!to) return "since " + clock.shown(from);
    const bool is_one_day = clock.date_of(from) == clock.date_of(*to);
    return clock.shown(from) + '-' + (is_one_day ? clock.time_of(*to) : clock.shown(*to));
}

// What a record is, as a title.
struct Title {
    const LocalClock& clock;

    std::string operator()(const model::Category& it) const { return it.name; }
    std::string operator()(const model::Label& it) const { return it.name; }
    std::string operator()(const model::Entry& it) const {
        if (!it.text.empty()) return it.text;
        return it.workout_type.empty() ? it.audio_uri : it.workout_type;
    }
    std::string operator()(const model::Task& it) const { return it.title; }
    std::string operator()(const model::Checklist& it) const { return it.title; }
    std::string operator()(const model::ChecklistItem& it) const { return it.title; }
    std::string operator()(const model::TimeEntry& it) const {
        return span_text(it.started_at, it.ended_at, clock) + (it.note.empty() ? "" : ' ' + it.note);
    }
    std::string operator()(const model::DayPlan& it) const { return "plan of " + it.plan_date; }
    std::string operator()(const model::Rating& it) const {
        return name_of(model::rating_target_names, it.target) + ' ' + it.target_id + " rated " +
               std::to_string(it.score) + (it.note.empty() ? "" : ": " + it.note);
    }
};

// What stands behind the title, in brackets.
struct Facts {
    std::string operator()(const model::Entry& it) const { return name_of(model::entry_type_names, it.type); }
    std::string operator()(const model::Task& it) const {
        return name_of(model::task_status_names, it.status) + ", " + name_of(model::task_priority_names, it.priority) +
               (it.due_date.empty() ? "" : ", due " + it.due_date);
    }
    std::string operator()(const model::ChecklistItem& it) const { return it.checked ? "checked" : "open"; }
    std::string operator()(const model::TimeEntry& it) const {
        return it.ended_at ? hours_text(*it.ended_at - it.started_at) : "running";
    }
    std::string operator()(const model::DayPlan& it) const {
        return std::to_string(it.blocks.size()) + (it.blocks.size() == 1 ? " block, " : " blocks, ") +
               std::to_string(it.pinned_task_ids.size()) + " pinned";
    }
    std::string operator()(const auto&) const { return {}; }
};

// The fields of one body as rows of a table; long texts are kept for below it.
template <class T>
class FieldRows {
public:
    FieldRows(const T& body, const LocalClock& clock, Table& table, std::string& below)
        : body_(body), clock_(clock), table_(table), below_(below) {}

    void text(std::string_view name, std::string T::* member, const model::TextRule& rule) {
        const std::string& text = body_.*member;
        if (!rule.lines || text.find('\n') == std::string::npos) return add(name, text);
        below_ += "\n" + std::string(name) + ":\n";
        std::string_view rest = text;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            host::append_printable(below_, rest.substr(0, end));
            below_ += '\n';
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    void date(std::string_view name, std::string T::* member, const model::FieldRule&) { add(name, body_.*member); }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>& names,
                const model::FieldRule&) {
        add(name, name_of(names, body_.*member));
    }
    void integer(std::string_view name, std::int64_t T::* member, const model::IntegerRule&) {
        add(name, std::to_string(body_.*member));
    }
    void integer(std::string_view name, std::optional<std::int64_t> T::* member, const model::IntegerRule&) {
        if (body_.*member) add(name, std::to_string(*(body_.*member)));
    }
    void flag(std::string_view name, bool T::* member) { add(name, body_.*member ? "yes" : "no"); }
    void time(std::string_view name, base::Timestamp T::* member) { add(name, clock_.shown(body_.*member)); }
    void time(std::string_view name, std::optional<base::Timestamp> T::* member) {
        if (body_.*member) add(name, clock_.shown(*(body_.*member)));
    }
    void reference(std::string_view name, std::string T::* member, model::JournalKind, const model::FieldRule&) {
        add(name, body_.*member);
    }
    void references(std::string_view name, std::vector<std::string> T::* member, model::JournalKind) {
        add(name, joined(body_.*member));
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::* member) {
        for (const model::PlanBlock& block : body_.*member) {
            add(name, span_text(block.start_at, block.end_at, clock_) + ' ' + block.note);
        }
    }

private:
    void add(std::string_view name, const std::string& value) {
        if (!value.empty()) table_.add({std::string(name), value});
    }

    const T& body_;
    const LocalClock& clock_;
    Table& table_;
    std::string& below_;
};

}  // namespace

std::string shortened(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.size() <= shown_bytes_max) return std::string(line) + (line.size() < text.size() ? "…" : "");
    std::size_t end = shown_bytes_max;
    while ((static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;  // no half of a character
    return std::string(line.substr(0, end)) + "…";
}

std::string hours_text(base::Duration time) {
    const std::int64_t minutes = time.us / base::minutes(1).us;
    const std::string rest = std::to_string(minutes % 60);
    return std::to_string(minutes / 60) + (rest.size() == 1 ? ":0" : ":") + rest;
}

std::string record_title(const model::JournalRecord& record, const LocalClock& clock) {
    return shortened(std::visit(Title{clock}, record.body));
}

std::string record_line(const model::JournalRecord& record, const LocalClock& clock) {
    const model::JournalKind kind = record.kind();
    const bool is_named_by_title = kind == model::JournalKind::day_plan || kind == model::JournalKind::rating;
    std::string line;
    if (!is_named_by_title) line = std::string(model::journal_kind_name(kind)) + ' ' + record.id + ": ";
    line += record_title(record, clock);
    std::string facts = std::visit(Facts{}, record.body);
    if (record.deleted_at) facts = "deleted";
    if (!facts.empty()) line += " (" + facts + ')';
    if (kind != model::JournalKind::category) line += ", in " + record.category_id;
    return line;
}

std::string record_text(const model::JournalRecord& record, const LocalClock& clock, bool colours) {
    Table table({"FIELD", "VALUE"});
    std::string below;
    table.add({"id", record.id});
    table.add({"category_id", record.category_id});
    std::visit(
        [&]<class T>(const T& body) {
            FieldRows<T> rows(body, clock, table, below);
            model::describe(rows, std::type_identity<T>{});
        },
        record.body);
    table.add({"revision", std::to_string(record.revision)});
    table.add({"created_at", clock.shown(record.created_at)});
    table.add({"updated_at", clock.shown(record.updated_at)});
    if (record.extension != model::RawJson()) table.add({"extension", record.extension.bytes()});
    return table.text(colours) + below;
}

}  // namespace belfry::cli
