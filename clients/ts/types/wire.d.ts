// The shapes on the wire that a program meets most. `/openapi.json` of a daemon has every field of every one.

export type Severity = 'debug' | 'info' | 'warning' | 'error' | 'critical';
export type Priority = 'critical' | 'high' | 'normal' | 'low';
export type Point = 'immediate' | 'turn_start' | 'after_tool' | 'turn_end';
export type RunState = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
export type Json = Record<string, any>;

export interface Page<T> { data: T[]; next: any; has_more: boolean }

export interface EventInput {
  type: string;
  source: string;
  id?: string;
  severity?: Severity;
  timestamp?: string;
  payload?: Json;
  dedupe_key?: string;
  user_id?: string;
  session_id?: string;
  run_id?: number;
  agent_id?: string;
}
export interface Accepted { id: string; sequence: number }
export interface BatchResult {
  accepted: number;
  refused: number;
  /** In the order of the request. */
  data: (Accepted | { error: { code: string; detail: string; field?: string } })[];
}
export interface StreamState { name: string; head: number; floor: number }
/** `gap` stands where entries are gone for good. */
export interface Entry { sequence?: number; event?: Json; erased?: true; gap?: { from: number; to: number } }
export interface SessionEntry {
  sequence?: number;
  event?: {
    type: 'message' | 'message_changed' | 'message_removed' | 'node' | 'turn_began' | 'turn_ended' | 'handed_over' | 'interaction'
      | 'interaction_state' | 'session_changed' | 'session_deleted';
    id?: string;
    node_id?: string;
    parent_id?: string | null;
    ordinal?: number;
    role?: 'user' | 'assistant' | 'tool' | 'system';
    notification_id?: string;
    turn?: number;
    pull_id?: string;
    notifications?: number;
    messages?: number;
    kind?: 'confirmation' | 'elicitation';
    state?: 'pending' | 'answered' | 'expired' | 'withdrawn';
  };
  erased?: true;
  gap?: { from: number; to: number };
}
export interface StreamFilter { type?: string | string[]; severity?: Severity; user?: string; session?: string }

export interface Routing { address?: 'session' | 'user'; target?: 'user' | 'agent'; handler?: 'system' | 'agent' }
export interface NotificationInput {
  text?: string;
  content?: string;
  routing?: Routing;
  priority?: Priority;
  inject_at?: Point;
  severity?: Severity;
  session_id?: string;
  user_id?: string;
  agent_id?: string;
  deduplication_key?: string;
  directive?: string;
  tone_hint?: string;
  metadata?: Json;
  ttl_s?: number;
  caused_by?: string;
  lease?: number;
}
export interface Notification extends Json { id: string; state: string; lease: number; version: number; text: string }
/** What an interface of a person is sent: `notification`, `notification_state`, `interaction`, `change_set`, `caught_up`, … */
export interface InboxMessage extends Json { type: string }

