#include "cli/agent_transfer.hpp"

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "cli/connection.hpp"
#include "cli/line_reader.hpp"
#include "client/memory.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t slice_bytes_max = base::limits::http_body_bytes_max / 4;
constexpr std::size_t line_bytes_max = base::limits::http_body_bytes_max / 2;

class AgentImporter {
public:
    AgentImporter(Context& context, const Arguments& arguments, client::Client& client)
        : context_(context), arguments_(arguments), client_(client) {}

    Exit run(LineReader& reader) {
        std::string line;
        for (;;) {
            const auto got = reader.next(line, std::nullopt);
            if (!got.ok()) return stop(got.error());
            if (*got == LineReader::Got::too_long) {
                return stop(fault_at(reader.line_number(), "longer than " + std::to_string(line_bytes_max) + " bytes"));
            }
            const bool is_end = *got == LineReader::Got::end;
            if (!is_end && line.find_first_not_of(" \t\r") != std::string::npos) {
                if (auto taken = take(line, reader.line_number()); !taken.ok()) return stop(taken.error());
            }
            const bool is_full =
                numbers_.size() >= base::limits::agent_import_messages_max || slice_.size() >= slice_bytes_max;
            if (is_end || is_full) {
                if (auto sent = send(); !sent.ok()) return stop(sent.error());
            }
            if (is_end) return finish();
        }
    }

private:
    static base::Error fault_at(std::size_t line, const std::string& what) {
        return base::error(base::Code::invalid, "line " + std::to_string(line) + ": " + what);
    }

    // Keeps what names the next slice: whose it is, and after which message it comes.
    base::Result<void> take(const std::string& line, std::size_t number) {
        const auto json = codec::validate(line);
        if (!json.ok()) return fault_at(number, json.error().message);
        const auto agent = json->member("agent");
        if (numbers_.empty() && !begun_ && !agent) return fault_at(number, "an export begins with its agent");
        if (agent && agent->member("id")) agent_id_ = agent->member("id")->as_text();
        if (const auto message = json->member("message"); message && message->member("id")) {
            last_in_slice_ = message->member("id")->as_text();
        }
        has_ended_ = json->member("end").has_value();
        slice_ += line + '\n';
        numbers_.push_back(number);
        return {};
    }

    base::Result<void> send() {
        if (numbers_.empty()) return {};
        client::Memory memory(client_, agent_id_);
        TRY_ASSIGN(const client::AgentImported imported,
                   begun_ ? memory.import_more(std::move(slice_), last_sent_)
                          : memory.import_first(std::move(slice_), arguments_.value_or("user", "")));
        slice_.clear();
        if (imported.fault) {
            const auto place = static_cast<std::size_t>(imported.fault->line - 1);
            const base::Error& why = imported.fault->error;
            return fault_at(place < numbers_.size() ? numbers_[place] : 0,
                            (why.field.empty() ? "" : why.field + ' ') + why.message);
        }
        begun_ = true;
        last_sent_ = last_in_slice_;
        added_ += imported.added;
        unchanged_ += imported.unchanged;
        numbers_.clear();
        return {};
    }

    void sum_up() {
        if (!arguments_.has("json")) {
            return remark(context_, agent_id_ + ": " + std::to_string(added_) + " messages taken, " +
                                        std::to_string(unchanged_) + " unchanged");
        }
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().field("agent_id", agent_id_).field("added", added_).field("unchanged", unchanged_);
        writer.end_object();
        context_.console.out.line(host::escape_json_controls(json));
    }

    Exit stop(const base::Error& error) {
        const Exit exit = fail(context_, arguments_, error);
        if (!begun_) return exit;
        sum_up();
        return Exit::partial;
    }

    Exit finish() {
        if (!begun_) return fail(context_, arguments_, base::error(base::Code::invalid, "there is nothing in it"));
        if (!has_ended_) {
            return stop(base::error(base::Code::invalid, "the export has no end: some of it may be missing"));
        }
        sum_up();
        return Exit::ok;
    }

    Context& context_;
    const Arguments& arguments_;
    client::Client& client_;
    std::string agent_id_;
    std::string slice_;
    std::vector<std::size_t> numbers_;  // the lines of the slice
    std::string last_in_slice_;
    std::string last_sent_;
    bool begun_ = false;
    bool has_ended_ = false;
    std::int64_t added_ = 0;
    std::int64_t unchanged_ = 0;
};

}  // namespace

Exit export_agent(Context& context, const Arguments& arguments, client::Client& client) {
    Output& out = context.console.out;
    client::Memory memory(client, arguments.positional(1));
    const auto exported = memory.export_lines([&out](std::string_view lines) {
        while (!lines.empty()) {
            const std::size_t end = std::min(lines.find('\n'), lines.size());
            out.line(host::escape_json_controls(lines.substr(0, end)));
            lines.remove_prefix(std::min(end + 1, lines.size()));
        }
        return !out.is_closed() && out.failure().empty();
    });
    return exported.ok() ? Exit::ok : fail(context, arguments, exported.error());
}

Exit import_agent(Context& context, const Arguments& arguments, client::Client& client) {
    auto reader = LineReader::open(arguments.positional(1), line_bytes_max);
    if (!reader.ok()) return fail(context, arguments, reader.error());
    return AgentImporter(context, arguments, client).run(*reader);
}

}  // namespace belfry::cli
