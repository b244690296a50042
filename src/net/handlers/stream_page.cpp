#include "net/handlers/stream_page.hpp"

#include <utility>

#include "base/limits.hpp"
#include "codec/sse.hpp"

namespace belfry::net::handlers {
namespace {

constexpr int fetches_max = 16;  // for one page; a filter that matches little is continued by the next request

class Page : public std::enable_shared_from_this<Page> {
public:
    Page(const Reply& to, std::unique_ptr<ports::Cursor> cursor, std::size_t limit, PageEntries entries)
        : to_(to), streams_(to.service().ports.streams), cursor_(std::move(cursor)), limit_(limit), entries_(entries) {}

    void run() {
        for (;;) {
            const bool full = count_ == limit_ || body_.size() >= base::limits::page_bytes_max;
            if (full) {
                next_ = cursor_->at();
                return answer(has_more());
            }
            ports::StreamBatch batch;
            const std::size_t bytes_left = base::limits::page_bytes_max - body_.size();
            const auto state = streams_.read(*cursor_, bytes_left, limit_ - count_, batch);
            take(batch);
            next_ = cursor_->at();
            if (state == ports::ReadState::at_head) return answer(false);
            if (state == ports::ReadState::gone) {
                return to_.fail(base::error(base::Code::gone, "this stream is no more"));
            }
            if (state == ports::ReadState::behind) {
                if (++fetches_ > fetches_max) return answer(true);
                return fetch();
            }
        }
    }

private:
    void take(const ports::StreamBatch& batch) {
        if (batch.gap) gap_ = ports::Gap{gap_ ? gap_->from : batch.gap->from, batch.gap->to};
        for (const ports::BlockSlice& slice : batch.slices) {
            for (std::uint32_t i = slice.first; i < slice.first + slice.count; ++i) {
                const model::LogEntry& entry = slice.block->entries[i];
                if (count_++ > 0) body_ += ',';
                if (entries_ == PageEntries::plain && !entry.body.empty()) body_ += entry.body;
                else codec::append_entry_json(body_, entry.sequence, entry.body);
            }
        }
    }

    void fetch() {
        streams_.fetch(*cursor_, [self = shared_from_this()](const base::Result<void>& result) {
            if (self->to_.connection() == nullptr) return;
            result.ok() ? self->run() : self->to_.fail(result.error());
        });
    }

    // Looks one entry further. A place that is not in memory counts as more: the next page will tell.
    [[nodiscard]] bool has_more() {
        ports::StreamBatch batch;
        const ports::ReadState state = streams_.read(*cursor_, 1, 1, batch);
        return state == ports::ReadState::entries || state == ports::ReadState::behind;
    }

    void answer(bool more) {
        std::string body = "{\"data\":[";
        body += body_;
        body += "],\"next\":";
        body += std::to_string(next_);
        body += more ? ",\"has_more\":true" : ",\"has_more\":false";
        if (gap_)
            body += ",\"gap\":{\"from\":" + std::to_string(gap_->from) + ",\"to\":" + std::to_string(gap_->to) + "}";
        body += '}';
        to_.respond({200, "application/json", body, {}});
    }

    Reply to_;
    ports::Streams& streams_;
    std::unique_ptr<ports::Cursor> cursor_;
    std::size_t limit_;
    PageEntries entries_;
    std::size_t count_ = 0;
    int fetches_ = 0;
    model::Sequence next_ = 0;
    std::optional<ports::Gap> gap_;  // what retention took before the first entry, for a reader that did not have it
    std::string body_;
};

}  // namespace

void answer_page(const Reply& to, std::unique_ptr<ports::Cursor> cursor, std::size_t limit, PageEntries entries) {
    std::make_shared<Page>(to, std::move(cursor), limit, entries)->run();
}

}  // namespace belfry::net::handlers
