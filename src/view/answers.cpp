#include "view/answers.hpp"

#include "rules/may.hpp"
#include "view/ask.hpp"

namespace belfry::view {

Answers::Answers(ports::Beside& beside, const Follow& follow, const ports::Clock& clock, const ports::Metrics& metrics,
                 const ports::Subscribers& subscribers, std::string owner, std::int64_t pid, base::Duration runs_kept,
                 ports::Zones* zones, std::span<const model::ToolContract> own_tools)
    : beside_(beside),
      follow_(follow),
      clock_(clock),
      metrics_(metrics),
      subscribers_(subscribers),
      owner_(std::move(owner)),
      pid_(pid),
      runs_kept_(runs_kept),
      zones_(zones),
      own_tools_(own_tools),
      started_at_(clock.now()) {}

void Answers::open_figures(const model::Principal& who, std::function<void(base::Result<ports::OpenFigures>)> done) {
    ask<ports::OpenFigures>(
        beside_,
        [who](ports::Reading& reading) -> base::Result<ports::OpenFigures> {
            TRY(rules::may_observe(who));
            return reading.open_figures();
        },
        std::move(done));
}

void Answers::status(const model::Principal& who, std::function<void(base::Result<ports::Status>)> done) {
    auto allowed = std::make_shared<base::Result<void>>(rules::may_observe(who));
    auto figures = std::make_shared<base::Result<ports::StoreFigures>>(ports::StoreFigures{});
    beside_.read(
        [allowed, figures](ports::Reading& reading) {
            if (allowed->ok()) *figures = reading.figures();
        },
        [this, allowed, figures, done = std::move(done)] {
            if (!allowed->ok()) return done(allowed->error());
            ports::Status status;
            status.readiness = readiness();
            status.version = BELFRY_VERSION;
            status.pid = pid_;
            status.started_at = started_at_;
            status.now = clock_.now();
            if (figures->ok()) status.store = std::move(**figures);
            else status.store_error = figures->error().message;
            status.streams = follow_.streams();
            status.queue_commands = static_cast<std::size_t>(metrics_.queue_commands.load());
            status.queue_bytes = static_cast<std::size_t>(metrics_.queue_bytes.load());
            status.connections = static_cast<std::size_t>(metrics_.connections.load());
            done(std::move(status));
        });
}

void Answers::obligation(const model::Principal& who, const base::Uuid& id,
                         std::function<void(base::Result<ports::Obligation>)> done) {
    auto found = std::make_shared<base::Result<std::optional<ports::Obligation>>>(std::nullopt);
    if (auto allowed = rules::may_administer(who); !allowed.ok()) *found = std::move(allowed).error();
    beside_.read(
        [found, id](ports::Reading& reading) {
            if (found->ok()) *found = reading.obligation(id);
        },
        [found, done = std::move(done)] {
            if (!found->ok()) return done(found->error());
            if (!**found) return done(base::error(base::Code::not_found, "nothing of this id is owed"));
            done(std::move(***found));
        });
}

void Answers::given_up_calls(const model::Principal& who, std::optional<ports::GivenUpPlace> after, std::size_t limit,
                             std::function<void(base::Result<std::vector<ports::Obligation>>)> done) {
    auto found = std::make_shared<base::Result<std::vector<ports::Obligation>>>(std::vector<ports::Obligation>{});
    if (auto allowed = rules::may_manage_sink_calls(who); !allowed.ok()) *found = std::move(allowed).error();
    beside_.read(
        [found, after, limit](ports::Reading& reading) {
            if (found->ok()) *found = reading.given_up("sink", after, limit);
        },
        [found, done = std::move(done)] { done(std::move(*found)); });
}

}  // namespace belfry::view