export interface Budget { tokens?: number | null; iterations?: number | null; timeout_s?: number | null; context_tokens?: number | null }
export interface SessionInput { user_id?: string; agent_id?: string; title?: string; metadata?: Json; budget?: Budget }
export interface Session extends Json { id: string; user_id: string }
export interface MessageInput { metadata?: Json; node_id?: string; parent_id?: string; deliver?: boolean }
export interface ItemLease { id: string; lease: number }
export interface TurnReport {
  turn_number?: number;
  agent_id?: string;
  reason?: string;
  tool_calls?: number;
  tokens_used?: number;
  context_tokens?: number;
  lease_s?: number;
  /** At an end: the handles that the model has named as dealt with. */
  acknowledged?: (string | ItemLease)[];
  /** The last hand-over that was got; that of this client unless told. */
  pull_id?: string;
  /** At an end: what was neither named nor acknowledged has not arrived. */
  only_named?: boolean;
  /** Leases of notifications that the caller holds. */
  leases?: ItemLease[];
}
export interface ToolCallReport {
  tool_name: string;
  call_id: string;
  agent_id?: string;
  source?: string;
  arguments?: any;
  duration_ms?: number;
  result_summary?: string;
  error_type?: string;
  error_message?: string;
  retry_count?: number;
  timeout_ms?: number;
  tokens_used?: number;
  handling?: string;
  /** The last hand-over that was got; that of this client unless told. */
  pull_id?: string;
  /** Leases of notifications that the caller holds. */
  leases?: ItemLease[];
}
export interface Report { events: Accepted[]; progress: Json; budget: Budget }
export interface SelfNote {
  agent_id?: string;
  priority?: Priority;
  category?: string;
  deliver_at?: 'immediate' | 'next_turn' | 'after_tool';
  after_turns?: number;
  when?: { context_above: number };
}
export interface PullInput {
  format?: 'openai' | 'anthropic';
  budget_tokens?: number;
  lease_s?: number;
  /** The `pull_id` before, confirmed with this call. */
  acknowledge?: string;
  /** The last hand-over that was got; that of this client unless told. */
  pull_id?: string;
  /** The context values to return: true for all in scope, or their names. */
  context?: boolean | string[];
}
export interface ContextValueInput {
  user_id?: string;
  session_id?: string;
  agent_id?: string;
  /** 1 to 86400, default 300. */
  ttl_s?: number;
}
/** Which value: without `session` or `agent` the one for all of them. */
export interface ContextScope { user?: string; session?: string; agent?: string }
export interface ContextValue {
  name: string;
  user_id: string;
  session_id: string | null;
  agent_id: string | null;
  content: string;
  updated_at: string;
  expires_at: string;
  set_by: string | null;
}
export interface PulledItem extends Json {
  handle: string;
  id: string;
  lease: number;
  version: number;
  priority: Priority;
  content: string;
  text: string;
  again: boolean;
  needs_answer: boolean;
  /** The agent must tell the user; else it decides. */
  must_tell: boolean;
}
export interface Pulled extends Json {
  pull_id: string;
  /** In the order in which they are to be read. */
  items: PulledItem[];
  tokens: number;
  waiting: number;
  lease_until: string;
  acknowledged: number;
  /** What the person has said meanwhile. */
  user_messages?: { id: string; content: string; metadata: Json; created_at: string }[];
  /** If the pull asks for context values. */
  context?: Omit<ContextValue, 'user_id' | 'set_by'>[];
  /** Names of context values that did not fit into the token budget. */
  context_left_out?: string[];
  /** All items, fenced; empty: nothing is due. */
  text: string;
  /** With a format: ready for that model interface. */
  messages?: any[];
  tools?: any[];
}

export interface CallerContext {
  agent_id: string;
  agent_type: 'global_supervisor' | 'team_supervisor' | 'worker';
  agent_name: string;
  /** Needed for the last two. */
  team_name?: string;
}
export interface RunInput {
  run_key?: string;
  user_id?: string;
  session_id?: string;
  agent_id?: string;
  hierarchy_id?: string;
  parent_id?: number;
  title?: string;
  metadata?: Json;
  caller?: CallerContext;
  tree?: boolean;
  start?: boolean;
}
export interface Run {
  id: number;
  run_key: string | null;
  parent_id: number | null;
  root_id: number;
  user_id: string;
  session_id: string | null;
  agent_id: string | null;
  hierarchy_id: string | null;
  title: string;
  metadata: Json;
  caller: CallerContext | null;
  state: RunState;
  paused: boolean;
  queue_position: number | null;
  tree: boolean;
  result: any;
  error: { type: string; message: string } | null;
  cancel_reason: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  expires_at: string | null;
  events: number;
}
export interface RunFilter { user?: string; session?: string; agent?: string; state?: RunState; root?: number; after?: number; limit?: number }
export interface RunEventInput { event: string; data?: any; source?: CallerContext; id?: string; timestamp?: string }
/** `event` is `gap` with `data` {from, to} where events are gone for good. */
export interface RunEvent {
  id: string;
  run_id: number;
  timestamp: string;
  sequence: number;
  source: CallerContext | null;
  event: string;
  data: any;
}

