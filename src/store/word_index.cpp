#include "store/word_index.hpp"

namespace belfry::store {

std::string recall_conditions(bool in_threads) {
    std::string text = "m.agent_id = $2 AND ($3 = -1 OR m.kind = $3) AND m.created_at >= $4 AND m.created_at < $5 ";
    if (in_threads) {
        text += "AND m.thread_id IN (";
        for (std::size_t i = 0; i < WordIndex::threads_max; ++i) {
            text += (i > 0 ? ", $" : "$") + std::to_string(7 + i);
        }
        text += ") ";
    }
    return text + "ORDER BY w.rowid DESC LIMIT $6";
}

}  // namespace belfry::store
