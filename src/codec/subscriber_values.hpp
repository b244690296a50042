#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/toml.hpp"
#include "model/subscriber.hpp"

// How the fields of a subscriber's or a sink's file are taken out of it; only their two readers use it.
namespace belfry::codec {

bool is_identifier(std::string_view text);     // ^[a-z][a-z0-9_]*$
bool is_version(std::string_view text);        // ^[0-9]+\.[0-9]+\.[0-9]+$
bool is_member_name(std::string_view text);    // ^[A-Za-z0-9_]+$
bool is_template_name(std::string_view text);  // ^templates/[A-Za-z0-9_][A-Za-z0-9_.-]*$
bool is_dedupe_key(std::string_view text);     // every `payload.` part has a name
bool has_characters(std::string_view utf8, std::size_t min, std::size_t max);

// What the TOML reader said, with its place taken out of the words.
model::SubscriberProblem problem_of_toml(const base::Error& error, std::string_view file);

// Takes one field after the other and gathers what is wrong. A field that is absent or refused leaves its value as it
// was.
class SubscriberFields {
public:
    using Check = bool (*)(std::string_view);

    SubscriberFields(const TomlTable& table, std::vector<model::SubscriberProblem>& problems)
        : table_(table), problems_(problems) {}

    [[nodiscard]] bool has(std::string_view key) const { return table_.find(key) != nullptr; }
    void add(model::SubscriberProblem problem);  // of this file
    void missing(std::string_view key, std::string_view what);
    void warn(std::string_view key, std::string message);
    // Refuses tables and fields that are none of these, `of` what, naming the nearest. Fields that begin with
    // `free_prefix`, where there is one, may have any name.
    void refuse_unknown(std::span<const std::string_view> tables, std::span<const std::string_view> fields,
                        std::string_view free_prefix, std::string_view of);

    void required_text(std::string_view key, std::string& into, Check check, const std::string& rule);
    void text(std::string_view key, std::string& into, Check check, const std::string& rule);
    // The same for what nobody else may read: a refusal does not show it.
    void secret(std::string_view key, std::string& into, Check check, const std::string& rule);
    void list(std::string_view key, std::vector<std::string>& into, std::size_t min, std::size_t max, Check check,
              const std::string& rule);
    std::optional<std::int64_t> number(std::string_view key, std::int64_t min, std::int64_t max);
    void flag(std::string_view key, bool& into);

    template <class Into, class Enum>
    void choice(std::string_view key, Into& into, std::optional<Enum> (*parse)(std::string_view),
                std::string_view names) {
        const TomlEntry* entry = table_.find(key);
        if (entry == nullptr) return;
        const auto* word = std::get_if<std::string>(&entry->value);
        const std::optional<Enum> chosen = word == nullptr ? std::nullopt : parse(*word);
        if (chosen) into = *chosen;
        else refuse(*entry, "must be " + std::string(names));
    }

private:
    // The rule, and what stands there instead.
    void refuse(const TomlEntry& entry, const std::string& rule);

    const TomlTable& table_;
    std::vector<model::SubscriberProblem>& problems_;
};

}  // namespace belfry::codec
