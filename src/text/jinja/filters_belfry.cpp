#include <algorithm>
#include <cmath>

#include "base/iso_time.hpp"
#include "model/severity.hpp"
#include "model/value_json.hpp"
#include "text/jinja/filters.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/strftime.hpp"
#include "text/jinja/tree.hpp"
#include "text/toon.hpp"

namespace belfry::text::jinja {
namespace {

ToonDelimiter delimiter_of(Interpreter& in, const Val& value) {
    const std::string name = in.str(value);
    if (name == "comma" || name == ",") return ToonDelimiter::comma;
    if (name == "tab" || name == "\t") return ToonDelimiter::tab;
    if (name == "pipe" || name == "|") return ToonDelimiter::pipe;
    fail("toon() knows the delimiters comma, tab and pipe");
}

// One row of a table: the columns that `fields` names, each found by its path.
model::Value projected(Interpreter& in, const Val& item,
                       const std::vector<std::pair<std::string, AttributeGetter>>& columns) {
    model::Value row = model::Value::object(columns.size());
    for (const auto& [name, get] : columns) row.set(name, to_tree(in, get(item)));
    return row;
}

model::Value table(Interpreter& in, const Val& subject, const Val& fields) {
    std::vector<std::pair<std::string, AttributeGetter>> columns;
    const Items names(in.arena(), fields);
    for (std::size_t i = 0; i < names.size(); ++i) {
        Val path = names.at(i);
        if (fields.is_dict()) dict_get(in, fields, names.at(i), path);
        columns.emplace_back(in.str(names.at(i)), AttributeGetter(in, path, none()));
    }
    if (subject.is_dict()) return projected(in, subject, columns);
    const Items items(in.arena(), subject);
    in.charge(items.size());
    in.arena().lend(items.size() * (sizeof(model::Value) + columns.size() * sizeof(model::Member)));
    model::Value rows = model::Value::array(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.charge(columns.size() * columns.size() / 8);
        rows.push(projected(in, items.at(i), columns));
    }
    return rows;
}

// toon(name, fields, delimiter, indent): the value as TOON. With a name it becomes that key's value; with fields, a
// list of paths or a dict of columns and their paths, every item is first reduced to those columns.
Val toon(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("toon", call, {"name", "fields", "delimiter", "indent"}, 0);
    ToonEncodeOptions options;
    if (args.has(2)) options.delimiter = delimiter_of(in, args[2]);
    options.bytes_max = in.text_bytes_max();
    options.indent = static_cast<int>(std::clamp<std::int64_t>(args.integer(3, 2), 1, 16));
    const bool has_name = args.has(0) && !args[0].is(Kind::none);
    const bool has_fields = args.has(1) && !args[1].is(Kind::none);
    std::string out;
    base::Result<void> done;
    if (!has_name && !has_fields && (subject.is(Kind::array) || subject.is(Kind::object))) {
        done = append_toon(out, *subject.tree, options);
    } else {
        model::Value tree = has_fields ? table(in, subject, args[1]) : to_tree(in, subject);
        if (has_name) {
            model::Value root = model::Value::object(1);
            root.append(in.str(args[0]), std::move(tree));
            tree = std::move(root);
        }
        done = append_toon(out, tree, options);
    }
    if (!done.ok()) fail(done.error().message);
    in.charge_bytes(out.size() * 4);
    return in.text(out);
}

// json: the value as JSON in one line, letters as they are. (`tojson` is Jinja's, for pages: it writes `'` and every
// letter beyond ASCII as an escape.)
Val json(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("json", call, {}, 0);
    std::string out;
    if (subject.is(Kind::array) || subject.is(Kind::object)) model::append_json(out, *subject.tree);
    else model::append_json(out, to_tree(in, subject));
    in.charge_bytes(out.size() * 2);
    return in.text(out);
}

// format_time(format): a time of ISO 8601 with an offset, or seconds since 1970, in UTC. What is no time stays as it
// is.
Val format_time(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("format_time", call, {"format"}, 0);
    const std::string format = args.has(0) ? in.str(args[0]) : "%H:%M:%S";
    base::Timestamp time;
    if (subject.is_string()) {
        const auto parsed = base::parse_timestamp_from(base::year_one, subject.text());
        if (!parsed) return subject;
        time = *parsed;
    } else if (subject.is_number() && std::abs(subject.as_real()) < 253402300800.0) {
        time.us = subject.is_whole() ? subject.integer * 1'000'000
                                     : static_cast<std::int64_t>(std::llround(subject.real * 1e6));
    } else {
        return in.text(in.str(subject));
    }
    std::string out;
    append_strftime(out, time, format);
    return in.text(out);
}

// severity_prefix: the key that a line of this severity has. From warning on it begins with an exclamation mark, for
// which TOON wants quotes.
Val severity_prefix(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("severity_prefix", call, {}, 0);
    const std::string name = in.str(subject);
    const auto severity = model::parse_severity(name);
    std::string out;
    append_toon_key(out, severity && *severity >= model::Severity::warning ? "!" + name : name);
    return in.text(out);
}

}  // namespace

std::vector<FilterEntry> belfry_filters() {
    return {{"toon", toon}, {"json", json}, {"format_time", format_time}, {"severity_prefix", severity_prefix}};
}

}  // namespace belfry::text::jinja
