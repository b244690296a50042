#include "rules/journal_terms.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <set>

#include "base/journal_limits.hpp"
#include "rules/fold_case.hpp"

namespace belfry::rules {
namespace {

using model::JournalRecord;
using Strings = std::vector<std::string>;

JournalRecord task(std::string title = "Buy milk") {
    JournalRecord record;
    record.id = "t-1";
    record.category_id = "home";
    model::Task body;
    body.title = std::move(title);
    record.body = std::move(body);
    return record;
}

TEST(JournalTerms, of_a_task_are_its_kind_category_state_labels_due_date_and_words) {
    JournalRecord record = task("Buy MILK, milk and 2 Äpfel");
    auto& body = std::get<model::Task>(record.body);
    body.label_ids = {"l-2", "l-1"};
    body.due_date = "2026-11-20";
    body.text = "today";
    body.language = "de";
    EXPECT_EQ(terms_of(record), (Strings{"c:home", "d:2026-11-20", "k:task", "k:task@home", "l:l-1", "l:l-2",
                                         "s:task:open", "w:2", "w:and", "w:buy", "w:milk", "w:today", "w:äpfel"}));
    body.status = model::TaskStatus::done;
    const Strings closed = terms_of(record);
    EXPECT_EQ(std::ranges::count(closed, "d:2026-11-20"), 0) << "what is done is due no more";
    EXPECT_EQ(std::ranges::count(closed, "s:task:done"), 1);
    record.deleted_at = base::Timestamp{1};
    EXPECT_EQ(terms_of(record), Strings{}) << "of a tombstone none";
}

TEST(JournalTerms, name_what_a_record_belongs_to_and_whether_a_timer_runs) {
    JournalRecord record = task();
    record.body = model::Checklist{"t-9", "Steps", 0};
    EXPECT_EQ(terms_of(record), (Strings{"c:home", "g:t-9", "k:checklist", "k:checklist@home", "p:t-9", "w:steps"}));
    record.body = model::ChecklistItem{"c-9", "One", false, 0};
    EXPECT_EQ(terms_of(record),
              (Strings{"c:home", "g:c-9", "k:checklist_item", "k:checklist_item@home", "p:c-9", "w:one"}));
    model::TimeEntry time;
    time.task_id = "t-9";
    record.body = time;
    EXPECT_EQ(terms_of(record), (Strings{"c:home", "k:time_entry", "k:time_entry@home", "p:t-9", "t:running"}));
    time.ended_at = base::Timestamp{5};
    time.task_id.clear();
    record.body = time;
    EXPECT_EQ(terms_of(record), (Strings{"c:home", "k:time_entry", "k:time_entry@home"}));
    record.body = model::Rating{model::RatingTarget::session, "te-1", 4, "fine"};
    EXPECT_EQ(terms_of(record),
              (Strings{"c:home", "k:rating", "k:rating@home", "p:te-1", "s:rating:session", "w:fine"}));
}

TEST(JournalTerms, of_entries_name_their_type_and_leave_out_addresses) {
    JournalRecord record = task();
    model::Entry entry;
    entry.type = model::EntryType::audio;
    entry.text = "hm";
    entry.audio_uri = "file:///x";
    record.body = entry;
    EXPECT_EQ(terms_of(record), (Strings{"c:home", "k:entry", "k:entry@home", "s:entry:audio", "w:hm"}));
    model::DayPlan plan;
    plan.note = "calm";
    plan.blocks = {{"b", "home", {}, {}, "Stretch", ""}};
    record.body = plan;
    EXPECT_EQ(terms_of(record), (Strings{"c:home", "k:day_plan", "k:day_plan@home", "w:calm", "w:stretch"}));
}

TEST(JournalTerms, words_are_runs_of_letters_and_digits_in_small_letters) {
    EXPECT_EQ(words_of("  Don't PANIC--42!  panic"), (Strings{"don", "t", "panic", "42"}));
    EXPECT_EQ(words_of("ÄÖÜ ΣΊΣΥΦΟΣ Ёлка"), (Strings{"äöü", "σίσυφοσ", "ёлка"}));
    EXPECT_EQ(words_of("café😀bar “quoted”…"), (Strings{"café", "bar", "quoted"}));
    EXPECT_EQ(words_of("東京、大阪"), (Strings{"東京", "大阪"}));
    EXPECT_EQ(words_of("ｎｏ１２！ｶﾅ･ﾊﾅ～ok"), (Strings{"ｎｏ１２", "ｶﾅ", "ﾊﾅ", "ok"})) << "fullwidth and halfwidth";
    EXPECT_EQ(words_of("𠮷野家😀"), Strings{"𠮷野家"}) << "a letter of four bytes";
    EXPECT_EQ(words_of(""), Strings{});
    EXPECT_EQ(words_of("-- !"), Strings{});
}

TEST(JournalTerms, a_long_word_is_known_by_its_beginning) {
    EXPECT_EQ(words_of(std::string(100, 'a') + " b"), (Strings{std::string(64, 'a'), "b"}));
    std::string greek;
    for (int i = 0; i < 40; ++i) greek += "ω";
    EXPECT_EQ(words_of("a" + greek), Strings{"a" + greek.substr(0, 62)}) << "no letter is cut through";
}

TEST(JournalTerms, the_first_words_of_a_long_text_count) {
    std::string text;
    for (int i = 0; i < 600; ++i) text += "w" + std::to_string(i) + " ";
    const Strings terms = terms_of(task(text));
    EXPECT_EQ(std::ranges::count_if(terms, [](const auto& term) { return term.starts_with("w:"); }),
              static_cast<std::ptrdiff_t>(base::limits::journal_words_max));
    EXPECT_EQ(std::ranges::count(terms, "w:w499"), 1);
    EXPECT_EQ(std::ranges::count(terms, "w:w500"), 0);
}

TEST(JournalTerms, are_sorted_and_each_is_there_once) {
    EXPECT_TRUE(rc::check([](const std::string& ascii) {
        std::string text;
        for (const char c : ascii) text += static_cast<char>(c & 0x7F);
        const Strings terms = terms_of(task(text));
        RC_ASSERT(std::set<std::string>(terms.begin(), terms.end()).size() == terms.size());
        RC_ASSERT(std::ranges::is_sorted(terms));
        for (const std::string& word : words_of(text)) {
            RC_ASSERT(std::ranges::binary_search(terms, word_term(word)));
            RC_ASSERT(words_of(word) == Strings{word});
        }
    }));
}

TEST(FoldCase, knows_latin_greek_and_cyrillic) {
    EXPECT_EQ(fold_case(U'A'), U'a');
    EXPECT_EQ(fold_case(U'['), U'[');
    EXPECT_EQ(fold_case(U'À'), U'à');
    EXPECT_EQ(fold_case(U'×'), U'×');
    EXPECT_EQ(fold_case(U'Ā'), U'ā');
    EXPECT_EQ(fold_case(U'Ÿ'), U'ÿ');
    EXPECT_EQ(fold_case(U'ẞ'), U'ß');
    EXPECT_EQ(fold_case(U'ς'), U'σ');
    EXPECT_EQ(fold_case(U'Ж'), U'ж');
    EXPECT_EQ(fold_case(U'Ѐ'), U'ѐ');
    EXPECT_EQ(fold_case(U'İ'), U'İ');
    EXPECT_EQ(fold_case(U'東'), U'東');
    for (char32_t code = 0; code < 0x3000; ++code) EXPECT_EQ(fold_case(fold_case(code)), fold_case(code));
}

}  // namespace
}  // namespace belfry::rules
