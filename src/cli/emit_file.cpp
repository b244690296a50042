#include "cli/emit_file.hpp"

#include "base/limits.hpp"
#include "cli/line_reader.hpp"
#include "codec/problem.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t batch_lines_max = base::limits::event_batch_max / 2;
constexpr std::size_t batch_bytes_max = base::limits::http_body_bytes_max / 4;
constexpr std::size_t refusals_told_max = 20;
constexpr base::Duration patience = base::milliseconds(50);

class FileEmitter {
public:
    FileEmitter(Context& context, const Arguments& arguments, client::Client& client)
        : context_(context), arguments_(arguments), client_(client), key_(arguments.value_or("idempotency-key", "")) {}

    Exit run(LineReader& reader) {
        std::string line;
        for (;;) {
            const bool hurry = key_.empty() && !numbers_.empty();
            const auto got = reader.next(line, hurry ? std::optional(patience) : std::nullopt);
            if (!got.ok()) return stop(got.error());
            if (*got == LineReader::Got::too_long) {
                tell(reader.line_number(),
                     base::error(base::Code::too_large, "the event is longer than " +
                                                            std::to_string(base::limits::event_bytes_max) + " bytes"));
            }
            if (*got == LineReader::Got::line && line.find_first_not_of(" \t") != std::string::npos) {
                batch_ += line + "\n";
                numbers_.push_back(reader.line_number());
            }
            const bool full = numbers_.size() >= batch_lines_max || batch_.size() >= batch_bytes_max;
            const bool due = full || *got == LineReader::Got::nothing_yet || *got == LineReader::Got::end;
            if (due) {
                if (auto sent = send(); !sent.ok()) return stop(sent.error());
            }
            if (*got == LineReader::Got::end) return finish();
        }
    }

private:
    base::Result<void> send() {
        if (numbers_.empty()) return {};
        const std::string key = key_.empty() ? "" : key_ + "-" + std::to_string(++batches_);
        TRY_ASSIGN(const client::Emitted emitted, client_.emit_lines(std::move(batch_), key));
        batch_.clear();
        if (emitted.entries.size() != numbers_.size()) {
            return base::error(base::Code::malformed,
                               "the daemon answered for another number of events than were sent");
        }
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (emitted.entries[i].ok()) tell(numbers_[i], *emitted.entries[i]);
            else tell(numbers_[i], emitted.entries[i].error());
        }
        numbers_.clear();
        context_.console.out.flush();
        return {};
    }

    void tell(std::size_t line, const client::Admitted& admitted) {
        ++taken_;
        if (!arguments_.has("json")) return;
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().field("line", static_cast<long long>(line)).field("id", admitted.id);
        writer.name("sequence").raw(std::to_string(admitted.sequence)).end_object();
        context_.console.out.line(host::escape_json_controls(json));
    }

    void tell(std::size_t line, const base::Error& error) {
        ++refused_;
        if (!arguments_.has("json")) {
            if (refused_ == refusals_told_max + 1)
                remark(context_, "further refused lines are only counted; --json names all");
            if (refused_ > refusals_told_max) return;
            remark(context_, "line " + std::to_string(line) + ": " + error.message +
                                 (error.field.empty() ? "" : " (" + error.field + ")"));
            return;
        }
        std::string json;
        model::JsonWriter writer(json);
        std::string reason;
        codec::append_entry_problem(reason, error);
        writer.begin_object().field("line", static_cast<long long>(line)).name("error").raw(reason).end_object();
        context_.console.out.line(host::escape_json_controls(json));
    }

    Exit stop(const base::Error& error) {
        const Exit exit = fail(context_, arguments_, error);
        std::string where = numbers_.empty() ? "" : " from line " + std::to_string(numbers_.front()) + " on";
        remark(context_, "stopped: " + std::to_string(taken_) + " events are durable; what comes" + where +
                             " was not sent or is not known to have arrived");
        return taken_ > 0 ? Exit::partial : exit;
    }

    Exit finish() {
        remark(context_, std::to_string(taken_) + " taken, " + std::to_string(refused_) + " refused");
        if (refused_ == 0) return Exit::ok;
        return taken_ > 0 ? Exit::partial : Exit::failure;
    }

    Context& context_;
    const Arguments& arguments_;
    client::Client& client_;
    std::string key_;
    std::string batch_;
    std::vector<std::size_t> numbers_;  // the lines of the batch
    std::size_t batches_ = 0;
    std::size_t taken_ = 0;
    std::size_t refused_ = 0;
};

}  // namespace

Exit emit_file(Context& context, const Arguments& arguments, client::Client& client) {
    auto reader = LineReader::open(*arguments.value("file"), base::limits::event_bytes_max);
    if (!reader.ok()) return fail(context, arguments, reader.error());
    return FileEmitter(context, arguments, client).run(*reader);
}

}  // namespace belfry::cli
