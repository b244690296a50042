#include "base/limits.hpp"
#include "client/client.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"
#include "model/agent.hpp"

namespace belfry::client {
namespace {

std::string timers_target(std::string_view agent_id) {
    return "/v1/agents/" + percent_encode(agent_id) + "/timers";
}

std::string timer_target(std::string_view agent_id, std::string_view id) {
    return timers_target(agent_id) + '/' + percent_encode(id);
}

void add_text(model::JsonWriter& writer, std::string_view name, const std::string& text) {
    if (!text.empty()) writer.field(name, text);
}

void add_time(model::JsonWriter& writer, std::string_view name, const std::optional<base::Timestamp>& time) {
    if (time) writer.field(name, base::format_timestamp(*time));
}

void add_schedule(model::JsonWriter& writer, const model::ScheduleWords& words) {
    writer.begin_object().field("kind", words.kind);
    add_text(writer, "cron", words.cron);
    if (!words.days.empty()) {
        writer.name("days");
        model::append_text_list(writer, words.days);
    }
    add_text(writer, "time", words.time);
    add_text(writer, "interval", words.interval);
    add_time(writer, "anchor", words.anchor);
    add_time(writer, "at", words.at);
    writer.end_object();
}

std::string timer_request_json(const TimerRequest& request) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("name", request.name).name("schedule");
    add_schedule(writer, request.schedule);
    add_text(writer, "zone", request.zone);
    if (request.input) writer.name("input").raw(request.input->bytes());
    if (request.priority != 0) writer.field("priority", request.priority);
    if (request.dry_run) writer.name("dry_run").boolean(true);
    writer.end_object();
    return out;
}

model::ScheduleWords schedule_of(model::JsonView view) {
    const Fields fields(view);
    model::ScheduleWords words;
    words.kind = fields.text("kind");
    words.cron = fields.text("cron");
    words.days = fields.texts("days");
    words.time = fields.text("time");
    words.interval = fields.text("interval");
    words.anchor = base::parse_timestamp(fields.text("anchor"));
    words.at = base::parse_timestamp(fields.text("at"));
    return words;
}

TimerNow timer_of(model::JsonView view) {
    const Fields fields(view);
    TimerNow timer;
    timer.id = fields.text("id");
    timer.agent_id = fields.text("agent_id");
    timer.user_id = fields.text("user_id");
    timer.name = fields.text("name");
    if (const auto schedule = fields.member("schedule")) timer.schedule = schedule_of(*schedule);
    timer.zone = fields.text("zone");
    timer.active = fields.flag("active").value_or(true);
    timer.next_run_at = fields.text("next_run_at");
    timer.last_scheduled_at = fields.text("last_scheduled_at");
    timer.fault = fields.text("fault");
    fields.each("next", [&](model::JsonView element) {
        const Fields firing(element);
        timer.next.push_back({firing.text("at"), firing.text("local"), firing.text("note")});
    });
    timer.json = model::RawJson::trusted(std::string(view.text));
    return timer;
}

base::Result<TimerNow> read_timer(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "schedule"));
    return timer_of(json.view());
}

}  // namespace

base::Result<TimerNow> Client::add_timer(std::string_view agent_id, const TimerRequest& wish) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("POST", timers_target(agent_id), timer_request_json(wish))));
    return read_timer(answer.body);
}

base::Result<TimerNow> Client::timer(std::string_view agent_id, std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", timer_target(agent_id, id))));
    return read_timer(answer.body);
}

base::Result<std::vector<TimerNow>> Client::timers(const TimerQuestion& question) {
    const bool of_one_agent = !question.agent_id.empty();
    const std::string target = of_one_agent ? timers_target(question.agent_id) : "/v1/timers";
    std::vector<TimerNow> found;
    std::string after;
    do {
        Query query;
        if (!of_one_agent) query.add("user", question.user_id);
        query.add("after", after).add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { found.push_back(timer_of(element)); });
        after = fields.text("next");
    } while (!after.empty());
    return found;
}

base::Result<TimerNow> Client::change_timer(std::string_view agent_id, std::string_view id,
                                            const model::RawJson& patch) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("PATCH", timer_target(agent_id, id), std::string(patch.bytes()))));
    return read_timer(answer.body);
}

base::Result<void> Client::remove_timer(std::string_view agent_id, std::string_view id) {
    TRY(ask(request("DELETE", timer_target(agent_id, id))));
    return {};
}

}  // namespace belfry::client
