#include "engine/sync.hpp"

#include "rules/may.hpp"

namespace belfry::engine {

std::vector<std::type_index> Sync::handles() const {
    return {typeid(ports::GiveChanges), typeid(ports::TakeChanges), typeid(ports::ConfirmGone),
            typeid(ports::AcceptGone),  typeid(ports::AddPeer),     typeid(ports::RevokePeer),
            typeid(ports::NotePeer),    typeid(ports::SayHello),    typeid(ports::TakeDigest)};
}

base::Result<void> Sync::apply(ports::Command& command, Unit& unit) {
    TRY(log_.refresh(unit));
    if (auto* wish = dynamic_cast<ports::GiveChanges*>(&command)) return give(*wish, unit);
    if (auto* wish = dynamic_cast<ports::TakeChanges*>(&command)) return take(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ConfirmGone*>(&command)) return confirm_gone(*wish, unit);
    if (auto* wish = dynamic_cast<ports::AcceptGone*>(&command)) return accept_gone(*wish, unit);
    if (auto* wish = dynamic_cast<ports::AddPeer*>(&command)) return add_peer(*wish, unit);
    if (auto* wish = dynamic_cast<ports::RevokePeer*>(&command)) return revoke_peer(*wish, unit);
    if (auto* wish = dynamic_cast<ports::NotePeer*>(&command)) return note_peer(*wish, unit);
    if (auto* wish = dynamic_cast<ports::SayHello*>(&command)) return say_hello(*wish, unit);
    return digest(static_cast<ports::TakeDigest&>(command), unit);
}

base::Result<void> Sync::write_all(Unit& unit) {
    TRY(agents_.flush(unit));
    TRY(journal_.flush(unit));
    return log_.flush(unit);
}

base::Result<Sync::Places> Sync::places(Unit& unit) {
    TRY_ASSIGN(std::vector<ports::HostPlace> all, unit.store.sync().hosts());
    Places places;
    for (ports::HostPlace& one : all) {
        std::string host = one.host;
        places.emplace(std::move(host), std::move(one));
    }
    return places;
}

}  // namespace belfry::engine
