#include "rules/timer.hpp"

#include "cli/commands.hpp"
#include "cli/timer_schedule.hpp"
#include "cli/timer_stored.hpp"
#include "cli/timer_text.hpp"
#include "host/zones.hpp"
#include "rules/schedule.hpp"

namespace belfry::cli {
namespace {

constexpr std::int64_t count_max = 1000;
constexpr std::int64_t count_default = 5;

struct Wanted {
    model::Schedule schedule;
    base::Timestamp from;
    std::size_t count = 0;
};

// What a person means by now.
base::Timestamp whole_second(base::Timestamp time) {
    return time - base::microseconds(time.us % base::seconds(1).us);
}

base::Result<Wanted> read_wanted(Context& context, const Arguments& arguments) {
    Wanted wanted;
    TRY_ASSIGN(const auto from, read_instant(arguments, "from"));
    wanted.from = from.value_or(whole_second(context.now()));
    TRY_ASSIGN(const auto count, arguments.integer("count", 1, count_max));
    wanted.count = static_cast<std::size_t>(count.value_or(count_default));
    TRY_ASSIGN(wanted.schedule, read_schedule(arguments, wanted.from));
    return wanted;
}

Preview preview(Wanted wanted, const host::MachineZone& choice, const model::Zone& zone) {
    if (rules::has_wall_times(wanted.schedule)) wanted.schedule.zone = zone.name;
    Preview made{std::move(wanted.schedule), choice, zone, wanted.from, {}};
    auto next = rules::next_occurrence(made.schedule, made.from, zone);
    while (next && made.firings.size() < wanted.count) {
        made.firings.push_back(*next);
        next = rules::next_occurrence(made.schedule, next->at, zone);
    }
    made.has_more = next.has_value();
    return made;
}

// Before the table, so that one who sees it knows whose clocks it shows.
std::string heading(const Preview& preview) {
    const std::string& said_by = preview.zone_choice.said_by;
    return rules::describe(preview.schedule) + ", in " + preview.zone.name +
           (said_by.empty() ? " (the machine names no zone)" : " (by " + said_by + ")");
}

std::string shortage(const Preview& preview, std::size_t count) {
    if (preview.firings.empty()) return "it does not fire after " + base::format_timestamp(preview.from);
    return "that is all: it fires " +
           (preview.firings.size() == 1 ? std::string("once") : std::to_string(preview.firings.size()) + " times") +
           ", not " + std::to_string(count) + " times";
}

Exit show_next(Context& context, const Arguments& arguments) {
    auto wanted = read_wanted(context, arguments);
    if (!wanted.ok()) return usage_error(context, arguments, wanted.error());
    host::SystemZones zones(context.environment);
    const host::MachineZone choice = choose_zone(context, arguments, zones);
    const auto zone = zones.find(choice.name);
    if (!zone.ok()) {
        const bool is_mistyped = zone.error().code == base::Code::invalid || zone.error().code == base::Code::not_found;
        const base::Error error = base::error(zone.error().code, choice.said_by + ": " + zone.error().message);
        return is_mistyped ? usage_error(context, arguments, error) : fail(context, arguments, error);
    }
    const std::size_t count = wanted->count;
    const Preview made = preview(std::move(wanted).value(), choice, **zone);
    if (arguments.has("json")) {
        context.console.out.line(host::escape_json_controls(preview_json(made)));
        return Exit::ok;
    }
    remark(context, heading(made));
    if (!made.firings.empty()) context.console.out.write(preview_table(made, context.console.colours_out));
    if (made.firings.size() < count) remark(context, shortage(made, count));
    return Exit::ok;
}

Exit run_timer(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const bool has_name = arguments.positionals().size() > 1;
    if (has_name && action != "remove") return usage_error(context, arguments, wrong(action + " takes no NAME"));
    if (action == "next") return show_next(context, arguments);
    if (action == "add") return add_timer(context, arguments);
    if (action == "list") return list_timers(context, arguments);
    if (action == "remove") return remove_timer(context, arguments);
    return usage_error(context, arguments, wrong("ACTION must be add, list, remove or next, not \"" + action + '"'));
}

}  // namespace

Command timer_command() {
    Command command;
    command.name = "timer";
    command.summary = "wake agents by the clock: add, list, remove; and when a schedule fires next";
    command.detail =
        "`add` keeps a schedule by which the daemon wakes an agent, and shows its next five firings; the same line\n"
        "again is the same timer. `next` shows the coming firings of a schedule and needs no daemon. A wall time\n"
        "(--cron, --daily, --weekly) is that of the zone, summer and winter, and fires exactly once: where the clock\n"
        "jumps over it, at the jump; where the clock shows it twice, the first time. --every counts elapsed time\n"
        "instead. What was missed while the daemon was away is made up for once. docs/schedules.md has the rules, and\n"
        "what --json answers with.";
    command.options = schedule_options();
    command.options.insert(command.options.end(),
                           {{"zone", "NAME", "IANA's name: Europe/Berlin (the machine's zone unless given, else UTC)"},
                            {"from", "INSTANT", "next: firings after it (now); add: what --every counts from (now)"},
                            {"count", "N", "next: how many, 1 to 1000 (5)", 'n'},
                            {"agent", "NAME", "add and remove: whose; list: of this agent only"},
                            {"name", "TEXT", "add: what it is called (the schedule, as it was typed)"},
                            {"input", "JSON", "add: an object that its agent is given"},
                            {"priority", "N", "add: -100 to 100, the larger runs first (0)"},
                            {"dry-run", "", "add: only say what would be"},
                            {"user", "ID", "list: of this user's agents only"}});
    command.positionals = {{"ACTION", "add, list, remove or next"},
                           {"NAME", "of remove: which, or its id", PositionalSpec::Count::optional}};
    command.examples = {
        {"belfry timer add --agent coach --daily 07:00 --zone Europe/Berlin", "wake it every morning"},
        {"belfry timer list --agent coach", "what wakes it, and when next"},
        {"belfry timer next --cron \"30 2 * * *\" --zone Europe/Berlin --from 2026-03-28T12:00:00Z --count 3",
         "what happens to 02:30 when summer time begins"},
        {"belfry timer next --weekly mon-fri@18:30 --json | jq -r '.data[].at'", "for a script"}};
    command.reach = Reach::daemon;
    command.run = run_timer;
    return command;
}

}  // namespace belfry::cli
