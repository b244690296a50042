#pragma once

#include <cstddef>

#include "base/time.hpp"

// Limits of messages that wait for a summary, and of the summaries that a daemon makes at one time.
namespace belfry::base::limits {

// Messages beyond the hot window that no summary covers yet: the newest of them that a context reads. If more wait in a
// thread, rules make its next summary, without a model.
inline constexpr std::size_t unsummarized_read_max = 500;

// Of other threads of the agent: messages whose summary a job is to make, so many in one context at the most, and the
// threads that are looked at for such jobs, those that were spoken in last.
inline constexpr std::size_t provisional_messages_max = 500;
inline constexpr std::size_t provisional_threads_max = 64;

// Bytes that a context reads into memory: of its own thread, and of other threads that wait for a summary. Contents
// that lie apart have the room that the messages leave, and are read for their marks. Only messages with large
// extensions reach these bounds before those in messages.
inline constexpr std::size_t context_read_bytes_max = 4 << 20;
inline constexpr std::size_t provisional_read_bytes_max = 4 << 20;

// Questions to models for summaries that are under way at one time. Summaries by rules are not counted.
inline constexpr std::size_t summaries_per_model_max = 2;  // of one address and model name
inline constexpr std::size_t summaries_per_user_max = 3;   // so that several silent models of one user leave room
inline constexpr std::size_t summaries_by_models_max = 6;  // in all
// Of models that did not answer their last question in time: so many in all, and only if no other job may begin.
inline constexpr std::size_t summaries_by_silent_models_max = 3;

// Due jobs that one claim reads at a time. If all of a full page wait for models, they step aside for this long.
inline constexpr std::size_t fold_claim_page_rows = 64;
inline constexpr base::Duration fold_model_wait = base::seconds(30);

}  // namespace belfry::base::limits
