#include "client/answers.hpp"

#include <algorithm>
#include <charconv>

#include "client/fields.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

using codec::JsonReader;

// An entry's event may be as deep as an event may be, and lies inside the page's own containers.
constexpr JsonReader::Options deep{1, JsonReader::levels_max};

// The elements of the array `data`.
template <class T>
base::Result<std::vector<T>> read_list(std::string_view body, T (*read)(model::JsonView)) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "data"));
    const model::JsonView data = *json.member("data");
    if (data.kind() != model::JsonKind::array) return strange("its \"data\" is no array");
    std::vector<T> list;
    model::JsonWalker walker(data);
    while (const auto element = walker.next()) {
        if (element->kind() != model::JsonKind::object) return strange("an element of its \"data\" is no object");
        list.push_back(read(*element));
    }
    return list;
}

base::Code code_of_status(int status) {
    switch (status) {
        case 400: return base::Code::malformed;
        case 401: return base::Code::unauthenticated;
        case 403:
        case 421: return base::Code::forbidden;
        case 404: return base::Code::not_found;
        case 406: return base::Code::not_acceptable;
        case 408: return base::Code::timeout;
        case 409: return base::Code::conflict;
        case 410: return base::Code::gone;
        case 413: return base::Code::too_large;
        case 405:
        case 415: return base::Code::unsupported;
        case 422: return base::Code::invalid;
        case 429: return base::Code::rate_limited;
        case 502:
        case 503:
        case 504: return base::Code::unavailable;
        default: return base::Code::internal;
    }
}

base::Code code_of_name(std::string_view name, base::Code otherwise) {
    for (int i = 0; i <= static_cast<int>(base::Code::internal); ++i) {
        const auto code = static_cast<base::Code>(i);
        if (base::code_name(code) == name) return code;
    }
    return otherwise;
}

base::Error error_of(const Fields& fields, base::Code otherwise) {
    std::string message = fields.text("detail");
    if (message.empty()) message = fields.text("title");
    return base::error(code_of_name(fields.text("code"), otherwise), std::move(message), fields.text("field"),
                       fields.text("reason"));
}

Admission read_admission(model::JsonView element) {
    const Fields fields(element);
    if (const auto error = fields.member("error")) return error_of(Fields(*error), base::Code::internal);
    return Admitted{fields.text("id"), fields.sequence("sequence")};
}

StreamState read_stream(model::JsonView element) {
    const Fields fields(element);
    return {fields.text("name"), fields.sequence("head"), fields.sequence("floor")};
}

TokenState read_token_view(model::JsonView element) {
    const Fields fields(element);
    TokenState token;
    token.id = fields.text("id");
    token.token = fields.text("token");
    token.name = fields.text("name");
    token.role = fields.text("role");
    token.user_id = fields.text("user_id");
    token.events_per_second = fields.number("events_per_second");
    token.bounds = fields.object("bounds");
    token.created_at = fields.text("created_at");
    token.expires_at = fields.text("expires_at");
    token.json = model::RawJson::trusted(std::string(element.text));
    return token;
}

base::Result<Entry> read_entry(JsonReader& reader) {
    Entry entry;
    bool has_event = false;
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) break;
        if (name == "sequence") {
            TRY_ASSIGN(const std::int64_t sequence, reader.read_integer());
            entry.sequence = static_cast<model::Sequence>(sequence);
        } else if (name == "erased") {
            TRY_ASSIGN(entry.erased, reader.read_bool());
        } else if (name == "event") {
            TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
            entry.event = span.compact();
            has_event = true;
        }
    }
    if (entry.sequence == 0 || has_event == entry.erased) return strange("an entry without sequence or event");
    return entry;
}

base::Result<Page> read_page(JsonReader& reader) {
    Page page;
    bool has_data = false;
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) break;
        if (name == "data") {
            has_data = true;
            TRY(reader.begin_array());
            for (;;) {
                TRY_ASSIGN(const bool another, reader.next_element());
                if (!another) break;
                TRY_ASSIGN(Entry entry, read_entry(reader));
                page.entries.push_back(std::move(entry));
            }
        } else if (name == "next") {
            TRY_ASSIGN(const std::int64_t next, reader.read_integer());
            page.next = static_cast<model::Sequence>(next);
        } else if (name == "has_more") {
            TRY_ASSIGN(page.has_more, reader.read_bool());
        } else if (name == "gap") {
            TRY_ASSIGN(const codec::JsonSpan gap, reader.raw_value());
            const model::RawJson object = gap.compact();
            page.gap_from = Fields(object.view()).sequence("from");
            page.gap_to = Fields(object.view()).sequence("to");
        }
    }
    TRY(reader.finish());
    if (!has_data) return strange("it has no \"data\"");
    return page;
}

SubscriberState read_subscriber_view(model::JsonView element) {
    const Fields fields(element);
    SubscriberState state;
    state.id = fields.text("id");
    state.name = fields.text("name");
    state.description = fields.text("description");
    state.version = fields.text("version");
    state.types = fields.texts("types");
    state.priority = fields.text("priority");
    state.inject_at = fields.text("inject_at");
    state.core = fields.flag("core").value_or(false);
    state.enabled = fields.flag("enabled");
    state.origin = fields.text("origin");
    state.json = model::RawJson::trusted(std::string(element.text));
    return state;
}

model::SubscriberProblem read_subscriber_problem(model::JsonView element) {
    const Fields fields(element);
    return {fields.text("file"),
            static_cast<std::uint32_t>(fields.number("line")),
            static_cast<std::uint32_t>(fields.number("column")),
            fields.text("field"),
            fields.text("message"),
            fields.flag("fatal").value_or(true)};
}

}  // namespace

