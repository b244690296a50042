// The records of the journal, as the daemon writes them.

interface Common {
  id: string;
  user_id: string;
  category_id: string;
  revision: number;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export type TaskStatus = 'open' | 'groomed' | 'in_progress' | 'blocked' | 'on_hold' | 'done' | 'rejected';
export type TaskPriority = 'p0' | 'p1' | 'p2' | 'p3';
export type RatingTarget = 'session' | 'day' | 'productivity';

export interface Category extends Common { kind: 'category'; name: string; color: string | null }
export interface Label extends Common { kind: 'label'; name: string; color: string | null }
export interface Entry extends Common { kind: 'entry'; type: 'text' | 'audio' | 'workout' | 'ai_response'; text: string | null; workout_type: string | null }
export interface Task extends Common {
  kind: 'task';
  title: string;
  text: string | null;
  status: TaskStatus;
  priority: TaskPriority;
  due_date: string | null;
  estimate_min: number | null;
  language: string | null;
  label_ids: string[];
}
export interface Checklist extends Common { kind: 'checklist'; task_id: string; title: string; position: number }
export interface ChecklistItem extends Common { kind: 'checklist_item'; checklist_id: string; title: string; checked: boolean; position: number }
export interface TimeEntry extends Common { kind: 'time_entry'; task_id: string | null; note: string | null; started_at: string; ended_at: string | null }
export interface PlanBlock { id: string; category_id?: string; start_at: string; end_at: string; note: string | null; task_id: string | null }
export interface DayPlan extends Common { kind: 'day_plan'; plan_date: string; note: string | null; blocks: PlanBlock[]; pinned_task_ids: string[] }
export interface Rating extends Common { kind: 'rating'; target: RatingTarget; target_id: string; score: number; note: string | null }
export interface Link { relation: string; from_id: string; to_id: string; hidden: boolean; metadata: Record<string, unknown> | null }

/** By the names that addresses have for them. */
export interface Kinds {
  categories: Category;
  labels: Label;
  entries: Entry;
  tasks: Task;
  checklists: Checklist;
  checklist_items: ChecklistItem;
  time_entries: TimeEntry;
  day_plans: DayPlan;
  ratings: Rating;
}
export type Kind = keyof Kinds;

export interface JournalState { enabled: boolean; holds_anything: boolean; running: TimeEntry | null }