/** `gap`: events of these positions, which the asker did not have, are gone for good. */
export interface RunPage extends Page<RunEvent> { gap?: { from: number; to: number } }

export type AgentLifecycle = 'created' | 'active' | 'dormant' | 'destroyed';
export type AgentMode = 'autonomous' | 'interactive' | 'hybrid';
export type WakeReason = 'subscription' | 'timer' | 'user_initiated' | 'recovery_catchup' | 'manual';
export type WakeState =
  | 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'coalesced' | 'no_turn' | 'sleeping' | 'dormant' | 'destroyed' | 'refused'
  | 'not_needed';
export interface AgentConfig { schema_version?: number; model_id?: string | null; prompt_id?: string | null; extension?: Json }
export interface AgentWorkflow { kind?: 'worker' | 'model' | 'script'; settings?: Json }
export type ToolPolicy = 'run' | 'ask' | 'propose';
export interface AgentInput {
  id: string;
  user_id?: string;
  kind?: string;
  display_name?: string;
  mode?: AgentMode;
  allowed_category_ids?: string[];
  capabilities?: string[];
  /** What becomes of a call, by the tool's name or `*`; run where nothing is said. */
  tool_policies?: Record<string, ToolPolicy>;
  config?: AgentConfig;
  memory?: MemorySettings;
  workflow?: AgentWorkflow;
}
export interface AgentPatch extends Omit<AgentInput, 'id' | 'user_id'> {
  dormant?: boolean;
  state?: { revision?: number; sleep_until?: string | null; next_wake_at?: string | null; slots?: AgentSlots };
}
export interface AgentSlots {
  primary_goal?: string | null;
  active_task_id?: string | null;
  open_loop_ids?: string[];
  preferences?: Record<string, string>;
  extension?: Json;
}
/** What goes with an agent wherever it runs. */
export interface AgentState {
  id: string;
  revision: number;
  updated_at: string;
  last_wake_at: string | null;
  next_wake_at: string | null;
  sleep_until: string | null;
  recent_head_message_id: string | null;
  latest_summary_message_id: string | null;
  processed_counter_by_host: Record<string, number>;
  slots: AgentSlots;
}
/** What it does here and now. */
export interface AgentRuntime {
  run_status: 'idle' | 'queued' | 'running' | 'failed';
  updated_at: string;
  active_run_id: number | null;
  active_session_id: string | null;
  last_run_started_at: string | null;
  failure_streak: number;
  hot_message_count: number;
}
export interface Agent {
  id: string;
  user_id: string;
  kind: string;
  display_name: string;
  lifecycle: AgentLifecycle;
  mode: AgentMode;
  allowed_category_ids: string[];
  capabilities: string[];
  tool_policies: Record<string, ToolPolicy>;
  config: AgentConfig;
  memory: MemorySettings;
  workflow: AgentWorkflow;
  created_at: string;
  updated_at: string;
  destroyed_at: string | null;
  /** When the clock wakes it: by the next of its timers, or by its own wish, whichever is sooner. */
  next_wake_at: string | null;
  state: AgentState;
  runtime: AgentRuntime;
}
export interface AgentFilter { user?: string; lifecycle?: AgentLifecycle; after?: string; limit?: number }
export interface WakeSubscriptionInput {
  types?: string[];
  severity?: Severity;
  sources?: string[];
  tokens?: string[];
  predicate?: string;
  window_ms?: number;
  synced?: boolean;
  priority?: number;
  active?: boolean;
}
export interface WakeSubscription extends Required<Omit<WakeSubscriptionInput, 'predicate'>> {
  id: string;
  agent_id: string;
  predicate: string | null;
  created_at: string;
  updated_at: string;
}
export interface WakeInput { request_id?: string; session_id?: string; turn_id?: string; input?: Json }
export interface Wake {
  id: number;
  /** The same cause has the same key. */
  run_key: string;
  agent_id: string;
  user_id: string;
  reason: WakeReason;
  reason_id: string | null;
  timer_catchup: boolean;
  thread_id: string;
  session_id: string | null;
  input: Json;
  state: WakeState;
  priority: number;
  due_at: string;
  signals: number;
  attempts: number;
  holder: string | null;
  fence: number;
  lease_until: string | null;
  deadline: string | null;
  run_id: number | null;
  coalesced_into: number | null;
  error: { type: string; message: string } | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}
