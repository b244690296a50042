#include <algorithm>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/notification_text.hpp"
#include "cli/table.hpp"

namespace belfry::cli {
namespace {

std::string text_of(const model::RawJson& json, std::string_view name) {
    const auto value = json.member(name);
    return value && value->kind() == model::JsonKind::string ? host::printable(value->as_text()) : std::string();
}

std::string verdict_words(const std::string& verdict) {
    if (verdict == "wants") return "wants it";
    if (verdict == "below_severity") return "does not: below its least severity";
    if (verdict == "other_source") return "does not: from another source than it listens to";
    if (verdict == "switched_off") return "does not: the person has switched it off";
    return verdict;
}

class Story {
public:
    Story(Context& context, const client::WhyState& why)
        : out_(context.console.out), colours_(context.console.colours_out), why_(why) {}

    void tell() {
        if (why_.event) tell_event();
        for (const client::WhyWay& way : why_.notifications) tell_way(way);
        if (why_.reached_nobody.empty()) return;
        const char* const lead = why_.waiting.empty() ? "it reached nobody: " : "it has reached nobody yet: ";
        out_.line(paint(lead, Colour::yellow, colours_) + host::printable(why_.reached_nobody));
    }

private:
    void title(const std::string& text) { out_.line(paint(text, Colour::bold, colours_)); }

    void line(std::string_view name, const std::string& text) {
        std::string left = "  " + std::string(name);
        left.append(left.size() < 12 ? 12 - left.size() : 1, ' ');
        out_.line(left + host::printable(text));
    }

    void tell_event() {
        const model::RawJson& event = *why_.event;
        title("event " + text_of(event, "id"));
        line("happened", text_of(event, "type") + " from " + text_of(event, "source") + ", " +
                             text_of(event, "severity") + ", at " + text_of(event, "timestamp"));
        line("recorded", "as entry " + std::to_string(why_.sequence) + " of the stream events");
        if (why_.subscribers.empty()) line("matched", nobody_words());
        for (const client::WhySubscriber& one : why_.subscribers) {
            line("matched", one.id + " " + verdict_words(one.verdict));
        }
        for (const client::WhyWaiting& one : why_.waiting) {
            line("batched", "in " + one.subscriber + (one.kind == "repeat" ? ", as a repeat" : "") + ", " +
                                std::to_string(one.count) + (one.count == 1 ? " time" : " times") + ", leaves at " +
                                one.until + " at the latest");
        }
    }

    // An error that nobody else wants rings all the same.
    std::string nobody_words() const {
        const auto rings = [](const std::string& subscriber) { return subscriber == "unmatched"; };
        const bool rang = std::ranges::any_of(why_.waiting, rings, &client::WhyWaiting::subscriber) ||
                          std::ranges::any_of(why_.notifications, rings,
                                              [](const client::WhyWay& way) { return way.notification.subscriber; });
        return rang ? "unmatched: nobody else listens to this type" : "no subscriber listens to this type";
    }

    void tell_way(const client::WhyWay& way) {
        const client::NotificationState& one = way.notification;
        title("notification " + host::printable(one.id));
        line("says", gist(one));
        if (!one.subscriber.empty()) {
            line("made", "by subscriber " + one.subscriber + " of " + std::to_string(one.events) +
                             (one.events == 1 ? " event" : " events") + ", at " + one.created_at);
        } else {
            const bool is_told = !one.emitter.empty() || way.steps.empty();
            line("made", "by " + (is_told ? one.emitter : way.steps.front().holder) + ", at " + one.created_at);
        }
        if (!one.caused_by.empty()) line("caused by", one.caused_by + ", depth " + std::to_string(one.depth));
        if (way.as_repeat) line("", "the event is in it as a repeat of an earlier one");
        std::string place = one.session_id.empty() ? "" : " in session " + one.session_id;
        const std::string now_routed = route_words(one.address, one.target, one.handler);
        std::string first_routed = now_routed;
        if (!way.steps.empty() && !way.steps.front().target.empty()) {
            const client::WhyStep& birth = way.steps.front();
            first_routed = route_words(birth.address, birth.target, birth.handler);
        }
        line("routed", first_routed + place + ", of user " + one.user_id + ", " + one.priority);
        if (now_routed != first_routed) line("rerouted", now_routed);
        Table table({"  WHEN", "STATE", "LEASE", "WHO", "WHY"});
        for (const client::WhyStep& step : way.steps) {
            const std::string state = step.from == step.to ? step.to : step.from + " → " + step.to;
            table.add({"  " + step.at, state, std::to_string(step.lease), step.holder, step.reason});
        }
        if (!way.steps.empty()) out_.write(table.text(colours_));
        std::string now = state_words(one);
        if (!one.ended_at.empty()) now += ", since " + one.ended_at;
        if (const std::string mark = read_words(one); !mark.empty()) now += "; " + mark + " by the person";
        line("now", now);
    }

    Output& out_;
    bool colours_;
    const client::WhyState& why_;
};

Exit run_why(Context& context, const Arguments& arguments) {
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) {
        return usage_error(context, arguments, options.error());
    }
    client::Client client(*options);
    const auto why = client.why(arguments.positional(0), arguments.value_or("session", ""));
    if (!why.ok()) return fail(context, arguments, why.error());
    if (arguments.has("json")) print_json(context, why->json);
    else Story(context, *why).tell();
    return Exit::ok;
}

}  // namespace

Command why_command() {
    Command command;
    command.name = "why";
    command.summary = "the whole way of an event or a notification: who wanted it, who had it, who knows";
    command.detail =
        "Of an event: which subscribers matched it, where it waits in a batch, in which notifications it is, and if "
        "in\n"
        "none, why. Of a notification: how it was made and routed, and every step of its way with time, lease, who "
        "did\n"
        "it and why, the calls of sinks included.";
    command.options = {{"session", "ID", "where a handle such as n7 counts"}};
    command.positionals = {{"ID", "of an event or a notification, or a handle"}};
    command.examples = {{"belfry why 0198…", "the story"},
                        {"belfry why n7 --session chat-7", "by the handle that an agent was given"},
                        {"belfry why \"$(belfry notify hello)\" --json", "for a program"}};
    command.reach = Reach::daemon;
    command.run = run_why;
    return command;
}

}  // namespace belfry::cli
