#include "base/limits.hpp"
#include "cli/line_reader.hpp"
#include "cli/run_actions.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t batch_bytes_max = base::limits::http_body_bytes_max / 4;
constexpr base::Duration patience = base::milliseconds(50);

// Lines as they come: those that are there together go together.
class LineEmitter {
public:
    LineEmitter(Context& context, const Arguments& arguments, client::Client& client, model::RunId id)
        : context_(context), arguments_(arguments), client_(client), id_(id) {}

    Exit run(LineReader& reader) {
        std::string line;
        for (;;) {
            const auto got = reader.next(line, count_ > 0 ? std::optional(patience) : std::nullopt);
            if (!got.ok()) return stop(got.error());
            if (*got == LineReader::Got::too_long) {
                return stop(base::error(base::Code::too_large,
                                        "line " + std::to_string(reader.line_number()) + " is longer than " +
                                            std::to_string(base::limits::run_event_bytes_max) + " bytes"));
            }
            if (*got == LineReader::Got::line && line.find_first_not_of(" \t") != std::string::npos) {
                batch_ += line + "\n";
                ++count_;
            }
            const bool full = count_ >= base::limits::run_event_batch_max || batch_.size() >= batch_bytes_max;
            if (full || *got == LineReader::Got::nothing_yet || *got == LineReader::Got::end) {
                if (auto sent = send(); !sent.ok()) return stop(sent.error());
            }
            if (*got == LineReader::Got::end) {
                remark(context_, std::to_string(taken_) + " taken");
                return Exit::ok;
            }
        }
    }

private:
    base::Result<void> send() {
        if (count_ == 0) return {};
        TRY_ASSIGN(const client::EmittedToRun emitted, client_.emit_to_run(id_, std::move(batch_)));
        taken_ += static_cast<std::size_t>(emitted.accepted);
        batch_.clear();
        count_ = 0;
        return {};
    }

    Exit stop(const base::Error& error) {
        const Exit exit = fail(context_, arguments_, error);
        remark(context_, "stopped: " + std::to_string(taken_) + " events are durable");
        return taken_ > 0 ? Exit::partial : exit;
    }

    Context& context_;
    const Arguments& arguments_;
    client::Client& client_;
    model::RunId id_;
    std::string batch_;
    std::size_t count_ = 0;
    std::size_t taken_ = 0;
};

}  // namespace

Exit emit_to_run(Context& context, const Arguments& arguments, client::Client& client, model::RunId id) {
    if (const auto file = arguments.value("file")) {
        auto reader = LineReader::open(*file, base::limits::run_event_bytes_max);
        if (!reader.ok()) return fail(context, arguments, reader.error());
        return LineEmitter(context, arguments, client, id).run(*reader);
    }
    const std::string event = arguments.positional(2);
    if (event.empty()) {
        return usage_error(context, arguments,
                           wrong("EVENT is missing: belfry run emit ID EVENT [DATA], or --file FILE"));
    }
    std::string line;
    model::JsonWriter writer(line);
    writer.begin_object().field("event", event);
    if (const std::string data = arguments.positional(3); !data.empty()) {
        const auto json = codec::validate(data);
        if (!json.ok()) {
            return usage_error(context, arguments, wrong("DATA must be JSON: " + json.error().message));
        }
        writer.name("data").raw(json->bytes());
    }
    writer.end_object();
    const auto emitted = client.emit_to_run(id, line + "\n");
    if (!emitted.ok()) return fail(context, arguments, emitted.error());
    if (!arguments.has("json")) {
        remark(context, "event " + std::to_string(emitted->last) + " of run " + std::to_string(id));
        return Exit::ok;
    }
    std::string out;
    model::JsonWriter answer(out);
    answer.begin_object().field("sequence", static_cast<long long>(emitted->last)).field("state", emitted->state);
    answer.name("paused").boolean(emitted->paused).end_object();
    context.console.out.line(out);
    return Exit::ok;
}

}  // namespace belfry::cli
