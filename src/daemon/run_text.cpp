#include "daemon/run_text.hpp"

#include <algorithm>
#include <memory>

#include "daemon/engine_door.hpp"
#include "ports/commands/runs.hpp"

namespace belfry::daemon {
namespace {

constexpr std::size_t piece_bytes_max = 16 << 10;

// As much of the text as a piece may have, and no half of a character.
std::size_t piece_size(std::string_view text) {
    if (text.size() <= piece_bytes_max) return text.size();
    std::size_t size = piece_bytes_max;
    while ((static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    return size;
}

void add_event(model::RunEvents& events, std::string_view name, std::string_view data) {
    model::RunEventDraft draft;
    draft.event = {static_cast<std::uint32_t>(events.text.size()), static_cast<std::uint32_t>(name.size())};
    events.text += name;
    draft.data = {static_cast<std::uint32_t>(events.text.size()), static_cast<std::uint32_t>(data.size())};
    events.text += data;
    events.drafts.push_back(draft);
}

}  // namespace

void RunText::begin(std::string message_id) {
    const std::lock_guard lock(mutex_);
    message_id_ = std::move(message_id);
    is_begun_ = false;
    outcome_ = {};
}

void RunText::add(std::string_view piece) {
    const std::lock_guard lock(mutex_);
    waiting_ += piece;
    if (!is_on_its_way_ && outcome_.ok() && !waiting_.empty()) send();
}

void RunText::send() {
    auto command = std::make_unique<ports::EmitRunEvents>();
    command->principal = model::house_principal();
    command->run_id = run_;
    std::string about;
    model::JsonWriter(about).begin_object().field("message_id", message_id_).end_object();
    if (!is_begun_) add_event(command->events, "llm.message_start", about);
    const std::size_t size = piece_size(waiting_);
    if (size > 0) {
        std::string data;
        model::JsonWriter(data)
            .begin_object()
            .field("message_id", message_id_)
            .field("delta", std::string_view(waiting_).substr(0, size))
            .end_object();
        add_event(command->events, "llm.stream", data);
    } else {
        add_event(command->events, "llm.message_end", about);
    }
    command->bytes = EngineDoor::command_bytes + command->events.text.size();
    command->done = [this](const base::Result<ports::EmittedRunEvents>& reply) {
        answered(reply.ok() ? base::Result<void>{} : base::Result<void>(reply.error()));
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = gateway_.submit(any); !taken.ok()) {
        outcome_ = std::move(taken);
        return;
    }
    is_begun_ = true;
    is_on_its_way_ = true;
    waiting_.erase(0, size);
}

// By the network's thread.
void RunText::answered(const base::Result<void>& taken) {
    bool is_refused = false;
    {
        const std::lock_guard lock(mutex_);
        is_on_its_way_ = false;
        if (!taken.ok()) {
            outcome_ = taken;
            is_refused = taken.error().code == base::Code::conflict || taken.error().code == base::Code::gone ||
                         taken.error().code == base::Code::not_found;
        } else if (outcome_.ok() && !waiting_.empty()) {
            send();
        }
    }
    if (is_refused) on_refused_();
    const std::lock_guard lock(mutex_);
    sent_.notify_all();
}

void RunText::wait_until_sent(std::unique_lock<std::mutex>& lock) {
    sent_.wait(lock, [this] { return !is_on_its_way_ && (waiting_.empty() || !outcome_.ok()); });
}

base::Result<void> RunText::end() {
    std::unique_lock lock(mutex_);
    wait_until_sent(lock);
    if (outcome_.ok() && is_begun_) {
        send();
        wait_until_sent(lock);
    }
    waiting_.clear();
    return std::exchange(outcome_, {});
}

}  // namespace belfry::daemon
