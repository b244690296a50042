#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/sync_text.hpp"
#include "cli/table.hpp"
#include "client/devices.hpp"
#include "client/fields.hpp"

namespace belfry::cli {
namespace {

using client::Fields;
using model::RawJson;

constexpr std::int64_t merges_max = 1000;
constexpr std::int64_t merges_default = 20;
constexpr std::size_t value_bytes_max = 40;

struct Call {
    Context& context;
    const Arguments& arguments;
    client::Devices& devices;

    [[nodiscard]] bool is_json() const { return arguments.has("json"); }
    [[nodiscard]] Output& out() const { return context.console.out; }
};

std::string clipped(const std::string& text) {
    if (text.size() <= value_bytes_max) return text;
    std::size_t end = value_bytes_max;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // no half of a character
    return text.substr(0, end) + "…";
}

// What one of the two wrote, and as much of its host as tells one device from another.
std::string side_of(const Fields& note, std::string_view side) {
    const RawJson json = note.object(side);
    const Fields fields(json.view());
    return clipped(fields.text("value")) + " of " + short_id(fields.text("host"));
}

Exit status(Call& call) {
    const auto found = call.devices.status();
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    if (call.is_json()) print_json(call.context, *found);
    else call.out().write(status_text(*found));
    return Exit::ok;
}

Exit merges(Call& call) {
    const auto before = call.arguments.integer("before", 1, INT64_MAX);
    if (!before.ok()) return usage_error(call.context, call.arguments, before.error());
    const auto limit = call.arguments.integer("limit", 1, merges_max);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    const auto found =
        call.devices.merges(before->value_or(0), static_cast<std::size_t>(limit->value_or(merges_default)));
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    Table table({"NUMBER", "TIME", "RECORD", "FIELD", "RULE", "KEPT", "LOST"});
    for (const RawJson& one : found->notes) {
        const Fields note(one.view());
        if (call.is_json()) print_json(call.context, one);
        table.add({std::to_string(note.number("number")), note.text("at"), note.text("kind") + ' ' + note.text("id"),
                   note.text("field"), note.text("rule"), side_of(note, "kept"), side_of(note, "lost")});
    }
    if (call.is_json()) return Exit::ok;
    call.out().write(table.text(call.context.console.colours_out));
    if (found->next > 0) remark(call.context, "(older ones: --before " + std::to_string(found->next) + ")");
    return Exit::ok;
}

Exit digest(Call& call) {
    const auto found = call.devices.digest();
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    if (call.is_json()) {
        print_json(call.context, *found);
        return Exit::ok;
    }
    const Fields fields(found->view());
    call.out().line(host::printable(fields.text("digest")));
    remark(call.context,
           "of " + std::to_string(fields.number("records")) + " records; a device that knows the same shows the same");
    return Exit::ok;
}

Exit run_sync(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    if (action != "status" && action != "merges" && action != "digest") {
        return usage_error(context, arguments, wrong("ACTION must be status, merges or digest, not \"" + action + '"'));
    }
    for (const char* option : {"before", "limit"}) {
        if (!arguments.has(option) || action == "merges") continue;
        return usage_error(context, arguments, wrong("--" + std::string(option) + " does not go with " + action));
    }
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    client::Devices devices(client);
    Call call{context, arguments, devices};
    if (action == "status") return status(call);
    return action == "merges" ? merges(call) : digest(call);
}

}  // namespace

Command sync_command() {
    Command command;
    command.name = "sync";
    command.summary = "how this device and its peers stand: status, merges, digest";
    command.detail =
        "`status` tells of this device, of each peer whether it is connected and what is behind, of gaps and of "
        "merges.\n"
        "`merges` lists the fields that two devices wrote without knowing of each other, what each wrote, and which "
        "rule\n"
        "decided. `digest` is one number for all that devices have in common. docs/sync.md says more.";
    command.options = {{"before", "N", "merges: older than this number"},
                       {"limit", "N", "merges: so many at the most (20)"}};
    command.positionals = {{"ACTION", "status, merges or digest"}};
    command.examples = {{"belfry sync status", "in words"},
                        {"belfry sync status --json | jq '.peers[] | {name, connected, unsent}'", "in figures"},
                        {"belfry sync merges", "what was decided between two devices, and how"},
                        {"belfry sync digest", "the same on two devices that know the same"}};
    command.reach = Reach::daemon;
    command.run = run_sync;
    return command;
}

}  // namespace belfry::cli
