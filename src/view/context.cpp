#include "view/context.hpp"

#include <iterator>
#include <utility>

#include "base/limits.hpp"
#include "rules/awareness.hpp"
#include "rules/due.hpp"
#include "rules/fit_context.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/portion.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/find.hpp"

namespace belfry::view {
namespace {

namespace limits = base::limits;

class Preview {
public:
    Preview(ports::Reading& reading, const ports::ContextQuestion& question, base::Timestamp now)
        : reading_(reading), question_(question), now_(now) {}

    base::Result<ports::ContextPreview> run(const model::Principal& who) {
        TRY_ASSIGN(std::optional<model::Session> session, reading_.sessions().find(question_.session_id));
        if (!session) return base::error(base::Code::not_found, "there is no such session");
        TRY(may_use_session(reading_, who, *session));
        if (session->deleted_at) return base::error(base::Code::gone, "this session was deleted");
        const bool is_visitor = rules::is_visitor(who, *session);
        agent_ = rules::agent_at_work(who, *session);
        if (!is_visitor) {
            TRY_ASSIGN(preview_.user_messages,
                       reading_.sessions().waiting_messages(session->id, now_, limits::user_messages_pull_max));
        }
        preview_.model_tokens += rules::keep_messages_that_fit(preview_.user_messages);
        if (question_.point == model::InjectAt::turn_start) TRY(be_aware(*session, who));
        TRY(find_due(*session, who));
        TRY(read_values(*session));
        TRY_ASSIGN(preview_.batched, reading_.notifications().count_waiting(session->user_id, session->id));
        return std::move(preview_);
    }

private:
    base::Result<void> be_aware(const model::Session& session, const model::Principal& who) {
        ports::FactQuestion question{session.user_id, session.id, session.aware_no};
        question.since = rules::first_facts_since(session, now_);
        question.counted = session.progress.digest_no;
        std::string agent;
        if (rules::is_confined(who)) {
            TRY_ASSIGN(agent, agent_in_session(reading_, who, session));
        }
        question.only_agent = agent;
        TRY_ASSIGN(const ports::Facts facts, reading_.notifications().facts(question));
        const rules::FactCounts counts{facts.count, facts.in_inbox, question.counted};
        rules::Awareness told = rules::awareness_of(facts.oldest, counts, question_.budget_tokens);
        preview_.model_tokens += told.model_tokens;
        preview_.seen = std::move(told.seen);
        preview_.digest = std::move(told.digest);
        return {};
    }

    base::Result<void> find_due(model::Session& session, const model::Principal& who) {
        // A pull at the start of a turn begins one: what was left over from earlier ones comes out with it.
        const bool begins = !session.progress.in_turn || session.progress.turn_pulled;
        const bool is_start = question_.point == model::InjectAt::turn_start;
        if (is_start && begins && !rules::works_beside(who, session, now_)) rules::begin_turn(session, now_, {who.id});
        ports::DueQuestion due;
        due.session_id = session.id;
        due.user_id = session.user_id;
        due.agent_id = agent_;
        due.only_agent = rules::only_agent(who, session);
        due.classes = rules::due_classes(question_.point);
        due.or_before = rules::left_over_before(question_.point, session);
        due.or_handed_before = question_.point == model::InjectAt::turn_start;
        due.now = now_;
        due.limit = limits::pull_items_max;
        TRY_ASSIGN(ports::Due found, reading_.notifications().due(due));
        const std::size_t others = std::erase_if(found.first, [&](const model::Notification& row) {
            return rules::is_for_another(who, session, row.scope);
        });
        found.count -= static_cast<std::int64_t>(others);
        fit(std::move(found));
        return {};
    }

    base::Result<void> read_values(const model::Session& session) {
        if (question_.context.is_empty()) return {};
        ports::ContextScope scope{{session.user_id, session.id, agent_}, now_};
        if (!question_.context.all) scope.names = question_.context.names;
        TRY_ASSIGN(std::vector<model::ContextValue> values, reading_.context_values().in_scope(scope));
        rules::FittedContext fitted =
            rules::fit_context(std::move(values), question_.context, question_.budget_tokens, preview_.model_tokens);
        preview_.context = std::move(fitted.values);
        preview_.context_left_out = std::move(fitted.left_out);
        preview_.model_tokens += fitted.model_tokens;
        return {};
    }

    // As a hand-over divides them. What would only be counted in a summary is told by number.
    void fit(ports::Due due) {
        const std::int64_t left = rules::budget_left(question_.budget_tokens, preview_.model_tokens);
        const rules::Portion portion = rules::divide(due.first, question_.budget_tokens, left);
        for (const std::size_t i : portion.whole) {
            preview_.model_tokens += due.first[i].model_tokens + rules::item_overhead_tokens;
            preview_.due.push_back(std::move(due.first[i]));
        }
        preview_.counted = std::ssize(portion.counted);
        preview_.waiting = std::ssize(portion.waiting) + due.count - std::ssize(due.first);
    }

    ports::Reading& reading_;
    const ports::ContextQuestion& question_;
    base::Timestamp now_;
    std::string agent_;  // whose notifications and values the caller gets beside those of no agent
    ports::ContextPreview preview_;
};

}  // namespace

base::Result<ports::ContextPreview> preview_context(ports::Reading& reading, const model::Principal& who,
                                                    const ports::ContextQuestion& question, base::Timestamp now) {
    return Preview(reading, question, now).run(who);
}

void Answers::context(const model::Principal& who, ports::ContextQuestion question,
                      std::function<void(base::Result<ports::ContextPreview>)> done) {
    ask<ports::ContextPreview>(
        beside_,
        [who, question = std::move(question), now = clock_.now()](ports::Reading& reading) {
            return preview_context(reading, who, question, now);
        },
        std::move(done));
}

}  // namespace belfry::view
