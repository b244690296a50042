#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ports/store_memory.hpp"
#include "store/database.hpp"

// The words by which an agent's messages are found.
namespace belfry::store {

base::Result<void> add_words(Database& database, std::span<const ports::MemoryTable::Words> messages);
base::Result<std::vector<model::AgentMessage>> find_words(Database& database, const ports::RecallFilter& filter);

// Words of messages that were there before the index was, up to `limit` of them; how many were looked at.
base::Result<std::size_t> index_older(Database& database, std::size_t limit, ports::MemoryTable::WordsOf words_of);

// Words were removed: something is left of them, until clean_words says that nothing is to be done. Each step of it
// goes further than the one before: one that is overtaken by what is added meanwhile still comes to an end.
base::Result<void> note_removed_words(Database& database);
base::Result<bool> clean_words(Database& database);

}  // namespace belfry::store
