#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

base::Result<model::Run> find_run(ports::Reading& reading, const model::Principal& who, model::RunId id) {
    TRY_ASSIGN(std::optional<model::Run> run, reading.runs().find(id));
    if (!run) {
        TRY_ASSIGN(const model::RunId last, reading.runs().last_id());
        if (id > 0 && id <= last) return base::error(base::Code::gone, "this run has expired");
        return base::error(base::Code::not_found, "there is no such run");
    }
    TRY(rules::may_use_session(who, run->session_id, run->user_id, run->agent_id));
    return std::move(*run);
}

}  // namespace

// What changes too often to be stored with it.
void Answers::complete(model::Run& run) const {
    if (run.ended_at) run.expires_at = *run.ended_at + runs_kept_;
    else run.events = static_cast<std::int64_t>(follow_.head(model::run_stream_name(run.id)));
}

void Answers::run(const model::Principal& who, model::RunId id, std::function<void(base::Result<model::Run>)> done) {
    ask<model::Run>(
        beside_, [who, id](ports::Reading& reading) { return find_run(reading, who, id); },
        [this, done = std::move(done)](base::Result<model::Run> found) {
            if (found.ok()) complete(*found);
            done(std::move(found));
        });
}

void Answers::runs(const model::Principal& who, ports::RunFilter filter,
                   std::function<void(base::Result<std::vector<model::Run>>)> done) {
    using Found = base::Result<std::vector<model::Run>>;
    ask<std::vector<model::Run>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable -> Found {
            TRY(rules::may_see_runs(who, filter.user_id, filter.session_id, filter.agent_id));
            return read_page<model::Run>(
                filter.limit,
                [&](std::size_t wanted, const std::vector<model::Run>& before) {
                    filter.limit = wanted;
                    if (!before.empty()) filter.after = before.back().id;
                    return reading.runs().list(filter);
                },
                [](const model::Run& one) {
                    return one.metadata.bytes().size() + (one.result ? one.result->bytes().size() : 0);
                });
        },
        [this, done = std::move(done)](Found found) {
            if (found.ok()) {
                for (model::Run& run : *found) complete(run);
            }
            done(std::move(found));
        });
}

}  // namespace belfry::view
