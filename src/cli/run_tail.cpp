#include <charconv>

#include "cli/reader_watch.hpp"
#include "cli/run_actions.hpp"

namespace belfry::cli {
namespace {

// Of a tree every line says which run speaks.
std::string event_line(const client::RunEventState& event, bool of_tree, bool colours) {
    const auto text = [&event](std::string_view name) {
        const auto member = event.json.member(name);
        return member ? member->as_text() : std::string();
    };
    const auto source = event.json.member("source");
    std::string who;
    if (source && source->kind() == model::JsonKind::object) {
        if (const auto name = source->member("agent_name")) who = " " + name->as_text();
    }
    std::string line = host::printable(text("timestamp")) + " " + std::to_string(event.position) + " ";
    if (const std::string run = text("run_id"); of_tree && !run.empty()) line += "run " + host::printable(run) + " ";
    line += paint(host::printable(event.event), Colour::cyan, colours);
    const auto data = event.json.member("data");
    host::append_printable(line, who + " " + (data ? std::string(data->text) : ""));
    return line;
}

}  // namespace

Exit tail_run(Context& context, const Arguments& arguments, client::Client& client, model::RunId id) {
    client::RunFollow wish;
    wish.tree = arguments.has("tree");
    wish.agent_id = arguments.value_or("agent", "");
    const std::string from = arguments.value_or("from", "start");
    wish.live = from == "live";
    if (from != "live" && from != "start") {
        const auto [end, failed] = std::from_chars(from.data(), from.data() + from.size(), wish.after);
        if (failed != std::errc{} || end != from.data() + from.size()) {
            return usage_error(context, arguments,
                               wrong("--from must be start, live or a position, not \"" + from + '"'));
        }
    }
    const bool json = arguments.has("json");
    client::RunHandlers handlers;
    handlers.on_event = [&](const client::RunEventState& event) {
        context.console.out.line(json ? host::escape_json_controls(event.json.bytes())
                                      : event_line(event, wish.tree, context.console.colours_out));
        return context.console.out.flush();
    };
    handlers.on_gap = [&](model::Sequence first, model::Sequence last) {
        remark(context, "(entries " + std::to_string(first) + " to " + std::to_string(last) + " are gone)");
    };
    handlers.on_lost = [&](const base::Error& why, base::Duration pause) {
        remark(context, "(" + why.message + "; trying again in " + base::format_duration(pause) + ")");
    };
    const ReaderWatch watch(context.console.out.descriptor(), [&client] { client.interrupt(); });
    const auto done = client.follow_run(id, wish, handlers);
    return done.ok() ? Exit::ok : fail(context, arguments, done.error());
}

}  // namespace belfry::cli
