#include "text/jinja/string_methods.hpp"

#include <algorithm>
#include <array>

#include "text/jinja/interpreter.hpp"
#include "text/jinja/ops.hpp"
#include "text/jinja/split.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

using Function = Val (*)(Interpreter&, std::string_view, const Call&);

std::string_view text_of(const Val& value, const char* function) {
    if (!value.is_string()) fail(std::string(function) + "() wants a string, not " + std::string(type_name(value)));
    return value.text();
}

void nothing(const char* function, const Call& call) {
    Bound(function, call, {}, 0);
}

template <void (*append)(std::string&, std::string_view)>
Val mapped(Interpreter& in, std::string_view self, const Call& call) {
    nothing("this method", call);
    std::string out;
    append(out, self);
    return in.text(out);
}

template <bool left, bool right>
Val stripped(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("strip", call, {"chars"}, 0);
    if (args.has(0)) in.charge_bytes(self.size() * (args[0].size / 4 + 1));
    if (args.has(0) && !args[0].is(Kind::none))
        return string(strip_chars(self, text_of(args[0], "strip"), left, right));
    if (left) self = strip_left(self);
    if (right) self = strip_right(self);
    return string(self);
}

Val list_of(Interpreter& in, const std::vector<std::string_view>& parts, Flavour flavour = Flavour::list) {
    List* list = in.make_list(flavour, parts.size());
    for (const std::string_view part : parts) list->items.push(in.arena(), string(part));
    return make(list);
}

template <bool from_right>
Val split(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("split", call, {"sep", "maxsplit"}, 0);
    const std::int64_t most = args.integer(1, -1);
    if (!args.has(0) || args[0].is(Kind::none)) {
        in.charge(self.size() / 4);
        return list_of(in, from_right ? split_at_space_from_right(self, most) : split_at_space(self, most));
    }
    const std::string_view separator = text_of(args[0], "split");
    if (separator.empty()) fail("empty separator");
    in.charge_search(self.size(), separator.size());
    in.charge(self.size() / 4);
    return list_of(in, from_right ? split_at_from_right(self, separator, most) : split_at(self, separator, most));
}

Val splitlines(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("splitlines", call, {"keepends"}, 0);
    in.charge(self.size() / 4);
    return list_of(in, split_lines(self, args.flag(0)));
}

Val join(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("join", call, {"iterable"}, 1);
    const Items items(in.arena(), args[0]);
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.will_grow(out, self.size() + items.at(i).size);
        if (i > 0) out += self;
        if (!items.at(i).is_string())
            fail("sequence item " + std::to_string(i) + ": expected str instance, " +
                 std::string(type_name(items.at(i))) + " found");
        out += items.at(i).text();
    }
    return in.text(out);
}

Val replace(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("replace", call, {"old", "new", "count"}, 2);
    std::string out;
    in.charge_search(self.size(), args[0].size);
    append_replaced(in, out, self, text_of(args[0], "replace"), text_of(args[1], "replace"), args.integer(2, -1));
    return in.text(out);
}

// The part of a string that start and end arguments name; nothing where it begins beyond the end.
bool part_of(const Bound& args, std::string_view& self, std::size_t& skipped) {
    const auto size = static_cast<std::int64_t>(utf8_length(self));
    const auto at = [&](std::size_t i, std::int64_t otherwise) {
        if (!args.has(i) || args[i].is(Kind::none)) return otherwise;
        const std::int64_t given = args.integer(i, otherwise);
        return std::clamp<std::int64_t>(given < 0 ? given + size : given, 0, given < 0 ? size : INT64_MAX);
    };
    const std::int64_t from = at(1, 0);
    const std::int64_t to = std::min(at(2, size), size);
    if (from > size || from > to) return false;
    skipped = static_cast<std::size_t>(from);
    const std::size_t first = utf8_offset(self, skipped);
    self = self.substr(first, utf8_offset(self.substr(first), static_cast<std::size_t>(to - from)));
    return true;
}

