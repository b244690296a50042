#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belfry::model {

enum class JsonKind { null, boolean, number, string, array, object };

// One value inside bytes that are known to be valid JSON: a view, as long-lived as those bytes.
struct JsonView {
    std::string_view text;

    [[nodiscard]] JsonKind kind() const;
    // The text of a string, its escapes resolved; any other kind as it stands.
    [[nodiscard]] std::string as_text() const;
    // A member of an object by its plain name (the last one, if it stands twice), or nothing.
    [[nodiscard]] std::optional<JsonView> member(std::string_view name) const;
};

// JSON that was validated at the door and is carried on as the bytes that came, but for white space between tokens
// that could break a line. Only `codec` and `JsonWriter` make one, so holding it means that it is valid.
class RawJson {
public:
    RawJson() = default;  // the empty object
    static RawJson trusted(std::string bytes) { return RawJson(std::move(bytes)); }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] JsonView view() const { return {bytes_}; }
    [[nodiscard]] std::optional<JsonView> member(std::string_view name) const { return view().member(name); }

    bool operator==(const RawJson&) const = default;

private:
    explicit RawJson(std::string bytes) : bytes_(std::move(bytes)) {}
    std::string bytes_ = "{}";
};

// Walks the members of a valid object or the elements of a valid array.
class JsonWalker {
public:
    explicit JsonWalker(JsonView container);
    // The next element; of an object, `name` gets the raw name without its quotes, escapes unresolved.
    std::optional<JsonView> next(std::string_view* name = nullptr);

private:
    std::string_view rest_;
};

// Appends JSON text to a string that somebody else owns. Commas are placed by it; balance is the caller's.
class JsonWriter {
public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& name(std::string_view name);
    JsonWriter& text(std::string_view utf8);
    JsonWriter& number(long long value);
    JsonWriter& real(double value);  // shortest form that reads back as the same; null for what JSON has no number for
    JsonWriter& boolean(bool value);
    JsonWriter& null();
    JsonWriter& raw(std::string_view json);  // a value that is valid JSON already

    // The usual pair: a name and its value.
    JsonWriter& field(std::string_view key, std::string_view value) { return name(key).text(value); }
    JsonWriter& field(std::string_view key, const char* value) { return name(key).text(value); }
    JsonWriter& field(std::string_view key, long long value) { return name(key).number(value); }

private:
    void separate();
    std::string& out_;
    bool fresh_ = true;  // nothing stands before the next value at this level, or its name does
};

// Appends `utf8` with JSON's escapes and without quotes.
void append_escaped(std::string& out, std::string_view utf8);

}  // namespace belfry::model