export interface WakeFilter { user?: string; agent?: string; state?: WakeState; open?: true; after?: number; limit?: number }
export interface WakeSignal {
  kind: 'event' | 'change' | 'timer' | 'user' | 'manual' | 'notification';
  key: string;
  rule: string | null;
  /** Of an event, the event as readers get it. */
  body: Json;
  came_at: string;
}
export type AgentMessageKind = 'observation' | 'user' | 'thought' | 'action' | 'tool_result' | 'summary' | 'system';
export type ActionType = 'tool_call' | 'propose_plan' | 'ask_user' | 'lifecycle_transition';
export interface AgentMessageMetadata {
  action_ref_id?: string | null;
  operation_id?: string | null;
  status?: 'success' | 'error' | 'partial' | null;
  error_code?: string | null;
  error_message?: string | null;
  /** Names have a namespace: `acme.colour`. */
  extension?: Json;
}
export interface ActionEnvelope {
  action_type: ActionType;
  tool_name?: string | null;
  operation_id?: string | null;
  arguments_hash?: string | null;
  scope_snapshot?: string[];
}
export interface ToolResultEnvelope extends Omit<AgentMessageMetadata, 'extension'> {
  changed_entity_ids?: string[];
  changed_tokens?: string[];
}
export interface AgentMessageInput {
  id?: string;
  kind: AgentMessageKind;
  content?: any;
  trigger_source_id?: string | null;
  summary_start_message_id?: string | null;
  summary_end_message_id?: string | null;
  summary_depth?: number;
  tokens_approx?: number;
  metadata?: AgentMessageMetadata;
  action?: ActionEnvelope;
  tool_result?: ToolResultEnvelope;
}
export interface AgentMessage extends AgentMessageInput {
  id: string;
  agent_id: string;
  thread_id: string;
  created_at: string;
  prev_message_id: string | null;
  content_entry_id: string | null;
}
export interface PlannedActionInput { action_type?: ActionType; tool_name?: string; arguments?: Json }
export interface PlannedAction {
  ordinal: number;
  action_type: ActionType;
  tool_name: string | null;
  operation_id: string;
  arguments_hash: string;
  arguments: Json;
  action_id: string | null;
  result: AgentMessage | null;
}
export interface Plan {
  run_key: string;
  round: number;
  agent_id: string;
  wake_id: number;
  created_at: string;
  actions: PlannedAction[];
}
export interface ToolCallInput { operation_id?: string; tool_name?: string; arguments?: Json }
export interface CalledTool {
  action: AgentMessage;
  /** Of null: it waits for somebody. */
  result: AgentMessage | null;
  waits_for: { whom: 'person' | 'outside'; id: string } | null;
  /** false: it was done before, and this is what came of it. */
  is_new: boolean;
}
export interface Tool {
  name: string;
  origin: 'belfry' | 'registered';
  impact: 'internal' | 'external';
  description: string | null;
  /** Of its arguments. */
  schema: Json;
  risk: 'low' | 'medium' | 'high';
  capabilities: string[];
  /** Empty: any. */
  wake_reasons: string[];
  /** Of null: it is Belfry's own, or only classified. */
  execution: ToolExecution | null;
  updated_at: string | null;
  /** Of one that is registered. */
  timeout_s?: number;
  /** This and what follows: of Belfry's own. */
  output_schema?: Json;
  version?: number;
  high_risk_with?: string[];
  read_only?: boolean;
}
export interface WakeGrant { wake: Wake; agent: Agent; signals: WakeSignal[]; messages?: AgentMessage[]; plans?: Plan[]; memory?: AssembledMemory }

