#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "wire/pairing_proof.hpp"
#include "wire/peer_link.hpp"

namespace belfry::daemon {

// What two devices say to each other while they are being paired, one word at a time: `{"proof":"…"}` of the caller,
// `{"proof":"…"}` of the listener, then the names, the caller's first; or `{"refused":"…"}` and why. Neither says
// anything of itself before the other has proven the code.
class PairingTalk {
public:
    PairingTalk(std::unique_ptr<wire::PeerLink> link, wire::PairingRole role, const std::string& own_pin);

    void say(std::string_view word, std::string_view text);
    // Says why not, and good-bye.
    void refuse(std::string_view reason);
    void close() { link_->close(); }
    // The next word, which must be this one. `forbidden` with the other's reason where it refuses.
    void expect(std::string_view word, std::function<void(base::Result<std::string>)> then);

    // Of this link, in the role of this side or of the other one.
    [[nodiscard]] std::string own_proof(std::string_view secret) const;
    [[nodiscard]] std::string other_proof(std::string_view secret) const;
    [[nodiscard]] const wire::LinkFacts& facts() const { return link_->facts(); }

private:
    std::unique_ptr<wire::PeerLink> link_;
    wire::PairingRole role_;
    wire::PairingLink bound_;
};

// Whether it can be the name of a device: a line, and not too long.
[[nodiscard]] bool is_device_name(std::string_view name);

}  // namespace belfry::daemon
