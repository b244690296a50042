#include "rules/route.hpp"

namespace belfry::rules {

using model::Address;
using model::Channel;
using model::Handler;
using model::Target;

Route route(Address address, Target target, Handler handler) {
    if (handler == Handler::agent) {
        return {Channel::context, false, true,
                target == Target::user ? Escalates::when_unspoken : Escalates::when_unanswered};
    }
    // Decision 1: target agent wins over the inbox rule.
    if (target == Target::agent) return {Channel::context, false, false, Escalates::never};
    return {address == Address::user ? Channel::inbox : Channel::conversation, true, false, Escalates::never};
}

}  // namespace belfry::rules