export interface Schedule {
  kind: 'cron' | 'daily' | 'weekly' | 'every' | 'at';
  cron?: string;
  time?: string;
  days?: string[];
  interval?: string;
  anchor?: string;
  at?: string;
}
export interface TimerPatch {
  name?: string;
  schedule?: Schedule;
  /** Of wall times; UTC unless given. */
  zone?: string;
  input?: Json;
  priority?: number;
  active?: boolean;
}
export interface TimerInput extends TimerPatch { name: string; schedule: Schedule; dry_run?: boolean }
export interface TimerFiring { at: string; local: string; note: 'gap' | 'repeated' | null }
export interface ToolExecution {
  by: 'worker' | 'webhook';
  /** Of a webhook. */
  url?: string;
  secret_env?: string | null;
}

export interface ToolInput {
  impact: 'internal' | 'external';
  description?: string;
  schema?: Json;
  risk?: 'low' | 'medium' | 'high';
  /** `tool:NAME` unless told. */
  capabilities?: string[];
  wake_reasons?: string[];
  /** Without it, it is only classified. */
  execution?: ToolExecution;
  timeout_s?: number;
}

export interface ToolCall {
  id: string;
  tool_name: string;
  by: 'worker' | 'webhook';
  /** The same however often it is tried: by it the tool knows a repeat. */
  operation_id: string;
  agent_id: string;
  user_id: string;
  wake_id: number;
  action_id: string;
  arguments: Json;
  state: 'queued' | 'claimed' | 'done' | 'failed' | 'abandoned';
  holder: string | null;
  fence: number;
  lease_until: string | null;
  attempts: number;
  deadline: string;
  error_code: string | null;
  created_at: string;
  ended_at: string | null;
}

export interface Timer {
  /** null: it was only rehearsed. */
  id: string | null;
  agent_id: string;
  user_id: string;
  name: string;
  schedule: Schedule;
  zone: string | null;
  active: boolean;
  next_run_at: string | null;
  last_scheduled_at: string | null;
  fault: string | null;
  input: Json;
  priority: number;
  created_at: string;
  updated_at: string;
  /** The next five firings. */
  next: TimerFiring[];
}

export interface InteractionInput { tool_name?: string; arguments?: any; schema?: any; run_id?: number; timeout_s?: number }
export interface Interaction {
  id: string;
  kind: 'confirmation' | 'elicitation';
  session_id: string;
  state: 'pending' | 'answered' | 'expired' | 'withdrawn';
  message: string;
  tool_name: string | null;
  arguments: any;
  schema: any;
  answer: Json | null;
  answered_by: string | null;
  always_allowed: boolean;
  created_at: string;
  expires_at: string;
}
export type InteractionAnswer =
  | { decision: 'allow_once' | 'always_allow' | 'deny' }
  | { action: 'accept' | 'decline' | 'cancel'; content?: any };

/** All that an agent proposed in one wake. */
export interface ChangeSetHead {
  id: string;
  number: number;
  user_id: string;
  agent_id: string;
  agent_name: string;
  wake_id: number;
  run_id: number | null;
  thread_id: string;
  session_id: string | null;
  state: 'open' | 'decided';
  counts: { proposed: number; accepted: number; rejected: number; failed: number };
  created_at: string;
  updated_at: string;
  decided_at: string | null;
}
/** One call that an agent proposes. */
export interface ChangeItem {
  number: number;
  tool_name: string;
  operation_id: string;
  state: 'proposed' | 'accepted' | 'rejected' | 'failed';
  arguments: Json;
  /** What it would change, as it was when it was proposed. */
  changes: { change: 'made' | 'changed' | 'deleted'; kind: string; id?: string; title?: string }[];
  result: Json | null;
  error: { code: string; message: string } | null;
  created_at: string;
  decided_at: string | null;
  decided_by: string | null;
}
export interface ChangeSet extends ChangeSetHead { items: ChangeItem[] }

