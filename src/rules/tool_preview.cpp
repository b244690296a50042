#include "rules/tool_preview.hpp"

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "model/value_json.hpp"
#include "rules/canonical_json.hpp"
#include "rules/tool_call.hpp"

namespace belfry::rules {
namespace {

constexpr std::size_t shown_max = 100;
constexpr std::size_t token_digits = 32;
constexpr std::array<std::string_view, 3> change_names{"made", "changed", "deleted"};

std::string title_of(const model::JournalBody& body) {
    return std::visit(
        [](const auto& one) -> std::string {
            if constexpr (requires { one.title; }) return one.title;
            else if constexpr (requires { one.name; }) return one.name;
            else return {};
        },
        body);
}

void append_change(model::JsonWriter& writer, const TrialChange& change) {
    writer.begin_object().field("change", change_names[static_cast<std::size_t>(change.what)]);
    writer.field("kind", change.kind);
    if (change.what != TrialChange::What::made) writer.field("id", change.id);
    if (!change.title.empty()) writer.field("title", change.title);
    writer.end_object();
}

}  // namespace

TrialChange trial_change_of(const model::JournalRecord& record, bool is_new) {
    TrialChange change;
    if (record.deleted_at) change.what = TrialChange::What::deleted;
    else if (is_new) change.what = TrialChange::What::made;
    change.kind = model::journal_kind_name(record.kind());
    change.id = record.id;
    change.revision = record.revision;
    change.title = title_of(record.body);
    return change;
}

void append_changes(model::JsonWriter& writer, std::span<const TrialChange> changes) {
    writer.begin_array();
    for (const TrialChange& change : changes.first(std::min(changes.size(), shown_max))) append_change(writer, change);
    writer.end_array();
}

std::string preview_token(std::string_view agent_id, std::string_view tool, model::JsonView arguments,
                          std::span<const TrialChange> changes) {
    std::string text(agent_id);
    text.append("\n").append(tool);
    model::JsonWalker walker(arguments);
    std::string_view name;
    model::Value kept = model::Value::object(8);
    while (const auto one = walker.next(&name)) {
        const bool is_how =
            name == preview_only_argument || name == preview_token_argument || name == operation_id_argument;
        if (!is_how) kept.append(std::string(name), model::value_from(*one));
    }
    text += '\n';
    append_canonical_json(text, kept);
    for (const TrialChange& change : changes) {
        text += '\n';
        model::JsonWriter writer(text);
        append_change(writer, change);
        if (change.what != TrialChange::What::made) text += ' ' + std::to_string(change.revision);
    }
    const base::Sha256 hash = base::sha256(text);
    return base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()}).substr(0, token_digits);
}

std::string without_new_ids(std::string result, model::JsonView arguments, std::span<const TrialChange> changes) {
    std::size_t number = 0;
    for (const TrialChange& change : changes) {
        const bool is_new = change.what == TrialChange::What::made && !change.id.empty();
        if (!is_new) continue;
        ++number;
        const std::string quoted = '"' + change.id + '"';
        if (arguments.text.find(quoted) != std::string_view::npos) continue;
        const std::string stand_in = "\"new-" + std::to_string(number) + '"';
        for (std::size_t at = result.find(quoted); at != std::string::npos; at = result.find(quoted, at)) {
            result.replace(at, quoted.size(), stand_in);
            at += stand_in.size();
        }
    }
    return result;
}

}  // namespace belfry::rules
