#include "codec/timer_json.hpp"

#include "base/date.hpp"
#include "codec/schedule_json.hpp"

namespace belfry::codec {
namespace {

void write_text(model::JsonWriter& writer, std::string_view name, std::string_view text) {
    writer.name(name);
    text.empty() ? writer.null() : writer.text(text);
}

void write_time(model::JsonWriter& writer, std::string_view name, const std::optional<base::Timestamp>& time) {
    writer.name(name);
    time ? writer.text(base::format_timestamp(*time)) : writer.null();
}

std::string_view note_word(model::TimerFiring::Note note) {
    using Note = model::TimerFiring::Note;
    if (note == Note::gap) return "gap";
    return note == Note::repeated ? "repeated" : "";
}

}  // namespace

void write_timer(model::JsonWriter& writer, const model::ShownTimer& shown) {
    const model::AgentTimer& timer = shown.timer;
    const bool is_stored = timer.id != model::TimerId{};
    writer.begin_object();
    write_text(writer, "id", is_stored ? base::format_uuid(timer.id.uuid) : "");
    writer.field("agent_id", timer.agent_id).field("user_id", timer.user_id).field("name", timer.name);
    writer.name("schedule");
    write_schedule(writer, timer.schedule);
    write_text(writer, "zone", timer.schedule.zone);
    writer.name("active").boolean(timer.active);
    write_time(writer, "next_run_at", timer.next_run_at);
    write_time(writer, "last_scheduled_at", timer.last_scheduled_at);
    write_text(writer, "fault", timer.fault);
    writer.name("input").raw(timer.input.bytes()).field("priority", timer.priority);
    writer.field("created_at", base::format_timestamp(timer.created_at));
    writer.field("updated_at", base::format_timestamp(timer.updated_at)).name("next").begin_array();
    for (const model::TimerFiring& firing : shown.next) {
        writer.begin_object().field("at", base::format_timestamp(firing.at));
        writer.field("local", base::format_local(firing.at, firing.offset_s));
        write_text(writer, "note", note_word(firing.note));
        writer.end_object();
    }
    writer.end_array().end_object();
}

}  // namespace belfry::codec
