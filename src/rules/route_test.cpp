#include "rules/route.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

using model::Address;
using model::Channel;
using model::Handler;
using model::Target;

TEST(Route, the_whole_table_of_the_protocol) {
    const struct {
        Address address;
        Target target;
        Handler handler;
        Route expected;
    } table[] = {
        {Address::user, Target::user, Handler::system, {Channel::inbox, true, false, Escalates::never}},
        {Address::session, Target::user, Handler::system, {Channel::conversation, true, false, Escalates::never}},
        {Address::user, Target::user, Handler::agent, {Channel::context, false, true, Escalates::when_unspoken}},
        {Address::session, Target::user, Handler::agent, {Channel::context, false, true, Escalates::when_unspoken}},
        {Address::session, Target::agent, Handler::system, {Channel::context, false, false, Escalates::never}},
        {Address::user, Target::agent, Handler::system, {Channel::context, false, false, Escalates::never}},
        {Address::session, Target::agent, Handler::agent, {Channel::context, false, true, Escalates::when_unanswered}},
        {Address::user, Target::agent, Handler::agent, {Channel::context, false, true, Escalates::when_unanswered}},
    };
    for (const auto& [address, target, handler, expected] : table) {
        EXPECT_EQ(route(address, target, handler), expected)
            << model::address_name(address) << ' ' << model::target_name(target) << ' ' << model::handler_name(handler);
        model::Notification row;
        row.address = address;
        row.target = target;
        row.handler = handler;
        EXPECT_EQ(route(row), expected);
    }
}

TEST(Route, whoever_is_shown_by_itself_starts_no_turn_and_does_not_escalate_further) {
    for (const Address address : {Address::session, Address::user}) {
        for (const Target target : {Target::user, Target::agent}) {
            for (const Handler handler : {Handler::system, Handler::agent}) {
                const Route one = route(address, target, handler);
                EXPECT_EQ(one.to_interface, one.channel != Channel::context);
                EXPECT_FALSE(one.to_interface && one.starts_turn);
                EXPECT_EQ(one.starts_turn, one.escalates != Escalates::never);
            }
        }
    }
}

}  // namespace
}  // namespace belfry::rules