template <bool at_end>
Val affixed(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args(at_end ? "endswith" : "startswith", call, {"affix", "start", "end"}, 1);
    std::size_t skipped = 0;
    if (!part_of(args, self, skipped)) return boolean(false);
    const auto has = [&](const Val& affix) {
        const std::string_view text = text_of(affix, "startswith");
        in.charge_bytes(text.size());
        return at_end ? self.ends_with(text) : self.starts_with(text);
    };
    if (args[0].is(Kind::list) && args[0].list->flavour == Flavour::tuple) {
        const auto& items = args[0].list->items;
        return boolean(std::any_of(items.begin(), items.end(), has));
    }
    return boolean(has(args[0]));
}

template <bool from_right, bool must>
Val find(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("find", call, {"sub", "start", "end"}, 1);
    const std::string_view wanted = text_of(args[0], "find");
    std::size_t skipped = 0;
    in.charge_search(self.size(), wanted.size());
    if (part_of(args, self, skipped)) {
        const std::size_t at = from_right ? self.rfind(wanted) : self.find(wanted);
        if (at != std::string_view::npos) return integer(skipped + utf8_length(self.substr(0, at)));
    }
    if (must) fail("substring not found");
    return integer(std::int64_t{-1});
}

Val count(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("count", call, {"sub", "start", "end"}, 1);
    const std::string_view wanted = text_of(args[0], "count");
    std::size_t skipped = 0;
    in.charge_search(self.size(), wanted.size());
    if (!part_of(args, self, skipped)) return integer(std::size_t{0});
    if (wanted.empty()) return integer(utf8_length(self) + 1);
    std::size_t found = 0;
    for (std::size_t at = self.find(wanted); at != std::string_view::npos; at = self.find(wanted, at + wanted.size()))
        ++found;
    return integer(found);
}

Val format(Interpreter& in, std::string_view self, const Call& call) {
    std::string out;
    append_format(in, out, self, call);
    in.charge_bytes(out.size());
    return in.text(out);
}

template <bool (*holds)(char32_t)>
Val all(Interpreter&, std::string_view self, const Call& call) {
    nothing("this method", call);
    if (self.empty()) return boolean(false);
    for (std::size_t at = 0; at < self.size();) {
        if (!holds(utf8_next(self, at))) return boolean(false);
    }
    return boolean(true);
}

template <bool upper>
Val cased(Interpreter&, std::string_view self, const Call& call) {
    nothing("this method", call);
    return boolean(is_all_cased(self, upper));
}

enum class Where { left, right, both };

template <Where where>
Val padded(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("center", call, {"width", "fillchar"}, 1);
    const std::string_view fill = args.has(1) ? text_of(args[1], "center") : " ";
    if (utf8_length(fill) != 1) fail("The fill character must be exactly one character long");
    const auto length = static_cast<std::int64_t>(utf8_length(self));
    const std::int64_t width = args.integer(0, 0);
    const std::int64_t missing = width > length ? width - length : 0;
    if (missing > 1 << 24) fail("a width beyond the limit");
    in.charge_bytes(static_cast<std::size_t>(missing));
    // Python leans to the left when both the space and the width are odd.
    std::int64_t before = where == Where::left    ? 0
                          : where == Where::right ? missing
                                                  : missing / 2 + (missing & width & 1);
    std::string out;
    for (std::int64_t i = 0; i < before; ++i) out += fill;
    out += self;
    for (std::int64_t i = before; i < missing; ++i) out += fill;
    return in.text(out);
}

Val zfill(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("zfill", call, {"width"}, 1);
    const auto length = static_cast<std::int64_t>(utf8_length(self));
    const std::int64_t width = args.integer(0, 0);
    const std::int64_t missing = width > length ? width - length : 0;
    if (missing > 1 << 24) fail("a width beyond the limit");
    in.charge_bytes(static_cast<std::size_t>(missing));
    const std::size_t sign = !self.empty() && (self.front() == '+' || self.front() == '-') ? 1 : 0;
    return in.text(std::string(self.substr(0, sign)) + std::string(static_cast<std::size_t>(missing), '0') +
                   std::string(self.substr(sign)));
}

