#include <charconv>

#include "client/answers.hpp"
#include "client/client.hpp"
#include "client/cursor.hpp"
#include "client/requests.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

std::optional<model::Sequence> member_number(const model::RawJson& json, std::string_view name) {
    const auto value = json.member(name);
    model::Sequence number = 0;
    if (!value) return std::nullopt;
    const auto [end, failed] = std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
    if (failed != std::errc{} || end != value->text.data() + value->text.size()) return std::nullopt;
    return number;
}

// Entries of a stream: each once and in order.
class EntryCursor final : public Cursor {
public:
    EntryCursor(std::string path, const model::StreamFilter& filter, Start start, const FollowHandlers& handlers)
        : path_(std::move(path)),
          filter_(filter),
          handlers_(handlers),
          from_beginning_(start.at == Start::At::beginning),
          last_(start.after) {}

    [[nodiscard]] std::string target() const override {
        Query query;
        if (from_beginning_ && last_ == 0) query.add("from", "start");
        else query.add("after", std::to_string(last_));
        query.add(filter_);
        return path_ + query.text();
    }

    base::Result<bool> take(const codec::SseMessage& message) override {
        if (message.event == "message") {
            TRY_ASSIGN(const Entry entry, read_entry(message.data));
            if (entry.sequence <= last_) return true;  // had before
            last_ = entry.sequence;
            return handlers_.on_entry(entry);
        }
        if (message.event != "gap") return true;
        auto json = codec::validate(message.data);
        if (!json.ok() || json->view().kind() != model::JsonKind::object) return true;
        const auto from = member_number(*json, "from");
        const auto to = member_number(*json, "to");
        if (!from || !to || *to <= last_) return true;
        last_ = *to;
        if (handlers_.on_gap) handlers_.on_gap(*from, *to);
        return true;
    }

private:
    std::string path_;
    const model::StreamFilter& filter_;
    const FollowHandlers& handlers_;
    bool from_beginning_;
    model::Sequence last_;  // what was handed on, or is known to be gone
};

}  // namespace

base::Result<void> Client::follow(std::string_view stream, const model::StreamFilter& filter, Start start,
                                  const FollowHandlers& handlers) {
    // "From now on" becomes a position at once: what is appended while a connection is down would be lost otherwise.
    if (start.at == Start::At::live) {
        TRY_ASSIGN(const StreamState state, this->stream(stream));
        start.after = state.head;
    }
    EntryCursor cursor("/v1/streams/" + percent_encode(stream), filter, start, handlers);
    return follow_cursor(cursor, handlers.on_lost);
}

}  // namespace belfry::client