export type Summarizer = 'rules' | 'model';
/** How much of its memory an agent wants before it, and who folds it. */
export interface MemorySettings {
  budget_tokens?: number;
  hot_tokens?: number;
  hot_messages?: number;
  summarizer?: Summarizer | null;
  base_url?: string | null;
  model?: string | null;
  key_env?: string | null;
}
export interface MemoryItem {
  text: string;
  /** Where it was said first; of what is closed, where it was closed. */
  message_id: string;
  by?: Summarizer;
  /** When it was said last. */
  at: string;
}
export interface MemoryEvent { what: string; times: number; message_id: string }
export interface MemorySummary {
  by: Summarizer;
  text: string;
  goals: MemoryItem[];
  decisions: MemoryItem[];
  open_loops: MemoryItem[];
  closed_loops: MemoryItem[];
  errors: MemoryEvent[];
  effects: MemoryEvent[];
  /** Raw messages of each kind. */
  counts: Record<string, number>;
  left_out: number;
  from: string;
  to: string;
}
export interface RecalledSummary {
  id: string;
  thread_id: string;
  depth: number;
  start_message_id: string;
  end_message_id: string;
  summary: MemorySummary;
  tokens: number;
}
export interface MemoryChoice {
  part: 'slots' | 'carried' | 'summary' | 'message';
  id: string | null;
  what: 'goal' | 'decision' | 'open_loop' | null;
  tokens: number;
  fate: 'included' | 'over_budget' | 'over_count' | 'over_hot' | 'no_content' | 'told_raw';
}
/** What an agent is told of what it remembers, in the order in which it is told. */
export interface AssembledMemory {
  thread_id: string;
  budget_tokens: number;
  reserved_tokens: number;
  used_tokens: number;
  slots: string | null;
  goals: MemoryItem[];
  decisions: MemoryItem[];
  open_loops: MemoryItem[];
  summaries: RecalledSummary[];
  messages: AgentMessage[];
  left_out: number;
  choices?: MemoryChoice[];
}
export interface MemoryThread {
  thread_id: string;
  agent_id: string;
  messages: number;
  hot_messages: number;
  hot_tokens: number;
  last_at: string;
  is_closed: boolean;
}
export interface PlacedSummary {
  id: string;
  thread_id: string;
  depth: number;
  start_message_id: string;
  end_message_id: string;
  tokens: number;
  folded_into: string | null;
  created_at: string;
  summary: MemorySummary;
}
/** A summary with a page of what it was made of. */
export interface OpenedSummary {
  summary: PlacedSummary;
  data: AgentMessage[];
  next: number | null;
  has_more: boolean;
}
export interface RecalledMessage {
  message_id: string;
  thread_id: string;
  kind: AgentMessageKind;
  created_at: string;
  words: number;
  snippet: string;
}
export type FoldState = 'pending' | 'running' | 'done' | 'failed_terminal';
export interface FoldJob {
  id: string;
  agent_id: string;
  user_id: string;
  thread_id: string;
  depth: number;
  start_message_id: string;
  end_message_id: string;
  messages: number;
  state: FoldState;
  attempts: number;
  next_attempt_at: string | null;
  lease_until: string | null;
  summarizer: Summarizer;
  last_error: string | null;
  created_at: string;
  updated_at: string;
  summary_id: string | null;
}

export interface Status extends Json {
  readiness: 'starting' | 'ready' | 'store_down' | 'standby' | 'stopping';
  version: string;
  pid: number;
  started_at: string;
  now: string;
  store: { backend: string; location: string; commit_number: number; file_bytes: number; wal_bytes: number; index_rows: number } & Json;
  streams: StreamState[];
  queue_commands: number;
  queue_bytes: number;
  connections: number;
}
export interface Subscriber extends Json {
  id: string;
  name: string;
  description: string;
  version: string;
  types: string[];
  severity_filter: Severity | null;
  sources: string[];
  priority: Priority;
  inject_at: Point;
  core: boolean;
  /** Of a core one: why nobody can switch it off. */
  core_reason: string | null;
  /** null: the caller may see no user's choices. */
  enabled: boolean | null;
  origin: string;
}
export interface SubscriberProblem { file: string; line: number; column: number; field: string | null; message: string; fatal: boolean }
/** What a subscriber would make of events. */
export interface Rehearsal {
  subscriber: string;
  events: Json[];
  not_wanted: number;
  notifications: {
    content: string; text: string; priority: Priority; inject_at: Point; severity: Severity; tokens: number; rows: number; events: number;
    follow_up: boolean; used_fallback: boolean; problem?: string;
  }[];
}
export interface Me { principal: string; role: string; user_id: string | null; owner: string; version: string; started_at: string }
export interface LedgerSummary {
  total: number;
  states: Record<string, number>;
  failures: { outcome: string; count: number }[];
  /** In batches that are still open. */
  waiting_events: number;
  oldest_open_at: string | null;
}
export interface SinkCall { id: string; sink: string; notification_id: string; attempts: number; error: string; created_at: string; given_up_at: string }

