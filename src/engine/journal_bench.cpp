#include "engine/journal_bench.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/assert.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/effect_id.hpp"
#include "rules/journal_check.hpp"
#include "rules/journal_references.hpp"
#include "rules/journal_terms.hpp"
#include "rules/recall.hpp"

namespace belfry::engine {
namespace {

using base::Code;
using model::JournalKind;
using model::JournalRecord;

constexpr std::string_view behind_dates = "~";     // sorts after whatever a date has
constexpr std::string_view behind_words = "\xff";  // and this after whatever a word has

// The same for what is not there and for what is not the agent's business: it cannot be told which.
base::Error out_of_scope(std::string_view what, const std::string& id, std::string_view argument) {
    return base::error(Code::not_found, "there is no " + std::string(what) + ' ' + id + " in your categories",
                       std::string(argument), "out_of_scope");
}

// As arguments are spelled: `label_ids` is `labelIds`.
std::string argument_name(std::string_view field) {
    std::string name;
    for (std::size_t i = 0; i < field.size(); ++i) {
        const bool is_joint = field[i] == '_' && i + 1 < field.size();
        name += is_joint ? static_cast<char>(std::toupper(static_cast<unsigned char>(field[++i]))) : field[i];
    }
    return name;
}

std::string name_of(JournalKind kind) {
    std::string name(model::journal_kind_name(kind));
    std::ranges::replace(name, '_', ' ');
    return name;
}

}  // namespace

JournalBench::JournalBench(Journal& journal, HouseTools& house, const ToolActor& actor, model::ChangeOrigin origin,
                           Unit& unit)
    : journal_(journal),
      house_(house),
      caller_(actor),
      actor_{actor.wake.user_id, std::move(origin), actor.agent.agent.allowed_category_ids},
      unit_(unit) {}

template <class T>
base::Result<T> JournalBench::stored(base::Result<T> result) {
    has_failed_ = has_failed_ || !result.ok();
    return result;
}

template <class T>
base::Result<T> JournalBench::checked(base::Result<T> result) {
    if (result.ok()) return result;
    if (!journal_.take_refusal()) {
        has_failed_ = true;
        return result;
    }
    base::Error& why = result.error();
    why.field = argument_name(why.field);
    if (why.reason.empty() && (why.code == Code::not_found || why.code == Code::gone)) why.reason = "out_of_scope";
    if (why.reason == "running") {
        why.message = "another timer runs: it has to be stopped first";
        why.field.clear();  // no tool that starts a timer has an argument for it
    }
    return result;
}

base::Result<void> JournalBench::check_named(const model::JournalWish& wish, const JournalRecord* before) {
    std::vector<rules::JournalReference> named = rules::references_of(wish.values);
    if (wish.category_id) named.push_back({"category_id", JournalKind::category, *wish.category_id});
    std::vector<rules::JournalReference> known;
    if (before != nullptr) {
        known = rules::references_of(before->body);
        known.push_back({"category_id", JournalKind::category, before->category_id});
    }
    for (const rules::JournalReference& one : named) {
        const bool is_new_default =
            one.id == model::default_category && std::ranges::find(*actor_.allowed, one.id) != actor_.allowed->end();
        const bool is_open = one.kind == JournalKind::label || (one.kind == JournalKind::category && is_new_default);
        if (is_open || std::ranges::find(known, one) != known.end()) continue;
        TRY(find(one.kind, one.id, argument_name(one.field)));
    }
    return {};
}

base::Result<JournalRecord> JournalBench::find(JournalKind kind, const std::string& id, std::string_view argument) {
    TRY_ASSIGN(std::vector<JournalRecord> found, find_all(std::span(&id, 1)));
    if (found.empty() || found.front().kind() != kind) return out_of_scope(name_of(kind), id, argument);
    return std::move(found.front());
}

base::Result<std::vector<JournalRecord>> JournalBench::find_all(std::span<const std::string> ids) {
    return checked(journal_.seen(actor_, ids, unit_));
}

base::Result<std::vector<JournalRecord>> JournalBench::newest(JournalKind kind, std::vector<std::string> terms,
                                                              std::size_t limit) {
    ports::JournalFilter filter;
    filter.terms = std::move(terms);
    filter.limit = limit;
    if (filter.terms.empty()) {
        for (const std::string& id : *actor_.allowed) filter.any_of.push_back(rules::kind_term(kind, id));
    } else {
        filter.terms.push_back(rules::kind_term(kind));
    }
    return checked(journal_.list(actor_, std::move(filter), unit_));
}

base::Result<std::vector<JournalRecord>> JournalBench::with_beginning(JournalKind kind, std::string_view beginning,
                                                                      std::size_t limit) {
    ports::JournalFilter filter;
    filter.terms.push_back(rules::kind_term(kind));
    filter.range_from = rules::word_term(beginning);
    filter.range_to = rules::word_term(std::string(beginning).append(behind_words));
    filter.limit = limit;
    return checked(journal_.list(actor_, std::move(filter), unit_));
}

base::Result<std::vector<JournalRecord>> JournalBench::due(std::string_view from, std::string_view to,
                                                           std::vector<std::string> terms, std::size_t limit) {
    ports::JournalFilter filter;
    filter.terms = std::move(terms);
    filter.range_from = rules::due_term(from);
    filter.range_to = rules::due_term(std::string(to).append(behind_dates));
    filter.limit = limit;
    return checked(journal_.list(actor_, std::move(filter), unit_));
}

base::Result<std::vector<std::string>> JournalBench::labels(std::span<const std::string> ids) {
    const Journal::Actor everywhere{actor_.user_id, actor_.origin, std::nullopt};
    TRY_ASSIGN(const std::vector<JournalRecord> found, checked(journal_.seen(everywhere, ids, unit_)));
    std::vector<std::string> labels;
    for (const JournalRecord& record : found) {
        if (record.kind() == JournalKind::label) labels.push_back(record.id);
    }
    return labels;
}

std::string JournalBench::next_id() {
    if (caller_.operation_id.empty()) return {};
    return base::format_uuid(
        rules::made_record_id(actor_.user_id, caller_.agent.agent.id, caller_.operation_id, made_++));
}

model::JournalWish JournalBench::with_ids(model::JournalWish wish) {
    if (auto* const plan = std::get_if<model::DayPlan>(&wish.values)) {
        for (model::PlanBlock& block : plan->blocks) {
            if (block.id.empty()) block.id = next_id();
        }
    }
    return wish;
}

base::Result<JournalRecord> JournalBench::make(const std::string& id, const model::JournalWish& wish) {
    TRY(check_named(wish, nullptr));
    const bool is_named = !id.empty() || !rules::made_id(wish.values).empty();
    auto made = checked(journal_.create(actor_, is_named ? id : next_id(), with_ids(wish), unit_));
    if (!made.ok()) return std::move(made).error();
    return std::move(made->record);
}

base::Result<JournalRecord> JournalBench::change(const std::string& id, const model::JournalWish& wish) {
    TRY_ASSIGN(const JournalRecord before, find(static_cast<JournalKind>(wish.values.index()), id, "id"));
    TRY(check_named(wish, &before));
    return checked(journal_.change(actor_, id, std::nullopt, with_ids(wish), unit_));
}

base::Result<void> JournalBench::link(std::string_view relation, const std::string& from_id, const std::string& to_id) {
    const std::vector<std::string> ends{from_id, to_id};
    TRY_ASSIGN(const std::vector<JournalRecord> there, find_all(ends));
    if (there.size() != ends.size()) {  // which one is not told: nobody has named it
        return base::error(Code::not_found, "what it would link is not all in your categories", {}, "out_of_scope");
    }
    model::Link draft;
    draft.relation = relation;
    draft.from_id = from_id;
    draft.to_id = to_id;
    const auto made = checked(journal_.put_link(actor_, std::move(draft), unit_));
    return made.ok() ? base::Result<void>{} : base::Result<void>(made.error());
}

base::Result<std::vector<model::RecalledMessage>> JournalBench::recall(std::string_view query,
                                                                       std::optional<model::AgentMessageKind> kind,
                                                                       std::size_t limit) {
    ports::RecallFilter filter;
    filter.agent_id = caller_.agent.agent.id;
    filter.kind = kind;
    filter.limit = limit;
    return rules::recall(query, limit, [&](const std::vector<std::string>& words) {
        filter.words = words;
        return stored(unit_.store.memory().questions().recall(filter));
    });
}

base::Result<ports::OpenedSummary> JournalBench::open_summary(const ports::SummaryQuestion& question) {
    ports::MemoryQuestions& questions = unit_.store.memory().questions();
    TRY_ASSIGN(const auto place, stored(questions.summary(question.id)));
    if (!place || place->agent_id != caller_.agent.agent.id) {
        return base::error(Code::not_found, "you have no such summary", "summaryId", "out_of_scope");
    }
    TRY_ASSIGN(auto told, stored(unit_.store.agent_messages().find(std::span(&question.id, 1))));
    ASSERT(!told.empty());
    ports::OpenedSummary opened{
        {*place, rules::recalled_summary(*place, told.front()), told.front().created_at}, {}, 0};
    if (place->depth == 1) {
        TRY_ASSIGN(opened.span,
                   stored(questions.raw_span(place->thread_id, std::max(question.after, place->start_position - 1),
                                             place->end_position, question.limit + 1)));
    } else {
        TRY_ASSIGN(opened.span, folded_into(question));
    }
    if (opened.span.size() <= question.limit) return opened;
    opened.span.resize(question.limit);
    opened.next = opened.span.back().position;
    return opened;
}

base::Result<std::vector<model::AgentMessage>> JournalBench::folded_into(const ports::SummaryQuestion& question) {
    TRY_ASSIGN(const auto places, stored(unit_.store.memory().questions().folded_into(question.id)));
    std::vector<base::Uuid> ids;
    for (const model::SummaryPlace& one : places) {
        if (one.position > question.after && ids.size() <= question.limit) ids.push_back(one.message_id);
    }
    TRY_ASSIGN(std::vector<model::AgentMessage> messages, stored(unit_.store.agent_messages().find(ids)));
    std::ranges::sort(messages, {}, &model::AgentMessage::position);
    return messages;
}

base::Result<std::string> JournalBench::note_to_self(const tools::SelfNote& note) {
    std::string payload;
    model::JsonWriter writer(payload);
    writer.begin_object().field("message", note.message);
    if (!note.priority.empty()) writer.field("priority", note.priority);
    if (!note.category.empty()) writer.field("category", note.category);
    writer.field("deliver_at", note.deliver_at.empty() ? std::string_view("next_turn") : note.deliver_at).end_object();
    model::Event event;
    event.type = "agent.self.notify";
    event.payload = model::RawJson::trusted(std::move(payload));
    TRY_ASSIGN(base::Result<std::string> id, stored(house_.emit(caller_, std::move(event), unit_)));
    return id;
}

}  // namespace belfry::engine
