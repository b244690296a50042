#include "view/journal_plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/journal_limits.hpp"
#include "rules/journal_terms.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/wake.hpp"

namespace belfry::view {
namespace {

using base::Code;
namespace limits = base::limits;

constexpr std::size_t beginnings_max = 16;  // words that a beginning stands for
constexpr const char* behind_all = "~";     // sorts after whatever a date has

base::Error not_there(const char* field) {
    return base::error(Code::not_found, "there is no such journal", field);
}

bool holds(const std::vector<std::string>& categories, const std::string& id) {
    return std::ranges::find(categories, id) != categories.end();
}

base::Result<JournalSight> sight_of_claim(ports::Reading& reading, const model::Principal& who,
                                          const ports::JournalAccess& access, base::Timestamp now) {
    TRY_ASSIGN(const std::optional<model::Wake> wake, reading.agents().wake(access.claim->wake_id));
    if (!wake || !rules::may_work_for(who, wake->user_id, wake->agent_id).ok()) {
        return base::error(Code::not_found, "there is no such wake", "wake");
    }
    if (!access.user_id.empty() && access.user_id != wake->user_id) return not_there("user");
    TRY(rules::require_claim(*wake, access.claim->fence, now));
    TRY_ASSIGN(const std::optional<model::AgentRecord> agent, reading.agents().find(wake->agent_id));
    if (!agent) return base::error(Code::not_found, "there is no such agent", "wake");
    std::vector<std::string> allowed = agent->agent.allowed_category_ids;
    if (access.categories) {
        std::erase_if(allowed, [&](const std::string& id) { return !holds(*access.categories, id); });
    }
    if (allowed.size() > limits::allowed_categories_max) {
        return base::error(Code::conflict,
                           "this agent is allowed " + std::to_string(allowed.size()) +
                               " categories, and one that reads may be allowed " +
                               std::to_string(limits::allowed_categories_max) +
                               " at the most: allow it fewer, or name some",
                           "categories", "too_many_categories");
    }
    return JournalSight{wake->user_id, std::move(allowed)};
}

base::Result<JournalSight> sight_of_person(const model::Principal& who, const ports::JournalAccess& access,
                                           const std::string& owner) {
    const std::string own = rules::default_user(who, owner);
    JournalSight sight{access.user_id.empty() ? own : access.user_id, access.categories};
    if (who.role == model::Role::agent) {
        return base::error(Code::forbidden, "an agent reads for a wake that it works for: name it, and the fence",
                           "wake");
    }
    if (auto may = rules::may_set_for(who, sight.user_id); !may.ok()) {
        return sight.user_id == own ? std::move(may).error() : not_there("user");
    }
    return sight;
}

// The words of a question as terms, the longest first, which is the rarest more often than not.
base::Result<std::vector<std::string>> words_of(const std::string& text) {
    std::vector<std::string> words = rules::words_of(text);
    if (words.empty()) return base::error(Code::invalid, "must have a letter or a digit", "q");
    if (words.size() > limits::search_words_max) {
        return base::error(Code::invalid, "must have at most " + std::to_string(limits::search_words_max) + " words",
                           "q");
    }
    return words;
}

std::vector<std::string> word_terms(std::vector<std::string> words) {
    std::ranges::sort(words, std::ranges::greater{}, &std::string::size);
    for (std::string& word : words) word = rules::word_term(word);
    return words;
}

// What a list by the due date walks along.
void go_by_due_date(ports::JournalFilter& filter, const ports::JournalQuestion& question) {
    filter.range_from = rules::due_term(question.due_from);
    filter.range_to = rules::due_term(question.due_to + behind_all);
}

// Several states are one way each, which only these kinds have: no term has to say so once more.
void go_along_states(ports::JournalFilter& filter, const ports::JournalQuestion& question) {
    for (const std::string& state : question.states) {
        filter.any_of.push_back(rules::state_term(*question.kind, state));
    }
    if (!question.category_id.empty()) filter.terms.push_back(rules::kind_term(*question.kind, question.category_id));
}

void add_frame(std::vector<std::string>& terms, const ports::JournalQuestion& question) {
    if (question.states.size() == 1 && question.kind) {
        terms.push_back(rules::state_term(*question.kind, question.states.front()));
    }
    if (question.kind && !question.category_id.empty()) {
        terms.push_back(rules::kind_term(*question.kind, question.category_id));
    } else if (!question.category_id.empty()) {
        terms.push_back(rules::category_term(question.category_id));
    } else if (question.kind) {
        terms.push_back(rules::kind_term(*question.kind));
    }
}

}  // namespace

base::Result<JournalSight> sight_of(ports::Reading& reading, const model::Principal& who,
                                    const ports::JournalAccess& access, const std::string& owner, base::Timestamp now) {
    TRY_ASSIGN(JournalSight sight,
               access.claim ? sight_of_claim(reading, who, access, now) : sight_of_person(who, access, owner));
    if (sight.categories && sight.categories->size() > limits::allowed_categories_max) {
        return base::error(Code::invalid,
                           "must be at most " + std::to_string(limits::allowed_categories_max) + ": name fewer of them",
                           "categories");
    }
    return sight;
}

base::Result<std::optional<ports::JournalFilter>> plan_list(ports::JournalReading& journal, const JournalSight& sight,
                                                            const ports::JournalQuestion& question) {
    using Plan = std::optional<ports::JournalFilter>;
    ports::JournalFilter filter;
    filter.user_id = sight.user_id;
    filter.categories = sight.categories;
    filter.after = question.after;
    const bool is_by_due = !question.due_from.empty() || !question.due_to.empty();
    if (is_by_due) go_by_due_date(filter, question);
    if (question.running) filter.terms.emplace_back(rules::running_term);
    if (!question.parent_id.empty()) filter.terms.push_back(rules::parent_term(question.parent_id));
    if (!question.label_id.empty()) filter.terms.push_back(rules::label_term(question.label_id));
    if (!question.words.empty()) {
        TRY_ASSIGN(std::vector<std::string> words, words_of(question.words));
        if (!is_by_due) {
            const std::string beginning = rules::word_term(words.back());
            words.pop_back();
            TRY_ASSIGN(filter.any_of, journal.terms_from(sight.user_id, beginning, beginnings_max));
            if (filter.any_of.empty()) return Plan();
        }
        const std::vector<std::string> terms = word_terms(std::move(words));
        filter.terms.insert(filter.terms.end(), terms.begin(), terms.end());
    }
    const bool has_no_way = filter.any_of.empty() && !is_by_due;
    const bool is_plain = filter.terms.empty() && has_no_way && question.states.empty();
    if (has_no_way && question.kind && question.states.size() > 1) {
        go_along_states(filter, question);
    } else if (is_plain && question.kind && question.category_id.empty() && sight.categories) {
        for (const std::string& id : *sight.categories) filter.any_of.push_back(rules::kind_term(*question.kind, id));
    } else {
        add_frame(filter.terms, question);
    }
    // One way is a term like the others, and there may be a rarer one.
    if (filter.any_of.size() == 1) {
        filter.terms.push_back(std::move(filter.any_of.front()));
        filter.any_of.clear();
        std::ranges::rotate(filter.terms, filter.terms.end() - 1);
    }
    return Plan(std::move(filter));
}

ports::JournalPlace place_of(const ports::JournalFilter& filter, const model::JournalRecord& record) {
    ports::JournalPlace place;
    place.number = record.number;
    if (filter.range_from.empty()) return place;
    if (const auto* task = std::get_if<model::Task>(&record.body)) place.term = rules::due_term(task->due_date);
    return place;
}

}  // namespace belfry::view