export interface Receipt { success: boolean; message: string; notification_id: string }

export type JournalKind =
  | 'category' | 'label' | 'entry' | 'task' | 'checklist' | 'checklist_item' | 'time_entry' | 'day_plan' | 'rating';
export type EntryType = 'text' | 'audio' | 'workout' | 'ai_response';
export type TaskStatus = 'open' | 'groomed' | 'in_progress' | 'blocked' | 'on_hold' | 'done' | 'rejected';
export type TaskPriority = 'p0' | 'p1' | 'p2' | 'p3';
export type RatingTarget = 'session' | 'day' | 'productivity';
/** With the fields of its kind beside these: `/openapi.json` has each kind by itself. */
export interface JournalRecord extends Json {
  kind: JournalKind;
  id: string;
  user_id: string;
  category_id: string;
  /** Rises with each change: a guard for writers. */
  revision: number;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
  extension: Json;
}
export interface JournalLink {
  kind: 'link';
  user_id: string;
  relation: string;
  from_id: string;
  to_id: string;
  metadata: Json;
  hidden: boolean;
  revision: number;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}
export interface JournalState { enabled: boolean; holds_anything: boolean; running: JournalRecord | null }
/** Whose journal, and the wake that an agent works for. */
export interface JournalAccess { user?: string; wake?: { id: number; fence: number } }
/** Only what is of these categories. */
export interface JournalReadAccess extends JournalAccess { categories?: string[] }
export interface JournalFilter extends JournalReadAccess {
  category?: string;
  /** Words; the last one may be a beginning. */
  q?: string;
  /** Any of these. */
  status?: TaskStatus | TaskStatus[];
  label?: string;
  due_from?: string;
  due_to?: string;
  type?: EntryType;
  task?: string;
  checklist?: string;
  date?: string;
  target?: RatingTarget;
  target_id?: string;
  running?: true;
  /** Time of which some lies between these moments. */
  from?: string;
  to?: string;
  after?: string;
  limit?: number;
}

/** `none`: it has no address here and has not called; `resting`: it is tried again. */
export type LinkState = 'none' | 'resting' | 'calling' | 'up';

/** Another device that shares what is here. */
export interface Peer {
  id: string; name: string; address: string | null; host: string | null; link: LinkState; connected: boolean;
  connected_since: string | null; last_seen_at: string | null; added_at: string; revoked_at: string | null;
  /** In changes: what it has not acknowledged, and what it has that is not here. */
  unsent: number; unreceived: number;
  in_whole: boolean; last_error: string | null;
}

export interface PairingCode { code: string; address: string; expires_at: string }

export interface SyncStatus {
  device: { name: string | null; host: string | null; listens_on: string | null };
  now: string;
  peers: Peer[];
  hosts: { host: string; settled: number; floor: number; is_own: boolean; is_sealed: boolean }[];
  missing: { host: string; from: number; to: number; peer_id: string; since: string }[];
  merges: number;
}

/** Why a field has the value that it has: two devices wrote it without knowing of each other. */
export interface MergeNote {
  number: number; at: string; kind: string; id: string; user_id: string; field: string; rule: string;
  kept: MergeSide; lost: MergeSide;
}
/** `value` is JSON, shortened. */
export interface MergeSide { host: string; counter: number; version: number; value: string }
