#include <algorithm>
#include <cmath>

#include "text/jinja/filters.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/ops.hpp"
#include "text/jinja/split.hpp"
#include "text/jinja/string_methods.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

constexpr std::int64_t indent_max = 100'000;

Val as_text(Interpreter& in, const Val& value) {
    return value.is_string() ? value : in.text(in.str(value));
}

Val with_markup(Val value, bool markup) {
    value.markup = markup;
    return value;
}

template <void (*append)(std::string&, std::string_view)>
Val mapped(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("this filter", call, {}, 0);
    const Val text = as_text(in, subject);
    in.charge_bytes(text.size);
    std::string out;
    append(out, text.text());
    return with_markup(in.text(out), text.markup);
}

// Words begin after space, hyphens and opening brackets.
void append_titled_words(std::string& out, std::string_view text) {
    const auto divides = [](char32_t c) {
        return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
    };
    for (std::size_t at = 0; at < text.size();) {
        std::size_t next = at;
        const bool divider = divides(utf8_next(text, next));
        const std::size_t first = next;
        std::size_t end = next;
        for (; end < text.size(); end = next) {
            next = end;
            if (divides(utf8_next(text, next)) != divider) break;
        }
        append_upper(out, text.substr(at, first - at));
        append_lower(out, text.substr(first, end - first));
        at = end;
    }
}

Val trim(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("trim", call, {"chars"}, 0);
    return string_method(in, as_text(in, subject), "strip", {call.args, call.named});
}

Val replace(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("replace", call, {"old", "new", "count"}, 2);
    const std::string text = in.str(subject);
    const std::string old = in.str(args[0]);
    const std::string fresh = in.str(args[1]);
    const std::int64_t most = args.has(2) && !args[2].is(Kind::none) ? args.integer(2, -1) : -1;
    in.charge_search(text.size(), old.size());
    std::string out;
    append_replaced(in, out, text, old, fresh, most);
    return in.text(out);
}

Val center(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("center", call, {"width"}, 0);
    const Val width = args.value(0, integer(std::int64_t{80}));
    return string_method(in, as_text(in, subject), "center", {{&width, 1}, {}});
}

Val truncate(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("truncate", call, {"length", "killwords", "end", "leeway"}, 0);
    const std::int64_t length_max = args.integer(0, 255);
    const Val end = args.value(2, string("..."));
    const std::int64_t leeway = args.has(3) && !args[3].is(Kind::none) ? args.integer(3, 5) : 5;
    std::size_t end_length = 0;
    std::size_t size = 0;
    if (!length(end, end_length) || !length(subject, size)) fail("truncate() wants texts");
    if (length_max < static_cast<std::int64_t>(end_length))
        fail("expected length >= " + std::to_string(end_length) + ", got " + std::to_string(length_max));
    if (leeway < 0) fail("expected leeway >= 0, got " + std::to_string(leeway));
    in.charge_bytes(subject.is_string() ? subject.size : 0);
    if (static_cast<std::int64_t>(size) - leeway <= length_max) return subject;
    if (!subject.is_string() || !end.is_string()) fail("truncate() wants texts");
    std::string_view kept = subject.text();
    kept = kept.substr(0, utf8_offset(kept, static_cast<std::size_t>(length_max) - end_length));
    if (!args.flag(1)) kept = kept.substr(0, kept.rfind(' '));
    char* made = static_cast<char*>(in.arena().allocate(kept.size() + end.size + 1));
    std::copy(kept.begin(), kept.end(), made);
    std::copy(end.text().begin(), end.text().end(), made + kept.size());
    return string({made, kept.size() + end.size});
}

Val indent(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("indent", call, {"width", "first", "blank"}, 0);
    std::string indention(4, ' ');
    if (args.has(0)) {
        const std::int64_t width = args[0].is_string() ? 0 : std::max<std::int64_t>(args.integer(0, 4), 0);
        if (width > indent_max) fail("an indentation beyond the limit");
        indention =
            args[0].is_string() ? std::string(args[0].text()) : std::string(static_cast<std::size_t>(width), ' ');
    }
    if (!subject.is_string()) fail("indent() wants a text, not " + std::string(type_name(subject)));
    in.charge(subject.size / 4);
    const std::string source = std::string(subject.text()) + "\n";
    const auto lines = split_lines(source, false);
    std::string out = args.flag(1) ? indention : "";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        in.will_grow(out, indention.size() + lines[i].size());
        if (i > 0) {
            out += '\n';
            if (!lines[i].empty() || args.flag(2)) out += indention;
        }
        out += lines[i];
    }
    return with_markup(in.text(out), subject.markup);
}

Val format(Interpreter& in, const Val& subject, const Call& call) {
    if (!call.args.empty() && !call.named.empty())
        fail("can't handle positional and keyword arguments at the same time");
    Val values;
    if (call.named.empty()) {
        List* list = in.make_list(Flavour::tuple, call.args.size());
        for (const Val& value : call.args) list->items.push(in.arena(), value);
        values = make(list);
    } else {
        Dict* dict = in.arena().make<Dict>();
        for (const auto& [name, value] : call.named) dict->entries.push(in.arena(), {string(name), value});
        values = make(dict);
    }
    std::string out;
    append_percent(in, out, as_text(in, subject).text(), values);
    in.charge_bytes(out.size());
    return in.text(out);
}

Val to_string(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("string", call, {}, 0);
    return as_text(in, subject);
}

Val wordcount(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("wordcount", call, {}, 0);
    const std::string text = in.str(subject);
    std::size_t count = 0;
    bool inside = false;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = utf8_next(text, at);
        const bool word = c == '_' || is_letter_or_number(c);
        if (word && !inside) ++count;
        inside = word;
    }
    return integer(count);
}

Val escape(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("escape", call, {}, 0);
    if (subject.is_string() && subject.markup) return subject;
    std::string out;
    append_escaped_html(out, in.str(subject));
    return with_markup(in.text(out), true);
}

Val force_escape(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("forceescape", call, {}, 0);
    std::string out;
    append_escaped_html(out, in.str(subject));
    return with_markup(in.text(out), true);
}

Val safe(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("safe", call, {}, 0);
    return with_markup(as_text(in, subject), true);
}

Val tojson(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("tojson", call, {"indent"}, 0);
    std::string json;
    append_python_json(in, json, subject, args.value(0, none()));
    std::string out;
    for (const char c : json) {
        switch (c) {
            case '<': out += "\\u003c"; break;
            case '>': out += "\\u003e"; break;
            case '&': out += "\\u0026"; break;
            case '\'': out += "\\u0027"; break;
            default: out += c;
        }
    }
    in.charge_bytes(out.size());
    return with_markup(in.text(out), true);
}

}  // namespace

Val ignore_case(Interpreter& in, const Val& value) {
    if (!value.is_string()) return value;
    in.charge_bytes(value.size);
    if (is_lower_ascii(value.text())) return value;
    std::string out;
    append_lower(out, value.text());
    return out == value.text() ? value : in.text(out);
}

std::vector<FilterEntry> text_filters() {
    return {
        {"upper", mapped<append_upper>},
        {"lower", mapped<append_lower>},
        {"capitalize", mapped<append_capitalized>},
        {"title", mapped<append_titled_words>},
        {"trim", trim},
        {"replace", replace},
        {"center", center},
        {"truncate", truncate},
        {"indent", indent},
        {"format", format},
        {"string", to_string},
        {"wordcount", wordcount},
        {"escape", escape},
        {"e", escape},
        {"forceescape", force_escape},
        {"safe", safe},
        {"tojson", tojson},
    };
}

}  // namespace belfry::text::jinja
