// Types of the messages between wherefore and its plugins. Generated from server/requests.rs and
// server/lsp/ext.rs: do not edit; `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.

/** One tool with its arguments, unchecked: the params of `wherefore/call` and a line of `call --batch`. */
export interface RawCall {
  /** The tool's name or one of its aliases. */
  tool: string;
  /** An object, or a JSON string that holds one. */
  arguments?: unknown;
  /** Who called. */
  origin?: Origin;
  /** Comments of the model's on its own arguments, by path (`args.path`): kept in the log. */
  comments?: Record<string, string>;
  /** The activity asked for instead of the tool's own; empty means latent. */
  _activity?: string|null;
  /** The review policy asked for; settings can only make it stricter. */
  policy?: Policy|null;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Who called. */
export interface Origin {
  /** The way in. A door sets it itself; what a client claims is not used. */
  door?: Door;
  /** The agent's name and version, as `claude-code/2.1`. */
  agent?: string|null;
  /** The agent's session at that door. */
  session?: string|null;
  /** The agent's own id of the call. */
  call?: string|null;
  /** The agent's own tool that the call stands for, as `Edit`; none where the agent called one of ours. */
  tool?: string|null;
  /** Further ids that the agent sent along, as of its turn or trace. */
  ids?: Record<string, string>;
}

/** The way a call came in. */
export type Door = "lsp"|"mcp"|"cli"|"agent"|"hook"|"ide"|"acp"|"outside";

/** What becomes of a proposed change. Ordered from the loosest to the strictest. */
export type Policy = "auto"|"ask"|"hold"|"deny";

/** The answer to a call: of `wherefore/call`, of a line of `call --batch`, of the socket. */
export interface Envelope {
  /** The call's id in the session log; absent when it never became a call. */
  call_id: string;
  /** How it ended. */
  status: Status;
  /** The tool's output. */
  result?: unknown;
  /** Why there is none. */
  error?: Fault|null;
  /** Whether a limit cut the output. */
  truncated?: boolean;
  /** How to get the rest, where it was cut. */
  rest?: string|null;
  /** What a model is shown instead of `result` as text: text, images, audio and resources, as content blocks of the Model Context Protocol. */
  blocks?: unknown[];
  /** What the caller should do better next time (a mechanical `why`). */
  warnings?: string[];
  /** Decisions on this agent's earlier calls, made since its last result. */
  decisions?: Delivery[];
  /** What the person said to this agent since its last result. */
  messages?: PersonMessage[];
}

/** How a call ended. */
export type Status = "ok"|"error"|"pending"|"latent";

/** The error of a call: names the thing, the limit and the value, and a way out. */
export interface Fault {
  /** What went wrong, for a program. */
  code: Code;
  /** What went wrong, for a reader. */
  message: string;
  /** Whether another call of the same agent can mend it. */
  recoverable: boolean;
  /** An act that the model can take next. */
  suggestion?: string|null;
  /** Nearest names, places, other ways. */
  hints?: string[];
  /** Whether `hints` are names like the one that was asked for. */
  near?: boolean;
  /** How to recover, in a form that a program can follow. */
  next_action?: unknown;
  /** Set where a write took effect although a later step failed (the folder's fsync). */
  applied?: boolean|null;
  /** What the code alone cannot say: schema violations, a patch's report, the fresh hash. */
  details?: unknown;
}

/** What went wrong, for a program. */
export type Code = "NOT_FOUND"|"PERMISSION_DENIED"|"TIMEOUT"|"INVALID_ARGS"|"MISSING_WHY"|"QUOTA_EXCEEDED"|"TOOL_NOT_FOUND"|"UNKNOWN_PATH"|"NO_MATCH_IN_CATEGORY"|"NOT_AUTHORIZED"|"PATCH_MISMATCH"|"STALE"|"REJECTED"|"CANCELLED"|"UNSUPPORTED"|"SANDBOX_UNAVAILABLE"|"INTERNAL";

/** A decision made after its call was answered, brought with the agent's next result. */
export interface Delivery {
  /** The proposal decided on. */
  proposal: string;
  /** The call that made it. */
  call_id: string;
  /** `applied`, `partly_applied`, `rejected`, `stale` or `undone`. */
  status: string;
  /** Each hunk's decision. */
  hunks: HunkDecision[];
}

/** What was decided on one hunk. */
export interface HunkDecision {
  /** The hunk. */
  id: string;
  /** Its file, relative to the root. */
  path: string;
  /** What became of it. */
  state: HunkState;
  /** The person's word. */
  reason?: string|null;
  /** The lines it added, where a person changed them before they accepted it. */
  text?: string|null;
}

/** Where a hunk stands. */
export type HunkState = "pending"|"accepted"|"rejected"|"stale";

/** Words of the person for an agent, brought with the agent's next result. */
export interface PersonMessage {
  /** When they were sent, RFC 3339. */
  sent: string;
  /** The person's words. */
  text: string;
  /** The file meant, relative to the root. */
  path?: string|null;
  /** The lines meant. */
  lines?: LineSpan|null;
  /** Those lines as the editor showed them, or the hunk's lines with `-` and `+` before them. */
  quoted?: string|null;
  /** What language servers say there. */
  diagnostics?: string[];
  /** The proposal that this is a comment on; it decides nothing. */
  proposal?: string|null;
  /** The hunk of it that is meant. */
  hunk?: string|null;
}

/** Lines of a file. */
export interface LineSpan {
  /** The first line, counted from 1. */
  first: number;
  /** The last line, which belongs to it. */
  last: number;
}

/** Params of `wherefore/proposals`. */
export interface ProposalsParams {
  /** Only those that touch this file, relative to the root. */
  path?: string|null;
  /** Also those that are wholly decided and still kept. */
  all?: boolean;
  /** Also those with hunks that a policy applied and no person has looked at. */
  applied?: boolean;
  /** Only those of calls after this point in the log. */
  since?: Point|null;
  /** The workspace folder meant. */
  root?: string|null;
}

/** A point in the session log: a call, as `c-0007` or `SESSION/c-0007`, or a time of RFC 3339. */
export type Point = string;

/** Answer of `wherefore/proposals`: oldest first. */
export interface ProposalsAnswer {
  /** The proposals. */
  proposals: Proposal[];
}

/** A change that waits for decisions, or has them. */
export interface Proposal {
  /** Unique in the workspace: `p-…`. */
  id: string;
  /** The call that made it. */
  call_id: string;
  /** The session that holds the call. */
  session: string;
  /** The tool called. */
  tool: string;
  /** Why it was called. */
  why: string;
  /** Who called. */
  origin: Origin;
  /** When it was made, RFC 3339. */
  created: string;
  /** What it changes. */
  files: ProposedFile[];
}

/** One file of a proposal. */
export interface ProposedFile {
  /** Relative to the workspace's root, `/`-separated. */
  path: string;
  /** Its `file:` URI, for editors. */
  uri: string;
  /** What is done to it. */
  kind: ChangeKind;
  /** The version of the open document in which the hunks' places count; absent where it is not open. An editor that is ahead of it keeps the places that it knows until the next word. */
  version?: number|null;
  /** For a copy and a rename, where from. */
  from?: string|null;
  /** What a symlink or a binary file is before the change; none where there is nothing. */
  before?: PathContent|null;
  /** What it is afterwards; none where nothing is left. */
  after?: PathContent|null;
  /** Whether the file is executable afterwards: of a change of mode, and of a new file. */
  executable?: boolean|null;
  /** What is done, as a sentence for a person, where no line of a hunk shows it. */
  what?: string|null;
  /** Its hunks, in order of `start`. */
  hunks: Hunk[];
}

/** What a proposal does to a path. */
export type ChangeKind = "edit"|"create"|"delete"|"mkdir"|"copy"|"rmdir"|"rename"|"mode"|"symlink"|"binary";

/** What stands at a path, where it is no text. */
export type PathContent = Record<string, unknown>|Record<string, unknown>;

/** The smallest part of a change that is decided by itself: a run of changed lines; or a change with no lines, such as a rename, a mode, a symlink, the bytes of a file. What such a change does stands with its file. */
export interface Hunk {
  /** Unique in its proposal: `h1`, `h2`, … over all files, in order. */
  id: string;
  /** Where it stands. */
  state?: HunkState;
  /** The first line it replaces in the text as it is now, counted from 0; for an insertion the line before which it goes. */
  start: number;
  /** The lines it removes, each with its line end. */
  old: string[];
  /** The lines it adds, each with its line end. */
  new: string[];
  /** The person's word on the decision. */
  reason?: string|null;
  /** Set where the patch engine placed it more loosely than exactly: how, for a person to look twice. */
  loose?: string|null;
  /** Set where the file makes programs run, as a build file or a package's scripts do: how, for a person to look twice. */
  warning?: string|null;
  /** Whether a person decided on it. One that a policy applied waits for nobody, but may still be looked at: accepted then, it stays; rejected, it is taken back. */
  reviewed?: boolean;
  /** Whether a person changed the lines that it adds before they accepted it. */
  edited?: boolean;
}

/** Params of `wherefore/decide`: which pending hunks, and what becomes of them. With neither hunks nor path every pending hunk of the proposal is meant; with no proposal, every pending hunk there is. A hunk that was applied is meant too where it is named: accepted, it counts as looked at; rejected, it is taken back. */
export interface DecideParams {
  /** The proposal meant; all of them when absent. */
  proposal?: string|null;
  /** The hunks meant, by id. */
  hunks?: string[];
  /** The file meant, relative to the root. */
  path?: string|null;
  /** What becomes of them. */
  act: Act;
  /** A word for the agent. */
  reason?: string|null;
  /** Whether hunks that a policy applied, and no person has looked at, are meant as pending ones are. */
  applied?: boolean;
  /** Only hunks of calls after this point in the log. */
  since?: Point|null;
  /** What hunks add instead of what was proposed, by the hunk's id: a person changed it before they accept. Names the proposal too. */
  texts?: Record<string, string>;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** What a person does with hunks. */
export type Act = "accept"|"reject";

/** Answer of `wherefore/decide`. */
export interface DecideAnswer {
  /** The proposals touched, as they stand now, read back. */
  proposals: Proposal[];
  /** What could not be done, a sentence each: a hunk that went stale, an editor that said no. */
  problems?: string[];
}

/** Params of `wherefore/send`. */
export interface SendParams {
  /** What the person says; it may be empty where lines or diagnostics are sent. */
  text?: string;
  /** The file meant: relative to the root, absolute, or a `file:` URI. */
  path?: string|null;
  /** The lines of the file that are quoted, as the editor shows them. */
  lines?: LineSpan|null;
  /** What language servers say of the file named, a sentence each. */
  diagnostics?: string[];
  /** The proposal that the message is a comment on. It decides nothing. */
  proposal?: string|null;
  /** The hunk of the proposal that is meant. */
  hunk?: string|null;
  /** The agent meant, by its name with or without its version. A comment goes to the agent that made the proposal. */
  agent?: string|null;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/send`. */
export interface SendAnswer {
  /** The agent whose next result brings the message; none where no agent is known: the first that calls gets it. */
  agent?: string|null;
  /** Messages that wait for their agents, this one among them. */
  waiting: number;
  /** What was left out and why, a sentence each. */
  problems?: string[];
}

/** Params of `wherefore/undo`. */
export interface UndoParams {
  /** The call to undo, as `c-0007` or `SESSION/c-0007`; the last one that changed a file when absent. */
  call?: string|null;
  /** The workspace folder meant. */
  root?: string|null;
}

/** Answer of `wherefore/undo`. */
export interface UndoAnswer {
  /** The call undone. */
  call: string;
  /** The id that undoes this undo; empty where no file had to be brought back. */
  undo_id: string;
  /** The files brought back, relative to the root. */
  paths: string[];
  /** Hunks of the call that waited for a decision and were rejected. */
  withdrawn?: number;
}

/** Params of `wherefore/cancel`. */
export interface CancelParams {
  /** The call to stop, as `c-0007`. */
  call_id: string;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/cancel`: the call was told to stop, and is answered CANCELLED as soon as it does. A command that the call started in the background is ended. */
export interface CancelAnswer {
  /** The call. */
  call_id: string;
}

/** Params of `wherefore/search`. */
export interface SearchParams {
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
  /** What is sought: a regular expression, a plain text with `literal`, or words. */
  query?: string;
  /** What the search goes by. */
  kind?: SearchKind;
  /** The folder or the file to search, relative to the root; the whole workspace where it is left out. */
  scope?: string|null;
  /** Only files that match, as `*.rs`; for patterns. */
  glob?: string|null;
  /** Whether capitals count; for patterns. */
  case?: SearchCase;
  /** Whether the query is plain text; for patterns. */
  literal?: boolean;
  /** Lines to give on each side of a match; for patterns. */
  context?: number;
  /** The most results; 10 files or 100 lines where it is left out. */
  limit?: number|null;
  /** Where an earlier answer ended, to go on from there; for patterns. */
  cursor?: string|null;
  /** Milliseconds to wait for vectors of files that are not made yet, where the person set a model; for files. */
  wait_ms?: number;
}

/** What a search goes by. */
export type SearchKind = "lexical"|"vector";

/** Whether capitals count in a pattern. */
export type SearchCase = "sensitive"|"insensitive"|"smart";

/** Answer of `wherefore/search`. */
export interface SearchAnswer {
  /** What was found: lines by path and number, files best first. */
  results: SearchHit[];
  /** What ranked the files: `words`, or `words+` and a model. */
  ranker?: string|null;
  /** The share of the files' pieces that have a vector, 0 to 1; absent where no model is set. */
  embedded?: number|null;
  /** Why the model that is set was not heard, or why none is where the settings are wrong. */
  trouble?: string|null;
  /** Where the next answer goes on; absent where there is no more. */
  cursor?: string|null;
}

/** A place that was found. */
export interface SearchHit {
  /** The file, relative to the root. */
  path: string;
  /** Its first line, counted from 1. */
  start: number;
  /** Its last line. */
  end: number;
  /** The line of it to be shown first: where a piece holds most of what is asked for. */
  line: number;
  /** How well it fits beside the others of the same answer; 1 for each line that matches a pattern. */
  score: number;
  /** The line, or the piece of the file. */
  text: string;
  /** The lines before it that were asked for. */
  before?: string[];
  /** The lines after it that were asked for. */
  after?: string[];
}

/** Params of `wherefore/workingSet`. */
export interface WorkingSetParams {
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/workingSet`. */
export interface WorkingSetAnswer {
  /** The files that matter now, the hottest first. */
  files: WorkingFile[];
  /** Tokens that a context of it may hold. */
  budget: number;
  /** About how many tokens its files hold together: a quarter of their characters. */
  tokens: number;
  /** What is wrong with `hot.yml`, `cold.yml` and `working-set.yml`, a sentence each. */
  problems?: string[];
}

/** A file that matters now. */
export interface WorkingFile {
  /** Its path, relative to the root. */
  path: string;
  /** How much it matters, from 0 to 1. */
  hotness: number;
  /** Why it matters, a phrase each, the weightiest first. */
  reasons: string[];
  /** Whether it stays in the set whatever happens. */
  pinned: boolean;
  /** The hint that stands on it. */
  advice?: Advice|null;
  /** What it is. */
  role: Role;
  /** Its place in a context, 1 first; by its hotness when absent. */
  priority?: number|null;
  /** Which part of it is cut where it does not fit into a context. */
  truncate_strategy: Truncate;
  /** Whether the editor has it open. */
  open: boolean;
  /** Whether it is open with text that is not saved. */
  unsaved: boolean;
  /** Hunks in it that wait for a decision. */
  pending_hunks: number;
  /** About how many tokens it holds: a quarter of its characters. Absent where there is no such file. */
  tokens?: number|null;
}

/** What a hint says of a file. */
export type Advice = "hot"|"cold";

/** What a file is in a context. */
export type Role = "source"|"test"|"doc"|"reference"|"summary";

/** Which part of a file is cut where it does not fit. */
export type Truncate = "never"|"start"|"middle"|"end";

/** Params of `wherefore/hint`: a person's word on one file. */
export interface HintParams {
  /** The file, relative to the root or absolute. */
  path: string;
  /** What is done with it. */
  advice: HintAct;
  /** Why, for whoever reads the working set. */
  why?: string|null;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** What a person does with a file of the working set. */
export type HintAct = "hot"|"cold"|"pin"|"unpin"|"clear";

/** One hint with what became of it. */
export interface HintOutcome {
  /** The file, relative to the root. */
  path: string;
  /** What was advised: `hot`, `cold`, `pin`, `unpin`, `clear`; `drop` where the set was cleaned up. */
  advice: string;
  /** What became of it. */
  outcome: Outcome;
  /** Why, as a sentence. */
  reason: string;
}

/** What became of a hint. */
export type Outcome = "honoured"|"deferred"|"overridden"|"promoted"|"dropped";

/** Params of `wherefore/collect`: cleans the working set up. */
export interface CollectParams {
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/collect`. */
export interface CollectAnswer {
  /** The files that left, and why. */
  dropped: HintOutcome[];
}

/** Answer of `wherefore/status`. */
export interface StatusAnswer {
  /** This program's version. */
  version: string;
  /** The process that answered. */
  pid: number;
  /** Whether an editor is attached. */
  editor: boolean;
  /** The slot of an agent that looks for its editor, where the settings want one and an editor is attached. */
  slot?: SlotStatus|null;
  /** Each workspace folder. */
  workspaces: WorkspaceStatus[];
}

/** How the IDE slot that the person's settings want stands, in the answer of `wherefore/status`. */
export interface SlotStatus {
  /** The agent, by its name in the settings. */
  agent: string;
  /** The absolute path of the file by which it finds its editor; none where the slot is not open. */
  file?: string|null;
  /** What keeps the slot from being open, or stands beside it, as a sentence. */
  problem?: string|null;
}

/** One workspace folder in the answer of `wherefore/status`. */
export interface WorkspaceStatus {
  /** Its absolute path. */
  root: string;
  /** The open session's id, or else that of the last one; empty where there was none. */
  session: string;
  /** The session log's absolute path. */
  log: string;
  /** Calls made in this session. */
  calls: number;
  /** Calls of this session by the way that they came: a tool of ours (`mcp`, `lsp`, `cli`), an agent's own tool (`hook`, `ide`, `acp`), or a change by another program (`outside`). */
  ways?: Record<string, number>;
  /** Agents seen in this session. */
  agents: string[];
  /** Calls running now. */
  running: number;
  /** Hunks that wait for a decision. */
  pending_hunks: number;
  /** Files with such hunks. */
  pending_files: number;
  /** Hunks that a policy applied and no person has looked at. */
  unreviewed_hunks: number;
  /** What is not as it should be: a definition refused, a setting ignored. */
  problems: string[];
  /** The servers of the Model Context Protocol that its settings name. */
  servers?: ServerStatus[];
  /** How its files are watched; absent where no process stays to watch them. */
  watch?: WatchStatus|null;
}

/** One server of the Model Context Protocol in the answer of `wherefore/status`. */
export interface ServerStatus {
  /** Its name in the settings. */
  name: string;
  /** Whether the project names it, and not the person. */
  of_project: boolean;
  /** Whether it runs, or is connected to. */
  running: boolean;
  /** Whether it is reached at a URL, and no program is started. */
  remote: boolean;
  /** Whether its program is run in a sandbox. */
  confined: boolean;
  /** What confines it, where it runs in a sandbox. */
  tier?: string|null;
}

/** How a watch stands. */
export interface WatchStatus {
  /** How changes are learnt of. */
  mode: WatchMode;
  /** Folders that the kernel watches for us. */
  folders_watched: number;
  /** Folders that are read again before each answer. */
  folders_polled: number;
  /** Files in the list. */
  files: number;
  /** The generation of the list. */
  generation: number;
  /** Events that the kernel keeps for us and that were not looked at yet, at most. */
  pending: number;
  /** Files whose change listeners were not told of yet. */
  untold: number;
  /** When, why and for how long files were last read again. */
  last_rescan?: Rescan|null;
  /** What is not as it should be, each with a way out. */
  problems: string[];
}

/** How changes are learnt of. */
export type WatchMode = "native"|"polling"|"mixed";

/** When files were last read again. */
export interface Rescan {
  /** Why. */
  reason: RescanReason;
  /** When it began, in seconds since 1970. */
  at: number;
  /** How long it took, in milliseconds. */
  took_ms: number;
}

/** Why files were read again that had been read. */
export type RescanReason = "started"|"overflow"|"root_replaced"|"root_missing"|"rules_changed"|"unmounted"|"too_many_changes"|"lagged";

/** Params of `wherefore/list`. */
export interface ListParams {
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/list`. */
export interface ListAnswer {
  /** Every tool, by name. */
  tools: ToolSummary[];
}

/** One tool of `wherefore/list`, with no schema. */
export interface ToolSummary {
  /** Its dotted name. */
  name: string;
  /** The node it stands under. */
  category: string;
  /** One line. */
  summary: string;
  /** `read`, `write`, `execute` or `network`. */
  risk: string;
  /** The activity that runs it; empty means latent. */
  activity: string;
  /** Other names it answers to. */
  aliases: string[];
}

/** Params of `wherefore/listTools`: what stands at a node. */
export interface ListToolsParams {
  /** The node, from the root; the root when empty. */
  path?: string[];
  /** Only tools with all of these tags. */
  tags?: string[];
  /** Only what answers this request, best first. */
  query?: string|null;
  /** Tools at most, 50 at the most. */
  limit?: number;
  /** The `next_cursor` to go on from. */
  cursor?: string|null;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/listTools`. */
export interface ListToolsAnswer {
  /** The node. */
  path: string[];
  /** The nodes directly below it. */
  nodes: NodePointer[];
  /** Tools at it or anywhere below. */
  tools: ToolPointer[];
  /** Where to go on, if there is more. */
  next_cursor?: string|null;
}

/** A node. */
export interface NodePointer {
  /** Its name. */
  name: string;
  /** From the root, its name last. */
  path: string[];
  /** One line. */
  summary: string;
  /** Words to find it by. */
  tags: string[];
}

/** A tool with no more than it takes to decide whether to expand it. */
export interface ToolPointer {
  /** Its id. */
  tool_id: string;
  /** The node that it stands under. */
  path: string[];
  /** One line. */
  summary: string;
  /** Words to find it by. */
  tags: string[];
  /** The chance that it is what was asked for, 0 to 1; 1 where nothing was asked. */
  confidence: number;
}

/** Params of `wherefore/searchToolByCategory`. */
export interface SearchToolsParams {
  /** What is wanted, in plain words. */
  query: string;
  /** The node to search under; everywhere when empty. */
  category_path?: string[];
  /** Results at most, 50 at the most. */
  limit?: number;
  /** The `next_cursor` to go on from. */
  cursor?: string|null;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/searchToolByCategory`. */
export interface SearchToolsAnswer {
  /** The node searched under. */
  category_path: string[];
  /** What was found, best first. */
  results: ToolPointer[];
  /** Where to go on, if there is more. */
  next_cursor?: string|null;
}

/** Params of `wherefore/searchNodes`. */
export interface SearchNodesParams {
  /** What is wanted, in plain words. */
  query: string;
  /** Results at most, 50 at the most. */
  limit?: number;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/searchNodes`. */
export interface SearchNodesAnswer {
  /** Nodes, likeliest first. */
  results: NodeMatch[];
}

/** A node that may hold what was asked for. */
export interface NodeMatch {
  /** From the root. */
  path: string[];
  /** One line. */
  summary: string;
  /** The chance that it does, 0 to 1. */
  confidence: number;
}

/** Params of `wherefore/expandTool`. */
export interface ExpandToolParams {
  /** The tool, by name or alias. */
  tool_id: string;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/expandTool`: all that a call needs. */
export interface ExpandToolAnswer {
  /** Its dotted name. */
  tool_id: string;
  /** The node that it stands under. */
  path: string[];
  /** One line. */
  summary: string;
  /** The schema of its arguments, `why` among them. */
  args_schema: unknown;
  /** The schema of its output, where it is known. */
  result_schema?: unknown;
  /** Counted up when the schemas change: what was kept of an earlier one is out of date. */
  version: number;
  /** Calls with what they give. */
  examples: unknown;
  /** What it may touch. */
  sandbox: unknown;
  /** `read`, `write`, `execute` or `network`. */
  risk: string;
}

/** Params of `wherefore/compose`. */
export interface ComposeParams {
  /** The tools, by name or alias; all of them when empty. */
  tools?: string[];
  /** The form. */
  form?: ComposeForm;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** The forms that several tools are put into. */
export type ComposeForm = "calls"|"openai"|"ollama"|"anthropic"|"mcp";

/** Answer of `wherefore/compose`. */
export interface ComposeAnswer {
  /** The tools in the form asked for: JSON Schema 2020-12 for `calls`, else what that interface takes. */
  composed: unknown;
}

/** Params of `wherefore/judgeCommand`: a script, or an argument vector. */
export interface JudgeCommandParams {
  /** A script, as `bash -c` takes it. */
  script?: string|null;
  /** A program and its arguments. */
  argv?: string[];
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
}

/** What the rules say of a command, and of each command in it. */
export interface Judgement {
  /** The strictest verdict of all. */
  verdict: CommandVerdict;
  /** The rule that gives it. */
  rule?: string|null;
  /** Why, in a plain sentence. */
  why?: string|null;
  /** The commands that were found, a wrapper before what it runs. */
  commands: JudgedCommand[];
}

/** What becomes of a command. Ordered from the loosest to the strictest. */
export type CommandVerdict = "allow"|"ask"|"deny";

/** What the rules say of one command. */
export interface JudgedCommand {
  /** The command as a person reads it. */
  command: string;
  /** Its words; what is not known in one is U+FFFC. */
  argv: string[];
  /** The wrappers through which it is reached. */
  via?: string[];
  /** In what it stands. */
  within?: Within[];
  /** What becomes of it. */
  verdict: CommandVerdict;
  /** The rule that says so. */
  rule?: string|null;
  /** Why. */
  why?: string|null;
}

/** A construct of the shell that a command stands in. */
export type Within = "substitution"|"process_substitution"|"here_document"|"function"|"pipeline";

/** A call of an agent's own tool, before it acts or after. */
export interface NativeParams {
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
  /** The folder that the agent works in, which its relative paths start from. */
  cwd?: string|null;
  /** Whether the tool has acted already. */
  after?: boolean;
  /** What the call does. */
  act?: NativeAct;
  /** The agent, its session, its id of the call and its tool. The door is the server's to say. */
  origin?: Origin;
  /** Whether the reason was not looked for yet: finding it may take a while, and is not always needed. */
  unread?: boolean;
  /** The reason in the agent's own words; none where it gives none. */
  why?: string|null;
  /** Seconds that a person's decisions are waited for. */
  wait_s?: number;
}

/** What a call of an agent's own tool does. Paths are as the agent wrote them. */
export type NativeAct = Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>;

/** One text replaced by another. */
export interface Replacement {
  /** The text that is there; empty where the file is to be made. */
  old: string;
  /** The text to put there. */
  new: string;
  /** Whether every occurrence is meant. */
  all?: boolean;
}

/** A change of a notebook's cell. */
export interface CellEdit {
  /** The cell's id, or `cell-N` for the one at place N, counted from 0. Where a cell is inserted, the one before it; none inserts at the start. */
  cell?: string|null;
  /** Its source. */
  source: string;
  /** `code` or `markdown`, for a new cell or where it changes. */
  kind?: string|null;
  /** What is done. */
  mode?: CellMode;
}

/** What is done to a cell. */
export type CellMode = "replace"|"insert"|"delete";

/** What becomes of the call. */
export interface NativeAnswer {
  /** What the agent is to do. */
  verdict: NativeVerdict;
  /** What its model is told. */
  told?: string|null;
}

/** What the agent is to do. */
export type NativeVerdict = "pass"|"reason"|"leave"|"confine";

/** Params of `wherefore/attach`. */
export interface AttachParams {
  /** What `wherefore/attached` names the command by: chosen by the caller, unlike any other. */
  key: string;
  /** The call, of `terminal.run`. */
  call: RawCall;
  /** Whether a person was asked about the command at the caller's, and said yes: they are not asked again. */
  allowed?: boolean;
}

/** Params of `wherefore/attached`. */
export interface AttachedParams {
  /** The command, by the key of its `wherefore/attach`. */
  key: string;
  /** How it ended; nothing to wait until it may run. */
  report?: AttachedReport|null;
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
}

/** How a command ended that its caller ran. */
export interface AttachedReport {
  /** Its exit code; none where a signal ended it. */
  exit_code?: number|null;
  /** The signal that ended it, as `SIGKILL`. */
  signal?: string|null;
  /** The limit that ended it, as an answer names it: `time`. */
  limit?: string|null;
  /** How long it ran, in milliseconds. */
  duration_ms?: number;
  /** The most memory it took, in bytes. */
  peak_memory?: number;
  /** What confined it: the tier, in words. */
  sandbox?: string;
  /** Changes that are not taken, a sentence each. */
  left_out?: string[];
  /** What it changed and is kept apart, as a diff of git's. */
  diff?: string;
}

/** Answer of `wherefore/attached`. */
export interface AttachedAnswer {
  /** Whether the command may run. Where not, the answer to its call says why. */
  granted: boolean;
  /** Whether what it changes is to be kept apart until it is decided on. */
  layered: boolean;
}

/** Params of `wherefore/agentRun`. */
export interface AgentRunParams {
  /** What the agent is to do, in the person's words. It may be empty where a run is resumed. */
  task?: string;
  /** The model, as the settings or its server name it; the one of the settings where nothing is said. */
  model?: string|null;
  /** What ends the run. */
  limits?: AgentLimits;
  /** An earlier run whose conversation goes on, by its id. */
  resume?: string|null;
  /** What becomes of the agent's changes; the settings' word where nothing is said. */
  policy?: Policy|null;
  /** What the run's id ends with, in place of a word that nobody chose: up to 40 of `a-z`, `0-9` and `-`. */
  name?: string|null;
  /** Whether the client answers the run's questions, by `wherefore/agentSay`, and decides on its changes. Where not, an editor that is attached does. */
  attended?: boolean;
  /** What the client does with the files of its own editor. */
  files?: AgentFiles;
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** What ends a run of the built-in agent, whatever its model does. A limit that is not set does not hold, but for the steps. */
export interface AgentLimits {
  /** Answers of the model in one turn; 60 where nothing is said. */
  max_steps?: number|null;
  /** Tokens that the model reads and writes in the whole run. */
  max_tokens?: number|null;
  /** Minutes of one turn. */
  max_minutes?: number|null;
  /** What the model may cost in the whole run, in US dollars. It holds where the price of the model is known. */
  max_cost?: number|null;
}

/** What a client that is no attached editor does with files for a run: it answers `read_file` and `write_file` among the events. */
export interface AgentFiles {
  /** Whether it tells the text of a file as its editor has it, unsaved or not. */
  reads?: boolean;
  /** Whether it writes a file through its editor. */
  writes?: boolean;
}

/** Answer of `wherefore/agentRun`: the run began. `wherefore/agentEvent` and `wherefore/agentEvents` tell how it goes. */
export interface AgentRunAnswer {
  /** The id of the run. */
  run: string;
  /** The session whose log has it. */
  session: string;
  /** The model that answers. */
  model: string;
}

/** Params of `wherefore/agentSay`. */
export interface AgentSayParams {
  /** The run. */
  run?: string;
  /** The person's words. A run that is at work hears them before its next step, and one that waits goes on with them. */
  text?: string;
  /** The question that `text` answers, by its id. */
  question?: string|null;
  /** A proposal that the person decides on later: the call that waits for it is answered `pending`. */
  later?: string|null;
  /** What becomes of the run's changes from now on. */
  policy?: Policy|null;
  /** What came of a `read_file` or a `write_file`. */
  file?: AgentFileAnswer|null;
}

/** What came of a `read_file` or a `write_file`. */
export interface AgentFileAnswer {
  /** The id of what was asked. */
  id?: string;
  /** The text that was read. */
  text?: string|null;
  /** Why it could not be done. */
  error?: string|null;
}

/** A run in a list. */
export interface AgentRunSummary {
  /** Its id. */
  run: string;
  /** The session whose log has it. */
  session: string;
  /** What it was asked for first. */
  task: string;
  /** The model that answered last. */
  model: string;
  /** When it began, RFC 3339. */
  time: string;
  /** How it stands; `ended` for one of an earlier server. */
  state: AgentState;
}

/** How a run stands. */
export type AgentState = "working"|"waiting"|"ended";

/** Params of `wherefore/agentCancel`. */
export interface AgentCancelParams {
  /** The run. */
  run?: string;
  /** Whether the run ends too. Where not, its turn ends, and it waits for the person's next words. */
  end?: boolean;
}

/** Params of `wherefore/agentEvents`. */
export interface AgentEventsParams {
  /** The run. */
  run?: string;
  /** The number of the last event that is known; 0 for none. */
  after?: number;
  /** How long to wait for a further one, in milliseconds; 30 seconds at the most. */
  wait_ms?: number;
  /** Whether the whole conversation of the run is told as the session log has it, also that of an earlier server. */
  logged?: boolean;
  /** The workspace folder meant, where a server has several and `logged` is set: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/agentEvents`. */
export interface AgentEventsAnswer {
  /** What happened since, in order. The pieces of a text that came meanwhile are one event. */
  events?: AgentEvent[];
  /** How the run stands. */
  state?: AgentState;
}

/** One thing that happened in a run: the params of `wherefore/agentEvent`. Only a client with the capability `experimental.wherefore.agent` gets that notification. */
export interface AgentEvent {
  /** The run. */
  run: string;
  /** The workspace's root, as a `file:` URI. */
  root: string;
  /** Its number in the run, from 1. */
  seq: number;
}

/** What a run took so far. */
export interface AgentUsage {
  /** Answers of the model. */
  steps?: number;
  /** Tokens that the model read. */
  input_tokens?: number;
  /** Tokens that it wrote. */
  output_tokens?: number;
  /** What that cost in US dollars, where the price is known. */
  cost?: number|null;
  /** Tokens of the conversation as it stands, estimated. */
  context_tokens?: number;
  /** Tokens that the conversation may have. */
  context_budget?: number;
}

/** Why a turn ended. */
export type AgentEnd = "complete"|"answered"|"asks"|"limit"|"stuck"|"cancelled"|"failed";

/** Params of `wherefore/agentList`. */
export interface AgentListParams {
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/agentList`: the runs of this server, and those that the newest session logs hold. */
export interface AgentListAnswer {
  /** The runs, newest first. */
  runs: AgentRunSummary[];
}

/** Params of `wherefore/log` and `wherefore.openLog`. */
export interface LogParams {
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
  /** The session meant; the open one when absent. */
  session?: string|null;
  /** Whether the text is wanted too. */
  text?: boolean;
}

/** Answer of `wherefore/log`. */
export interface LogAnswer {
  /** The log as a document of the server's: `wherefore://log/<session>`. */
  uri: string;
  /** The log as a file, absolute. */
  path: string;
  /** Its text, where it was asked for. */
  text?: string|null;
}

/** Params of `wherefore/why`. */
export interface WhyParams {
  /** The workspace folder meant, where a server has several: an absolute path inside it. */
  root?: string|null;
  /** The file: absolute, or relative to the root. */
  path?: string;
  /** The first line, counted from 1; the first of the file where it is left out. */
  start?: number|null;
  /** The last line; the last of the file where it is left out. */
  end?: number|null;
  /** Whether git is asked for the commit of each line. */
  commits?: boolean;
  /** The text meant, where that is not the file's of now, as one that was committed: only what is recorded on this machine is said of its lines. */
  text?: string|null;
}

/** Why lines of a file are as they are. */
export interface LineWhys {
  /** The file. */
  path: string;
  /** How many lines it has. */
  total: number;
  /** The lines that were asked for. */
  groups: LineGroup[];
  /** The calls that they come from. */
  calls: LineCall[];
  /** The commits that they were last changed in, by hash. */
  commits?: Record<string, LineCommit>;
  /** Sessions of these calls whose logs were altered or cut, by name, each with how its log stands. What is said here of their calls was recorded outside of the workspace, and is not from the log. */
  altered?: Record<string, string>;
  /** What is not certain of it. */
  warnings?: string[];
}

/** Lines that follow on each other and have all in common that is known of them. */
export interface LineGroup {
  /** The first line, counted from 1. */
  start: number;
  /** The last line. */
  end: number;
  /** Who wrote them. */
  by: LineBy;
  /** The call that they come from, by its place in `calls`. */
  call?: number|null;
  /** The commit, by hash: a key of `commits`. */
  commit?: string|null;
  /** The first line as the commit has it, counted from 1. */
  commit_line?: number|null;
}

/** Who wrote a line. */
export type LineBy = "agent"|"human"|"mixed"|"git"|"unknown";

/** A call that lines come from. */
export interface LineCall {
  /** The session that holds it. */
  session: string;
  /** The call. */
  call: string;
  /** The hunk, where it is known which. */
  hunk?: string|null;
  /** The tool; absent where it is not known. */
  tool?: string|null;
  /** The agent, or the door where the agent did not say its name. */
  agent?: string|null;
  /** Why it was called. */
  why?: string|null;
  /** What was decided on the hunk: `accepted`. */
  decision?: string|null;
  /** Who decided: `person`, `policy`, `client`, `editor`, `recovery`. */
  decided_by?: string|null;
  /** The person's word on the decision. */
  reason?: string|null;
  /** When it was decided, RFC 3339. */
  time?: string|null;
}

/** A commit that lines were last changed in. */
export interface LineCommit {
  /** Its author's name. */
  author: string;
  /** Its author's address. */
  mail: string;
  /** When it was made, in seconds since 1970. */
  time: number;
  /** The offset of its clock, as `+0100`. */
  zone: string;
  /** The first line of its message. */
  summary: string;
}

/** Params of `wherefore/didFocus`: the person looks at another document. Of a client that sends it, and says so by the capability `experimental.wherefore.focus`, nothing else counts as a look; of others that they open a document does. */
export interface FocusParams {
  /** Its URI. */
  uri: string;
}

/** Params of `wherefore/didSelect`: what the person has selected is another. Of a client whose server has an IDE slot open, as `wherefore/slot` says: the agent in the slot is told. */
export interface SelectParams {
  /** The URI of the document. */
  uri: string;
}

/** A call began: the params of `wherefore/didCall`. */
export interface CallNotice {
  /** The call's id in the session log. */
  call_id: string;
  /** The session whose log that is. */
  session: string;
  /** The tool called. */
  tool: string;
  /** Why. */
  why: string;
  /** Who called. */
  origin: Origin;
  /** The paths it names, relative to the root. */
  paths: string[];
  /** Whether it changes anything. */
  writes: boolean;
  /** When, RFC 3339. */
  time: string;
  /** The workspace's root, as a `file:` URI. */
  root: string;
}

/** A call ended: the params of `wherefore/didFinish`. */
export interface FinishNotice {
  /** The call's id in the session log. */
  call_id: string;
  /** The session whose log that is. */
  session: string;
  /** The workspace's root, as a `file:` URI. */
  root: string;
  /** The tool called. */
  tool: string;
  /** How it ended. */
  status: Status;
  /** What went wrong, if anything. */
  error?: Fault|null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
}

/** A command started, wrote something or ended: the params of `wherefore/command`. Each notice describes the command, so that an editor which comes later knows it too. Only a client with the capability `experimental.wherefore.commands` gets these notices. */
export interface CommandNotice {
  /** The id of the call that runs it. `wherefore/cancel` with this id ends the command. */
  call_id: string;
  /** The session of the call. */
  session: string;
  /** The workspace's root, as a `file:` URI. */
  root: string;
  /** The program and its arguments as one line, cut where they are long. */
  command: string;
  /** Why the call was made. */
  why: string;
  /** What confines the command. */
  tier: string;
  /** Whether the command goes on after its call was answered. */
  background: boolean;
  /** What happened. */
  state: CommandState;
  /** What the command wrote to both of its streams since the notice before. Colors are the only escape sequences in it. */
  text?: string;
  /** Bytes that the command wrote after `text` and that no notice holds, because they came too fast. */
  left_out?: number;
  /** How the command ended, in words: `exit code 1`. */
  outcome?: string|null;
  /** The exit code, where the command exited by itself. */
  exit_code?: number|null;
  /** How long the command ran, in milliseconds. */
  duration_ms?: number|null;
}

/** What a notice about a command says. */
export type CommandState = "started"|"output"|"ended";

/** The IDE slot changed: the params of `wherefore/slot`. */
export interface SlotNotice {
  /** The variables that the editor's terminals are to have from now on, so that the agent in them finds this editor; none where no agent is served. Those of an earlier notice that are not named here are to go. */
  env?: Record<string, string>;
}

/** Params of `wherefore/save`: documents to write to the disk. */
export interface SaveParams {
  /** Their URIs. */
  uris: string[];
}

/** Answer of `wherefore/save`. */
export interface SaveAnswer {
  /** The URIs of those that were written. */
  saved: string[];
}

/** Params of `wherefore/look`: what an agent at the editor's side asks about the editor. */
export interface LookParams {
  /** Whether diagnostics are wanted. */
  diagnostics?: boolean;
  /** The one document whose diagnostics are wanted; those of every document where none is named. */
  uri?: string|null;
}

/** Answer of `wherefore/look`: what the person has before them. */
export interface LookAnswer {
  /** What is selected; none where no file is shown. */
  selection?: SelectedText|null;
  /** The diagnostics, by document. */
  diagnostics?: DocumentDiagnostics[];
}

/** The selection of the person; an empty one is the cursor. */
export interface SelectedText {
  /** The document. */
  uri?: string;
  /** The text that is selected. */
  text?: string;
  /** Where it begins. */
  start?: TextPlace;
  /** Where it ends. */
  end?: TextPlace;
}

/** A place in a document, as the Language Server Protocol counts: from 0, characters in UTF-16. */
export interface TextPlace {
  /** The line. */
  line?: number;
  /** The character in it. */
  character?: number;
}

/** What language servers say of a document. */
export interface DocumentDiagnostics {
  /** The document. */
  uri?: string;
  /** Diagnostics as the Language Server Protocol writes them. */
  diagnostics?: unknown[];
}

/** A question that only a person can answer: the params of `wherefore/ask`. */
export interface AskParams {
  /** The workspace's root, as a `file:` URI. */
  root: string;
  /** The session of the call. */
  session: string;
  /** The call that waits for the answer; empty where none does. */
  call_id: string;
  /** The tool called; the server's name where a server of the Model Context Protocol is asked about. */
  tool: string;
  /** Why it is called; empty where the question is not about one call. */
  why: string;
  /** The agent's name and version, where it said so. */
  agent?: string|null;
  /** The question as a whole, for one who sees nothing else. */
  text: string;
  /** What may be answered; the first one allows. */
  answers: string[];
}

/** Answer of `wherefore/ask`. */
export interface AskAnswer {
  /** One of the answers; none where the person turned the question away. */
  answer?: string|null;
}

/** The methods, by name. */
export const methods = {
  /** Calls a tool; how it went stands in the envelope. From the client. */
  call: 'wherefore/call',
  /** Lists the changes that wait for decisions. From the client. */
  proposals: 'wherefore/proposals',
  /** Accepts or rejects hunks, at a person's word. From the client. */
  decide: 'wherefore/decide',
  /** Keeps the person's words for an agent, whose next result brings them. From the client. */
  send: 'wherefore/send',
  /** Takes back what a call changed. From the client. */
  undo: 'wherefore/undo',
  /** Tells a call that runs to stop. From the client. */
  cancel: 'wherefore/cancel',
  /** Searches a folder's files for a person. From the client. */
  search: 'wherefore/search',
  /** Lists the files that matter now, the hottest first. From the client. */
  workingSet: 'wherefore/workingSet',
  /** Carries out a person's word on a file of the working set. From the client. */
  hint: 'wherefore/hint',
  /** Cleans the working set up. From the client. */
  collect: 'wherefore/collect',
  /** Says how things stand in each folder. From the client. */
  status: 'wherefore/status',
  /** Lists every tool in a line. From the client. */
  list: 'wherefore/list',
  /** Shows what stands at a node of the catalogue. From the client. */
  listTools: 'wherefore/listTools',
  /** Finds the tools that answer a request in plain words. From the client. */
  searchToolByCategory: 'wherefore/searchToolByCategory',
  /** Finds the nodes that may hold what a request asks for. From the client. */
  searchNodes: 'wherefore/searchNodes',
  /** Gives all that a call of one tool needs. From the client. */
  expandTool: 'wherefore/expandTool',
  /** Puts several tools into a form that a model fills or a model's API takes. From the client. */
  compose: 'wherefore/compose',
  /** Says what the rules make of a command, and of each command in it, without running it. From the client. */
  judgeCommand: 'wherefore/judgeCommand',
  /** Answers the hook of an agent whose own tool is about to act. From the client. */
  native: 'wherefore/native',
  /** Calls terminal.run for a command that its caller runs itself, confined. From the client. */
  attach: 'wherefore/attach',
  /** Waits until such a command may run, or hands over how it ended. From the client. */
  attached: 'wherefore/attached',
  /** Starts a run of the built-in agent, which goes on by itself. From the client. */
  agentRun: 'wherefore/agentRun',
  /** Says something to a run of the agent, or answers its question. From the client. */
  agentSay: 'wherefore/agentSay',
  /** Cancels the turn of a run, or ends the run. From the client. */
  agentCancel: 'wherefore/agentCancel',
  /** Waits for what happens in a run of the agent. From the client. */
  agentEvents: 'wherefore/agentEvents',
  /** Lists the runs of the agent, those of earlier sessions among them. From the client. */
  agentList: 'wherefore/agentList',
  /** Says where a session log is, and gives its text where that is asked for. From the client. */
  log: 'wherefore/log',
  /** Says why lines of a file are as they are: who wrote each, for which call, and how it was decided. From the client. */
  why: 'wherefore/why',
  /** The person looks at another document. From the client. */
  didFocus: 'wherefore/didFocus',
  /** What the person has selected is another. From the client. */
  didSelect: 'wherefore/didSelect',
  /** A call began. From the server. */
  didCall: 'wherefore/didCall',
  /** A call ended, or was refused. From the server. */
  didFinish: 'wherefore/didFinish',
  /** A command started, wrote something or ended. From the server. */
  command: 'wherefore/command',
  /** A change waits for decisions. From the server. */
  proposal: 'wherefore/proposal',
  /** Hunks moved or were decided. From the server. */
  proposalChanged: 'wherefore/proposalChanged',
  /** Something happened in a run of the built-in agent. From the server. */
  agentEvent: 'wherefore/agentEvent',
  /** Terminals are to have other variables: an agent finds its editor by them. From the server. */
  slot: 'wherefore/slot',
  /** Other files matter now: `wherefore/workingSet` says which. From the server. */
  workingSetChanged: 'wherefore/workingSetChanged',
  /** Asks for documents to be saved. From the server. */
  save: 'wherefore/save',
  /** Asks what the person has selected, and for diagnostics. From the server. */
  look: 'wherefore/look',
  /** Puts a question to the person. From the server. */
  ask: 'wherefore/ask',
} as const;

/** What each request from here takes and gives. */
export interface Requests {
  call: { params: RawCall; result: Envelope };
  proposals: { params: ProposalsParams; result: ProposalsAnswer };
  decide: { params: DecideParams; result: DecideAnswer };
  send: { params: SendParams; result: SendAnswer };
  undo: { params: UndoParams; result: UndoAnswer };
  cancel: { params: CancelParams; result: CancelAnswer };
  search: { params: SearchParams; result: SearchAnswer };
  workingSet: { params: WorkingSetParams; result: WorkingSetAnswer };
  hint: { params: HintParams; result: HintOutcome };
  collect: { params: CollectParams; result: CollectAnswer };
  status: { params: null; result: StatusAnswer };
  list: { params: ListParams; result: ListAnswer };
  listTools: { params: ListToolsParams; result: ListToolsAnswer };
  searchToolByCategory: { params: SearchToolsParams; result: SearchToolsAnswer };
  searchNodes: { params: SearchNodesParams; result: SearchNodesAnswer };
  expandTool: { params: ExpandToolParams; result: ExpandToolAnswer };
  compose: { params: ComposeParams; result: ComposeAnswer };
  judgeCommand: { params: JudgeCommandParams; result: Judgement };
  native: { params: NativeParams; result: NativeAnswer };
  attach: { params: AttachParams; result: Envelope };
  attached: { params: AttachedParams; result: AttachedAnswer };
  agentRun: { params: AgentRunParams; result: AgentRunAnswer };
  agentSay: { params: AgentSayParams; result: AgentRunSummary };
  agentCancel: { params: AgentCancelParams; result: AgentRunSummary };
  agentEvents: { params: AgentEventsParams; result: AgentEventsAnswer };
  agentList: { params: AgentListParams; result: AgentListAnswer };
  log: { params: LogParams; result: LogAnswer };
  why: { params: WhyParams; result: LineWhys };
}

/** What each notification from here takes. */
export interface Notifications {
  didFocus: FocusParams;
  didSelect: SelectParams;
}
