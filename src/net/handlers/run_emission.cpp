#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "codec/run_event_bodies.hpp"
#include "net/guard.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/pace.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/run_words.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

base::Result<std::optional<model::Sequence>> read_expected(const wire::Request& request) {
    std::optional<model::Sequence> expected;
    TRY(read_parameters(request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name != "expect_first") return unknown_parameter(name);
        const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), expected.emplace());
        const bool is_number = fault == std::errc{} && end == value.data() + value.size() && *expected > 0;
        if (!is_number) return base::error(base::Code::invalid, "must be a whole number above 0", name);
        return {};
    }));
    return expected;
}

std::size_t bytes_of(const model::RunEvents& events) {
    return events.text.size() + events.drafts.size() * sizeof(model::RunEventDraft);
}

// Lines that come and come. Those that have come together are one command; while it is under way nothing more is read.
class RunUpload final : public Upload {
public:
    RunUpload(Reply home, SharedCaller caller, ConnectionId connection, model::RunId run,
              std::optional<model::Sequence> expected)
        : home_(home), caller_(std::move(caller)), connection_(connection), run_(run), expected_(expected) {}

    void take(std::string_view piece) override {
        rest_ += piece;
        send_lines();
    }
    void finish() override {
        whole_ = true;
        if (!busy_) send_lines();
    }
    [[nodiscard]] bool is_busy() const override { return busy_; }
    void refuse(const base::Error& error) override { fail(error, line_ + 1); }
    [[nodiscard]] const SharedCaller& caller() const override { return caller_; }
    [[nodiscard]] std::size_t held() const override { return rest_.capacity(); }

private:
    void send_lines() {
        model::RunEvents events;
        first_line_ = line_ + 1;
        std::size_t at = 0;
        std::optional<base::Error> refusal;
        while (at < rest_.size() && !refusal) {
            const std::size_t newline = rest_.find('\n', at);
            if (newline == std::string::npos && !whole_) {
                if (rest_.size() - at > limits::run_event_bytes_max) refusal = too_long();
                break;
            }
            const std::size_t end = std::min(newline, rest_.size());
            auto read = codec::append_run_event_line(std::string_view(rest_).substr(at, end - at), line_ + 1, events);
            if (!read.ok()) {
                refusal = std::move(read).error();
                break;
            }
            ++line_;
            at = std::min(end + 1, rest_.size());
            if (events.drafts.size() == limits::run_event_batch_max) break;
            if (events.text.size() >= limits::run_upload_step_bytes_max) break;
        }
        rest_.erase(0, at);
        if (rest_.empty()) rest_.shrink_to_fit();
        refusal_ = std::move(refusal);
        if (!events.drafts.empty()) return submit(std::move(events));
        go_on();
    }

    static base::Error too_long() {
        return base::error(base::Code::too_large,
                           "an event of a run has at most " + std::to_string(limits::run_event_bytes_max) + " bytes");
    }

    void submit(model::RunEvents events) {
        if (!is_admitted(home_.service(), *caller_)) return fail(not_admitted(), first_line_);
        const base::Duration pause = pause_needed(home_.service(), caller_->principal, events.drafts.size());
        if (pause.us > 0) {
            return fail(base::error(base::Code::rate_limited, "more events per second than this token may emit"),
                        first_line_, retry_after(pause));
        }
        auto command = std::make_unique<ports::EmitRunEvents>();
        command->principal = caller_->principal;
        command->producer = connection_;
        command->run_id = run_;
        command->expect_first = std::exchange(expected_, std::nullopt);
        count_ = events.drafts.size();
        command->bytes = sizeof(ports::EmitRunEvents) + bytes_of(events);
        command->events = std::move(events);
        command->done = [to = home_](const base::Result<ports::EmittedRunEvents>& result) {
            Connection* const connection = to.connection();
            if (connection != nullptr) static_cast<RunUpload*>(connection->upload())->took(result);
        };
        busy_ = true;
        ports::AnyCommand any = std::move(command);
        if (auto taken = home_.service().ports.gateway.submit(any); !taken.ok()) {
            busy_ = false;
            fail(taken.error(), first_line_);
        }
    }

    void took(const base::Result<ports::EmittedRunEvents>& result) {
        busy_ = false;
        if (!result.ok()) return fail(result.error(), first_line_);
        if (!result->is_taken) return answer_emitted(home_, 0, *result);
        if (accepted_ == 0) total_.first = result->first;
        accepted_ += count_;
        total_.last = result->last;
        total_.state = result->state;
        total_.paused = result->paused;
        if (refusal_) return go_on();
        send_lines();
    }

    // Nothing is under way, and nothing that is whole is left.
    void go_on() {
        if (refusal_) return fail(*refusal_, line_ + 1);
        if (whole_ && rest_.empty()) {
            if (accepted_ > 0) return answer_emitted(home_, accepted_, total_);
            return home_.fail(base::error(base::Code::invalid, "the upload has no event"));
        }
        if (Connection* const connection = home_.connection()) connection->go_on();
    }

    void fail(const base::Error& error, std::size_t line, std::string_view fields = {}) {
        fail_line(home_, error, {line, accepted_, total_.first, total_.last}, fields);
    }

    Reply home_;
    SharedCaller caller_;
    ConnectionId connection_;
    model::RunId run_;
    std::optional<model::Sequence> expected_;  // of the first line
    std::string rest_;                         // of the last line, and what waits
    std::size_t line_ = 0;                     // that was read last
    std::size_t first_line_ = 1;               // of the command that is under way
    std::size_t count_ = 0;                    // of its events
    std::optional<base::Error> refusal_;       // of the line that follows them
    std::size_t accepted_ = 0;
    ports::EmittedRunEvents total_;
    bool busy_ = false;
    bool whole_ = false;
};

}  // namespace

void emit_run_events(const Exchange& exchange) {
    const auto id = run_id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    const auto expected = read_expected(exchange.request);
    if (!expected) return exchange.fail(expected.error());
    std::size_t line = 0;
    auto events =
        codec::read_run_events(exchange.request.header(wire::Header::content_type), exchange.request.body, line);
    if (!events) return fail_line(exchange.reply(), events.error(), {line, 0, 0, 0});
    if (is_too_fast(exchange, events->drafts.size())) return;
    auto command = std::make_unique<ports::EmitRunEvents>();
    command->run_id = *id;
    command->expect_first = *expected;
    command->events = std::move(events).value();
    command->bytes = bytes_of(command->events);
    const std::size_t count = command->events.drafts.size();
    exchange.submit(std::move(command), [count](const Reply& to, const base::Result<ports::EmittedRunEvents>& result) {
        if (!result) return to.fail(result.error());
        answer_emitted(to, count, *result);
    });
}

std::unique_ptr<Upload> upload_run_events(const Exchange& exchange) {
    const auto id = run_id_of_path(exchange);
    if (!id) {
        exchange.fail(id.error());
        return nullptr;
    }
    const auto expected = read_expected(exchange.request);
    if (!expected) {
        exchange.fail(expected.error());
        return nullptr;
    }
    return std::make_unique<RunUpload>(exchange.reply(), exchange.caller, exchange.connection.id(), *id, *expected);
}

}  // namespace belfry::net::handlers
