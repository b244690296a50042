#include "daemon/pairing_talk.hpp"

#include <utility>

#include "base/characters.hpp"
#include "base/sync_limits.hpp"
#include "codec/json.hpp"
#include "codec/utf8.hpp"
#include "model/raw_json.hpp"

namespace belfry::daemon {
namespace {

constexpr std::size_t message_bytes_max = 2 << 10;

struct Word {
    std::string name;
    std::string text;
};

base::Result<Word> read_word(const std::string& message) {
    codec::JsonReader reader(message);
    TRY(reader.begin_object());
    std::string_view name;
    TRY_ASSIGN(const bool is_one, reader.next_field(name));
    if (!is_one) return reader.invalid("says nothing");
    Word word{std::string(name), {}};
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    word.text = text;
    TRY_ASSIGN(const bool more, reader.next_field(name));
    if (more) return reader.invalid("says too much");
    TRY(reader.finish());
    return word;
}

base::Error refusal(const std::string& reason) {
    if (reason == "wrong_code") return base::error(base::Code::forbidden, "the code is not the right one", {}, reason);
    if (reason == "no_pairing") {
        return base::error(base::Code::forbidden,
                           "nobody is being paired there now: the code has expired, was used or was tried too often",
                           {}, reason);
    }
    return base::error(base::Code::forbidden, "the other device refused", {}, "refused");
}

}  // namespace

PairingTalk::PairingTalk(std::unique_ptr<wire::PeerLink> link, wire::PairingRole role, const std::string& own_pin)
    : link_(std::move(link)), role_(role) {
    const bool calls = role == wire::PairingRole::caller;
    const std::string& other_pin = link_->facts().pin;
    bound_ = {link_->facts().exporter, calls ? own_pin : other_pin, calls ? other_pin : own_pin};
}

void PairingTalk::say(std::string_view word, std::string_view text) {
    std::string message;
    model::JsonWriter writer(message);
    writer.begin_object().field(word, text).end_object();
    link_->send(std::move(message));
}

void PairingTalk::refuse(std::string_view reason) {
    say("refused", reason);
    link_->close();
}

void PairingTalk::expect(std::string_view word, std::function<void(base::Result<std::string>)> then) {
    link_->receive(message_bytes_max,
                   [wanted = std::string(word), then = std::move(then)](const base::Result<std::string>& message) {
                       if (!message.ok()) return then(message.error());
                       auto said = read_word(*message);
                       if (!said.ok()) return then(said.error());
                       if (said->name == "refused") return then(refusal(said->text));
                       if (said->name != wanted) {
                           return then(base::error(base::Code::malformed, "said something else than a " + wanted));
                       }
                       then(std::move(said->text));
                   });
}

std::string PairingTalk::own_proof(std::string_view secret) const {
    return wire::pairing_proof(secret, role_, bound_);
}

std::string PairingTalk::other_proof(std::string_view secret) const {
    using Role = wire::PairingRole;
    return wire::pairing_proof(secret, role_ == Role::caller ? Role::listener : Role::caller, bound_);
}

bool is_device_name(std::string_view name) {
    return !name.empty() && name.size() <= base::limits::peer_name_bytes_max && codec::is_utf8(name) &&
           !base::has_harmful(name);
}

}  // namespace belfry::daemon
