#include "net/rpc/subscription.hpp"

#include <utility>

#include "model/raw_json.hpp"
#include "net/rpc/link.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t read_bytes_max = 64 << 10;
constexpr std::size_t read_entries_max = 256;
}  // namespace

RpcSubscription::RpcSubscription(Service& service, std::string topic, SharedCaller caller, StreamPlace place,
                                 std::function<void()> farewell)
    : service_(service),
      topic_(std::move(topic)),
      event_method_(topic_ + "/event"),
      caller_(std::move(caller)),
      place_(std::move(place)),
      farewell_(std::move(farewell)) {
    ++service_.ports.metrics.stream_readers_opened;
    ++service_.ports.metrics.stream_readers;
}

RpcSubscription::~RpcSubscription() {
    --service_.ports.metrics.stream_readers;
    if (link_ != 0) service_.rpc.leave(place_.stream(), link_);
    if (farewell_) farewell_();
}

void RpcSubscription::begin(ConnectionId link, std::uint64_t number) {
    link_ = link;
    number_ = number;
    service_.rpc.follow(place_.stream(), link);
}

void RpcSubscription::fetch() {
    fetching_ = true;
    service_.ports.streams.fetch(
        place_.cursor(), [service = &service_, link = link_, number = number_](const base::Result<void>& result) {
            if (RpcLink* const found = service->rpc.find(link)) found->after_fetch(number, result.ok());
        });
}

RpcSubscription::Outcome RpcSubscription::serve(const Tell& tell) {
    if (ask_) {
        if (!std::exchange(asking_, true)) ask_(link_, number_);
        return Outcome::idle;
    }
    if (fetching_) return Outcome::idle;
    const ports::ReadState state = place_.read(service_.ports.streams, read_bytes_max, read_entries_max, batch_);
    if (batch_.gap) {
        std::string params;
        model::JsonWriter writer(params);
        writer.begin_object().field("subscription", static_cast<long long>(number_)).name("gap").begin_object();
        writer.field("from", static_cast<long long>(batch_.gap->from));
        writer.field("to", static_cast<long long>(batch_.gap->to)).end_object().end_object();
        tell(event_method_, params);
    }
    for (const ports::BlockSlice& slice : batch_.slices) {
        for (std::uint32_t i = slice.first; i < slice.first + slice.count; ++i) {
            const model::LogEntry& entry = slice.block->entries[i];
            tell_event(tell, entry.sequence, entry.body);
            service_.ports.metrics.stream_entries_sent.fetch_add(1, std::memory_order_relaxed);
        }
    }
    const auto end = place_.end_of(state, batch_);
    batch_.clear();
    if (end) {
        tell_closed(tell, *end);
        return Outcome::ended;
    }
    if (state == ports::ReadState::behind) fetch();
    return state == ports::ReadState::entries ? Outcome::more : Outcome::idle;
}

void RpcSubscription::tell_event(const Tell& tell, model::Sequence sequence, std::string_view body) const {
    std::string params;
    params.reserve(body.size() + 64);
    model::JsonWriter writer(params);
    writer.begin_object().field("subscription", static_cast<long long>(number_));
    if (sequence > 0) writer.field("sequence", static_cast<long long>(sequence));
    body.empty() ? writer.name("erased").boolean(true) : writer.name("event").raw(body);
    writer.end_object();
    tell(event_method_, params);
}

void RpcSubscription::tell_closed(const Tell& tell, CloseReason reason) const {
    std::string params;
    model::JsonWriter writer(params);
    writer.begin_object()
        .field("subscription", static_cast<long long>(number_))
        .field("reason", close_reason_name(reason))
        .end_object();
    tell(topic_ + "/closed", params);
}

void RpcSubscription::tell_store(const Tell& tell, bool is_down) {
    if (topic_ != "run") return;
    const auto news = place_.store_news(is_down);
    if (!news) return;
    std::string params;
    model::JsonWriter writer(params);
    writer.begin_object().field("subscription", static_cast<long long>(number_));
    writer.field("state", *news ? "down" : "up").end_object();
    tell("run/store", params);
}

}  // namespace belfry::net
