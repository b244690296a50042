#include "protocols/postgres.hpp"

#include <bit>
#include <cstring>

#include "common/fail.hpp"

namespace belfry::bench {

namespace {

constexpr std::uint32_t protocol_version = 3 << 16;
constexpr std::uint32_t oid_text = 25;
constexpr std::uint32_t oid_text_array = 1009;

// Numbers go over the wire with the highest byte first.
void put16(std::string& out, std::size_t value) {
    out += static_cast<char>(value >> 8);
    out += static_cast<char>(value);
}

void put32(std::string& out, std::size_t value) {
    put16(out, value >> 16);
    put16(out, value & 0xffff);
}

void put_text(std::string& out, std::string_view text) {
    out.append(text);
    out += '\0';
}

std::size_t get32(std::string_view in) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(in[i]);
    return value;
}

// A message: its letter, the length of itself and the content, the content.
std::string message(char letter, std::string_view content) {
    std::string out(1, letter);
    put32(out, content.size() + 4);
    return out.append(content);
}

std::string hello_of(const ConversationPlan& plan) {
    std::string settings;
    put32(settings, protocol_version);
    for (const char* word : {"user", "postgres", "database", "postgres", ""}) put_text(settings, word);
    std::string out;
    put32(out, settings.size() + 4);
    out += settings;
    std::string statement;
    put_text(statement, "add");
    put_text(statement, plan.batch == 1 ? "insert into events (body) values ($1)"
                                        : "insert into events (body) select * from unnest($1)");
    put16(statement, 1);
    put32(statement, plan.batch == 1 ? oid_text : oid_text_array);
    return out + message('P', statement) + message('S', "");
}

// The one parameter in binary form: a text, or an array of texts.
std::string parameter_of(const ConversationPlan& plan) {
    const std::string event = event_json(plan.event);
    if (plan.batch == 1) return event;
    std::string out;
    put32(out, 1);  // dimensions
    put32(out, 0);  // no nulls
    put32(out, oid_text);
    put32(out, plan.batch);
    put32(out, 1);  // the first index
    for (std::size_t i = 0; i < plan.batch; ++i) {
        put32(out, event.size());
        out += event;
    }
    return out;
}

std::string insert_of(const ConversationPlan& plan) {
    std::string bind;
    put_text(bind, "");  // the unnamed portal
    put_text(bind, "add");
    put16(bind, 1);
    put16(bind, 1);  // all parameters in binary
    put16(bind, 1);
    const std::string parameter = parameter_of(plan);
    put32(bind, parameter.size());
    bind += parameter;
    put16(bind, 0);  // nothing comes back
    std::string execute;
    put_text(execute, "");
    put32(execute, 0);  // all rows
    return message('B', bind) + message('E', execute) + message('S', "");
}

class PostgresConversation final : public Conversation {
public:
    explicit PostgresConversation(const ConversationPlan& plan)
        : hello_(hello_of(plan)),
          insert_(insert_of(plan), places_in(plan.event)),
          complete_("INSERT 0 " + std::to_string(plan.batch)) {}

    std::string_view hello() const override { return hello_; }

    std::string_view request(std::uint64_t first) override {
        readies_awaited_ = 1;
        inserted_ = false;
        return insert_.numbered(first);
    }

    Taken take(std::string_view in, std::string&) override {
        Taken taken;
        while (in.size() - taken.bytes >= 5) {
            const std::string_view rest = in.substr(taken.bytes);
            const std::size_t whole = 1 + get32(rest.substr(1));
            if (rest.size() < whole) break;
            take_message(rest[0], rest.substr(5, whole - 5), taken.answered);
            taken.bytes += whole;
        }
        return taken;
    }

private:
    void take_message(char letter, std::string_view content, bool& answered) {
        switch (letter) {
            case 'C':  // the command is complete
                if (content.substr(0, content.size() - 1) != complete_)
                    fail_bytes("postgres did something else", content);
                inserted_ = true;
                break;
            case 'R':
                if (get32(content) != 0) fail("postgres wants a password; it must trust this machine");
                break;
            case 'Z':  // ready for the next: after the start, after the preparing, after each insert
                if (greeted_ && !inserted_) fail("postgres inserted nothing");
                if (--readies_awaited_ > 0) break;
                greeted_ = true;
                answered = true;
                break;
            case '1':  // prepared
            case '2':  // bound
            case 'S':  // a setting
            case 'K':  // the key for cancelling
            case 'N':  // a notice
                break;
            default: fail_bytes("postgres refused", content);
        }
    }

    std::string hello_;
    Template insert_;
    std::string complete_;
    int readies_awaited_ = 2;
    bool greeted_ = false;
    bool inserted_ = false;
};

}  // namespace

std::unique_ptr<Conversation> postgres_conversation(const ConversationPlan& plan) {
    return std::make_unique<PostgresConversation>(plan);
}

}  // namespace belfry::bench
