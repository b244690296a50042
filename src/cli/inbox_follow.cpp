#include "cli/inbox_follow.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "cli/connection.hpp"
#include "cli/notification_text.hpp"
#include "cli/reader_watch.hpp"
#include "client/delivery_answers.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t shown_max = 20'000;  // what lies further back hardly waits any more

std::string text_of(const model::RawJson& json, std::string_view name) {
    const auto value = json.member(name);
    return value && value->kind() == model::JsonKind::string ? value->as_text() : std::string();
}

class Inbox {
public:
    Inbox(Context& context, const Arguments& arguments, const client::Options& options, client::Client& client)
        : context_(context), arguments_(arguments), client_(client), speaker_(options) {}

    base::Result<void> run() {
        client::InboxHandlers handlers;
        handlers.on_message = [this](const model::RawJson& message) {
            acknowledge_owed();
            take(message);
            return failure_.message.empty() && context_.console.out.flush();
        };
        handlers.on_lost = [this](const base::Error& why, base::Duration pause) {
            remark(context_, "(" + why.message + "; trying again in " + base::format_duration(pause) + ")");
        };
        const ReaderWatch watch(context_.console.out.descriptor(), [this] { client_.interrupt(); });
        TRY(client_.follow_inbox(arguments_.value_or("user", ""), arguments_.value_or("session", ""), handlers));
        if (!failure_.message.empty()) return failure_;
        return {};
    }

private:
    void take(const model::RawJson& message) {
        const std::string type = text_of(message, "type");
        if (type == "notification") return take_notification(message);
        if (type == "caught_up") return;
        if (type == "gap")
            remark(context_, "(some of what happened is gone after its time; the list has what is left)");
        if (arguments_.has("json")) print_json(context_, message);
    }

    // After a lost connection what still waits comes again: it was shown before unless it has changed.
    void take_notification(const model::RawJson& message) {
        const auto one = client::read_notification(message.bytes());
        if (!one.ok()) return;
        std::pair<std::int64_t, std::int64_t>& shown = shown_[one->id];
        const std::pair now{one->lease, one->version};
        if (now <= shown) return;
        shown = now;
        owed_.erase(one->id);
        if (shown_.size() > shown_max)
            shown_.erase(shown_.begin()->first == one->id ? std::next(shown_.begin()) : shown_.begin());
        if (arguments_.has("json")) print_json(context_, message);
        else {
            const std::string& text = one->text.empty() ? one->content : one->text;
            const auto narrated = message.member("narrated");
            const bool is_narrated = narrated && narrated->text == "true";
            const Colour colour = is_narrated ? Colour::cyan : priority_colour(one->priority);
            line(one->created_at, is_narrated ? "narration" : one->priority, colour, text, one->id);
        }
        if (arguments_.has("ack") && context_.console.out.flush()) acknowledge(*one);
    }

    // That another interface was faster is no failure.
    void acknowledge(const client::NotificationState& one) {
        const auto done = speaker_.acknowledge_notification(one.id, one.lease, one.version, "rendered");
        if (done.ok() || done.error().code == base::Code::conflict || done.error().code == base::Code::not_found) {
            owed_.erase(one.id);
        } else if (done.error().code == base::Code::forbidden) {
            failure_ = done.error();
        } else if (owed_.emplace(one.id, one).second) {
            remark(context_, "(" + one.id + " could not be acknowledged yet: " + done.error().message + ")");
        }
    }

    // Whatever comes is a sign that the daemon may be there again.
    void acknowledge_owed() {
        const auto owed = owed_;
        for (const auto& [id, one] : owed) acknowledge(one);
    }

    void line(const std::string& when, const std::string& word, Colour colour, std::string_view text,
              const std::string& id) {
        const bool colours = context_.console.colours_out;
        std::string shown = paint(host::printable(when), Colour::dim, colours) + " " +
                            paint(host::printable(word), colour, colours) + " " + printable_lines(text) + " " +
                            paint(host::printable(id), Colour::dim, colours);
        context_.console.out.line(shown);
    }

    Context& context_;
    const Arguments& arguments_;
    client::Client& client_;
    client::Client speaker_;  // the other one's connection is taken by what it follows
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> shown_;  // by id, which grows with time
    std::map<std::string, client::NotificationState> owed_;               // shown, and the daemon does not know it yet
    base::Error failure_;
};

}  // namespace

std::string printable_lines(std::string_view text, std::string_view indent) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        host::append_printable(out, text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (text.empty()) break;
        out += '\n';
        out += indent;
    }
    return out;
}

Exit follow_inbox(Context& context, const Arguments& arguments, client::Client& client) {
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return fail(context, arguments, options.error());
    const base::Result<void> done = Inbox(context, arguments, *options, client).run();
    return done.ok() ? Exit::ok : fail(context, arguments, done.error());
}

}  // namespace belfry::cli
