#include "cli/timer_text.hpp"

#include "base/date.hpp"
#include "cli/table.hpp"
#include "codec/schedule_json.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {
namespace {

std::int32_t offset_at(const model::Zone& zone, base::Timestamp at) {
    return rules::stretch_at(zone, base::floor_divide(at.us, base::seconds(1).us)).offset_s;
}

// 2026-03-29T02:30:00, without an offset: no clock may ever have shown it.
std::string wall_text(std::int64_t wall_s) {
    std::string text = base::format_timestamp({base::seconds(wall_s).us});
    text.pop_back();
    return text;
}

// The hour and minute, with the date where that is another one than the clock's at the firing.
std::string short_wall(std::int64_t wall_s, std::int64_t clock_s) {
    const std::string text = wall_text(wall_s);
    const bool is_same_day =
        base::floor_divide(wall_s, base::seconds_per_day) == base::floor_divide(clock_s, base::seconds_per_day);
    return is_same_day ? text.substr(11, 5) : text.substr(0, 10) + " " + text.substr(11, 5);
}

const char* note_word(const rules::Occurrence& firing) {
    switch (firing.how) {
        case rules::Coming::How::after_gap: return "gap";
        case rules::Coming::How::first_of_two: return "repeated";
        case rules::Coming::How::plain: break;
    }
    return nullptr;
}

void write_firing(model::JsonWriter& writer, const rules::Occurrence& firing, const model::Zone& zone) {
    writer.begin_object().field("at", base::format_timestamp(firing.at));
    writer.field("local", base::format_local(firing.at, offset_at(zone, firing.at)));
    writer.name("wall");
    if (firing.wall_times == 0) {
        writer.null();
    } else {
        writer.begin_object().field("first", wall_text(firing.first_wall_s));
        writer.field("last", wall_text(firing.last_wall_s));
        writer.field("count", static_cast<long long>(firing.wall_times)).end_object();
    }
    const char* word = note_word(firing);
    if (word == nullptr) writer.name("note").null();
    else writer.field("note", word);
    writer.end_object();
}

}  // namespace

std::string note_of(const rules::Occurrence& firing, const model::Zone& zone) {
    const std::int64_t clock_s =
        base::floor_divide((firing.at + base::seconds(offset_at(zone, firing.at))).us, base::seconds(1).us);
    const std::string first = short_wall(firing.first_wall_s, clock_s);
    if (firing.how == rules::Coming::How::first_of_two) return "first of two " + first + ": the clock is set back";
    if (firing.how != rules::Coming::How::after_gap) return {};
    if (firing.wall_times == 1) return "moved from " + first + ": the clock jumps forward";
    return "for " + first + " to " + short_wall(firing.last_wall_s, clock_s) + ", " +
           std::to_string(firing.wall_times) + " times: the clock jumps forward";
}

std::string preview_table(const Preview& preview, bool colours) {
    Table table({"DAY", "LOCAL", "UTC", "NOTE"});
    for (const rules::Occurrence& firing : preview.firings) {
        const std::int32_t offset_s = offset_at(preview.zone, firing.at);
        const std::int64_t day = base::floor_divide((firing.at + base::seconds(offset_s)).us, base::days(1).us);
        table.add({std::string(model::weekday_names[base::weekday_of(day)]), base::format_local(firing.at, offset_s),
                   base::format_timestamp(firing.at), note_of(firing, preview.zone)});
    }
    return table.text(colours);
}

std::string preview_json(const Preview& preview) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().name("schedule");
    codec::write_schedule(writer, preview.schedule);
    writer.field("zone", preview.zone.name).name("zone_from");
    if (preview.zone_choice.said_by.empty()) writer.null();
    else writer.text(preview.zone_choice.said_by);
    writer.field("from", base::format_timestamp(preview.from)).name("data").begin_array();
    for (const rules::Occurrence& firing : preview.firings) write_firing(writer, firing, preview.zone);
    writer.end_array().name("has_more").boolean(preview.has_more).end_object();
    return json;
}

}  // namespace belfry::cli
