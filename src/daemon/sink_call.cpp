#include "daemon/sink_call.hpp"

#include "base/limits.hpp"
#include "codec/sink_text.hpp"
#include "codec/utf8.hpp"
#include "host/command.hpp"
#include "net/outbound/sink_http.hpp"

namespace belfry::daemon {
namespace {

std::string_view urgency(model::Priority priority) {
    switch (priority) {
        case model::Priority::critical: return "--urgency=critical";
        case model::Priority::high:
        case model::Priority::normal: return "--urgency=normal";
        case model::Priority::low: break;
    }
    return "--urgency=low";
}

// Desktops read some markup in the text; what is said here is no markup.
std::string without_markup(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (c != '\0') out += c;
    }
    return out;
}

base::Result<std::string> run(host::CommandCall call, const SinkCall& of, const host::Environment& environment,
                              const wire::Interrupt& interrupt) {
    call.time_max = of.sink.time_max;
    call.output_bytes_max = base::limits::sink_output_bytes_max;
    call.stop_descriptor = interrupt.descriptor();
    TRY_ASSIGN(const host::CommandEnd end, host::run_command(call, environment));
    if (end.status == 0) return std::string("exit code 0");
    std::string words = call.argv.front() + " ended with exit code " + std::to_string(end.status);
    std::string said = codec::to_utf8(end.output);
    while (said.ends_with('\n')) said.pop_back();
    if (!said.empty()) words += ": " + said;
    return base::error(base::Code::io, std::move(words));
}

}  // namespace

base::Result<std::string> call_sink(const SinkCall& call, const host::Environment& environment,
                                    const wire::Interrupt& interrupt) {
    host::CommandCall command;
    switch (call.sink.kind) {
        case model::SinkKind::command:
            command.argv = call.sink.argv;
            command.input = codec::sink_json(call.notification) + '\n';
            return run(std::move(command), call, environment, interrupt);
        case model::SinkKind::desktop:
            command.argv = {std::string(model::desktop_program),
                            "--app-name=Belfry",
                            std::string(urgency(call.notification.priority)),
                            "--",
                            codec::sink_title(call.notification),
                            without_markup(codec::sink_text(call.notification))};
            return run(std::move(command), call, environment, interrupt);
        case model::SinkKind::ntfy:
        case model::SinkKind::webhook: break;
    }
    return net::call_sink_server(call.sink, call.notification, call.id, call.now, interrupt);
}

}  // namespace belfry::daemon
