#include "cli/journal_import.hpp"

#include "base/journal_limits.hpp"
#include "base/limits.hpp"
#include "cli/line_reader.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t slice_bytes_max = base::limits::http_body_bytes_max / 4;
constexpr std::size_t line_bytes_max = base::limits::http_body_bytes_max / 2;
constexpr std::size_t conflicts_told_max = 20;

class FileImporter {
public:
    explicit FileImporter(JournalCall& call) : call_(call) {}

    Exit run(LineReader& reader) {
        std::string line;
        for (;;) {
            const auto got = reader.next(line, std::nullopt);
            if (!got.ok()) return stop(got.error());
            if (*got == LineReader::Got::too_long) {
                return stop(base::error(base::Code::too_large, at_line(reader.line_number()) + "longer than " +
                                                                   std::to_string(line_bytes_max) + " bytes"));
            }
            const bool is_end = *got == LineReader::Got::end;
            if (!is_end && line.find_first_not_of(" \t\r") != std::string::npos) {
                slice_ += line + '\n';
                numbers_.push_back(reader.line_number());
            }
            const bool is_full =
                numbers_.size() >= base::limits::journal_import_records_max || slice_.size() >= slice_bytes_max;
            if (is_end || is_full) {
                if (auto sent = send(); !sent.ok()) return stop(sent.error());
            }
            if (is_end) return finish();
        }
    }

private:
    static std::string at_line(std::size_t number) { return "line " + std::to_string(number) + ": "; }

    // The line of the file, where the daemon counts those that it was sent.
    [[nodiscard]] std::size_t number_of(std::int64_t line) const {
        const auto place = static_cast<std::size_t>(line - 1);
        return place < numbers_.size() ? numbers_[place] : 0;
    }

    base::Result<void> send() {
        if (numbers_.empty()) return {};
        TRY_ASSIGN(const client::Imported imported, call_.journal.import_lines(std::move(slice_)));
        slice_.clear();
        if (imported.fault) {
            base::Error error = imported.fault->error;
            error.message = at_line(number_of(imported.fault->line)) + (error.field.empty() ? "" : error.field + ' ') +
                            error.message;
            return error;
        }
        taken_ += imported.taken;
        unchanged_ += imported.unchanged;
        for (client::ImportConflict conflict : imported.conflicts) {
            conflict.line = static_cast<std::int64_t>(number_of(conflict.line));
            tell(conflict);
            conflicts_.push_back(std::move(conflict));
        }
        numbers_.clear();
        return {};
    }

    void tell(const client::ImportConflict& conflict) {
        if (call_.is_json() || conflicts_.size() > conflicts_told_max) return;
        if (conflicts_.size() == conflicts_told_max) {
            return remark(call_.context, "further conflicts are only counted; --json names all");
        }
        remark(call_.context, at_line(static_cast<std::size_t>(conflict.line)) + conflict.id + ": " + conflict.message);
    }

    void sum_up() {
        if (!call_.is_json()) {
            return remark(call_.context, std::to_string(taken_) + " taken, " + std::to_string(unchanged_) +
                                             " unchanged, " + std::to_string(conflicts_.size()) + " in conflict");
        }
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().field("taken", static_cast<long long>(taken_));
        writer.field("unchanged", static_cast<long long>(unchanged_)).name("conflicts").begin_array();
        for (const client::ImportConflict& conflict : conflicts_) {
            writer.begin_object().field("line", static_cast<long long>(conflict.line)).field("id", conflict.id);
            writer.field("message", conflict.message).end_object();
        }
        writer.end_array().end_object();
        call_.context.console.out.line(host::escape_json_controls(json));
    }

    Exit stop(const base::Error& error) {
        const Exit exit = fail(call_.context, call_.arguments, error);
        sum_up();
        return taken_ > 0 ? Exit::partial : exit;
    }

    Exit finish() {
        sum_up();
        return conflicts_.empty() ? Exit::ok : Exit::failure;
    }

    JournalCall& call_;
    std::string slice_;
    std::vector<std::size_t> numbers_;  // the lines of the slice
    std::int64_t taken_ = 0;
    std::int64_t unchanged_ = 0;
    std::vector<client::ImportConflict> conflicts_;
};

}  // namespace

Exit import_file(JournalCall& call) {
    auto reader = LineReader::open(call.word(0), line_bytes_max);
    if (!reader.ok()) return fail(call.context, call.arguments, reader.error());
    return FileImporter(call).run(*reader);
}

}  // namespace belfry::cli
