#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

// The bounds that users meet, each named by its refusal; what bounds the inside of one parser or renderer stands there.
// What an operator may change is a default here and a field of the configuration.
namespace belfry::base::limits {

// Events
inline constexpr std::size_t event_type_chars_max = 200;
inline constexpr std::size_t event_source_bytes_max = 256;
inline constexpr std::size_t event_dedupe_key_bytes_max = 512;
inline constexpr std::size_t event_source_id_bytes_max = 256;
inline constexpr std::size_t scope_id_bytes_max = 200;  // user_id, session_id, agent_id
inline constexpr std::size_t event_tokens_max = 64;
inline constexpr std::size_t event_token_bytes_max = 200;
inline constexpr std::size_t event_bytes_max = 1 << 20;  // one event as JSON
inline constexpr std::size_t event_batch_max = 1000;     // events in one request
inline constexpr std::size_t idempotency_key_bytes_max = 255;
inline constexpr Duration idempotency_kept = hours(24);

// Subscribers
inline constexpr std::size_t subscriber_id_chars_max = 64;
inline constexpr std::size_t subscriber_name_chars_max = 100;
inline constexpr std::size_t subscriber_description_chars_max = 500;
inline constexpr std::size_t subscriber_types_max = 100;
inline constexpr std::size_t subscriber_sources_max = 100;
inline constexpr std::size_t subscriber_directive_bytes_max = 2000;
inline constexpr std::size_t subscriber_member_chars_max = 64;  // priority_from, inject_from
inline constexpr std::size_t subscriber_version_chars_max = 32;
inline constexpr std::size_t subscribers_max = 200'000;
inline constexpr std::size_t template_name_chars_max = 200;
inline constexpr std::size_t templates_max = 10'000;
inline constexpr std::size_t template_bytes_max = 64 << 10;  // one file
inline constexpr Duration batch_window_default = milliseconds(2000);
inline constexpr Duration batch_window_max = milliseconds(10'000);
inline constexpr std::size_t batch_size_default = 10;
inline constexpr std::size_t batch_size_max = 100;
inline constexpr Duration dedupe_window_default = milliseconds(5000);
inline constexpr Duration dedupe_window_max = milliseconds(60'000);

// Notifications
inline constexpr std::size_t waiting_per_scope_max = 1000;  // rows in a queue; beyond it the least severe give way
inline constexpr std::size_t pull_items_max = 200;
inline constexpr std::int64_t pull_budget_tokens_max = 1'000'000;
inline constexpr Duration lease_default = seconds(900);
inline constexpr Duration lease_max = seconds(3600);
inline constexpr std::size_t chained_pulls_max = 64;  // of a session that `pull_id` can name as proof
inline constexpr std::size_t spoken_max = 8;  // principals of a session whose turn is known beside that of its agent
inline constexpr std::size_t effect_calls_max = 64;   // calls of EXTERNAL tools that are known again by call id
inline constexpr std::size_t decided_rows_max = 64;   // of one turn that a later EXTERNAL tool may belong to
inline constexpr std::size_t used_tools_max = 20;     // that one notification names
inline constexpr std::size_t unnamed_pulls_max = 16;  // of one turn that are remembered as not having arrived
inline constexpr std::int64_t passed_over_max = 2;    // hand-overs; then it becomes part of a summary
inline constexpr std::size_t notification_event_bytes_max = 4 << 20;  // of one batch; beyond it, it leaves
inline constexpr std::size_t waiting_bytes_max = 256 << 20;  // of all batches; beyond it they leave as they come
inline constexpr Duration notifications_kept = days(90);     // after their end
inline constexpr std::size_t notification_text_bytes_max = 2000;
inline constexpr Duration notification_ttl_max = days(30);

// Delivery
inline constexpr Duration agent_ttl_default = seconds(300);  // how long a notification waits for an agent to speak
inline constexpr Duration passive_ttl_default = days(30);    // and how long passive context waits for one
inline constexpr Duration interface_wait_max = days(30);     // for a person's interface; then it is a dead letter
inline constexpr std::int64_t attempts_audited_max = 200;    // to show one to an interface; a bad line makes many
inline constexpr std::int64_t chain_depth_max = 3;
inline constexpr std::size_t notification_content_bytes_max = 256 << 10;
inline constexpr std::size_t deduplication_key_bytes_max = 256;
inline constexpr std::size_t tone_hint_bytes_max = 200;
inline constexpr std::size_t notification_metadata_bytes_max = 16 << 10;
inline constexpr std::size_t narration_bytes_max = 64 << 10;
inline constexpr std::size_t inbox_open_max = 1000;        // that an interface is sent when it comes
inline constexpr std::size_t facts_read_max = 500;         // that one pull reads
inline constexpr std::size_t seen_facts_max = 20;          // that an agent is told at the start of a turn
inline constexpr Duration facts_before_session = days(1);  // that a new session is told, before its creation
inline constexpr std::size_t seen_fact_bytes_min = 60;     // of a fact that a small budget shortens
inline constexpr std::size_t seen_fact_bytes_max = 300;
inline constexpr std::size_t digest_bytes_max = 400;
inline constexpr std::size_t digest_bytes_min = 100;  // of a digest that a small budget shortens
inline constexpr std::size_t tools_max = 10'000;
inline constexpr std::size_t tool_schema_bytes_max = 64 << 10;
inline constexpr std::size_t tool_description_bytes_max = 2000;
inline constexpr std::size_t notify_title_bytes_max = 200;
inline constexpr std::size_t inbox_words_max = 2048;  // of one interface that are not answered yet
inline constexpr Duration delivery_log_kept = days(90);
inline constexpr int sink_attempts_max = 10;

// Sinks
inline constexpr std::size_t sinks_max = 100;
inline constexpr std::size_t sink_users_max = 100;
inline constexpr std::size_t sink_arguments_max = 64;
inline constexpr std::size_t sink_argument_bytes_max = 4096;
inline constexpr std::size_t sink_url_bytes_max = 2000;
inline constexpr std::size_t sink_topic_chars_max = 64;
inline constexpr std::size_t sink_token_bytes_max = 1000;
inline constexpr std::size_t sink_headers_max = 20;
inline constexpr std::size_t sink_header_bytes_max = 1000;
inline constexpr std::size_t sink_secret_bytes_min = 24;
inline constexpr std::size_t sink_secret_bytes_max = 64;
inline constexpr Duration sink_time_default = seconds(10);  // of one attempt
inline constexpr Duration sink_time_max = seconds(30);
inline constexpr std::size_t sink_output_bytes_max = 4 << 10;   // of a command, that is kept
inline constexpr std::size_t sink_answer_bytes_max = 64 << 10;  // of a server
inline constexpr std::size_t sink_text_bytes_max = 3800;        // of a push message and a desktop notification
inline constexpr std::size_t sink_threads = 4;
inline constexpr Duration sink_calls_kept = days(30);  // that were made; others as long as the audit

// Sessions
inline constexpr std::size_t session_title_bytes_max = 500;
inline constexpr std::size_t session_metadata_bytes_max = 64 << 10;
inline constexpr std::size_t message_bytes_max = 1 << 20;
inline constexpr std::int64_t node_system_messages_max = 16;  // then the next one gets a node of its own
inline constexpr std::int64_t tokens_warning_percent = 80;
inline constexpr std::int64_t iterations_warning_percent = 70;
inline constexpr std::int64_t timeout_warning_percent = 80;
inline constexpr std::int64_t context_warning_percent = 80;
inline constexpr std::int64_t loop_repetitions = 3;
inline constexpr Duration loop_window = seconds(60);
inline constexpr std::size_t loop_pattern_actions_max = 5;
inline constexpr std::size_t loop_actions_max = 100;  // remembered of one session
inline constexpr std::size_t reminders_per_session_max = 100;
inline constexpr std::int64_t reminder_turns_max = 10'000;
inline constexpr std::size_t self_message_bytes_max = 8 << 10;
inline constexpr std::size_t self_category_bytes_max = 100;
inline constexpr std::size_t tool_name_bytes_max = 256;
inline constexpr std::size_t tool_call_id_bytes_max = 256;
inline constexpr std::size_t turn_reason_bytes_max = 500;
inline constexpr std::int64_t reported_count_max = 1'000'000'000'000;  // of tokens, turns, milliseconds in one report

// JSON-RPC
inline constexpr std::size_t rpc_message_bytes_max = 1 << 20;
inline constexpr std::size_t rpc_unasked_bytes_max = 64 << 10;  // of one who has not said yet who he is
inline constexpr std::size_t rpc_skipped_bytes_max = 16 << 20;  // of a body that is too long; beyond it, it is the end
inline constexpr std::size_t rpc_header_bytes_max = 4 << 10;    // of a message's header
inline constexpr std::size_t rpc_batch_max = 100;
inline constexpr std::size_t rpc_method_chars_max = 100;
inline constexpr std::size_t rpc_id_bytes_max = 256;
inline constexpr std::size_t rpc_unanswered_max = 128;  // requests of one connection; then nothing more is read from it
inline constexpr std::size_t rpc_output_bytes_max = 256 << 10;  // that a peer has not taken; likewise
inline constexpr std::size_t rpc_subscriptions_max = 64;        // of one connection
inline constexpr Duration rpc_authenticate_time_max = seconds(10);
inline constexpr std::int64_t rpc_messages_burst = 100;  // client messages of one client
inline constexpr std::int64_t rpc_messages_per_minute = 100;

// Client messages
inline constexpr std::size_t client_session_id_chars_max = 100;
inline constexpr std::size_t client_message_type_chars_max = 100;
inline constexpr Duration client_message_age_max = hours(24);
inline constexpr std::size_t client_payload_properties_max = 50;
inline constexpr std::size_t client_payload_depth_max = 10;
inline constexpr std::size_t user_messages_waiting_max = 1000;  // in one session
inline constexpr std::size_t user_messages_pull_max = 100;
inline constexpr std::size_t user_messages_pull_bytes_max = 2 << 20;  // of one hand-over, and at least one message

// Interactions
inline constexpr Duration interaction_time_max = seconds(300);  // then it is answered for the person
inline constexpr Duration interaction_wait_max = seconds(60);   // of one request for the answer
inline constexpr std::size_t interaction_message_bytes_max = 8 << 10;
inline constexpr std::size_t interaction_arguments_bytes_max = 64 << 10;
inline constexpr std::size_t interaction_schema_bytes_max = 64 << 10;
inline constexpr std::size_t interaction_content_bytes_max = 64 << 10;
inline constexpr std::size_t interactions_pending_max = 100;  // in one session
inline constexpr std::size_t interaction_waiters_max = 1000;  // requests that wait for an answer
inline constexpr Duration interactions_kept = days(90);       // after their end

// Runs
inline constexpr std::int64_t runs_capacity_default = 1000;      // that run at once; the next ones wait for a place
inline constexpr std::int64_t run_events_kept_default = 10'000;  // the newest of one run
inline constexpr Duration runs_kept = hours(24);                 // after their end
inline constexpr Duration runs_silence_default = hours(24);      // of one that runs; then it has failed
inline constexpr Duration runs_silence_look = minutes(1);        // between two looks for such ones, at most
inline constexpr Duration run_log_kept_max = days(30);           // of one that does not end, too
inline constexpr std::size_t runs_open_max = 100'000;            // that have not ended
inline constexpr std::size_t run_tree_max = 10'000;              // runs of one tree
inline constexpr std::size_t run_key_bytes_max = 255;
inline constexpr std::size_t run_title_bytes_max = 500;
inline constexpr std::size_t run_metadata_bytes_max = 64 << 10;
inline constexpr std::size_t run_result_bytes_max = 1 << 20;
inline constexpr std::size_t run_error_type_bytes_max = 200;
inline constexpr std::size_t run_error_message_bytes_max = 8 << 10;
inline constexpr std::size_t run_reason_bytes_max = 500;
inline constexpr std::size_t run_event_name_chars_max = 100;
inline constexpr std::size_t run_event_bytes_max = 1 << 20;        // one event as JSON
inline constexpr std::size_t run_event_batch_max = 1000;           // events in one request, or one step of an upload
inline constexpr std::size_t run_upload_step_bytes_max = 1 << 20;  // lines of an upload that are one command
inline constexpr Duration run_upload_idle_max = minutes(10);       // an upload that says nothing for so long is ended

// JSON and configuration
inline constexpr std::size_t json_depth_max = 64;
inline constexpr std::size_t json_number_chars_max = 1024;  // many a reader of JSON fails at longer ones
inline constexpr std::size_t toml_bytes_max = 64 << 10;     // one file
inline constexpr std::size_t toml_depth_max = 16;
inline constexpr Duration files_quiet = milliseconds(50);  // after the last change of a file that is followed

// Engine
inline constexpr std::size_t group_commands_max = 256;
inline constexpr std::size_t group_bytes_max = 1 << 20;
inline constexpr std::size_t queue_commands_max = 8192;
inline constexpr std::size_t queue_bytes_max = 64 << 20;
inline constexpr std::int64_t retry_after_s = 1;
inline constexpr std::size_t sweep_slice_rows = 256;
inline constexpr std::size_t sweep_slice_answers = 8192;  // remembered answers are small, and a group adds thousands
inline constexpr Duration reopen_pause_min = milliseconds(200);
inline constexpr Duration reopen_pause_max = seconds(10);
inline constexpr Duration watch_pause_max = seconds(10);  // so often an idle engine looks at the clock, which may jump
inline constexpr Duration standby_pause = seconds(1);     // between two tries for a ledger that another node holds
inline constexpr Duration standby_look = milliseconds(500);  // between two looks of a reader-only node at the streams

// Obligations
inline constexpr Duration obligation_claim = seconds(60);
inline constexpr Duration obligation_retry_min = seconds(1);
inline constexpr Duration obligation_retry_max = minutes(10);

// The log
inline constexpr std::size_t index_blocks_lag_max = 512;  // blocks that the per-stream index may be behind
inline constexpr std::size_t index_bytes_lag_max = 16 << 20;
inline constexpr std::size_t tail_bytes_max = 8 << 20;  // committed blocks kept in memory for live readers
inline constexpr std::size_t page_entries_default = 100;
inline constexpr std::size_t page_entries_max = 1000;
inline constexpr std::size_t page_bytes_max = 4 << 20;

// Store
inline constexpr std::int64_t wal_checkpoint_pages = 8000;  // from here on the checkpointer works
inline constexpr std::int64_t wal_bytes_max = 256LL << 20;  // from here on it insists
inline constexpr std::int64_t erase_slice_bytes = 2 << 20;  // of blocks; one slice of an erasure looks at no more
inline constexpr std::int64_t returned_pages_max = 512;     // free pages that one transaction gives back

// HTTP
inline constexpr std::size_t http_header_bytes_max = 16 << 10;
inline constexpr std::size_t http_header_fields_max = 100;
inline constexpr std::size_t http_body_bytes_max = 8 << 20;
inline constexpr std::size_t http_unfinished_bytes_max = 256 << 20;  // memory of all requests that are not whole yet
inline constexpr std::size_t http_unfinished_share = 2;          // of which those without a token have one of so many
inline constexpr std::size_t http_untaken_bytes_max = 64 << 20;  // of all answers that their peers have not taken yet
inline constexpr std::size_t http_body_ignored_max = 64 << 10;   // one of so many is passed over where none is wanted
inline constexpr std::size_t http_target_bytes_max = 4096;
inline constexpr std::size_t http_connections_max = 12000;
inline constexpr std::size_t http_local_places_min = 16;    // that are kept for the peers of Unix sockets,
inline constexpr std::size_t http_local_places_share = 16;  // or one of so many, where that is more
// From a request's first byte to its last header; a new connection also has so long to begin with its first one.
inline constexpr Duration http_header_time_max = seconds(10);
inline constexpr Duration http_body_time_max = seconds(60);
inline constexpr Duration http_idle_max = seconds(120);
inline constexpr Duration http_stranger_idle_max = seconds(10);  // of one who has never shown a valid token
inline constexpr Duration http_write_time_max = seconds(30);
inline constexpr Duration http_linger_max = seconds(2);  // an answered connection that is to end waits for its peer
inline constexpr Duration http_stop_max = seconds(10);   // what is under way when the server stops has so long
inline constexpr std::size_t stream_write_bytes_max = 256 << 10;   // what one reader has under way at once
inline constexpr std::size_t stream_encoded_bytes_max = 16 << 20;  // encoded blocks kept for all readers of one format
inline constexpr std::size_t stream_input_bytes_max =
    64 << 10;  // one message of a WebSocket reader, who has little to say
inline constexpr Duration stream_heartbeat = seconds(15);
inline constexpr Duration stream_stalled_max =
    seconds(30);  // a reader whose socket takes no byte for so long is closed
inline constexpr Duration stream_farewell_max = minutes(15);  // how long it then has to come to the word that says so

// Access
inline constexpr std::size_t access_tokens_max = 10000;
inline constexpr std::size_t access_name_chars_max = 100;
inline constexpr std::size_t access_bound_entries_max = 100;
inline constexpr std::size_t tickets_max = 10000;
inline constexpr std::size_t tickets_per_principal_max = 100;  // open at once
inline constexpr Duration ticket_life = seconds(60);
inline constexpr Duration link_life = seconds(600);                 // a one-time link to the web app
inline constexpr Duration link_token_life = seconds(30LL * 86400);  // of the access token that the page gets for it
// From one address; the next ones are told to wait. A valid token passes all the same: on loopback and behind a proxy
// everybody has one address, and who guesses must not lock the others out. Guessing is hopeless by the secret's length.
inline constexpr std::size_t failed_logins_per_minute_max = 60;
inline constexpr std::int64_t events_per_second_default = 0;  // per access token; 0 = no limit

// Agents
inline constexpr std::size_t agents_per_user_max = 10'000;
inline constexpr std::size_t agent_name_bytes_max = 200;       // kind, display_name, model_id, prompt_id
inline constexpr std::size_t agent_list_max = 1000;            // categories, capabilities, open loops, preferences
inline constexpr std::size_t agent_text_bytes_max = 4096;      // of one entry of a slot
inline constexpr std::size_t agent_json_bytes_max = 64 << 10;  // an extension, the settings of a workflow
inline constexpr std::size_t wake_subscriptions_per_agent_max = 10'000;
inline constexpr std::size_t wake_subscription_entries_max = 100;  // types, sources, tokens
inline constexpr Duration wake_window_default = seconds(120);
inline constexpr Duration wake_window_max = hours(24);
inline constexpr std::int64_t wake_priority_max = 100;
inline constexpr std::size_t wake_request_id_bytes_max = 200;
inline constexpr std::size_t wake_input_bytes_max = 256 << 10;
inline constexpr std::int64_t wake_signals_max = 10'000;        // that one wake carries; the rest is counted
inline constexpr std::size_t wake_signal_bytes_max = 64 << 10;  // of one body; a larger one is told by its key
inline constexpr std::size_t wake_signals_granted_max = 200;    // that come with a claim
inline constexpr std::size_t wake_signals_granted_bytes_max = 1 << 20;
inline constexpr std::size_t wakes_waiting_per_agent_max = 1000;  // wakes by hand and by people; signals join one
inline constexpr std::int64_t wakes_running_default = 3;          // at once, over all agents
inline constexpr std::size_t wake_claim_agents_max = 100;
inline constexpr Duration wake_lease_default = seconds(60);
inline constexpr Duration wake_lease_max = seconds(600);
inline constexpr Duration wake_time_max = minutes(10);  // of one attempt; then it has hung
inline constexpr Duration wake_wait_max = seconds(60);  // of a claim or a look that waits
inline constexpr Duration wake_retry_min = seconds(10);
inline constexpr Duration wake_retry_max = minutes(15);
inline constexpr std::int64_t wake_failures_max = 5;  // in a row; then the agent is dormant
inline constexpr Duration wakes_kept = days(90);      // after their end

// The client library and the hooks of coding agents
inline constexpr std::size_t send_queue_max = 10;               // messages that wait for a lost server
inline constexpr Duration send_wait_max = seconds(10);          // and how long each of them does
inline constexpr std::size_t send_message_bytes_max = 1 << 20;  // one message as JSON-RPC has it
inline constexpr std::size_t caller_field_bytes_max = 200;      // each of a caller context
inline constexpr Duration hook_connect_max =
    milliseconds(150);                                   // a coding agent must not wait for a daemon that is down
inline constexpr Duration hook_answer_max = seconds(2);  // nor long for one that is busy
inline constexpr std::size_t hook_input_bytes_max = 16 << 20;
inline constexpr std::size_t hook_arguments_bytes_max = 256
                                                        << 10;  // of a tool call; longer ones are told by their hash
inline constexpr std::size_t hook_error_bytes_max = 2000;
inline constexpr std::size_t hook_settings_bytes_max = 1 << 20;  // a coding agent's settings file
inline constexpr Duration wait_look = seconds(2);                // between two looks at what nothing announces

// Retention
inline constexpr Duration events_kept = days(30);
inline constexpr Duration audit_kept = days(365);
inline constexpr std::int64_t events_bytes_kept = 8LL << 30;
inline constexpr std::int64_t run_log_bytes_kept = 8LL << 30;

}  // namespace belfry::base::limits
