#include "client/sender.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <random>
#include <utility>

#include "base/assert.hpp"
#include "base/uuid.hpp"
#include "client/fields.hpp"

namespace belfry::client {
namespace {

constexpr std::string_view method = "client/user_message";

constexpr std::int64_t bytes_a_second = 256 << 10;  // a line that is slower than this is as good as none

template <class Clock>
base::Timestamp reading(typename Clock::time_point now) {
    return {std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count()};
}

class SystemSendClock final : public SendClock {
    using Steady = std::chrono::steady_clock;
    using Wall = std::chrono::system_clock;

public:
    base::Timestamp now() override { return reading<Steady>(Steady::now()); }
    base::Timestamp wall() override { return reading<Wall>(Wall::now()); }
    void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                    base::Timestamp until) override {
        changed.wait_until(lock, Steady::time_point(std::chrono::microseconds(until.us)));
    }
};

std::string make_id(base::Timestamp now) {
    std::random_device device;
    const auto word = [&device] { return static_cast<std::uint64_t>(device()) << 32U | device(); };
    return base::format_uuid(base::make_uuid7(now, word(), word()));
}

std::string params_of(const UserMessage& message, const std::string& id, base::Timestamp now) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("session_id", message.session_id).field("message_type", message.message_type);
    writer.field("timestamp", base::format_timestamp(now));
    if (message.payload) writer.name("payload").raw(message.payload->bytes());
    writer.field("message_id", id).end_object();
    return out;
}

// The server is there and cannot at the moment: as good as one that is not there.
bool may_pass(base::Code code) {
    return code == base::Code::unavailable || code == base::Code::overloaded || code == base::Code::outcome_unknown ||
           code == base::Code::timeout;
}

base::Result<Receipt> receipt_of(const RpcAnswer& answer, const std::string& message_id) {
    if (answer.refusal) return *answer.refusal;
    const Fields fields(answer.result.view());
    if (answer.result.view().kind() != model::JsonKind::object || !fields.flag("success").value_or(false)) {
        return base::error(base::Code::malformed, "the server's answer is no receipt");
    }
    return Receipt{message_id, fields.text("notification_id"), fields.text("message")};
}

}  // namespace

Sender::Sender(SenderOptions options)
    : options_(std::move(options)),
      own_clock_(std::make_unique<SystemSendClock>()),
      clock_(*own_clock_),
      queue_(options_.queue),
      thread_([this] { work(); }) {}

Sender::Sender(SenderOptions options, SendClock& clock)
    : options_(std::move(options)), clock_(clock), queue_(options_.queue), thread_([this] { work(); }) {}

Sender::~Sender() {
    ASSERT(std::this_thread::get_id() != thread_.get_id());
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    interrupt_.raise();
    changed_.notify_all();
    thread_.join();
}

base::Result<std::string> Sender::submit(const UserMessage& message, OnDone on_done) {
    const base::Timestamp wall = clock_.wall();
    Outgoing outgoing;
    outgoing.message_id = message.message_id.empty() ? make_id(wall) : message.message_id;
    outgoing.params_json = params_of(message, outgoing.message_id, wall);
    outgoing.on_done = std::move(on_done);
    const std::size_t bytes = rpc_request_json(outgoing.message_id, method, outgoing.params_json).size();
    if (bytes > base::limits::send_message_bytes_max) {
        return base::error(base::Code::too_large,
                           "Notification payload exceeds 1MB size limit: it has " + std::to_string(bytes) + " bytes",
                           "payload");
    }
    std::string id = outgoing.message_id;
    {
        const std::lock_guard lock(mutex_);
        TRY(queue_.put(std::move(outgoing), clock_.now()));
    }
    changed_.notify_all();
    return id;
}

base::Result<Receipt> Sender::send(const UserMessage& message) {
    if (std::this_thread::get_id() == thread_.get_id()) {
        return base::error(base::Code::invalid,
                           "send inside a callback of the sender would wait for itself; use submit");
    }
    auto promise = std::make_shared<std::promise<base::Result<Receipt>>>();
    auto outcome = promise->get_future();
    TRY(submit(message, [promise](const base::Result<Receipt>& result) { promise->set_value(result); }));
    return outcome.get();
}

