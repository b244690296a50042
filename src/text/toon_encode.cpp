#include <algorithm>
#include <array>
#include <cmath>

#include "model/number.hpp"
#include "text/toon.hpp"
#include "text/toon_shape.hpp"

namespace belfry::text {
namespace {

using model::Member;
using model::Value;

class Encoder {
public:
    Encoder(std::string& out, const ToonEncodeOptions& options)
        : out_(out),
          from_(out.size()),
          options_(options),
          indent_(static_cast<std::size_t>(std::max(options.indent, 1))) {}

    bool document(const Value& root) {
        if (root.is_array()) {
            if (root.size() == 0) {
                out_ += "[]";
            } else {
                array(root, 0, true);
            }
        } else if (root.is_object()) {
            if (const Rows rows = entries_of_one_table(root.members(), options_.depth_max); rows != Rows::none) {
                keyed_table(root, 0, rows);
            } else {
                fields(root.members(), 0, true);
            }
        } else if (root.is_string() && root.text().starts_with("\xEF\xBB\xBF")) {
            // Readers take a mark at the very beginning for one of byte order.
            append_toon_quoted(out_, root.text());
        } else {
            primitive(root);
        }
        if (out_.size() - from_ > options_.bytes_max) too_large_ = true;
        return !stopped();
    }
    [[nodiscard]] bool too_large() const { return too_large_; }

private:
    [[nodiscard]] bool stopped() const { return too_deep_ || too_large_; }

    void line(int depth) {
        if (out_.size() - from_ > options_.bytes_max) too_large_ = true;
        if (stopped()) return;
        out_ += '\n';
        out_.append(indent_ * static_cast<std::size_t>(depth), ' ');
    }

    bool deeper(int depth) {
        if (depth > options_.depth_max) too_deep_ = true;
        return !stopped();
    }

    void primitive(const Value& value) {
        switch (value.kind()) {
            case Value::Kind::boolean: out_ += value.as_boolean() ? "true" : "false"; return;
            case Value::Kind::integer: model::append_integer(out_, value.as_integer()); return;
            case Value::Kind::natural: model::append_natural(out_, value.as_natural()); return;
            case Value::Kind::real: model::append_real(out_, value.as_real()); return;
            case Value::Kind::big: out_ += value.text(); return;
            case Value::Kind::string: append_toon_string(out_, value.text(), options_.delimiter); return;
            default: out_ += "null";
        }
    }

    void delimiter() { out_ += static_cast<char>(options_.delimiter); }

    void bracket(std::size_t length, bool keyed) {
        out_ += '[';
        model::append_natural(out_, length);
        if (keyed) out_ += ':';
        if (options_.delimiter != ToonDelimiter::comma) delimiter();
        out_ += ']';
    }

    void field_list(const Value& row) {
        out_ += '{';
        bool first = true;
        for (const Member& member : row.members()) {
            if (!first) delimiter();
            first = false;
            append_toon_key(out_, member.key());
            if (member.value.is_object()) field_list(member.value);
        }
        out_ += '}';
    }

    // The cells of `row` in the order of the first row, which the field list was made from.
    void cells(const Value& first, const Value& row, Rows rows, bool& fresh) {
        if (rows == Rows::ordered) {
            for (const Member& member : row.members()) cell(member.value, member.value, rows, fresh);
            return;
        }
        MemberFinder finder(row);
        std::size_t place = 0;
        for (const Member& member : first.members())
            cell(member.value, *finder.find(member.name, place++), rows, fresh);
    }

    void cell(const Value& first, const Value& value, Rows rows, bool& fresh) {
        if (value.is_object()) {
            cells(first, value, rows, fresh);
            return;
        }
        if (!fresh) delimiter();
        fresh = false;
        primitive(value);
    }

    void table(const Value& list, int depth, Rows rows) {
        bracket(list.size(), false);
        const Value& first = list.items().front();
        field_list(first);
        out_ += ':';
        for (const Value& row : list.items()) {
            line(depth + 1);
            if (stopped()) return;
            bool fresh = true;
            cells(first, row, rows, fresh);
        }
    }

