#include "model/change_log.hpp"

#include <set>

namespace belfry::model {

std::vector<ChangeToken> tokens_of(const std::vector<const Change*>& changes) {
    std::set<ChangeToken> all;
    for (const Change* const change : changes) all.insert(change->tokens.begin(), change->tokens.end());
    return {all.begin(), all.end()};
}

void append_tokens(JsonWriter& writer, const std::vector<ChangeToken>& tokens) {
    writer.begin_array();
    for (const ChangeToken& token : tokens) writer.text(to_text(token));
    writer.end_array();
}

void append_changes(JsonWriter& writer, const ChangeBatch& batch, const std::vector<const Change*>& changes) {
    writer.field("batch_id", batch.id).name("synced").boolean(batch.synced).name("tokens");
    append_tokens(writer, tokens_of(changes));
    writer.name("changes").begin_array();
    for (const Change* const change : changes) {
        writer.begin_object().field("host", change->unit.host);
        writer.field("counter", static_cast<std::int64_t>(change->unit.counter)).field("kind", change->unit.kind);
        writer.field("id", change->unit.id).field("origin", origin_text(change->origin));
        writer.field("changed_at", base::format_timestamp(change->changed_at)).name("tokens");
        append_tokens(writer, change->tokens);
        writer.name("clock").raw(change->clock.to_json()).end_object();
    }
    writer.end_array();
}

}  // namespace belfry::model
