#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

// The bounds of the journal, beside those of limits.hpp.
namespace belfry::base::limits {

inline constexpr std::size_t journal_id_bytes_max = 200;      // wherever one is named
inline constexpr std::size_t journal_new_id_bytes_max = 180;  // of a record that is made: its tokens have to hold it
inline constexpr std::size_t journal_name_bytes_max = 200;
inline constexpr std::size_t journal_title_bytes_max = 1000;
inline constexpr std::size_t journal_text_bytes_max = 64 << 10;
inline constexpr std::size_t journal_list_max = 100;    // label_ids, pinned_task_ids
inline constexpr std::size_t journal_blocks_max = 200;  // of one day plan
inline constexpr std::size_t journal_extension_bytes_max = 8 << 10;

// What is done together with one record, in one transaction: the checklists of a task that goes, the items of a
// checklist that is moved.
inline constexpr std::size_t journal_followers_max = 2000;

inline constexpr std::size_t link_relation_chars_max = 64;
inline constexpr std::size_t link_metadata_bytes_max = 4 << 10;
inline constexpr std::size_t links_per_record_max = 1000;
inline constexpr std::size_t links_per_batch_max = 10'000;  // that predicates look at, of all records of a batch

// A record is found by so many different words of it; the first ones count.
inline constexpr std::size_t journal_words_max = 500;
inline constexpr std::size_t journal_word_bytes_max = 64;
// A question has so many words, and names so many categories. A page looks at no more candidates than this before it
// says where to go on.
inline constexpr std::size_t search_words_max = 16;
inline constexpr std::size_t allowed_categories_max = 100;
inline constexpr std::size_t journal_scan_max = 10'000;
// So many terms a list asks for together, and along so many it goes at once.
inline constexpr std::size_t journal_terms_max = 24;
inline constexpr std::size_t journal_ways_max = 100;

inline constexpr std::size_t journal_import_records_max = 500;  // of one transaction
inline constexpr std::int64_t rating_score_max = 5;

}  // namespace belfry::base::limits
