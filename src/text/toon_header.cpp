#include "text/toon_header.hpp"

#include "model/key_index.hpp"
#include "text/toon_token.hpp"

namespace belfry::text {
namespace {

using model::Value;

class HeaderReader {
public:
    HeaderReader(const char* at, const char* to, int depth_max, ToonHeader& header, ToonFailure& failure)
        : at_(at), to_(to), depth_max_(depth_max), header_(header), failure_(failure) {}

    bool read() {
        if (!bracket()) return false;
        if (at_ < to_ && *at_ == '{') {
            if (!group(header_.fields, 1)) return false;
        } else if (header_.keyed) {
            return fail("a keyed header needs its fields");
        }
        if (at_ == to_ || *at_ != ':') return fail("a colon must follow the header");
        header_.rest = ++at_;
        while (at_ < to_ && *at_ == ' ') ++at_;
        if (!header_.fields.empty() && at_ < to_) return fail("no text may follow a header with fields");
        return true;
    }

private:
    bool fail(const char* message) {
        failure_ = {at_, base::Code::malformed, message};
        return false;
    }

    bool bracket() {
        const char* digits = ++at_;
        while (at_ < to_ && *at_ >= '0' && *at_ <= '9' && at_ - digits < 16) {
            header_.length = header_.length * 10 + static_cast<std::size_t>(*at_++ - '0');
        }
        if (at_ == digits || (*digits == '0' && at_ - digits > 1))
            return fail("brackets need a length without leading zeros");
        if (at_ < to_ && *at_ == ':') {
            header_.keyed = true;
            ++at_;
        }
        if (at_ < to_ && (*at_ == '|' || *at_ == '\t')) header_.delimiter = *at_++;
        if (at_ == to_ || *at_ != ']') return fail("the brackets hold more than a length and a delimiter");
        ++at_;
        if (at_ < to_ && *at_ != ':' && *at_ != '{') return fail("nothing may stand between brackets and colon");
        return true;
    }

    bool group(std::vector<ToonField>& fields, int depth) {
        if (depth > depth_max_) return fail("field groups nest too deep");
        ++at_;
        Value names = Value::object();
        model::KeyIndex index;
        while (true) {
            ToonField field;
            if (!name(field.name)) return false;
            if (!field.name.is_flat()) header_.name_bytes += field.name.text().size();
            if (index.find_or_expect(names, field.name) == model::KeyIndex::none) {
                names.append(field.name, Value());
            } else {
                header_.repeats = true;
            }
            if (at_ < to_ && *at_ == '{') {
                if (!group(field.group, depth + 1)) return false;
            } else {
                ++header_.leaves;
            }
            fields.push_back(std::move(field));
            while (at_ < to_ && *at_ == ' ') ++at_;
            if (at_ == to_) return fail("the braces are not closed");
            const char c = *at_++;
            if (c == '}') return true;
            if (c != header_.delimiter) {
                --at_;
                return fail("the fields are not separated by the delimiter of the brackets");
            }
        }
    }

    bool name(Value& out) {
        while (at_ < to_ && *at_ == ' ') ++at_;
        if (at_ < to_ && *at_ == '"') return read_toon_quoted(at_, to_, out, at_, failure_);
        const char* from = at_;
        const auto ends = [](char c) { return c == ',' || c == '|' || c == '\t' || c == '{' || c == '}'; };
        for (; at_ < to_ && !ends(*at_); ++at_) {
            if (*at_ == '"') return fail("a quote inside a field name that has none at its beginning");
        }
        const char* end = at_;
        while (end > from && end[-1] == ' ') --end;
        if (end == from) return fail("a field name is missing");
        if (end < at_ && at_ < to_ && *at_ == '{') return fail("a space between a field name and its group");
        out = Value::string({from, static_cast<std::size_t>(end - from)});
        return true;
    }

    const char* at_;
    const char* to_;
    int depth_max_;
    ToonHeader& header_;
    ToonFailure& failure_;
};

// The opening bracket of a header, or null: a colon comes first, or what stands before it is no key.
const char* opening_bracket(const char* from, const char* to) {
    if (*from == '"') {
        const char* after = skip_quoted(from, to);
        return after != nullptr && after < to && *after == '[' ? after : nullptr;
    }
    for (const char* at = from; at < to;) {
        if (*at == ':') return nullptr;
        if (*at == '[') return at > from && at[-1] == ' ' ? nullptr : at;
        at = *at == '"' ? skip_quoted(at, to) : at + 1;
        if (at == nullptr) return nullptr;
    }
    return nullptr;
}

}  // namespace

ToonHeaderKind read_toon_header(const char* from, const char* to, int depth_max, ToonHeader& header,
                                ToonFailure& failure) {
    const char* bracket = opening_bracket(from, to);
    if (bracket == nullptr || find_unquoted(bracket, to, ':') == nullptr) return ToonHeaderKind::none;
    header.has_key = bracket > from;
    if (header.has_key && !read_toon_key(from, bracket, header.key, failure)) return ToonHeaderKind::broken;
    return HeaderReader(bracket, to, depth_max, header, failure).read() ? ToonHeaderKind::header
                                                                        : ToonHeaderKind::broken;
}

}  // namespace belfry::text
