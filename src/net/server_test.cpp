#include "net/test_client.hpp"
#include "net/test_house.hpp"
using namespace belfry::net::test;
TEST(Smoke, post) {
  House h; Client c(h.server->port());
  auto g=c.ask(post_event()); std::puts((g.head+g.body).c_str()); EXPECT_EQ(g.status,201);
  g=c.ask(request("GET","/v1/streams/events","user")); std::puts((g.head+g.body).c_str());
  c.send(request("GET","/v1/streams/events?from=start","user","Accept: text/event-stream\r\n"));
  std::puts(c.until("\n\nid: 1").c_str()); h.publish("{\"x\":1}"); std::puts(c.until("\"x\":1}}\n\n").c_str());
}
