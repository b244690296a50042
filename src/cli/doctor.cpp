#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/doctor_checks.hpp"
#include "codec/utf8.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {
namespace {

std::string_view state_name(Finding::State state) {
    switch (state) {
        case Finding::State::good: return "ok";
        case Finding::State::warning: return "warning";
        case Finding::State::bad: return "failure";
    }
    return "ok";
}

Colour state_colour(Finding::State state) {
    switch (state) {
        case Finding::State::good: return Colour::green;
        case Finding::State::warning: return Colour::yellow;
        case Finding::State::bad: return Colour::red;
    }
    return Colour::plain;
}

void show_text(Context& context, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        std::string state(state_name(finding.state));
        state.append(8 - state.size(), ' ');
        std::string check = finding.check;
        check.append(check.size() < 14 ? 14 - check.size() : 1, ' ');
        context.console.out.line(paint(state, state_colour(finding.state), context.console.colours_out) + check +
                                 host::printable(finding.detail));
        if (!finding.advice.empty()) context.console.out.line("        -> " + host::printable(finding.advice));
    }
}

void show_json(Context& context, const std::vector<Finding>& findings, bool healthy) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().name("ok").boolean(healthy).name("findings").begin_array();
    for (const Finding& finding : findings) {
        writer.begin_object().field("check", finding.check).field("state", state_name(finding.state));
        writer.field("detail", codec::to_utf8(finding.detail));
        if (!finding.advice.empty()) writer.field("advice", codec::to_utf8(finding.advice));
        writer.end_object();
    }
    writer.end_array().end_object();
    context.console.out.line(host::escape_json_controls(json));
}

Exit run_doctor(Context& context, const Arguments& arguments) {
    std::vector<Finding> findings;
    const auto loaded = load_config(context, arguments);
    if (!loaded.ok()) {
        findings.push_back({"configuration", Finding::State::bad, loaded.error().message,
                            "mend the setting; `belfry config` shows all of them"});
    } else {
        findings = examine(context, arguments, *loaded);
    }
    std::size_t bad = 0;
    for (const Finding& finding : findings) bad += finding.state == Finding::State::bad ? 1U : 0U;
    if (arguments.has("json")) show_json(context, findings, bad == 0);
    else show_text(context, findings);
    if (bad == 0) return Exit::ok;
    remark(context, std::to_string(bad) + (bad == 1 ? " check" : " checks") + " failed");
    return Exit::failure;
}

}  // namespace

Command doctor_command() {
    Command command;
    command.name = "doctor";
    command.summary =
        "check configuration, subscribers, sinks, folders, disk, clock, socket and database, and say what to do";
    command.options = {{"skip-integrity", "", "do not read the whole database for damage"}};
    command.examples = {{"belfry doctor", "when something is odd"},
                        {"belfry doctor --data /var/lib/belfry --json", "for a monitoring system"}};
    command.reach = Reach::daemon;
    command.detail =
        "Of a store in PostgreSQL: whether it can be reached, its version, its schema, and who writes the ledger.\n"
        "As root, the files that a daemon reads are tried as the user who owns the data folder.";
    command.exits = {{Exit::ok, "nothing failed; there may be warnings"},
                     {Exit::failure, "a check failed"},
                     {Exit::unreachable, ""},
                     {Exit::refused, ""}};
    command.run = run_doctor;
    return command;
}

}  // namespace belfry::cli