template <bool from_right>
Val partition(Interpreter& in, std::string_view self, const Call& call) {
    const Bound args("partition", call, {"sep"}, 1);
    const std::string_view separator = text_of(args[0], "partition");
    if (separator.empty()) fail("empty separator");
    in.charge_search(self.size(), separator.size());
    const std::size_t at = from_right ? self.rfind(separator) : self.find(separator);
    if (at == std::string_view::npos) {
        return from_right ? list_of(in, {"", "", self}, Flavour::tuple) : list_of(in, {self, "", ""}, Flavour::tuple);
    }
    return list_of(in, {self.substr(0, at), self.substr(at, separator.size()), self.substr(at + separator.size())},
                   Flavour::tuple);
}

template <bool at_end>
Val removed(Interpreter&, std::string_view self, const Call& call) {
    const Bound args("removeprefix", call, {"affix"}, 1);
    const std::string_view affix = text_of(args[0], "removeprefix");
    if (at_end && !affix.empty() && self.ends_with(affix)) self.remove_suffix(affix.size());
    if (!at_end && self.starts_with(affix)) self.remove_prefix(affix.size());
    return string(self);
}

struct Entry {
    std::string_view name;
    Function function;
};

constexpr auto methods = std::to_array<Entry>({
    {"capitalize", mapped<append_capitalized>},
    {"center", padded<Where::both>},
    {"count", count},
    {"endswith", affixed<true>},
    {"find", find<false, false>},
    {"format", format},
    {"index", find<false, true>},
    {"isalnum", all<is_letter_or_number>},
    {"isalpha", all<is_letter>},
    {"isdigit", all<is_digit>},
    {"islower", cased<false>},
    {"isspace", all<is_space>},
    {"isupper", cased<true>},
    {"join", join},
    {"ljust", padded<Where::left>},
    {"lower", mapped<append_lower>},
    {"lstrip", stripped<true, false>},
    {"partition", partition<false>},
    {"removeprefix", removed<false>},
    {"removesuffix", removed<true>},
    {"replace", replace},
    {"rfind", find<true, false>},
    {"rindex", find<true, true>},
    {"rjust", padded<Where::right>},
    {"rpartition", partition<true>},
    {"rsplit", split<true>},
    {"rstrip", stripped<false, true>},
    {"split", split<false>},
    {"splitlines", splitlines},
    {"startswith", affixed<false>},
    {"strip", stripped<true, true>},
    {"swapcase", mapped<append_swapped>},
    {"title", mapped<append_title>},
    {"upper", mapped<append_upper>},
    {"zfill", zfill},
});

const Entry* find_method(std::string_view name) {
    const auto found = std::lower_bound(methods.begin(), methods.end(), name,
                                        [](const Entry& entry, std::string_view n) { return entry.name < n; });
    return found == methods.end() || found->name != name ? nullptr : &*found;
}

}  // namespace

bool has_string_method(std::string_view name) {
    return find_method(name) != nullptr;
}

Val string_method(Interpreter& in, const Val& self, std::string_view name, const Call& call) {
    const Entry* method = find_method(name);
    if (method == nullptr) fail("str has no method '" + std::string(name) + "' here");
    in.charge_bytes(self.size);
    Val made = method->function(in, self.text(), call);
    if (made.is_string()) made.markup = self.markup;
    return made;
}

void append_replaced(Meter& meter, std::string& out, std::string_view text, std::string_view old,
                     std::string_view fresh, std::int64_t most) {
    if (old.empty()) {
        // The new text goes between all characters.
        for (std::size_t at = 0; most != 0; --most) {
            meter.will_grow(out, fresh.size());
            out += fresh;
            if (at >= text.size()) return;
            const std::size_t from = at;
            utf8_next(text, at);
            out += text.substr(from, at - from);
            if (most == 1) {
                out += text.substr(at);
                return;
            }
        }
        out += text;
        return;
    }
    while (most != 0) {
        const std::size_t at = text.find(old);
        if (at == std::string_view::npos) break;
        meter.will_grow(out, fresh.size());
        out += text.substr(0, at);
        out += fresh;
        text.remove_prefix(at + old.size());
        if (most > 0) --most;
    }
    out += text;
}

bool is_all_cased(std::string_view text, bool upper) {
    bool any = false;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = utf8_next(text, at);
        if (upper ? is_lower(c) : is_upper(c)) return false;
        any = any || (upper ? is_upper(c) : is_lower(c));
    }
    return any;
}

}  // namespace belfry::text::jinja