std::size_t Emitted::refused() const {
    std::size_t count = 0;
    for (const Admission& entry : entries) count += entry.ok() ? 0U : 1U;
    return count;
}

base::Error read_problem(const wire::HttpAnswer& answer) {
    const base::Code code = code_of_status(answer.status);
    base::Error error = base::error(code, {});
    if (const auto json = codec::validate(answer.body); json.ok() && json->view().kind() == model::JsonKind::object) {
        error = error_of(Fields(json->view()), code);
    }
    if (error.message.empty()) error.message = "the server answered " + std::to_string(answer.status);
    return error;
}

base::Duration retry_after(const wire::HttpAnswer& answer) {
    std::int64_t seconds = 0;
    if (const auto text = answer.header("retry-after")) {
        std::from_chars(text->data(), text->data() + text->size(), seconds);
    }
    return base::seconds(std::clamp<std::int64_t>(seconds, 0, 30));
}

base::Result<Emitted> read_emitted(const wire::HttpAnswer& answer) {
    Emitted emitted;
    emitted.replayed = answer.header("idempotent-replayed") == "true";
    auto json = codec::validate(answer.body);
    if (!json.ok()) return strange(json.error().message);
    const auto data = json->view().kind() == model::JsonKind::object ? json->member("data") : std::nullopt;
    if (!data) {
        TRY_ASSIGN(const model::RawJson single, read_object(answer.body, "sequence"));
        emitted.entries.push_back(read_admission(single.view()));
        return emitted;
    }
    TRY_ASSIGN(emitted.entries, read_list<Admission>(answer.body, read_admission));
    return emitted;
}

base::Result<Page> read_page(std::string_view body) {
    JsonReader reader(body, deep);
    auto page = read_page(reader);
    if (!page.ok() && page.error().code == base::Code::invalid) return strange(page.error().message);
    return page;
}

base::Result<Entry> read_entry(std::string_view json) {
    JsonReader reader(json, deep);
    auto entry = read_entry(reader);
    if (!entry.ok() && entry.error().code == base::Code::invalid) return strange(entry.error().message);
    if (entry.ok()) TRY(reader.finish());
    return entry;
}

base::Result<StreamList> read_streams(std::string_view body) {
    StreamList list;
    TRY_ASSIGN(list.streams, read_list<StreamState>(body, read_stream));
    TRY_ASSIGN(const model::RawJson json, read_object(body, "data"));
    list.next = Fields(json.view()).number("next");
    return list;
}

base::Result<TokenState> read_token(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "id"));
    return read_token_view(json.view());
}

base::Result<std::vector<TokenState>> read_tokens(std::string_view body) {
    return read_list<TokenState>(body, read_token_view);
}

base::Result<Ticket> read_ticket(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "ticket"));
    const Fields fields(json.view());
    return Ticket{fields.text("ticket"), fields.number("expires_in")};
}

base::Result<LinkState> read_link(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "url"));
    const Fields fields(json.view());
    LinkState link{fields.text("url"), fields.number("expires_in"), {}};
    link.json = std::move(json);
    return link;
}

base::Result<ErasureState> read_erasure(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "id"));
    const Fields fields(json.view());
    ErasureState erasure;
    erasure.id = fields.text("id");
    erasure.state = fields.text("state");
    erasure.attempts = fields.number("attempts");
    erasure.created_at = fields.text("created_at");
    erasure.finished_at = fields.text("finished_at");
    erasure.progress = fields.object("progress");
    erasure.last_error = fields.text("last_error");
    erasure.json = std::move(json);
    return erasure;
}

base::Result<DaemonStatus> read_status(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "readiness"));
    const Fields fields(json.view());
    DaemonStatus status;
    status.readiness = fields.text("readiness");
    status.version = fields.text("version");
    status.pid = fields.number("pid");
    status.started_at = fields.text("started_at");
    status.now = fields.text("now");
    status.queue_commands = fields.number("queue_commands");
    status.queue_bytes = fields.number("queue_bytes");
    status.connections = fields.number("connections");
    const model::RawJson store_json = fields.object("store");
    const Fields store(store_json.view());
    status.backend = store.text("backend");
    status.location = store.text("location");
    status.schema_version = store.number("schema_version");
    status.commit_number = store.number("commit_number");
    status.file_bytes = store.number("file_bytes");
    status.wal_bytes = store.number("wal_bytes");
    if (const auto streams = fields.member("streams"); streams && streams->kind() == model::JsonKind::array) {
        model::JsonWalker walker(*streams);
        while (const auto element = walker.next()) {
            if (element->kind() == model::JsonKind::object) status.streams.push_back(read_stream(*element));
        }
    }
    status.json = std::move(json);
    return status;
}

base::Result<SubscriberState> read_subscriber(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "id"));
    return read_subscriber_view(json.view());
}

base::Result<std::string> read_subscribers(std::string_view body, SubscriberList& list) {
    TRY_ASSIGN(const std::vector<SubscriberState> page, read_list<SubscriberState>(body, read_subscriber_view));
    list.subscribers.insert(list.subscribers.end(), page.begin(), page.end());
    TRY_ASSIGN(const model::RawJson json, read_object(body, "data"));
    const Fields fields(json.view());
    list.user_id = fields.text("user_id");
    list.problems.clear();
    const auto problems = fields.member("problems");
    if (problems && problems->kind() == model::JsonKind::array) {
        model::JsonWalker walker(*problems);
        while (const auto element = walker.next()) {
            if (element->kind() == model::JsonKind::object) list.problems.push_back(read_subscriber_problem(*element));
        }
    }
    return fields.flag("has_more").value_or(false) ? fields.text("next") : std::string();
}

}  // namespace belfry::client
