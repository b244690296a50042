#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"
#include "store/database.hpp"

// How the types of the model become columns, and columns become them again.
namespace belfry::store {

inline std::string_view view(const base::Uuid& id) {
    return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}
inline Param bytes(const base::Uuid& id) {
    return bytes(view(id));
}
inline Param number(base::Timestamp time) {
    return time.us;
}
inline Param maybe(const std::optional<base::Timestamp>& time) {
    return time ? number(*time) : Param{};
}
inline Param maybe(const std::optional<base::Uuid>& id) {
    return id ? bytes(*id) : Param{};
}
template <class Enum>
Param choice(Enum value) {
    return static_cast<std::int64_t>(value);
}

// Takes the columns of a row from left to right. What cannot be what it should is remembered as damage.
class RowReader {
public:
    explicit RowReader(const Row& row) : row_(row) {}

    std::int64_t number() { return row_.number(at_++); }
    bool flag() { return number() != 0; }
    std::string text() { return std::string(row_.bytes(at_++)); }
    std::string_view bytes() { return row_.bytes(at_++); }
    model::RawJson json() { return model::RawJson::trusted(text()); }
    base::Timestamp time() { return base::Timestamp{number()}; }

    std::optional<base::Timestamp> maybe_time() {
        if (!skip_null()) return time();
        return std::nullopt;
    }
    std::optional<std::string> maybe_text() {
        if (!skip_null()) return text();
        return std::nullopt;
    }
    std::optional<std::int64_t> maybe_number() {
        if (!skip_null()) return number();
        return std::nullopt;
    }
    base::Uuid uuid() {
        base::Uuid id;
        const std::string_view raw = bytes();
        if (raw.size() != id.bytes.size()) damaged_ = true;
        else std::ranges::transform(raw, id.bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
        return id;
    }
    std::optional<base::Uuid> maybe_uuid() {
        if (!skip_null()) return uuid();
        return std::nullopt;
    }
    template <class Enum>
    Enum choice(Enum last) {
        const std::int64_t value = number();
        if (value >= 0 && value <= static_cast<std::int64_t>(last)) return static_cast<Enum>(value);
        damaged_ = true;
        return {};
    }

    // True, and past it, where the column is empty.
    bool skip_null() {
        if (!row_.is_null(at_)) return false;
        ++at_;
        return true;
    }
    void note_damage() { damaged_ = true; }
    [[nodiscard]] bool is_damaged() const { return damaged_; }

private:
    const Row& row_;
    int at_ = 0;
    bool damaged_ = false;
};

// Collects what `read` (RowReader& → T) makes of each row; a damaged one is an error that names the table.
template <class T, class Read>
class Collector {
public:
    explicit Collector(Read read) : read_(std::move(read)) {}
    RowSink sink() {
        return [this](const Row& row) {
            RowReader reader(row);
            found_.push_back(read_(reader));
            damaged_ = damaged_ || reader.is_damaged();
        };
    }
    base::Result<std::vector<T>> take(std::string_view table) {
        if (damaged_) {
            return base::error(base::Code::malformed, "a row of " + std::string(table) + " is damaged");
        }
        return std::move(found_);
    }

private:
    Read read_;
    std::vector<T> found_;
    bool damaged_ = false;
};

template <class T>
base::Result<std::vector<T>> select(Database& database, std::string_view table, const Sql& sql,
                                    std::initializer_list<Param> params, T (*read)(RowReader&)) {
    Collector<T, T (*)(RowReader&)> rows(read);
    TRY(database.run(sql, params, rows.sink()));
    return rows.take(table);
}

template <class T>
base::Result<std::optional<T>> select_one(Database& database, std::string_view table, const Sql& sql,
                                          std::initializer_list<Param> params, T (*read)(RowReader&)) {
    TRY_ASSIGN(std::vector<T> rows, select(database, table, sql, params, read));
    if (rows.empty()) return std::optional<T>{};
    return std::optional<T>(std::move(rows.front()));
}

template <class T>
base::Result<std::vector<T>> select_many(Database& database, std::string_view table, const Sql& sql,
                                         const std::vector<std::vector<Param>>& sets, T (*read)(RowReader&)) {
    Collector<T, T (*)(RowReader&)> rows(read);
    TRY(database.run_many(sql, sets, rows.sink()));
    return rows.take(table);
}

// Runs deletions of an erasure, $1 the user, $2 how many at most, until `limit` rows are gone; tells how many went.
// What they leave on the disk is overwritten.
base::Result<std::uint64_t> erase_rows(Database& database, std::initializer_list<const Sql*> deletions,
                                       std::string_view user_id, std::size_t limit);

}  // namespace belfry::store
