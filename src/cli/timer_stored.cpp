#include "cli/timer_stored.hpp"

#include "base/date.hpp"
#include "base/limits.hpp"
#include "cli/connection.hpp"
#include "cli/table.hpp"
#include "cli/timer_schedule.hpp"
#include "codec/json.hpp"
#include "rules/schedule.hpp"
#include "rules/timer.hpp"

namespace belfry::cli {
namespace {

struct Wish {
    std::string agent;
    client::TimerRequest request;
    std::string zone_from;  // by whose word it is this zone; empty: nobody's
};

base::Result<model::RawJson> read_input(const std::string& text) {
    auto json = codec::validate(text);
    if (json.ok() && json->view().kind() == model::JsonKind::object) return json;
    return wrong("--input must be a JSON object");
}

// What it is called where nobody names it, so that the same line typed again is the same timer.
std::string usual_name(const TypedSchedule& typed, const std::string& zone) {
    return typed.option + ' ' + typed.text + (zone.empty() ? "" : ' ' + zone);
}

base::Result<Wish> read_wish(Context& context, const Arguments& arguments) {
    Wish wish;
    wish.agent = arguments.value_or("agent", "");
    if (wish.agent.empty()) return wrong("--agent is missing: whom it wakes");
    TRY_ASSIGN(const TypedSchedule typed, read_typed_schedule(arguments));
    TRY_ASSIGN(const auto anchor, read_instant(arguments, "from"));
    if (anchor && typed.option != "every") return wrong("--from of add is what --every counts from");
    client::TimerRequest& request = wish.request;
    request.schedule = typed.words;
    request.schedule.anchor = anchor;
    if (rules::has_wall_times(typed.schedule)) {
        host::SystemZones zones(context.environment);
        const host::MachineZone choice = choose_zone(context, arguments, zones);
        request.zone = choice.name;
        wish.zone_from = choice.said_by;
    } else if (arguments.has("zone")) {
        return wrong("--zone is of wall times: --cron, --daily, --weekly");
    }
    request.name = arguments.value_or("name", usual_name(typed, request.zone));
    if (const auto input = arguments.value("input")) {
        TRY_ASSIGN(request.input, read_input(*input));
    }
    TRY_ASSIGN(const auto priority,
               arguments.integer("priority", -base::limits::wake_priority_max, base::limits::wake_priority_max));
    request.priority = priority.value_or(0);
    request.dry_run = arguments.has("dry-run");
    return wish;
}

// As it was meant; an answer that is not understood is shown by its kind.
std::string in_words(const client::TimerNow& timer) {
    const auto schedule = rules::read_schedule(timer.schedule, {});
    return schedule.ok() ? rules::describe(*schedule) : timer.schedule.kind;
}

std::string note_in_words(const std::string& note) {
    if (note == "gap") return "moved: the clock jumps forward";
    return note == "repeated" ? "first of two: the clock is set back" : "";
}

// The weekday of the date that a clock shows.
std::string day_of(const std::string& local) {
    const auto shown = base::parse_timestamp(local.substr(0, 19) + 'Z');
    if (!shown) return {};
    return std::string(model::weekday_names[base::weekday_of(base::floor_divide(shown->us, base::days(1).us))]);
}

std::string firings_table(const client::TimerNow& timer, bool colours) {
    Table table({"DAY", "LOCAL", "UTC", "NOTE"});
    for (const client::TimerFiringNow& firing : timer.next) {
        table.add({day_of(firing.local), firing.local, firing.at, note_in_words(firing.note)});
    }
    return table.text(colours);
}

std::string heading(const Wish& wish, const client::TimerNow& timer) {
    std::string line = timer.id.empty() ? "it would wake " : "timer " + timer.id + " wakes ";
    line += timer.agent_id + ' ' + in_words(timer);
    if (timer.zone.empty()) return line;
    line += ", in " + timer.zone;
    return line + (wish.zone_from.empty() ? " (the machine names no zone)" : " (by " + wish.zone_from + ')');
}

}  // namespace

Exit add_timer(Context& context, const Arguments& arguments) {
    const auto wish = read_wish(context, arguments);
    if (!wish.ok()) return usage_error(context, arguments, wish.error());
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    const auto added = client.add_timer(wish->agent, wish->request);
    if (!added.ok()) return fail(context, arguments, added.error());
    if (arguments.has("json")) {
        print_json(context, added->json);
        return Exit::ok;
    }
    remark(context, heading(*wish, *added));
    context.console.out.write(firings_table(*added, context.console.colours_out));
    return Exit::ok;
}

Exit list_timers(Context& context, const Arguments& arguments) {
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    const auto found = client.timers({arguments.value_or("agent", ""), arguments.value_or("user", "")});
    if (!found.ok()) return fail(context, arguments, found.error());
    Table table({"ID", "AGENT", "NAME", "SCHEDULE", "ZONE", "NEXT", "LAST", "FAULT"});
    for (const client::TimerNow& timer : *found) {
        if (arguments.has("json")) print_json(context, timer.json);
        table.add({timer.id, timer.agent_id, timer.name, in_words(timer), timer.zone,
                   timer.next.empty() ? timer.next_run_at : timer.next.front().local, timer.last_scheduled_at,
                   timer.fault});
    }
    if (!arguments.has("json")) context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

Exit remove_timer(Context& context, const Arguments& arguments) {
    const std::string agent = arguments.value_or("agent", "");
    const std::string named = arguments.positional(1);
    const auto options = find_daemon(context, arguments);
    if (agent.empty() || named.empty()) {
        return usage_error(context, arguments, wrong("usage: belfry timer remove NAME|ID --agent NAME"));
    }
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    const auto timers = client.timers({agent, {}});
    if (!timers.ok()) return fail(context, arguments, timers.error());
    for (const client::TimerNow& timer : *timers) {
        if (timer.id != named && timer.name != named) continue;
        const auto removed = client.remove_timer(agent, timer.id);
        if (!removed.ok()) return fail(context, arguments, removed.error());
        remark(context, "timer " + timer.id + " is gone: " + timer.name);
        return Exit::ok;
    }
    return fail(context, arguments,
                base::error(base::Code::not_found, agent + " has no such timer; see belfry timer list"));
}

}  // namespace belfry::cli
