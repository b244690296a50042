#include "rules/journal_terms.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/characters.hpp"
#include "model/journal_fields.hpp"
#include "rules/fold_case.hpp"
#include "rules/journal_parent.hpp"
#include "rules/journal_visitor.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::JournalKind;

// Outside ASCII everything is part of a word but what is known to stand between words: signs, punctuation, spaces,
// pictures.
bool is_of_word(char32_t code) {
    if (code < 0x80) {
        return (code >= U'a' && code <= U'z') || (code >= U'A' && code <= U'Z') || (code >= U'0' && code <= U'9');
    }
    if (code < 0xC0) return code == 0xAA || code == 0xB5 || code == 0xBA;
    if (code == 0xD7 || code == 0xF7) return false;
    if (code >= 0x2000 && code < 0x2C00) return false;
    if (code >= 0x2E00 && code < 0x2E80) return false;
    if (code >= 0x3000 && code < 0x3040) return code >= 0x3005 && code <= 0x3007;
    if (code >= 0xE000 && code < 0xF900) return false;
    if (code >= 0xFE00 && code < 0xFE70) return false;
    if (code >= 0xFF00 && code < 0xFFF0) {
        return (code >= 0xFF10 && code <= 0xFF19) || (code >= 0xFF21 && code <= 0xFF3A) ||
               (code >= 0xFF41 && code <= 0xFF5A) || code >= 0xFF66;
    }
    if (code >= 0xFFF0 && code < 0x10000) return false;
    return code < 0x1F000 || (code >= 0x20000 && code < 0xE0000);
}

void append_utf8(std::string& out, char32_t code) {
    const auto byte = [&out](char32_t bits) { out += static_cast<char>(bits); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) byte(0xC0U | code >> 6U);
    else if (code < 0x10000) byte(0xE0U | code >> 12U);
    else byte(0xF0U | code >> 18U);
    if (code >= 0x10000) byte(0x80U | (code >> 12U & 0x3FU));
    if (code >= 0x800) byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
}

// Calls `take` with each word, as often as it stands there, until that says no.
template <class Take>
void each_word(std::string_view text, Take&& take) {
    std::string word;
    bool is_full = false;  // what is longer is found by its beginning
    while (true) {
        const base::Character next = text.empty() ? base::Character{} : base::first_character(text);
        if (!text.empty() && is_of_word(next.code)) {
            std::string letter;
            append_utf8(letter, fold_case(next.code));
            is_full = is_full || word.size() + letter.size() > limits::journal_word_bytes_max;
            if (!is_full) word += letter;
        } else {
            if (!word.empty() && !take(std::move(word))) return;
            word.clear();
            is_full = false;
        }
        if (text.empty()) return;
        text.remove_prefix(next.bytes);
    }
}

// Collects the terms that lie in the fields of one body.
template <class T>
class TermVisitor : public FieldVisitor<T> {
public:
    TermVisitor(const T& body, std::set<std::string>& terms) : body_(body), terms_(terms) {}

    void text(std::string_view, std::string T::* member, const model::TextRule& rule) {
        if (rule.searched) add_words(body_.*member);
    }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>& names,
                const model::FieldRule&) {
        if (name == "priority") return;
        terms_.insert(state_term(kind_of<T>(), names[static_cast<std::size_t>(body_.*member)]));
    }
    void blocks(std::string_view, std::vector<model::PlanBlock> T::* member) {
        for (const model::PlanBlock& block : body_.*member) add_words(block.note);
    }
    void references(std::string_view, std::vector<std::string> T::* member, JournalKind of) {
        if (of != JournalKind::label) return;
        for (const std::string& id : body_.*member) terms_.insert(label_term(id));
    }

private:
    void add_words(std::string_view text) {
        each_word(text, [this](std::string word) {
            if (words_.size() < limits::journal_words_max) {
                if (words_.insert(word).second) terms_.insert(word_term(word));
                return true;
            }
            return false;
        });
    }

    const T& body_;
    std::set<std::string>& terms_;
    std::unordered_set<std::string> words_;
};

std::string joined(std::string_view prefix, std::string_view text) {
    return std::string(prefix).append(text);
}

}  // namespace

std::vector<std::string> terms_of(const model::JournalRecord& record) {
    if (record.deleted_at) return {};
    std::set<std::string> terms{kind_term(record.kind()), kind_term(record.kind(), record.category_id),
                                category_term(record.category_id)};
    if (const std::string_view parent = parent_of(record.body).id; !parent.empty()) {
        terms.insert(parent_term(parent));
        if (goes_with_parent(record.kind())) terms.insert(follower_term(parent));
    }
    if (const auto* task = std::get_if<model::Task>(&record.body)) {
        if (!task->due_date.empty() && !is_closed(*task)) terms.insert(due_term(task->due_date));
    }
    if (const auto* time = std::get_if<model::TimeEntry>(&record.body)) {
        if (!time->ended_at) terms.emplace(running_term);
    }
    std::visit(
        [&terms]<class T>(const T& body) {
            TermVisitor<T> visit(body, terms);
            describe(visit, std::type_identity<T>{});
        },
        record.body);
    return {terms.begin(), terms.end()};
}

std::string kind_term(JournalKind kind) {
    return joined("k:", model::journal_kind_name(kind));
}

std::string kind_term(JournalKind kind, std::string_view category_id) {
    return kind_term(kind).append("@").append(category_id);
}

std::string category_term(std::string_view category_id) {
    return joined("c:", category_id);
}

std::string state_term(JournalKind kind, std::string_view name) {
    return joined("s:", model::journal_kind_name(kind)).append(":").append(name);
}

std::string label_term(std::string_view label_id) {
    return joined("l:", label_id);
}

std::string parent_term(std::string_view id) {
    return joined("p:", id);
}

std::string follower_term(std::string_view id) {
    return joined("g:", id);
}

std::string due_term(std::string_view date) {
    return joined("d:", date);
}

std::string word_term(std::string_view word) {
    return joined("w:", word);
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::unordered_set<std::string> seen;
    each_word(text, [&](std::string word) {
        if (seen.insert(word).second) words.push_back(std::move(word));
        return true;
    });
    return words;
}

}  // namespace belfry::rules
