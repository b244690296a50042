#include "base/sync_limits.hpp"
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

struct Call {
    Context& context;
    const Arguments& arguments;
    client::Devices& devices;

    [[nodiscard]] bool is_json() const { return arguments.has("json"); }
};

// Where another device reaches this one: an address on which it listens everywhere is no address to call.
std::string place_to_call(const std::string& listens_on) {
    const std::size_t colon = listens_on.rfind(':');
    const std::string host = listens_on.substr(0, colon);
    const bool is_anywhere = host == "0.0.0.0" || host == "[::]" || host.empty();
    return is_anywhere ? "ADDRESS" + listens_on.substr(colon == std::string::npos ? 0 : colon) : listens_on;
}

Exit show_code(Call& call) {
    const auto begun = call.devices.begin_pairing();
    if (!begun.ok()) return fail(call.context, call.arguments, begun.error());
    if (call.is_json()) {
        print_json(call.context, begun->json);
        return Exit::ok;
    }
    const std::string place = place_to_call(begun->address);
    call.context.console.out.line(host::printable(begun->code));
    remark(call.context,
           "on the other device, before " + begun->expires_at + ": belfry peer pair " + begun->code + " --at " + place);
    if (place.starts_with("ADDRESS"))
        remark(call.context, "ADDRESS is that of this device as the other one reaches it");
    return Exit::ok;
}

Exit pair(Call& call) {
    const bool has_code = call.arguments.positionals().size() > 1;
    if (has_code != call.arguments.has("at")) {
        return usage_error(call.context, call.arguments,
                           wrong(has_code ? "--at is missing: the HOST:PORT that the device with the code showed"
                                          : "CODE is missing: belfry peer pair CODE --at HOST:PORT"));
    }
    if (!has_code && call.arguments.has("name")) {
        return usage_error(call.context, call.arguments, wrong("--name goes with a CODE"));
    }
    if (!has_code) return show_code(call);
    const auto peer = call.devices.pair(
        {call.arguments.positional(1), call.arguments.value_or("at", ""), call.arguments.value_or("name", "")});
    if (!peer.ok()) return fail(call.context, call.arguments, peer.error());
    if (call.is_json()) print_json(call.context, *peer);
    else remark(call.context, "paired with " + peer_name(Fields(peer->view())));
    return Exit::ok;
}

Exit list(Call& call) {
    const auto peers = call.devices.peers();
    if (!peers.ok()) return fail(call.context, call.arguments, peers.error());
    Table table({"PEER", "NAME", "ADDRESS", "STATE", "TO TELL", "TO HEAR", "ADDED", "ERROR"});
    for (const RawJson& one : *peers) {
        const Fields peer(one.view());
        if (call.is_json()) print_json(call.context, one);
        table.add({short_id(peer.text("id")), peer.text("name"),
                   peer.text("address").empty() ? "it calls" : peer.text("address"), peer_state(peer),
                   std::to_string(peer.number("unsent")), std::to_string(peer.number("unreceived")),
                   peer.text("added_at"), peer.text("last_error")});
    }
    if (!call.is_json()) call.context.console.out.write(table.text(call.context.console.colours_out));
    return Exit::ok;
}

Exit revoke(Call& call) {
    if (call.arguments.positionals().size() < 2) {
        return usage_error(call.context, call.arguments,
                           wrong("PEER is missing: belfry peer revoke PEER; `belfry peer list` shows them"));
    }
    const auto peer = call.devices.revoke(call.arguments.positional(1));
    if (!peer.ok()) return fail(call.context, call.arguments, peer.error());
    if (call.is_json()) print_json(call.context, *peer);
    else
        remark(call.context,
               peer_name(Fields(peer->view())) + " is told nothing any more, and not listened to; what it told stays");
    return Exit::ok;
}

// What is wrong with what was typed; empty: nothing.
std::string fault_of(const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    if (action != "pair" && action != "list" && action != "revoke") {
        return "ACTION must be pair, list or revoke, not \"" + action + '"';
    }
    for (const char* option : {"at", "name"}) {
        if (arguments.has(option) && action != "pair")
            return "--" + std::string(option) + " does not go with " + action;
    }
    if (arguments.value_or("name", "").size() > base::limits::peer_name_bytes_max) {
        return "--name has more than " + std::to_string(base::limits::peer_name_bytes_max) + " bytes";
    }
    return action == "list" && arguments.positionals().size() > 1 ? "usage: belfry peer list" : "";
}

Exit run_peer(Context& context, const Arguments& arguments) {
    const std::string fault = fault_of(arguments);
    if (!fault.empty()) return usage_error(context, arguments, wrong(fault));
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    client::Devices devices(client);
    Call call{context, arguments, devices};
    const std::string action = arguments.positional(0);
    if (action == "pair") return pair(call);
    return action == "list" ? list(call) : revoke(call);
}

}  // namespace

Command peer_command() {
    Command command;
    command.name = "peer";
    command.summary = "the devices that share what this one knows: pair, list, revoke";
    command.detail =
        "`pair` shows a code on the device that listens (`sync.listen`), for ten minutes; with the CODE, on the other\n"
        "device, both know each other's key from then on, and tell each other agents, memory and journal. Either may "
        "be\n"
        "away for as long as it likes. A device that is revoked keeps what it was told. docs/sync.md says more.";
    command.options = {
        {"at", "HOST:PORT", "pair, with a CODE: where the device that shows it listens"},
        {"name", "NAME", "pair, with a CODE: what that device is called here; as it calls itself unless told"}};
    command.positionals = {{"ACTION", "pair, list or revoke"},
                           {"CODE or PEER", "pair: what the other device shows; revoke: id, its beginning, or name",
                            PositionalSpec::Count::optional}};
    command.examples = {{"belfry peer pair", "shows a code"},
                        {"belfry peer pair K7QF-92MX-4TRA --at 192.0.2.7:7878", "typed on the other device"},
                        {"belfry peer list", "who they are, and what they lack"},
                        {"belfry peer revoke phone", "the phone was lost"}};
    command.reach = Reach::daemon;
    command.run = run_peer;
    return command;
}

}  // namespace belfry::cli
