#pragma once

#include "net/exchange.hpp"

// What each route does; `net/routes.cpp` says when. A handler answers once, at once or later.
namespace belfry::net::handlers {

void post_events(const Exchange& exchange);

void list_streams(const Exchange& exchange);
void get_stream(const Exchange& exchange);

void list_tokens(const Exchange& exchange);
void mint_token(const Exchange& exchange);
void revoke_token(const Exchange& exchange);

void put_session(const Exchange& exchange);
void get_session(const Exchange& exchange);
void list_sessions(const Exchange& exchange);
void post_message(const Exchange& exchange);
void get_history(const Exchange& exchange);
void follow_session(const Exchange& exchange);
void report_turn(const Exchange& exchange);
void report_tool_call(const Exchange& exchange);
void notify_self(const Exchange& exchange);
void pull_notifications(const Exchange& exchange);
void acknowledge(const Exchange& exchange);

void list_notifications(const Exchange& exchange);
void get_notification(const Exchange& exchange);

void emit_notification(const Exchange& exchange);
void notify_topic(const Exchange& exchange);
void ack_notification(const Exchange& exchange);
void mark_notification(const Exchange& exchange);
void narrate_notification(const Exchange& exchange);
void retry_notification(const Exchange& exchange);
void list_dead_letters(const Exchange& exchange);
void list_given_up_calls(const Exchange& exchange);
void retry_sink_call(const Exchange& exchange);
void heartbeat(const Exchange& exchange);
void delete_session(const Exchange& exchange);
void get_context(const Exchange& exchange);
void get_why(const Exchange& exchange);

void list_context_values(const Exchange& exchange);
void put_context_value(const Exchange& exchange);
void get_context_value(const Exchange& exchange);
void delete_context_value(const Exchange& exchange);

void list_inbox(const Exchange& exchange);
void follow_live_inbox(const Exchange& exchange);

void ask_interaction(const Exchange& exchange);
void list_interactions(const Exchange& exchange);
void get_interaction(const Exchange& exchange);
void answer_interaction(const Exchange& exchange);
void withdraw_interaction(const Exchange& exchange);
void take_back_allowance(const Exchange& exchange);

void list_change_sets(const Exchange& exchange);
void get_change_set(const Exchange& exchange);
void accept_change_item(const Exchange& exchange);
void reject_change_item(const Exchange& exchange);
void accept_change_set(const Exchange& exchange);
void reject_change_set(const Exchange& exchange);

void open_rpc(const Exchange& exchange);

void put_tool(const Exchange& exchange);
void get_tool(const Exchange& exchange);
void delete_tool(const Exchange& exchange);
void list_tools(const Exchange& exchange);
void claim_outside_call(const Exchange& exchange);
void renew_outside_call(const Exchange& exchange);
void end_outside_call(const Exchange& exchange);
void get_outside_call(const Exchange& exchange);
void list_outside_calls(const Exchange& exchange);

void create_run(const Exchange& exchange);
void list_runs(const Exchange& exchange);
void get_run(const Exchange& exchange);
void start_run(const Exchange& exchange);
void cancel_run(const Exchange& exchange);
void finish_run(const Exchange& exchange);
void pause_run(const Exchange& exchange);
void resume_run(const Exchange& exchange);
void emit_run_events(const Exchange& exchange);
std::unique_ptr<Upload> upload_run_events(const Exchange& exchange);
void get_run_events(const Exchange& exchange);

void create_agent(const Exchange& exchange);
void list_agents(const Exchange& exchange);
void get_agent(const Exchange& exchange);
void change_agent(const Exchange& exchange);
void change_own_state(const Exchange& exchange);
void destroy_agent(const Exchange& exchange);
void put_wake_subscription(const Exchange& exchange);
void list_wake_subscriptions(const Exchange& exchange);
void delete_wake_subscription(const Exchange& exchange);
void wake_agent(const Exchange& exchange);
void run_agent_ag_ui(const Exchange& exchange);
void list_wakes(const Exchange& exchange);
void get_wake(const Exchange& exchange);
void list_wake_signals(const Exchange& exchange);
void claim_wake(const Exchange& exchange);
void renew_wake(const Exchange& exchange);
void end_wake(const Exchange& exchange);
void cancel_wake(const Exchange& exchange);
void add_timer(const Exchange& exchange);
void change_timer(const Exchange& exchange);
void delete_timer(const Exchange& exchange);
void get_timer(const Exchange& exchange);
void list_agent_timers(const Exchange& exchange);
void list_timers(const Exchange& exchange);
void list_agent_messages(const Exchange& exchange);
void get_agent_message(const Exchange& exchange);
void append_agent_messages(const Exchange& exchange);
void store_plan(const Exchange& exchange);
void call_tool(const Exchange& exchange);
void get_plans(const Exchange& exchange);

void get_memory(const Exchange& exchange);
void list_memory_threads(const Exchange& exchange);
void list_memory_summaries(const Exchange& exchange);
void open_memory_summary(const Exchange& exchange);
void search_memory(const Exchange& exchange);
void list_folds(const Exchange& exchange);
void fold_memory(const Exchange& exchange);
void restart_fold(const Exchange& exchange);
void forget_memory(const Exchange& exchange);
void export_agent(const Exchange& exchange);
void import_agent(const Exchange& exchange);

void list_peers(const Exchange& exchange);
void begin_pairing(const Exchange& exchange);
void pair_with(const Exchange& exchange);
void revoke_peer(const Exchange& exchange);
void get_sync_status(const Exchange& exchange);
void list_merges(const Exchange& exchange);
void get_sync_digest(const Exchange& exchange);

void list_subscribers(const Exchange& exchange);
void get_subscriber(const Exchange& exchange);
void put_subscriber(const Exchange& exchange);
void get_settings(const Exchange& exchange);
void put_settings(const Exchange& exchange);

void issue_ticket(const Exchange& exchange);

void post_erasure(const Exchange& exchange);
void get_erasure(const Exchange& exchange);

void get_status(const Exchange& exchange);
void get_metrics(const Exchange& exchange);
void get_healthz(const Exchange& exchange);
void get_readyz(const Exchange& exchange);
void get_openapi(const Exchange& exchange);

void get_web_file(const Exchange& exchange);
void issue_link(const Exchange& exchange);
void redeem_link(const Exchange& exchange);
void get_me(const Exchange& exchange);
void get_ledger_summary(const Exchange& exchange);
void rehearse_subscriber(const Exchange& exchange);

}  // namespace belfry::net::handlers
