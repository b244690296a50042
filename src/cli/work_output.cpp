#include "cli/work_output.hpp"

#include "base/limits.hpp"
#include "codec/json.hpp"
#include "codec/utf8.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t line_bytes_max = base::limits::run_result_bytes_max;

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

void WorkOutput::add_event(WorkStream stream, std::string_view text) {
    while (!text.empty() && !is_cut_) {
        const std::string_view piece = text.substr(0, event_bytes_max);
        text.remove_prefix(piece.size());
        is_cut_ = kept_ + piece.size() > kept_bytes_max;
        kept_ += piece.size();
        model::JsonWriter writer(events_);
        writer.begin_object().field("event", "worker.output").name("data").begin_object();
        writer.field("stream", stream == WorkStream::out ? "stdout" : "stderr");
        if (is_cut_) writer.name("cut").boolean(true);
        else writer.field("text", codec::to_utf8(piece));
        writer.end_object().end_object();
        events_ += '\n';
    }
}

void WorkOutput::add(WorkStream stream, std::string_view text) {
    if (stream == WorkStream::err) {
        tail_ += text;
        if (tail_.size() > 2 * tail_bytes_max) tail_.erase(0, tail_.size() - tail_bytes_max);
    }
    std::string& open = lines_[static_cast<std::size_t>(stream)];
    open += text;
    std::size_t whole = open.rfind('\n') + 1;  // 0: there is none
    if (whole == 0 && open.size() > line_bytes_max) whole = open.size();
    if (whole == 0) return;
    const std::string_view lines = std::string_view(open).substr(0, whole);
    add_event(stream, lines);
    if (stream == WorkStream::out && !is_blank(lines)) {
        const std::string_view said = lines.substr(0, lines.find_last_not_of(" \t\r\n") + 1);
        last_line_ = said.substr(said.rfind('\n') + 1);
    }
    open.erase(0, whole);
}

void WorkOutput::finish() {
    for (const WorkStream stream : {WorkStream::out, WorkStream::err}) {
        if (!lines_[static_cast<std::size_t>(stream)].empty()) add(stream, "\n");
    }
}

std::optional<model::RawJson> WorkOutput::result() const {
    if (last_line_.empty() || last_line_.size() > line_bytes_max) return std::nullopt;
    auto json = codec::validate(last_line_);
    if (!json.ok() || json->view().kind() != model::JsonKind::object) return std::nullopt;
    return std::move(*json);
}

std::string WorkOutput::last_words() const {
    std::string_view words = tail_;
    if (words.size() > tail_bytes_max) words.remove_prefix(words.size() - tail_bytes_max);
    while (!words.empty() && is_blank(words.substr(words.size() - 1))) words.remove_suffix(1);
    return codec::to_utf8(words);
}

}  // namespace belfry::cli
