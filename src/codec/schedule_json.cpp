#include "codec/schedule_json.hpp"

namespace belfry::codec {
namespace {

void write(model::JsonWriter& writer, const model::AtInstant& once) {
    writer.field("kind", "at").field("at", base::format_timestamp(once.at));
}

void write(model::JsonWriter& writer, const model::EveryInterval& every) {
    writer.field("kind", "every").field("interval", base::format_duration(every.interval));
    writer.field("anchor", base::format_timestamp(every.anchor));
}

void write(model::JsonWriter& writer, const model::Daily& daily) {
    writer.field("kind", "daily").field("time", model::format_wall_time(daily.time));
}

void write(model::JsonWriter& writer, const model::Weekly& weekly) {
    writer.field("kind", "weekly").name("days").begin_array();
    for (unsigned i = 1; i <= 7; ++i) {  // from Monday to Sunday
        if ((weekly.weekdays >> i % 7 & 1U) != 0) writer.text(model::weekday_names[i % 7]);
    }
    writer.end_array().field("time", model::format_wall_time(weekly.time));
}

void write(model::JsonWriter& writer, const model::Cron& cron) {
    writer.field("kind", "cron").field("cron", cron.text);
}

}  // namespace

void write_schedule(model::JsonWriter& writer, const model::Schedule& schedule) {
    writer.begin_object();
    std::visit([&writer](const auto& when) { write(writer, when); }, schedule.when);
    writer.end_object();
}

}  // namespace belfry::codec
