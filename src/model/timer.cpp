#include "model/timer.hpp"

#include <charconv>

namespace belfry::model {
namespace {

void append(JsonWriter& writer, const AtInstant& once) {
    writer.field("at", once.at.us);
}
void append(JsonWriter& writer, const EveryInterval& every) {
    writer.field("every", every.interval.us).field("anchor", every.anchor.us);
}
void append_wall(JsonWriter& writer, WallTime time) {
    writer.field("hour", static_cast<long long>(time.hour)).field("minute", static_cast<long long>(time.minute));
}
void append(JsonWriter& writer, const Daily& daily) {
    append_wall(writer, daily.time);
}
void append(JsonWriter& writer, const Weekly& weekly) {
    writer.field("days", static_cast<long long>(weekly.weekdays));
    append_wall(writer, weekly.time);
}
void append(JsonWriter& writer, const Cron& cron) {
    const WallPattern& pattern = cron.pattern;
    writer.field("cron", cron.text).field("minutes", static_cast<long long>(pattern.minutes));
    writer.field("hours", static_cast<long long>(pattern.hours));
    writer.field("month_days", static_cast<long long>(pattern.days));
    writer.field("months", static_cast<long long>(pattern.months));
    writer.field("weekdays", static_cast<long long>(pattern.weekdays));
    writer.name("either").boolean(pattern.match == WallPattern::Days::either);
}

// The members of an object, each of which must be there.
class Members {
public:
    explicit Members(JsonView json) : json_(json) {}

    template <class Number>
    Number number(std::string_view name) {
        Number value{};
        const auto member = json_.member(name);
        const char* const end = member ? member->text.data() + member->text.size() : nullptr;
        if (!member || std::from_chars(member->text.data(), end, value).ptr != end) is_whole_ = false;
        return value;
    }
    base::Timestamp time(std::string_view name) { return {number<std::int64_t>(name)}; }
    WallTime wall() { return {number<unsigned>("hour"), number<unsigned>("minute")}; }
    [[nodiscard]] bool has(std::string_view name) const { return json_.member(name).has_value(); }
    std::string text(std::string_view name) {
        const auto member = json_.member(name);
        is_whole_ = is_whole_ && member && member->kind() == JsonKind::string;
        return is_whole_ ? member->as_text() : std::string();
    }
    [[nodiscard]] bool flag(std::string_view name) const {
        const auto member = json_.member(name);
        return member && member->text == "true";
    }
    [[nodiscard]] bool is_whole() const { return is_whole_; }

private:
    JsonView json_;
    bool is_whole_ = true;
};

Cron cron_of(Members& members) {
    Cron cron;
    cron.text = members.text("cron");
    cron.pattern.minutes = members.number<std::uint64_t>("minutes");
    cron.pattern.hours = members.number<std::uint32_t>("hours");
    cron.pattern.days = members.number<std::uint32_t>("month_days");
    cron.pattern.months = members.number<std::uint32_t>("months");
    cron.pattern.weekdays = members.number<std::uint32_t>("weekdays");
    cron.pattern.match = members.flag("either") ? WallPattern::Days::either : WallPattern::Days::both;
    return cron;
}

}  // namespace

void append_kept_schedule(JsonWriter& writer, const Schedule& schedule) {
    writer.begin_object();
    std::visit([&](const auto& when) { append(writer, when); }, schedule.when);
    if (!schedule.zone.empty()) writer.field("zone", schedule.zone);
    writer.end_object();
}

std::optional<Schedule> kept_schedule_of(JsonView json) {
    Members members(json);
    Schedule schedule;
    if (members.has("zone")) schedule.zone = members.text("zone");
    if (members.has("at")) {
        schedule.when = AtInstant{members.time("at")};
    } else if (members.has("every")) {
        schedule.when = EveryInterval{{members.number<std::int64_t>("every")}, members.time("anchor")};
    } else if (members.has("cron")) {
        schedule.when = cron_of(members);
    } else if (members.has("days")) {
        schedule.when = Weekly{members.number<std::uint8_t>("days"), members.wall()};
    } else {
        schedule.when = Daily{members.wall()};
    }
    if (!members.is_whole()) return std::nullopt;
    return schedule;
}

}  // namespace belfry::model