void Sender::work() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
        const base::Timestamp now = clock_.now();
        if (queue_.size() == 0) lost_ = false;
        if (const std::vector<Outgoing> late = queue_.expired(now); !late.empty()) {
            lock.unlock();
            for (const Outgoing& message : late) give_up(message, "it has waited too long");
            lock.lock();
        } else if (lost_ && queue_.has_untold()) {
            tell_waiting(lock);
        } else if (queue_.due(now) != nullptr) {
            try_first(lock);
        } else {
            clock_.wait_until(lock, changed_, queue_.next_at().value_or(now + base::hours(1)));
        }
    }
    const std::vector<Outgoing> left = queue_.clear();
    lock.unlock();
    for (const Outgoing& message : left) give_up(message, "the sender was closed");
}

void Sender::try_first(std::unique_lock<std::mutex>& lock) {
    const Outgoing* const first = queue_.due(clock_.now());
    const std::string id = first->message_id;
    const std::string params = first->params_json;
    const auto bytes = static_cast<std::int64_t>(params.size());
    const base::Duration time = options_.attempt_time_max + base::milliseconds(bytes * 1000 / bytes_a_second);
    auto answer = attempt_telling(id, params, std::min(time, queue_.patience(clock_.now())), lock);
    const bool is_settled = answer.ok() && !(answer->refusal && may_pass(answer->refusal->code));
    lost_ = !is_settled;
    if (answer.ok()) retry_after_ = answer->retry_after;
    if (!is_settled) last_failure_ = answer.ok() ? answer->refusal->message : answer.error().message;
    // Nobody but this thread takes from the queue: the first is the same one still.
    if (closing_ && !is_settled) return;
    std::optional<Outgoing> leaves = is_settled ? queue_.take() : queue_.failed(clock_.now());
    if (!leaves) return;
    lock.unlock();
    if (is_settled) settle(*leaves, receipt_of(*answer, id));
    else give_up(*leaves, last_failure_);
    lock.lock();
}

// On a thread of its own, so that those who wait can be told meanwhile.
base::Result<RpcAnswer> Sender::attempt_telling(const std::string& id, const std::string& params, base::Duration time,
                                                std::unique_lock<std::mutex>& lock) {
    std::optional<base::Result<RpcAnswer>> answer;
    std::thread line([&] {
        auto got = attempt(id, params, wire::deadline_in(time));
        const std::lock_guard own(mutex_);
        answer = std::move(got);
        changed_.notify_all();
    });
    const auto silent = wire::deadline_in(options_.silence_max);
    while (!answer && !lost_ && changed_.wait_until(lock, silent) != std::cv_status::timeout) {
    }
    while (!answer) {
        lost_ = true;
        if (queue_.has_untold() && !closing_) tell_waiting(lock);
        else changed_.wait(lock);
    }
    lock.unlock();
    line.join();
    lock.lock();
    return std::move(*answer);
}

base::Result<RpcAnswer> Sender::attempt(const std::string& id, const std::string& params_json,
                                        wire::Deadline deadline) {
    if (connection_ && !connection_->is_quiet()) connection_.reset();
    if (!connection_) {
        RpcOptions how = options_.server;
        how.interrupt = &interrupt_;
        TRY_ASSIGN(RpcConnection::Connected made, RpcConnection::connect(how, deadline));
        if (!made.connection) return std::move(made.refused);
        connection_ = std::move(made.connection);
    }
    auto answer = connection_->call(id, method, params_json, deadline);
    if (!answer.ok()) connection_.reset();
    return answer;
}

void Sender::tell_waiting(std::unique_lock<std::mutex>& lock) {
    const std::vector<std::string> untold = queue_.tell();
    lock.unlock();
    for (const std::string& id : untold) {
        if (options_.on_feedback) options_.on_feedback(retrying_text, id);
    }
    lock.lock();
}

void Sender::settle(const Outgoing& message, const base::Result<Receipt>& outcome) {
    if (message.on_done) message.on_done(outcome);
}

void Sender::give_up(const Outgoing& message, const std::string& why) {
    if (options_.on_feedback) options_.on_feedback(failed_text, message.message_id);
    settle(message, base::error(base::Code::unavailable, std::string(failed_text) + ": " + why));
}

}  // namespace belfry::client
