#include <algorithm>
#include <set>

#include "model/journal_fields.hpp"
#include "rules/journal_terms.hpp"
#include "rules/task_reference.hpp"
#include "tools/catalogue.hpp"

namespace belfry::tools {
namespace {

constexpr std::size_t looked_at_max = 50;  // by each way in which a task can be found
constexpr std::size_t words_max = 8;       // that are looked for one by one
constexpr std::size_t beginning_bytes_min = 2;
constexpr double min_confidence_default = 0.5;
constexpr std::int64_t limit_default = 5;

using Records = std::vector<model::JournalRecord>;

// Each task once.
class Candidates {
public:
    base::Result<void> add(base::Result<Records> some) {
        TRY_ASSIGN(Records found, std::move(some));
        for (model::JournalRecord& record : found) {
            if (record.kind() == model::JournalKind::task && ids_.insert(record.id).second) {
                tasks_.push_back(std::move(record));
            }
        }
        return {};
    }
    [[nodiscard]] const Records& tasks() const { return tasks_; }

private:
    std::set<std::string> ids_;
    Records tasks_;
};

// Those that have all its words, any of them, or a word that begins like one of them.
base::Result<Records> candidates_for(Bench& bench, const std::string& reference) {
    constexpr auto kind = model::JournalKind::task;
    Candidates candidates;
    TRY(candidates.add(bench.find_all(std::span(&reference, 1))));
    std::vector<std::string> words = rules::words_of(reference);
    if (words.size() > words_max) words.resize(words_max);
    std::vector<std::string> terms;
    for (const std::string& word : words) terms.push_back(rules::word_term(word));
    TRY(candidates.add(bench.newest(kind, terms, looked_at_max)));
    for (const std::string& word : words) {
        TRY(candidates.add(bench.newest(kind, {rules::word_term(word)}, looked_at_max)));
        if (word.size() >= beginning_bytes_min) TRY(candidates.add(bench.with_beginning(kind, word, looked_at_max)));
    }
    return candidates.tasks();
}

void append_candidate(model::JsonWriter& writer, const rules::RankedTask& ranked) {
    const auto& task = std::get<model::Task>(ranked.task->body);
    writer.begin_object().field("taskId", ranked.task->id).field("title", task.title);
    writer.field("status", model::task_status_names[static_cast<std::size_t>(task.status)]);
    writer.field("categoryId", ranked.task->category_id).name("confidence").real(ranked.confidence).end_object();
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    const std::string reference = arguments.text("reference");
    const double least = arguments.real("minConfidence").value_or(min_confidence_default);
    const auto limit = static_cast<std::size_t>(arguments.integer("limit").value_or(limit_default));
    TRY_ASSIGN(const Records tasks, candidates_for(bench, reference));
    const std::vector<rules::RankedTask> ranked = rules::rank_tasks(reference, tasks);
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("candidates").begin_array();
    for (std::size_t i = 0; i < std::min(ranked.size(), limit) && ranked[i].confidence >= least; ++i) {
        append_candidate(writer, ranked[i]);
    }
    writer.end_array().name("resolvedTaskId");
    const model::JournalRecord* const resolved = rules::resolved_task(ranked);
    if (resolved != nullptr && ranked.front().confidence >= least) writer.text(resolved->id);
    else writer.null();
    writer.end_object();
    return says;
}

}  // namespace

Tool resolve_task_reference() {
    model::ToolContract contract;
    contract.name = "resolve_task_reference";
    contract.description =
        "Finds the task that somebody means, by its id or by words of its title: candidates, the most likely first, "
        "and "
        "resolvedTaskId where it is clear which. It changes nothing; where it is not clear, ask.";
    contract.capabilities = {model::AgentCapability::task_read};
    contract.idempotency = model::ToolIdempotency::read_only;
    contract.scope_rules = {model::ToolScopeRule::reads_in_scope};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