    void keyed_table(const Value& object, int depth, Rows rows) {
        bracket(object.size(), true);
        const Value& first = object.members().front().value;
        field_list(first);
        out_ += ':';
        for (const Member& entry : object.members()) {
            line(depth + 1);
            if (stopped()) return;
            append_toon_key(out_, entry.key());
            out_ += ": ";
            bool fresh = true;
            cells(first, entry.value, rows, fresh);
        }
    }

    // Numbers gather in a buffer: most arrays are of them, and a string grows faster by many characters than by few.
    void inline_values(std::span<const Value> items) {
        std::array<char, 512> buffer;
        char* const last = buffer.data() + buffer.size() - model::quick_number_chars_max - 1;
        char* at = buffer.data();
        const auto flush = [&] {
            out_.append(buffer.data(), static_cast<std::size_t>(at - buffer.data()));
            at = buffer.data();
        };
        for (std::size_t i = 0; i < items.size(); ++i) {
            const Value& item = items[i];
            if (at > last) flush();
            if (i > 0) *at++ = static_cast<char>(options_.delimiter);
            char* end = nullptr;
            if (item.kind() == Value::Kind::integer) end = model::write_integer(at, item.as_integer());
            if (item.kind() == Value::Kind::real) end = model::write_quick_real(at, item.as_real());
            if (end != nullptr) {
                at = end;
                continue;
            }
            flush();
            primitive(item);
        }
        flush();
    }

    // From the bracket on. `may_be_table`: nothing or a key stands before it, not the hyphen of a list item.
    void array(const Value& value, int depth, bool may_be_table) {
        if (!deeper(depth)) return;
        const auto items = value.items();
        if (std::all_of(items.begin(), items.end(), [](const Value& item) { return item.is_primitive(); })) {
            bracket(items.size(), false);
            out_ += items.empty() ? ":" : ": ";
            inline_values(items);
            return;
        }
        if (const Rows rows = may_be_table ? rows_of_one_table(items, options_.depth_max) : Rows::none;
            rows != Rows::none) {
            table(value, depth, rows);
            return;
        }
        bracket(items.size(), false);
        out_ += ':';
        for (const Value& item : items) {
            list_item(item, depth + 1);
            if (stopped()) return;
        }
    }

    void list_item(const Value& item, int depth) {
        line(depth);
        out_ += '-';
        if (item.is_object() && item.size() == 0) return;
        out_ += ' ';
        if (item.is_array()) {
            array(item, depth, false);
        } else if (item.is_object()) {
            fields(item.members(), depth + 1, true);
        } else {
            primitive(item);
        }
    }

    // `on_this_line`: the first field goes where the text stands, after a hyphen or at the very beginning.
    void fields(std::span<const Member> members, int depth, bool on_this_line) {
        if (!deeper(depth)) return;
        for (const Member& member : members) {
            if (!on_this_line) line(depth);
            if (stopped()) return;
            on_this_line = false;
            field(member, depth);
        }
    }

    void field(const Member& member, int depth) {
        const Value& value = member.value;
        append_toon_key(out_, member.key());
        if (value.is_primitive()) {
            out_ += ": ";
            primitive(value);
        } else if (value.size() == 0) {
            out_ += value.is_array() ? ": []" : ":";
        } else if (value.is_array()) {
            array(value, depth, true);
        } else if (const Rows rows = entries_of_one_table(value.members(), options_.depth_max); rows != Rows::none) {
            keyed_table(value, depth, rows);
        } else {
            out_ += ':';
            fields(value.members(), depth + 1, false);
        }
    }

    std::string& out_;
    std::size_t from_;  // where our text begins in it
    const ToonEncodeOptions& options_;
    std::size_t indent_;
    bool too_deep_ = false;
    bool too_large_ = false;
};

}  // namespace

base::Result<void> append_toon(std::string& out, const Value& value, const ToonEncodeOptions& options) {
    const std::size_t before = out.size();
    Encoder encoder(out, options);
    if (encoder.document(value)) return {};
    out.resize(before);
    if (encoder.too_large()) {
        return base::error(base::Code::too_large, "more than " + std::to_string(options.bytes_max) + " bytes of TOON");
    }
    return base::error(base::Code::too_large, "deeper than " + std::to_string(options.depth_max) + " levels");
}

base::Result<std::string> toon_encode(const Value& value, const ToonEncodeOptions& options) {
    std::string out;
    TRY(append_toon(out, value, options));
    return out;
}

}  // namespace belfry::text
