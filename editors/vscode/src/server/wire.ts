// Types of the messages between wherefore and its plugins. Generated from server/requests.rs and
// server/lsp/ext.rs: do not edit; `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.

/** A tool with its arguments, unchecked: the params of `wherefore/call` and a line of `call --batch`. */
export interface RawCall {
  /** The tool's name or one of its aliases. */
  tool: string;
  /** An object, or a JSON string that holds one. */
  arguments?: unknown;
  /** The caller. */
  origin?: Origin;
  /** Comments of the model's on its own arguments, by path (`args.path`): kept in the log. */
  comments?: Record<string, string>;
  /** The activity that runs the tool, as a composed schema states it; empty means latent. A call that states another one is refused. */
  _activity?: string|null;
  /** The environment whose activity runs the tool; the folder's when absent. */
  environment?: string|null;
  /** The review policy asked for; settings can only make it stricter. */
  policy?: Policy|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** The caller. */
export interface Origin {
  /** The way in. A door sets it itself; what a client claims is not used. */
  door?: Door;
  /** The agent's name and version, as `claude-code/2.1`. */
  agent?: string|null;
  /** The agent's session at that door. */
  session?: string|null;
  /** The agent's own id of the call. */
  call?: string|null;
  /** The agent's own tool that the call represents, such as `Edit`; none if the agent called a tool of this server. */
  tool?: string|null;
  /** Further ids that the agent sent along, as of its turn or trace. */
  ids?: Record<string, string>;
}

/** The way a call came in. */
export type Door = "lsp"|"mcp"|"cli"|"agent"|"hook"|"acp"|"outside";

/** The policy for a proposed change. Ordered from the loosest to the strictest. */
export type Policy = "auto"|"ask"|"hold"|"deny";

/** The answer to a call: of `wherefore/call`, of a line of `call --batch`, of the socket. */
export interface Envelope {
  /** The call's id in the session log; absent when it never became a call. */
  call_id: string;
  /** The status of the call. */
  status: Status;
  /** The tool's output. */
  result?: unknown;
  /** True if no code ran: the caller itself filled `result`, or is to fill it. */
  latent?: boolean;
  /** The reason why there is no result. */
  error?: Fault|null;
  /** True if a limit cut the output. */
  truncated?: boolean;
  /** The way to get the rest of an output that was cut. */
  rest?: string|null;
  /** The content that a model gets instead of `result` as text: text, images, audio and resources, as content blocks of the Model Context Protocol. */
  blocks?: unknown[];
  /** Hints that the caller should do better next time (a mechanical `why`). */
  warnings?: string[];
  /** Decisions on this agent's earlier calls, made since its last result. */
  decisions?: Delivery[];
  /** Messages of the person to this agent since its last result. */
  messages?: PersonMessage[];
}

/** The status of a call. */
export type Status = "ok"|"error"|"pending"|"latent";

/** The error of a call: names the thing, the limit and the value, and a way out. */
export interface Fault {
  /** The error code, for a program. */
  code: Code;
  /** The error message, for a reader. */
  message: string;
  /** True if another call of the same agent can succeed. */
  recoverable: boolean;
  /** An action that the model can take next. */
  suggestion?: string|null;
  /** Nearest names, places, alternatives. */
  hints?: string[];
  /** True if `hints` are names similar to the requested one. */
  near?: boolean;
  /** The way to recover, in a form that a program can follow. */
  next_action?: unknown;
  /** Set if a write took effect although a later step failed (the folder's fsync). */
  applied?: boolean|null;
  /** Details beyond the code: schema violations, a patch's report, the fresh hash. */
  details?: unknown;
}

/** The error code, for a program. */
export type Code = "NOT_FOUND"|"PERMISSION_DENIED"|"TIMEOUT"|"INVALID_ARGS"|"MISSING_WHY"|"QUOTA_EXCEEDED"|"TOOL_NOT_FOUND"|"UNKNOWN_PATH"|"NO_MATCH_IN_CATEGORY"|"NO_MATCH"|"NOT_AUTHORIZED"|"PATCH_MISMATCH"|"STALE"|"REJECTED"|"CANCELLED"|"UNSUPPORTED"|"SANDBOX_UNAVAILABLE"|"INTERNAL";

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

/** The decision on one hunk. */
export interface HunkDecision {
  /** The hunk. */
  id: string;
  /** Its file, relative to the root. */
  path: string;
  /** The state of the hunk. */
  state: HunkState;
  /** The person's reason. */
  reason?: string|null;
  /** The lines it added, if a person changed them before they accepted it. */
  text?: string|null;
}

/** The state of a hunk. */
export type HunkState = "pending"|"accepted"|"rejected"|"stale";

/** Words of the person for an agent, brought with the agent's next result. */
export interface PersonMessage {
  /** When they were sent, RFC 3339. */
  sent: string;
  /** The person's words. */
  text: string;
  /** The file, relative to the root. */
  path?: string|null;
  /** The lines. */
  lines?: LineSpan|null;
  /** The lines as the editor showed them, or the hunk's lines with `-` and `+` before them. */
  quoted?: string|null;
  /** Diagnostics of language servers there. */
  diagnostics?: string[];
  /** The proposal that the message comments on; it decides nothing. */
  proposal?: string|null;
  /** The hunk of the proposal. */
  hunk?: string|null;
}

/** Lines of a file. */
export interface LineSpan {
  /** The first line, counted from 1. */
  first: number;
  /** The last line, which belongs to it. */
  last: number;
}

/** Params of `wherefore/callAll`. */
export interface CallAllParams {
  /** The message: an object with `calls`, each in a form that `wherefore/call` takes or filled by the Tool Protocol; a list of calls; or a model's answer with calls, as its API gives it. */
  message?: unknown;
  /** Who called. */
  origin?: Origin;
  /** The environment whose activities run the tools; the folder's when absent. */
  environment?: string|null;
  /** The review policy asked for; settings can only make it stricter. */
  policy?: Policy|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/callAll`. */
export interface CallAllAnswer {
  /** The answer of each call, in the order of the message. */
  answers: Envelope[];
}

/** Params of `wherefore/proposals`. */
export interface ProposalsParams {
  /** Only proposals that touch this file, relative to the root. */
  path?: string|null;
  /** Also proposals that are wholly decided and still kept. */
  all?: boolean;
  /** Also proposals with hunks that a policy applied and no person has reviewed. */
  applied?: boolean;
  /** Only proposals of calls after this point in the log. */
  since?: Point|null;
  /** The workspace folder. */
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
  /** The reason for the call. */
  why: string;
  /** The caller. */
  origin: Origin;
  /** When it was made, RFC 3339. */
  created: string;
  /** The command that made it, if one did. */
  command?: ProposalCommand|null;
  /** The files that it changes. */
  files: ProposedFile[];
}

/** The command or the code that made a change, for the one who decides on it. */
export interface ProposalCommand {
  /** The command line, the script or the code. */
  script: string;
  /** The last lines that it wrote; empty if it wrote nothing, or to its agent's own shell. */
  output?: string;
}

/** A file of a proposal. */
export interface ProposedFile {
  /** Relative to the workspace's root, `/`-separated. */
  path: string;
  /** Its `file:` URI, for editors. */
  uri: string;
  /** The kind of change. */
  kind: ChangeKind;
  /** The version of the open document that the hunks' positions refer to; absent if it is not open. An editor that is ahead of it keeps the positions that it knows until the next notice. */
  version?: number|null;
  /** The source of a copy or a rename. */
  from?: string|null;
  /** The symlink or binary file before the change; none if there was nothing. */
  before?: PathContent|null;
  /** The symlink or binary file afterwards; none if nothing is left. */
  after?: PathContent|null;
  /** True if the file is executable afterwards: for a change of mode, and for a new file. */
  executable?: boolean|null;
  /** The change as a sentence for a person, if no line of a hunk shows it. */
  what?: string|null;
  /** Its hunks, in order of `start`. */
  hunks: Hunk[];
}

/** The change of a proposal to a path. */
export type ChangeKind = "edit"|"create"|"delete"|"mkdir"|"copy"|"rmdir"|"rename"|"mode"|"symlink"|"binary";

/** The content of a path that is not text. */
export type PathContent = Record<string, unknown>|Record<string, unknown>;

/** The smallest part of a change that is decided by itself: a run of changed lines; or a change with no lines, such as a rename, a mode, a symlink, the bytes of a file. The details of such a change are in its file. */
export interface Hunk {
  /** Unique in its proposal: `h1`, `h2`, … over all files, in order. */
  id: string;
  /** The state of the hunk. */
  state?: HunkState;
  /** The first line it replaces in the text as it is now, counted from 0; for an insertion the line before which it goes. */
  start: number;
  /** The lines it removes, each with its line end. */
  old: string[];
  /** The lines it adds, each with its line end. */
  new: string[];
  /** The person's reason for the decision. */
  reason?: string|null;
  /** Set if the patch engine placed it more loosely than exactly: the difference, so that a person looks twice. */
  loose?: string|null;
  /** Set if the file makes programs run, as a build file or a package's scripts do: the way it does so, so that a person looks twice. The first hunk of a command also names the files that the command wrote without a review. */
  warning?: string|null;
  /** True if a person decided on it. A hunk that a policy applied is not pending, but can still be reviewed: accepted then, it stays; rejected, it is taken back. */
  reviewed?: boolean;
  /** True if a person changed its added lines before they accepted it. */
  edited?: boolean;
}

/** Params of `wherefore/heldElsewhere`. */
export interface HeldElsewhereParams {
  /** The workspace folder, where a server has several: an absolute path inside it. All folders where it is left out. */
  root?: string|null;
}

/** Answer of `wherefore/heldElsewhere`. */
export interface HeldElsewhereAnswer {
  /** The proposals, by id. Those that were stored in the last moment may be missing. */
  proposals: HeldProposal[];
}

/** A proposal whose hunks wait at another server of the folder, as that of a second window on it. */
export interface HeldProposal {
  /** The proposal. */
  id: string;
  /** Its first file, relative to the folder. */
  path: string;
  /** The reason of its call. */
  why: string;
  /** The number of its hunks that wait. */
  hunks: number;
}

/** Params of `wherefore/decide`: the pending hunks to decide on, and the decision. With neither hunks nor path it applies to every pending hunk of the proposal; with no proposal, to every pending hunk. An applied hunk is included if it is named: accepted, it counts as reviewed; rejected, it is taken back. */
export interface DecideParams {
  /** The proposal; all proposals if absent. */
  proposal?: string|null;
  /** The hunks, by id: at least one if the member is present. They belong to `proposal`, which has to be named. */
  hunks?: string[];
  /** The file, relative to the root. */
  path?: string|null;
  /** The action. */
  act: Act;
  /** A reason for the agent. */
  reason?: string|null;
  /** True if hunks that a policy applied, and no person has reviewed, are included like pending ones. */
  applied?: boolean;
  /** Only hunks of calls after this point in the log. */
  since?: Point|null;
  /** The lines that hunks add instead of the proposed ones, by the hunk's id: a person changed them before accepting. It requires `proposal`. */
  texts?: Record<string, string>;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** A person's action on hunks. */
export type Act = "accept"|"reject";

/** Answer of `wherefore/decide`. */
export interface DecideAnswer {
  /** The proposals touched, as they stand now, read back. */
  proposals: Proposal[];
  /** The parts that were not carried out, a sentence each: a hunk that went stale, an edit that the editor refused. */
  problems?: string[];
}

/** Params of `wherefore/send`. */
export interface SendParams {
  /** The person's message; it may be empty if lines or diagnostics are sent. */
  text?: string;
  /** The file: relative to the root, absolute, or a `file:` URI. */
  path?: string|null;
  /** The lines of the file that are quoted, as the editor shows them. */
  lines?: LineSpan|null;
  /** Diagnostics of language servers for the file, a sentence each. */
  diagnostics?: string[];
  /** The proposal that the message comments on. It decides nothing. */
  proposal?: string|null;
  /** The hunk of the proposal. */
  hunk?: string|null;
  /** The agent, by its name with or without its version. A comment goes to the agent that made the proposal. */
  agent?: string|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/send`. */
export interface SendAnswer {
  /** The agent whose next result brings the message; none if no agent is known: the first agent that calls gets it. */
  agent?: string|null;
  /** Messages that wait for their agents, this one among them. */
  waiting: number;
  /** Parts that were left out, with the reason, a sentence each. */
  problems?: string[];
}

/** Params of `wherefore/keptApart`. */
export interface KeptApartParams {
  /** The decision; only a listing when absent. */
  act?: ApartAct|null;
  /** The workspace folder. */
  root?: string|null;
}

/** A person's decision on changes of commands to ignored paths that are kept apart. */
export type ApartAct = "take"|"drop";

/** Answer of `wherefore/keptApart`. */
export interface KeptApartAnswer {
  /** The changes that are kept apart, by ignored folder; after a decision those that it was about. */
  files?: DirectWrites[];
  /** The changes that were not taken over, a sentence each. */
  left_out?: string[];
}

/** The changes of a command in one folder that git ignores, or to one such file. */
export interface DirectWrites {
  /** The folder or file, from the workspace's root. */
  path?: string;
  /** The number of files and links written. */
  files?: number;
  /** Set if they are kept apart from the workspace, until the person takes them over or drops them. */
  apart?: boolean;
  /** The number of files removed. */
  removed?: number;
  /** The number of written files that a program outside of the sandbox runs later. */
  run_later?: number;
  /** The programs that run them. */
  run_by?: string[];
  /** Some of the files that are run later, by path. */
  named?: string[];
}

/** Params of `wherefore/repository`. */
export interface RepositoryParams {
  /** The decision; only a listing when absent. */
  act?: RepositoryAct|null;
  /** The workspace folder. */
  root?: string|null;
}

/** A person's decision on what commands did to the repository. */
export type RepositoryAct = "take"|"drop"|"undo";

/** Answer of `wherefore/repository`. */
export interface RepositoryAnswer {
  /** The waiting changes, or after a decision the changes that were decided on. */
  changes?: RepositoryChange[];
  /** Why the decision, or a part of it, was not carried out, a sentence each. */
  problems?: string[];
}

/** The changes of a repository by commands that wait for a decision, as one. */
export interface RepositoryChange {
  /** The words for it: `commit 3 files on main: fix the limit`. */
  summary?: string;
  /** Files that it holds otherwise than the workspace does: no person accepted that, or it changed since. */
  not_accepted?: string[];
  /** Files that an earlier one of its commits holds otherwise. */
  passing?: string[];
  /** A sentence for each reason why it cannot be taken over. */
  obstacles?: string[];
  /** A sentence for each part that is left out when it is taken over. */
  left_out?: string[];
}

/** Params of `wherefore/undo`. */
export interface UndoParams {
  /** The call to undo, as `c-0007` or `SESSION/c-0007`; the last one that changed a file when absent. */
  call?: string|null;
  /** The workspace folder. */
  root?: string|null;
}

/** Answer of `wherefore/undo`. */
export interface UndoAnswer {
  /** The call undone. */
  call: string;
  /** The id that undoes this undo; empty if no file had to be restored. */
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
  /** The workspace folder, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/cancel`: the call was cancelled, and is answered CANCELLED as soon as it stops. A command that the call started in the background is ended. */
export interface CancelAnswer {
  /** The call. */
  call_id: string;
}

/** Params of `wherefore/search`. */
export interface SearchParams {
  /** The workspace folder, where a server has several: an absolute path inside it. */
  root?: string|null;
  /** The query: a regular expression, a plain text with `literal`, or words. */
  query?: string;
  /** The kind of the search. */
  kind?: SearchKind;
  /** The folder or the file to search, relative to the root; the whole workspace where it is left out. */
  scope?: string|null;
  /** Only files that match, as `*.rs`; for patterns. */
  glob?: string|null;
  /** The way capitals count; for patterns. */
  case?: SearchCase;
  /** True where the query is plain text; for patterns. */
  literal?: boolean;
  /** Lines to give on each side of a match; for patterns. */
  context?: number;
  /** The most results; 10 files or 100 lines where it is left out. */
  limit?: number|null;
  /** The cursor of an earlier answer, to go on from there; for patterns. */
  cursor?: string|null;
  /** Milliseconds to wait for vectors of files that are not made yet, where the person set a model; for files. */
  wait_ms?: number;
}

/** The kind of a search. */
export type SearchKind = "lexical"|"vector";

/** The way capitals count in a pattern. */
export type SearchCase = "sensitive"|"insensitive"|"smart";

/** Answer of `wherefore/search`. */
export interface SearchAnswer {
  /** The results: lines by path and number, files best first. */
  results: SearchHit[];
  /** The ranker of the files: `words`, or `words+` and a model. */
  ranker?: string|null;
  /** The share of the files' pieces that have a vector, 0 to 1; absent where no model is set. */
  embedded?: number|null;
  /** The reason why the configured model was not used, or why there is none where the settings are wrong. */
  trouble?: string|null;
  /** The reason why no file was found. */
  empty?: string|null;
  /** The cursor of the next answer; absent where there is no more. */
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
  /** The score relative to the others of the same answer; 1 for each line that matches a pattern. */
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
  /** The workspace folder, where a server has several: an absolute path inside it. */
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
  /** Problems of `hot.yml`, `cold.yml` and `working-set.yml`, a sentence each. */
  problems?: string[];
}

/** A file that matters now. */
export interface WorkingFile {
  /** Its path, relative to the root. */
  path: string;
  /** The importance of the file, from 0 to 1. */
  hotness: number;
  /** The reasons why it matters, a phrase each, the weightiest first. */
  reasons: string[];
  /** True if it is pinned to the set. */
  pinned: boolean;
  /** The hint on it. */
  advice?: Advice|null;
  /** The role of the file. */
  role: Role;
  /** Its place in a context, 1 first; by its hotness when absent. */
  priority?: number|null;
  /** The part of it that is cut if it does not fit into a context. */
  truncate_strategy: Truncate;
  /** True if the editor has it open. */
  open: boolean;
  /** True if it is open with unsaved text. */
  unsaved: boolean;
  /** Hunks in it that wait for a decision. */
  pending_hunks: number;
  /** About how many tokens it holds: a quarter of its characters. Absent if there is no such file. */
  tokens?: number|null;
}

/** The advice of a hint on a file. */
export type Advice = "hot"|"cold";

/** The role of a file in a context. */
export type Role = "source"|"test"|"doc"|"reference"|"summary";

/** The part of a file that is cut if it does not fit. */
export type Truncate = "never"|"start"|"middle"|"end";

/** Params of `wherefore/hint`: a person's advice on one file. */
export interface HintParams {
  /** The file, relative to the root or absolute. */
  path: string;
  /** The action. */
  advice: HintAct;
  /** The reason, for readers of the working set. */
  why?: string|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** A person's action on a file of the working set. */
export type HintAct = "hot"|"cold"|"pin"|"unpin"|"clear";

/** A hint with its outcome. */
export interface HintOutcome {
  /** The file, relative to the root. */
  path: string;
  /** The advice: `hot`, `cold`, `pin`, `unpin`, `clear`; `drop` if the set was cleaned up. */
  advice: string;
  /** The outcome of the hint. */
  outcome: Outcome;
  /** The reason, as a sentence. */
  reason: string;
}

/** The outcome of a hint. */
export type Outcome = "honoured"|"deferred"|"overridden"|"promoted"|"dropped";

/** Params of `wherefore/collect`: cleans the working set up. */
export interface CollectParams {
  /** The workspace folder, where a server has several: an absolute path inside it. */
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
  /** True where an editor is attached. */
  editor: boolean;
  /** Each workspace folder. */
  workspaces: WorkspaceStatus[];
}

/** A workspace folder in the answer of `wherefore/status`. */
export interface WorkspaceStatus {
  /** Its absolute path. */
  root: string;
  /** The open session's id, or else that of the last one; empty if there was none. */
  session: string;
  /** The session log's absolute path. */
  log: string;
  /** Calls made in this session. */
  calls: number;
  /** Calls of this session by the way that they came: a tool of wherefore's (`mcp`, `lsp`, `cli`), an agent's own tool (`hook`, `acp`), or a change by another program (`outside`). */
  ways?: Record<string, number>;
  /** Agents seen in this session. */
  agents: string[];
  /** Calls running now. */
  running: number;
  /** Calls of this session that no code ran: their callers filled the results. */
  latent?: number;
  /** Hunks that wait for a decision. */
  pending_hunks: number;
  /** Files with such hunks. */
  pending_files: number;
  /** Hunks that a policy applied and no person has reviewed. */
  unreviewed_hunks: number;
  /** Problems: a definition refused, a setting ignored. */
  problems: string[];
  /** The servers of the Model Context Protocol that its settings name. */
  servers?: ServerStatus[];
  /** The state of the file watch; absent if no process stays to watch. */
  watch?: WatchStatus|null;
  /** The environment that its tools run in. */
  environment?: string;
  /** The tools whose activities that environment replaces, each with what runs it, in words. */
  replaced?: Record<string, string>;
  /** The connected agents whose calls run in an environment of their own, each with its name. */
  own_environments?: Record<string, string>;
}

/** A server of the Model Context Protocol in the answer of `wherefore/status`. */
export interface ServerStatus {
  /** Its name in the settings. */
  name: string;
  /** True if the project names it, and not the person. */
  of_project: boolean;
  /** True if it runs, or is connected to. */
  running: boolean;
  /** True if it is reached at a URL, and no program is started. */
  remote: boolean;
  /** True if its program is run in a sandbox. */
  confined: boolean;
  /** The confinement, if it runs in a sandbox. */
  tier?: string|null;
}

/** The status of a watch. */
export interface WatchStatus {
  /** The way that changes are detected. */
  mode: WatchMode;
  /** The back end that is used: never `auto`. */
  backend: WatchBackend;
  /** Folders that the kernel watches for us. */
  folders_watched: number;
  /** Folders that are read again before each answer. */
  folders_polled: number;
  /** Files in the list. */
  files: number;
  /** The generation of the list. */
  generation: number;
  /** Events that the kernel keeps for this process and that were not read yet, at most. */
  pending: number;
  /** Files whose change was not reported to listeners yet. */
  untold: number;
  /** The last rescan, with its reason and duration. */
  last_rescan?: Rescan|null;
  /** Problems, each with a way out. */
  problems: string[];
}

/** The way that changes are detected. */
export type WatchMode = "native"|"polling"|"mixed";

/** The back ends that detect changes of files. */
export type WatchBackend = "auto"|"inotify"|"notify"|"poll";

/** The last time that files were read again. */
export interface Rescan {
  /** The reason. */
  reason: RescanReason;
  /** When it began, in seconds since 1970. */
  at: number;
  /** The duration, in milliseconds. */
  took_ms: number;
}

/** The reason why files were read again. */
export type RescanReason = "started"|"overflow"|"root_replaced"|"root_missing"|"rules_changed"|"unmounted"|"too_many_changes"|"lagged";

/** Params of `wherefore/listTools`. */
export interface ListToolsParams {
  /** The workspace folder, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/listTools`. */
export interface ListToolsAnswer {
  /** Every tool, by name. */
  tools: ToolSummary[];
}

/** A tool of `wherefore/listTools`, without its schema. */
export interface ToolSummary {
  /** Its dotted name. */
  name: string;
  /** The node that it belongs to. */
  category: string;
  /** A summary in one line. */
  summary: string;
  /** `read`, `write`, `execute` or `network`. */
  risk: string;
  /** The activity that runs it; empty means latent. */
  activity: string;
  /** The environment with its activity in words, if that activity replaces the one of the tool's definition: `dev: a fixed answer`. */
  environment?: string|null;
  /** Other names it answers to. */
  aliases: string[];
}

/** Params of `wherefore/list`: the nodes and tools at a node. */
export interface ListNodeParams {
  /** The node, from the root; the root when empty. */
  path?: string[];
  /** Only nodes and tools with all of these tags. */
  tags?: string[];
  /** Only nodes and tools that match this request, best first. */
  query?: string|null;
  /** Nodes and tools at most: 1 to 50. */
  limit?: number;
  /** The `next_cursor` to go on from. */
  cursor?: string|null;
  /** The reason, for the log. */
  why?: string|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/list`. */
export interface ListNodeAnswer {
  /** The node. */
  path: string[];
  /** The nodes directly below it. */
  nodes: NodePointer[];
  /** The tools at it; with tags or a query those below it too. */
  tools: ToolPointer[];
  /** The cursor of the next page, if there is more. */
  next_cursor?: string|null;
  /** The reason why there is nothing to list. */
  message?: string|null;
  /** The nearest nodes, else the root's, where there is nothing to list. */
  hints?: string[];
  /** The call to make next, where there is nothing to list. */
  next_action?: unknown;
}

/** A node. */
export interface NodePointer {
  /** Its name. */
  name: string;
  /** From the root, its name last. */
  path: string[];
  /** A summary in one line. */
  summary: string;
  /** Words to find it by. */
  tags: string[];
}

/** A tool with no more than it takes to decide whether to expand it. */
export interface ToolPointer {
  /** Its id. */
  tool_id: string;
  /** The node that it belongs to. */
  path: string[];
  /** A summary in one line. */
  summary: string;
  /** Words to find it by. */
  tags: string[];
  /** The chance that it is what was asked for, 0 to 1; 1 if nothing was asked. */
  confidence: number;
}

/** Params of `wherefore/searchToolByCategory`. */
export interface SearchToolsParams {
  /** The request, in plain words. */
  query: string;
  /** The node to search under; everywhere when empty. */
  category_path?: string[];
  /** Results at most: 1 to 50. */
  limit?: number;
  /** The `next_cursor` to go on from. */
  cursor?: string|null;
  /** The reason, for the log. */
  why?: string|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/searchToolByCategory`. */
export interface SearchToolsAnswer {
  /** The node searched under. */
  category_path: string[];
  /** The tools found, best first. */
  results: ToolPointer[];
  /** The cursor of the next page, if there is more. */
  next_cursor?: string|null;
}

/** Params of `wherefore/searchNodes`. */
export interface SearchNodesParams {
  /** The request, in plain words. */
  query: string;
  /** Results at most: 1 to 50. */
  limit?: number;
  /** The reason, for the log. */
  why?: string|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/searchNodes`. */
export interface SearchNodesAnswer {
  /** Nodes, likeliest first. */
  results: NodeMatch[];
  /** The reason why none may hold it. */
  message?: string|null;
  /** The nearest nodes, else the root's, where none may hold it. */
  hints?: string[];
  /** The call to make next, where none may hold it. */
  next_action?: unknown;
}

/** A node that may hold what was asked for. */
export interface NodeMatch {
  /** From the root. */
  path: string[];
  /** A summary in one line. */
  summary: string;
  /** The chance that it does, 0 to 1. */
  confidence: number;
}

/** Params of `wherefore/expandTool`. */
export interface ExpandToolParams {
  /** The tool, by name or alias. */
  tool_id: string;
  /** The reason, for the log. */
  why?: string|null;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/expandTool`: all that a call needs. */
export interface ExpandToolAnswer {
  /** Its dotted name. */
  tool_id: string;
  /** The node that it belongs to. */
  path: string[];
  /** A summary in one line. */
  summary: string;
  /** The schema of its arguments, `why` among them. */
  args_schema: unknown;
  /** The schema of its output, if it is known. */
  result_schema?: unknown;
  /** Counted up when the schemas change: what was kept of an earlier one is out of date. */
  version: number;
  /** Calls with what they give. */
  examples: unknown;
  /** The resources that it may access. */
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
  /** The workspace folder, where a server has several: an absolute path inside it. */
  root?: string|null;
}

/** The forms that several tools are put into. */
export type ComposeForm = "calls"|"openai"|"ollama"|"anthropic"|"mcp";

/** Answer of `wherefore/compose`. */
export interface ComposeAnswer {
  /** The tools in the form asked for: JSON Schema 2020-12 for `calls`, else what that interface takes. */
  composed: unknown;
}

/** Params of `wherefore/environment`. */
export interface EnvironmentParams {
  /** The environment to run tools in from the next call on; the one there is stays when absent. */
  name?: string|null;
  /** True to let the settings choose again. */
  reset?: boolean;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/environment`. */
export interface EnvironmentAnswer {
  /** The environment that tools run in. */
  environment: string;
  /** Who chose it. */
  chosen_by: EnvironmentSource;
  /** Every environment, by name: the tools that it replaces the activities of, each with what runs it there, in words. */
  environments: Record<string, Record<string, string>>;
  /** A sentence for each problem of the environments in the settings. */
  problems: string[];
}

/** Who chose an environment. */
export type EnvironmentSource = "default"|"project"|"settings"|"command"|"start";

/** Params of `wherefore/judgeCommand`: a script, or an argument vector. */
export interface JudgeCommandParams {
  /** A script, as `bash -c` takes it. */
  script?: string|null;
  /** A program and its arguments. */
  argv?: string[];
  /** True where it is to run outside of the sandbox: what is allowed because the sandbox bounds it is asked about then. */
  unconfined?: boolean;
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
}

/** The verdict of the rules on a command, and on each command in it. */
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

/** The verdicts on a command, ordered from the loosest to the strictest. */
export type CommandVerdict = "allow"|"ask"|"deny";

/** The verdict of the rules on one command. */
export interface JudgedCommand {
  /** The command as a person reads it. */
  command: string;
  /** Its words; an unknown part of a word is U+FFFC. */
  argv: string[];
  /** The wrappers through which it is reached. */
  via?: string[];
  /** The constructs of the shell around it. */
  within?: Within[];
  /** The verdict on it. */
  verdict: CommandVerdict;
  /** The rule that gives the verdict. */
  rule?: string|null;
  /** Why. */
  why?: string|null;
}

/** A construct of the shell around a command. */
export type Within = "substitution"|"process_substitution"|"here_document"|"function"|"pipeline";

/** A call of an agent's own tool, before it acts or after. */
export interface NativeParams {
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
  /** The folder that the agent works in, which its relative paths start from. */
  cwd?: string|null;
  /** True if the tool has run already. */
  after?: boolean;
  /** The action of the call. */
  act?: NativeAct;
  /** Further actions of the call: other places that are read or searched. */
  beside?: NativeAct[];
  /** True if the agent's own tool must not run whatever the policy is: a shell was given an edit. */
  taken_over?: boolean;
  /** The agent, its session, its id of the call and its tool. The door is the server's to say. */
  origin?: Origin;
  /** True if the reason was not looked for yet: finding it may take a while, and is not always needed. */
  unread?: boolean;
  /** The reason in the agent's own words; none where it gives none. */
  why?: string|null;
  /** True if the server runs the command and answers with its result: the agent's shell cannot. */
  served?: boolean;
  /** True if the agent is in a mode in which it may change nothing by itself. */
  read_only?: boolean;
  /** True if the agent accepts a yes that skips its own questions, but none of the person's own rules for it. */
  takes_yes?: boolean;
  /** The way in which the agent's shell gets the command line that confines a command. */
  step?: CommandStep;
  /** The token and the script of a command that an earlier answer let into the sandbox, where the agent runs that now. */
  claim?: CommandClaim|null;
  /** Seconds that a person's decisions are waited for. */
  wait_s?: number;
}

/** The action of a call of an agent's own tool. Paths are as the agent wrote them. */
export type NativeAct = Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>|Record<string, unknown>;

/** A text replaced by another. */
export interface Replacement {
  /** The text that is there; empty where the file is to be made. */
  old: string;
  /** The text to put there. */
  new: string;
  /** True if every occurrence is replaced. */
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
  /** The kind of the change. */
  mode?: CellMode;
}

/** The kind of a cell's change. */
export type CellMode = "replace"|"insert"|"delete";

/** The way in which an agent's shell gets the command line that confines a command. */
export type CommandStep = "rewritten"|"announced"|"begun";

/** A command that the agent was given to run, by its text. */
export interface CommandClaim {
  /** The token in it. */
  token: string;
  /** The script that it runs in the sandbox. */
  script: string;
}

/** The decision on the call. */
export interface NativeAnswer {
  /** The instruction to the agent. */
  verdict: NativeVerdict;
  /** The text for its model. */
  told?: string|null;
  /** The token by which the command runs in the sandbox, once. */
  token?: string|null;
}

/** The instruction to the agent. */
export type NativeVerdict = "pass"|"allow"|"reason"|"leave"|"confine"|"ask";

/** Params of `wherefore/issueCommandToken`. */
export interface IssueCommandTokenParams {
  /** The command line. */
  command: ConfinedCommand;
  /** The agent, its session, its id of the call and its tool. The door is the server's to say. */
  origin: Origin;
  /** True where a person was asked about the command at the door, and said yes: they are not asked again. */
  allowed?: boolean;
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
}

/** A command line that runs in the sandbox. */
export interface ConfinedCommand {
  /** The program and its arguments. */
  argv: string[];
  /** The variables that are set for it. */
  env?: Record<string, string>;
}

/** Answer of `wherefore/issueCommandToken`. */
export interface IssueCommandTokenAnswer {
  /** The token that `wherefore sandbox` shows: for one run of this very command. */
  token: string;
}

/** Params of `wherefore/attach`. */
export interface AttachParams {
  /** The key by which `wherefore/attached` names the command: chosen by the caller, and unique. */
  key: string;
  /** The command's token, which an earlier answer gave for one run of it. */
  token: string;
  /** The command line. */
  command: ConfinedCommand;
  /** The agent whose command it is. */
  agent?: string|null;
  /** The folder that it runs in. */
  cwd: string;
  /** The reason why it is run. */
  why?: string|null;
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
}

/** Params of `wherefore/attached`. */
export interface AttachedParams {
  /** The command, by the key of its `wherefore/attach`. */
  key: string;
  /** The end of the command; nothing to wait until it may run. */
  report?: AttachedReport|null;
  /** The workspace, where several are open: its path or its `file:` URI. */
  root?: string|null;
}

/** The end of a command that its caller ran. */
export interface AttachedReport {
  /** Its exit code; none where a signal ended it. */
  exit_code?: number|null;
  /** The signal that ended it, as `SIGKILL`. */
  signal?: string|null;
  /** The limit that ended it, as an answer names it: `time`. */
  limit?: string|null;
  /** Its duration in milliseconds. */
  duration_ms?: number;
  /** The most memory it took, in bytes. */
  peak_memory?: number;
  /** The tier of the sandbox that confined it, in words. */
  sandbox?: string;
  /** Changes that are not taken, a sentence each. */
  left_out?: string[];
  /** Its changes of paths that git ignores, which are written already. */
  written?: DirectWrites[];
  /** Its changes that are kept in a layer, as a diff of git's. */
  diff?: string;
}

/** Answer of `wherefore/attached`. */
export interface AttachedAnswer {
  /** True where the command may run. Otherwise the answer to its call gives the reason. */
  granted: boolean;
  /** True where what it changes is to be kept apart until it is decided on. */
  layered: boolean;
  /** The network that it shares with other commands of its session. */
  network?: SharedNetwork|null;
}

/** A network that commands of a session share, as another process of the person's finds it. */
export interface SharedNetwork {
  /** The number of the process that keeps it. */
  keeper: number;
  /** The device of the namespace's file. */
  device: number;
  /** The inode of the namespace's file. */
  inode: number;
}

/** Params of `wherefore/agentRun`. */
export interface AgentRunParams {
  /** The task for the agent, in the person's words. It may be empty when a run is resumed. */
  task?: string;
  /** The model, as the settings or its server name it; by default the model of the settings. */
  model?: string|null;
  /** The limits that end the run. */
  limits?: AgentLimits;
  /** An earlier run whose conversation goes on, by its id. */
  resume?: string|null;
  /** The review policy for the agent's changes; by default that of the settings. */
  policy?: Policy|null;
  /** The end of the run's id, instead of a generated word: up to 40 of `a-z`, `0-9` and `-`. */
  name?: string|null;
  /** True if the client answers the run's questions, by `wherefore/agentSay`, and decides on its changes. Otherwise an attached editor does. */
  attended?: boolean;
  /** The client's access to the files of its own editor. */
  files?: AgentFiles;
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** The limits that end a run of the built-in agent, whatever its model does. A limit that is not set does not apply, except for the steps. */
export interface AgentLimits {
  /** Answers of the model in one turn; 60 by default. */
  max_steps?: number|null;
  /** Tokens that the model reads and writes in the whole run. */
  max_tokens?: number|null;
  /** Minutes of one turn. */
  max_minutes?: number|null;
  /** The cost of the model in the whole run, in US dollars. It applies if the price of the model is known. */
  max_cost?: number|null;
}

/** File access of a client that is not an attached editor: it answers the events `read_file` and `write_file` of a run. */
export interface AgentFiles {
  /** True if it gives the text of a file as its editor has it, unsaved or not. */
  reads?: boolean;
  /** True if it writes a file through its editor. */
  writes?: boolean;
}

/** Answer of `wherefore/agentRun`: the run began. `wherefore/agentEvent` and `wherefore/agentEvents` report its progress. */
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
  /** The person's message. A run that is at work receives it before its next step; a waiting run continues with it. */
  text?: string;
  /** The question that `text` answers, by its id. */
  question?: string|null;
  /** A proposal that the person decides on later: the call that waits for it is answered `pending`. */
  later?: string|null;
  /** The review policy for the run's changes from now on. */
  policy?: Policy|null;
  /** The outcome of a `read_file` or a `write_file`. */
  file?: AgentFileAnswer|null;
}

/** The outcome of a `read_file` or a `write_file`. */
export interface AgentFileAnswer {
  /** The id of the request. */
  id?: string;
  /** The text that was read. */
  text?: string|null;
  /** The reason for a failure. */
  error?: string|null;
}

/** A run in a list. */
export interface AgentRunSummary {
  /** Its id. */
  run: string;
  /** The session whose log has it. */
  session: string;
  /** The first task of the run. */
  task: string;
  /** The model that answered last. */
  model: string;
  /** When it began, RFC 3339. */
  time: string;
  /** The state of the run; `ended` for a run of an earlier server. */
  state: AgentState;
}

/** The state of a run. */
export type AgentState = "working"|"waiting"|"ended";

/** Params of `wherefore/agentCancel`. */
export interface AgentCancelParams {
  /** The run. */
  run?: string;
  /** True if the run ends too. Otherwise only its turn ends, and it waits for the person's next message. */
  end?: boolean;
}

/** Params of `wherefore/agentEvents`. */
export interface AgentEventsParams {
  /** The run. */
  run?: string;
  /** The number of the last event that is known; 0 for none. */
  after?: number;
  /** The time to wait for a further event, in milliseconds; 30 seconds at most. */
  wait_ms?: number;
  /** True if the answer holds the run's whole conversation as the session log has it, also that of an earlier server. */
  logged?: boolean;
  /** The workspace folder, if a server has several and `logged` is set: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/agentEvents`. */
export interface AgentEventsAnswer {
  /** The events since then, in order. Pieces of one text that arrived meanwhile are one event. */
  events?: AgentEvent[];
  /** The state of the run. */
  state?: AgentState;
}

/** An event of a run: the params of `wherefore/agentEvent`. Only a client with the capability `experimental.wherefore.agent` gets that notification. */
export interface AgentEvent {
  /** The run. */
  run: string;
  /** The workspace's root, as a `file:` URI. */
  root: string;
  /** Its number in the run, from 1. */
  seq: number;
}

/** The resources that a run used so far. */
export interface AgentUsage {
  /** Answers of the model. */
  steps?: number;
  /** Tokens that the model read. */
  input_tokens?: number;
  /** Tokens that it wrote. */
  output_tokens?: number;
  /** The cost in US dollars, if the price is known. */
  cost?: number|null;
  /** Tokens of the conversation at the moment, estimated. */
  context_tokens?: number;
  /** Tokens that the conversation may have. */
  context_budget?: number;
}

/** The reason why a turn ended. */
export type AgentEnd = "complete"|"answered"|"asks"|"limit"|"stuck"|"cancelled"|"failed";

/** Params of `wherefore/agentList`. */
export interface AgentListParams {
  /** The workspace folder, if a server has several: an absolute path inside it. */
  root?: string|null;
}

/** Answer of `wherefore/agentList`: the runs of this server, and those that the newest session logs hold. */
export interface AgentListAnswer {
  /** The runs, newest first. */
  runs: AgentRunSummary[];
}

/** Params of `wherefore/log` and `wherefore.openLog`. */
export interface LogParams {
  /** The workspace folder, where a server has several: an absolute path inside it. */
  root?: string|null;
  /** The session; the open one when absent. */
  session?: string|null;
  /** True where the text is wanted too. */
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
  /** The workspace folder, where a server has several: an absolute path inside it. */
  root?: string|null;
  /** The file: absolute, or relative to the root. */
  path?: string;
  /** The first line, counted from 1; the first of the file where it is left out. */
  start?: number|null;
  /** The last line; the last of the file where it is left out. */
  end?: number|null;
  /** True where git is asked for the commit of each line. */
  commits?: boolean;
  /** The text to explain, where that is not the file's current one, for example a committed one: only the records of this machine describe its lines. */
  text?: string|null;
}

/** The reasons for the lines of a file. */
export interface LineWhys {
  /** The file. */
  path: string;
  /** The number of lines of the file. */
  total: number;
  /** The lines that were asked for. */
  groups: LineGroup[];
  /** The calls that they come from. */
  calls: LineCall[];
  /** The commits that they were last changed in, by hash. */
  commits?: Record<string, LineCommit>;
  /** Sessions of these calls whose logs were altered or cut, by name, each with the state of its log. The data on their calls was recorded outside of the workspace, and is not from the log. */
  altered?: Record<string, string>;
  /** Uncertainties of the answer. */
  warnings?: string[];
}

/** Consecutive lines with the same known origin. */
export interface LineGroup {
  /** The first line, counted from 1. */
  start: number;
  /** The last line. */
  end: number;
  /** Their author. */
  by: LineBy;
  /** The call that they come from, by its place in `calls`. */
  call?: number|null;
  /** The commit, by hash: a key of `commits`. */
  commit?: string|null;
  /** The first line as the commit has it, counted from 1. */
  commit_line?: number|null;
}

/** The author of a line. */
export type LineBy = "agent"|"human"|"mixed"|"git"|"unknown";

/** A call that lines come from. */
export interface LineCall {
  /** The session that holds it. */
  session: string;
  /** The call. */
  call: string;
  /** The hunk, if it is known which. */
  hunk?: string|null;
  /** The tool; absent if it is not known. */
  tool?: string|null;
  /** The agent, or the door if the agent did not say its name. */
  agent?: string|null;
  /** The reason for the call. */
  why?: string|null;
  /** The decision on the hunk: `accepted`. */
  decision?: string|null;
  /** The one who decided: `person`, `policy`, `client`, `editor`, `recovery`. */
  decided_by?: string|null;
  /** The person's reason for the decision. */
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

/** Params of `wherefore/didFocus`: the person looks at another document. Of a client that sends it, and announces so by the capability `experimental.wherefore.focus`, nothing else counts as a look; of others that they open a document does. */
export interface FocusParams {
  /** Its URI. */
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
  /** The caller. */
  origin: Origin;
  /** The paths it names, relative to the root. */
  paths: string[];
  /** True if it changes anything. */
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
  /** The status of the call. */
  status: Status;
  /** True if no code ran: the caller itself filled the result, or is to fill it. */
  latent?: boolean;
  /** The error, if any. */
  error?: Fault|null;
  /** Set if the call ended well and its command did not: the ending of that, such as `exit code 1`. */
  failure?: string|null;
  /** The duration, in milliseconds. */
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
  /** The program and its arguments as one line, cut if they are long. */
  command: string;
  /** The reason for the call. */
  why: string;
  /** The confinement of the command. */
  tier: string;
  /** True if the command continues after its call was answered. */
  background: boolean;
  /** The event. */
  state: CommandState;
  /** The output of both streams since the notice before. Colors are the only escape sequences in it. */
  text?: string;
  /** Bytes that the command wrote after `text` and that no notice holds, because they came too fast. */
  left_out?: number;
  /** The outcome of the command, in words: `exit code 1`. */
  outcome?: string|null;
  /** The exit code, if the command exited by itself. */
  exit_code?: number|null;
  /** The duration of the command, in milliseconds. */
  duration_ms?: number|null;
}

/** The event of a command that a notice reports. */
export type CommandState = "started"|"output"|"ended";

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

/** Params of `wherefore/diagnostics`: asks an editor for what its language servers say. */
export interface DiagnosticsParams {
  /** The one document that is asked about; every document where none is named. */
  uri?: string|null;
}

/** Answer of `wherefore/diagnostics`. */
export interface DiagnosticsAnswer {
  /** The documents of which something is said. */
  documents?: DocumentDiagnostics[];
}

/** The diagnostics of one document. */
export interface DocumentDiagnostics {
  /** The document. */
  uri?: string;
  /** Diagnostics as the Language Server Protocol writes them: places count from 0, characters in UTF-16. */
  diagnostics?: unknown[];
}

/** A question that only a person can answer: the params of `wherefore/ask`. */
export interface AskParams {
  /** The workspace's root, as a `file:` URI. */
  root: string;
  /** The session of the call. */
  session: string;
  /** The call that waits for the answer; empty if none does. */
  call_id: string;
  /** The tool called; the server's name if a server of the Model Context Protocol is asked about. */
  tool: string;
  /** The reason for the call; empty if the question is not about one call. */
  why: string;
  /** The agent's name and version, if it said so. */
  agent?: string|null;
  /** The whole question, readable without any context. */
  text: string;
  /** The possible answers; the first one allows. */
  answers: string[];
}

/** Answer of `wherefore/ask`. */
export interface AskAnswer {
  /** The chosen answer; none if the person dismissed the question. */
  answer?: string|null;
}

/** The methods, by name. */
export const methods = {
  /** Calls a tool; how it went stands in the envelope. From the client. */
  call: 'wherefore/call',
  /** Makes the calls of one message, an answer each. From the client. */
  callAll: 'wherefore/callAll',
  /** Lists the changes that wait for decisions. From the client. */
  proposals: 'wherefore/proposals',
  /** Lists the changes that wait at another server of the folder, as that of a second window. From the client. */
  heldElsewhere: 'wherefore/heldElsewhere',
  /** Accepts or rejects hunks, at a person's word. From the client. */
  decide: 'wherefore/decide',
  /** Keeps the person's words for an agent, whose next result brings them. From the client. */
  send: 'wherefore/send',
  /** Lists what commands changed of ignored paths and is kept apart, or takes it over or drops it. From the client. */
  keptApart: 'wherefore/keptApart',
  /** Lists what commands did to the repository and waits for a decision, or takes it over, drops it, or moves it back. From the client. */
  repository: 'wherefore/repository',
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
  listTools: 'wherefore/listTools',
  /** Shows what stands at a node of the catalogue. From the client. */
  list: 'wherefore/list',
  /** Finds the tools that answer a request in plain words. From the client. */
  searchToolByCategory: 'wherefore/searchToolByCategory',
  /** Finds the nodes that may hold what a request asks for. From the client. */
  searchNodes: 'wherefore/searchNodes',
  /** Gives all that a call of one tool needs. From the client. */
  expandTool: 'wherefore/expandTool',
  /** Puts several tools into a form that a model fills or a model's API takes. From the client. */
  compose: 'wherefore/compose',
  /** Says which environment tools run in, or has them run in another. From the client. */
  environment: 'wherefore/environment',
  /** Says what the rules make of a command, and of each command in it, without running it. From the client. */
  judgeCommand: 'wherefore/judgeCommand',
  /** Answers the hook of an agent whose own tool is about to act. From the client. */
  native: 'wherefore/native',
  /** Lets a command of an agent into the sandbox: its token holds for one run. From the client. */
  issueCommandToken: 'wherefore/issueCommandToken',
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
  /** Another server of a folder holds other hunks than before: `wherefore/heldElsewhere` lists them. From the server. */
  heldElsewhereChanged: 'wherefore/heldElsewhereChanged',
  /** Other files matter now: `wherefore/workingSet` says which. From the server. */
  workingSetChanged: 'wherefore/workingSetChanged',
  /** Asks for documents to be saved. From the server. */
  save: 'wherefore/save',
  /** Asks for what the editor's language servers say of files. From the server. */
  diagnostics: 'wherefore/diagnostics',
  /** Puts a question to the person. From the server. */
  ask: 'wherefore/ask',
} as const;

/** What each request from here takes and gives. */
export interface Requests {
  call: { params: RawCall; result: Envelope };
  callAll: { params: CallAllParams; result: CallAllAnswer };
  proposals: { params: ProposalsParams; result: ProposalsAnswer };
  heldElsewhere: { params: HeldElsewhereParams; result: HeldElsewhereAnswer };
  decide: { params: DecideParams; result: DecideAnswer };
  send: { params: SendParams; result: SendAnswer };
  keptApart: { params: KeptApartParams; result: KeptApartAnswer };
  repository: { params: RepositoryParams; result: RepositoryAnswer };
  undo: { params: UndoParams; result: UndoAnswer };
  cancel: { params: CancelParams; result: CancelAnswer };
  search: { params: SearchParams; result: SearchAnswer };
  workingSet: { params: WorkingSetParams; result: WorkingSetAnswer };
  hint: { params: HintParams; result: HintOutcome };
  collect: { params: CollectParams; result: CollectAnswer };
  status: { params: null; result: StatusAnswer };
  listTools: { params: ListToolsParams; result: ListToolsAnswer };
  list: { params: ListNodeParams; result: ListNodeAnswer };
  searchToolByCategory: { params: SearchToolsParams; result: SearchToolsAnswer };
  searchNodes: { params: SearchNodesParams; result: SearchNodesAnswer };
  expandTool: { params: ExpandToolParams; result: ExpandToolAnswer };
  compose: { params: ComposeParams; result: ComposeAnswer };
  environment: { params: EnvironmentParams; result: EnvironmentAnswer };
  judgeCommand: { params: JudgeCommandParams; result: Judgement };
  native: { params: NativeParams; result: NativeAnswer };
  issueCommandToken: { params: IssueCommandTokenParams; result: IssueCommandTokenAnswer };
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
}
