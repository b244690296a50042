#include "wire/http_request.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <optional>
#include <utility>

namespace belfry::wire {
namespace http = boost::beast::http;
namespace {

constexpr std::size_t header_count = static_cast<std::size_t>(Header::count);

// A piece of the request by its place, because the bytes may move before the request is whole.
struct Span {
    std::size_t at = 0;
    std::size_t size = 0;
    [[nodiscard]] std::string_view in(std::string_view bytes) const { return bytes.substr(at, size); }
};

Method method_of(http::verb verb) {
    switch (verb) {
        case http::verb::get: return Method::get;
        case http::verb::head: return Method::head;
        case http::verb::post: return Method::post;
        case http::verb::put: return Method::put;
        case http::verb::patch: return Method::patch;
        case http::verb::delete_: return Method::delete_;
        case http::verb::options: return Method::options;
        default: return Method::other;
    }
}

std::optional<Header> known_header(http::field field, std::string_view name) {
    switch (field) {
        case http::field::accept: return Header::accept;
        case http::field::accept_encoding: return Header::accept_encoding;
        case http::field::access_control_request_method: return Header::access_control_request_method;
        case http::field::authorization: return Header::authorization;
        case http::field::content_type: return Header::content_type;
        case http::field::expect: return Header::expect;
        case http::field::host: return Header::host;
        case http::field::origin: return Header::origin;
        case http::field::priority: return Header::priority;
        case http::field::sec_websocket_key: return Header::sec_websocket_key;
        case http::field::sec_websocket_version: return Header::sec_websocket_version;
        case http::field::title: return Header::title;
        case http::field::upgrade: return Header::upgrade;
        case http::field::unknown: break;
        default: return std::nullopt;
    }
    if (boost::beast::iequals(name, "idempotency-key")) return Header::idempotency_key;
    if (boost::beast::iequals(name, "last-event-id")) return Header::last_event_id;
    return std::nullopt;
}

// Whether the first line ends like one of HTTP, of whatever version.
bool names_version(std::string_view bytes) {
    const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
    return line.size() > 9 && line.substr(line.size() - 9).starts_with(" HTTP/") && line[line.size() - 2] == '.';
}

// A target may be a whole address; what it names as host then counts, whatever the Host field says.
void split_target(Request& request) {
    std::string_view rest = request.target;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!rest.starts_with(scheme)) continue;
        rest.remove_prefix(scheme.size());
        const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
        request.known[static_cast<std::size_t>(Header::host)] = authority;
        rest.remove_prefix(authority.size());
        if (rest.empty()) rest = "/";
        break;
    }
    const std::size_t question = rest.find('?');
    request.path = rest.substr(0, question);
    request.query = question == std::string_view::npos ? std::string_view{} : rest.substr(question + 1);
}

class Parser final : public http::basic_parser<true> {
public:
    explicit Parser(const RequestLimits& limits) : limits_(limits) {
        header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
        body_limit(limits.body_bytes_max);
        eager(true);
    }

    std::string_view base;  // the bytes of the request as they lie now
    Method method = Method::other;
    Span target;
    struct Field {
        Span name;
        Span value;
    };
    std::vector<Field> fields;
    std::array<int, header_count> known{};  // place in `fields` + 1
    Span body;
    std::string chunks;  // the body, where it does not lie in one piece
    bool in_pieces = false;
    bool knows_chunks = false;  // HTTP/1.1
    int status = 400;
    const char* reason = "the request is malformed";

private:
    using error_code = boost::beast::error_code;
    using View = boost::beast::string_view;

    bool place(std::string_view view, Span& span) const {
        if (view.empty()) return true;
        if (view.data() < base.data() || view.data() + view.size() > base.data() + base.size()) return false;
        span = {static_cast<std::size_t>(view.data() - base.data()), view.size()};
        return true;
    }

    void refuse(error_code& ec, int http_status, const char* why) {
        status = http_status;
        reason = why;
        ec = http::error::bad_value;
    }

    void on_request_impl(http::verb verb, View, View path, int version, error_code& ec) override {
        method = method_of(verb);
        knows_chunks = version >= 11;
        if (path.size() > limits_.target_bytes_max) return refuse(ec, 414, "the target is longer than allowed");
        if (!place(path, target)) refuse(ec, 400, "the request line is malformed");
    }

    void on_field_impl(http::field field, View name, View value, error_code& ec) override {
        if (is_header_done()) return;  // trailers say nothing that this server would believe
        if (fields.size() == limits_.header_fields_max) return refuse(ec, 431, "too many header fields");
        Field entry;
        if (!place(name, entry.name) || !place(value, entry.value)) {
            return refuse(ec, 400, "folded header fields are not accepted");
        }
        // Whoever stands in between and speaks HTTP/1.0 does not know of it, and sees another end of the request.
        if (field == http::field::transfer_encoding && !knows_chunks) {
            return refuse(ec, 400, "HTTP/1.0 has no Transfer-Encoding");
        }
        if (field == http::field::transfer_encoding && !boost::beast::iequals(value, "chunked")) {
            return refuse(ec, 501, "the only transfer coding known is chunked");
        }
        if (const auto header = known_header(field, name)) {
            int& at = known[static_cast<std::size_t>(*header)];
            const bool is_list = *header == Header::accept || *header == Header::accept_encoding;
            if (at != 0 && !is_list) return refuse(ec, 400, "a header field stands twice");
            if (at == 0) at = static_cast<int>(fields.size()) + 1;
        }
        fields.push_back(entry);
    }

    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}

    std::size_t on_body_impl(View piece, error_code&) override {
        Span span;
        const bool inside = place(piece, span);
        if (!in_pieces && inside && (body.size == 0 || body.at + body.size == span.at)) {
            if (body.size == 0) body.at = span.at;
            body.size += span.size;
        }
        return piece.size();
    }

    void on_chunk_header_impl(std::uint64_t, View, error_code&) override { in_pieces = true; }
    std::size_t on_chunk_body_impl(std::uint64_t, View piece, error_code&) override {
        chunks.append(piece);
        return piece.size();
    }
    void on_finish_impl(error_code&) override {}
    void on_response_impl(int, View, int, error_code&) override {}

    const RequestLimits& limits_;
};

}  // namespace

std::string_view method_name(Method method) {
    static constexpr std::array<std::string_view, 8> names{"GET",   "HEAD",   "POST",    "PUT",
                                                           "PATCH", "DELETE", "OPTIONS", "other"};
    return names[static_cast<std::size_t>(method)];
}

struct RequestParser::Impl {
    std::optional<Parser> parser;
    std::vector<Parser::Field> spare_fields;  // kept from request to request for its memory
    bool continue_told = false;
    bool streams = false;  // its body is handed over as it comes, and its bytes are gone
};

RequestParser::RequestParser(const RequestLimits& limits) : limits_(limits), impl_(std::make_unique<Impl>()) {
    reset();
}
RequestParser::~RequestParser() = default;

void RequestParser::reset() {
    if (impl_->parser) impl_->spare_fields = std::move(impl_->parser->fields);
    impl_->spare_fields.clear();
    impl_->parser.emplace(limits_);
    impl_->parser->fields = std::move(impl_->spare_fields);
    impl_->continue_told = false;
    impl_->streams = false;
    consumed_ = 0;
}

bool RequestParser::has_header() const {
    return impl_->parser->is_header_done();
}

std::size_t RequestParser::missing() const {
    if (!has_header()) return 0;
    const auto remaining = impl_->parser->content_length_remaining();
    return remaining ? static_cast<std::size_t>(*remaining) : 0;
}

const Request& RequestParser::head(std::string_view bytes) {
    resolve(bytes);
    return request_;
}

std::size_t RequestParser::held() const {
    return impl_->parser->chunks.capacity();
}

void RequestParser::stream_body() {
    impl_->streams = true;
    impl_->parser->body_limit(boost::none);
}

std::string RequestParser::take_body() {
    consumed_ = 0;
    return std::exchange(impl_->parser->chunks, {});
}

bool RequestParser::wants_continue() {
    if (impl_->continue_told || !has_header() || impl_->parser->is_done()) return false;
    const int at = impl_->parser->known[static_cast<std::size_t>(Header::expect)];
    if (at == 0) return false;
    impl_->continue_told = true;
    const Span value = impl_->parser->fields[static_cast<std::size_t>(at - 1)].value;
    return boost::beast::iequals(value.in(impl_->parser->base), "100-continue");
}

RequestParser::State RequestParser::fail(int status, base::Code code, std::string message) {
    error_ = {status, base::error(code, std::move(message))};
    return State::failed;
}

RequestParser::State RequestParser::parse(std::string_view bytes) {
    Parser& parser = *impl_->parser;
    parser.base = bytes;
    boost::beast::error_code ec;
    while (consumed_ < bytes.size() || !parser.is_done()) {
        const std::size_t taken = parser.put({bytes.data() + consumed_, bytes.size() - consumed_}, ec);
        consumed_ += taken;
        if (ec || parser.is_done() || taken == 0) break;
    }
    const std::size_t raw_max = limits_.header_bytes_max + limits_.body_bytes_max + limits_.framing_bytes_max;
    const bool whole = !ec && parser.is_done();
    const bool sound = !ec || ec == http::error::need_more;
    if (sound && parser.is_header_done() && (whole ? consumed_ : bytes.size()) > raw_max) {
        return fail(413, base::Code::too_large, "the chunks are too small or say too much beside the body");
    }
    if (whole) {
        if (!impl_->streams) resolve(bytes);
        return State::complete;
    }
    if (sound) {
        if (parser.is_header_done() || bytes.size() <= limits_.header_bytes_max) return State::need_more;
        return fail(431, base::Code::too_large, "the header is larger than allowed");
    }
    if (ec == http::error::header_limit) return fail(431, base::Code::too_large, "the header is larger than allowed");
    if (ec == http::error::body_limit) return fail(413, base::Code::too_large, "the body is larger than allowed");
    if (ec == http::error::bad_version && names_version(bytes))
        return fail(505, base::Code::unsupported, "HTTP/1.0 and HTTP/1.1 are spoken");
    const int status = parser.status;
    const base::Code code = status == 400   ? base::Code::malformed
                            : status == 501 ? base::Code::unsupported
                                            : base::Code::too_large;
    return fail(status, code, parser.reason);
}

void RequestParser::resolve(std::string_view bytes) {
    Parser& parser = *impl_->parser;
    request_.method = parser.method;
    request_.target = parser.target.in(bytes);
    request_.fields.clear();
    for (const Parser::Field& field : parser.fields) {
        request_.fields.push_back({field.name.in(bytes), field.value.in(bytes)});
    }
    for (std::size_t i = 0; i < header_count; ++i) {
        const int at = parser.known[i];
        request_.known[i] = at == 0 ? std::string_view{} : request_.fields[static_cast<std::size_t>(at - 1)].value;
    }
    split_target(request_);
    request_.body = parser.in_pieces ? std::string_view(parser.chunks) : parser.body.in(bytes);
    request_.keep_alive = parser.keep_alive();
    request_.asks_upgrade = parser.upgrade();
    request_.is_chunked = parser.chunked();
}

}  // namespace belfry::wire
