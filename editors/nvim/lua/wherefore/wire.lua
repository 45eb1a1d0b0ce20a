-- Types of the messages between wherefore and its plugins. Generated from server/requests.rs and
-- server/lsp/ext.rs: do not edit; `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.

---One tool with its arguments, unchecked: the params of `wherefore/call` and a line of `call --batch`.
---@class wherefore.RawCall
---@field tool string The tool's name or one of its aliases.
---@field arguments? any An object, or a JSON string that holds one.
---@field origin? wherefore.Origin Who called.
---@field comments? table<string, string> Comments of the model's on its own arguments, by path (`args.path`): kept in the log.
---@field _activity? string The activity asked for instead of the tool's own; empty means latent.
---@field policy? wherefore.Policy The review policy asked for; settings can only make it stricter.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Who called.
---@class wherefore.Origin
---@field door? wherefore.Door The way in. A door sets it itself; what a client claims is not used.
---@field agent? string The agent's name and version, as `claude-code/2.1`.
---@field session? string The agent's session at that door.
---@field call? string The agent's own id of the call.
---@field tool? string The agent's own tool that the call stands for, as `Edit`; none where the agent called one of ours.
---@field ids? table<string, string> Further ids that the agent sent along, as of its turn or trace.

---The way a call came in.
---@alias wherefore.Door "lsp"|"mcp"|"cli"|"agent"|"hook"|"ide"|"acp"|"outside"

---What becomes of a proposed change. Ordered from the loosest to the strictest.
---@alias wherefore.Policy "auto"|"ask"|"hold"|"deny"

---The answer to a call: of `wherefore/call`, of a line of `call --batch`, of the socket.
---@class wherefore.Envelope
---@field call_id string The call's id in the session log; absent when it never became a call.
---@field status wherefore.Status How it ended.
---@field result? any The tool's output.
---@field error? wherefore.Fault Why there is none.
---@field truncated? boolean Whether a limit cut the output.
---@field rest? string How to get the rest, where it was cut.
---@field blocks? any[] What a model is shown instead of `result` as text: text, images, audio and resources, as content blocks of the Model Context Protocol.
---@field warnings? string[] What the caller should do better next time (a mechanical `why`).
---@field decisions? wherefore.Delivery[] Decisions on this agent's earlier calls, made since its last result.
---@field messages? wherefore.PersonMessage[] What the person said to this agent since its last result.

---How a call ended.
---@alias wherefore.Status "ok"|"error"|"pending"|"latent"

---The error of a call: names the thing, the limit and the value, and a way out.
---@class wherefore.Fault
---@field code wherefore.Code What went wrong, for a program.
---@field message string What went wrong, for a reader.
---@field recoverable boolean Whether another call of the same agent can mend it.
---@field suggestion? string An act that the model can take next.
---@field hints? string[] Nearest names, places, other ways.
---@field near? boolean Whether `hints` are names like the one that was asked for.
---@field next_action? any How to recover, in a form that a program can follow.
---@field applied? boolean Set where a write took effect although a later step failed (the folder's fsync).
---@field details? any What the code alone cannot say: schema violations, a patch's report, the fresh hash.

---What went wrong, for a program.
---@alias wherefore.Code "NOT_FOUND"|"PERMISSION_DENIED"|"TIMEOUT"|"INVALID_ARGS"|"MISSING_WHY"|"QUOTA_EXCEEDED"|"TOOL_NOT_FOUND"|"UNKNOWN_PATH"|"NO_MATCH_IN_CATEGORY"|"NOT_AUTHORIZED"|"PATCH_MISMATCH"|"STALE"|"REJECTED"|"CANCELLED"|"UNSUPPORTED"|"SANDBOX_UNAVAILABLE"|"INTERNAL"

---A decision made after its call was answered, brought with the agent's next result.
---@class wherefore.Delivery
---@field proposal string The proposal decided on.
---@field call_id string The call that made it.
---@field status string `applied`, `partly_applied`, `rejected`, `stale` or `undone`.
---@field hunks wherefore.HunkDecision[] Each hunk's decision.

---What was decided on one hunk.
---@class wherefore.HunkDecision
---@field id string The hunk.
---@field path string Its file, relative to the root.
---@field state wherefore.HunkState What became of it.
---@field reason? string The person's word.
---@field text? string The lines it added, where a person changed them before they accepted it.

---Where a hunk stands.
---@alias wherefore.HunkState "pending"|"accepted"|"rejected"|"stale"

---Words of the person for an agent, brought with the agent's next result.
---@class wherefore.PersonMessage
---@field sent string When they were sent, RFC 3339.
---@field text string The person's words.
---@field path? string The file meant, relative to the root.
---@field lines? wherefore.LineSpan The lines meant.
---@field quoted? string Those lines as the editor showed them, or the hunk's lines with `-` and `+` before them.
---@field diagnostics? string[] What language servers say there.
---@field proposal? string The proposal that this is a comment on; it decides nothing.
---@field hunk? string The hunk of it that is meant.

---Lines of a file.
---@class wherefore.LineSpan
---@field first integer The first line, counted from 1.
---@field last integer The last line, which belongs to it.

---Params of `wherefore/proposals`.
---@class wherefore.ProposalsParams
---@field path? string Only those that touch this file, relative to the root.
---@field all? boolean Also those that are wholly decided and still kept.
---@field applied? boolean Also those with hunks that a policy applied and no person has looked at.
---@field since? wherefore.Point Only those of calls after this point in the log.
---@field root? string The workspace folder meant.

---A point in the session log: a call, as `c-0007` or `SESSION/c-0007`, or a time of RFC 3339.
---@alias wherefore.Point string

---Answer of `wherefore/proposals`: oldest first.
---@class wherefore.ProposalsAnswer
---@field proposals wherefore.Proposal[] The proposals.

---A change that waits for decisions, or has them.
---@class wherefore.Proposal
---@field id string Unique in the workspace: `p-…`.
---@field call_id string The call that made it.
---@field session string The session that holds the call.
---@field tool string The tool called.
---@field why string Why it was called.
---@field origin wherefore.Origin Who called.
---@field created string When it was made, RFC 3339.
---@field files wherefore.ProposedFile[] What it changes.

---One file of a proposal.
---@class wherefore.ProposedFile
---@field path string Relative to the workspace's root, `/`-separated.
---@field uri string Its `file:` URI, for editors.
---@field kind wherefore.ChangeKind What is done to it.
---@field version? integer The version of the open document in which the hunks' places count; absent where it is not open. An editor that is ahead of it keeps the places that it knows until the next word.
---@field from? string For a copy and a rename, where from.
---@field before? wherefore.PathContent What a symlink or a binary file is before the change; none where there is nothing.
---@field after? wherefore.PathContent What it is afterwards; none where nothing is left.
---@field executable? boolean Whether the file is executable afterwards: of a change of mode, and of a new file.
---@field what? string What is done, as a sentence for a person, where no line of a hunk shows it.
---@field hunks wherefore.Hunk[] Its hunks, in order of `start`.

---What a proposal does to a path.
---@alias wherefore.ChangeKind "edit"|"create"|"delete"|"mkdir"|"copy"|"rmdir"|"rename"|"mode"|"symlink"|"binary"

---What stands at a path, where it is no text.
---@alias wherefore.PathContent table|table

---The smallest part of a change that is decided by itself: a run of changed lines; or a change with no lines, such as a
---rename, a mode, a symlink, the bytes of a file. What such a change does stands with its file.
---@class wherefore.Hunk
---@field id string Unique in its proposal: `h1`, `h2`, … over all files, in order.
---@field state? wherefore.HunkState Where it stands.
---@field start integer The first line it replaces in the text as it is now, counted from 0; for an insertion the line before which it goes.
---@field old string[] The lines it removes, each with its line end.
---@field new string[] The lines it adds, each with its line end.
---@field reason? string The person's word on the decision.
---@field loose? string Set where the patch engine placed it more loosely than exactly: how, for a person to look twice.
---@field warning? string Set where the file makes programs run, as a build file or a package's scripts do: how, for a person to look twice.
---@field reviewed? boolean Whether a person decided on it. One that a policy applied waits for nobody, but may still be looked at: accepted then, it stays; rejected, it is taken back.
---@field edited? boolean Whether a person changed the lines that it adds before they accepted it.

---Params of `wherefore/decide`: which pending hunks, and what becomes of them. With neither hunks nor
---path every pending hunk of the proposal is meant; with no proposal, every pending hunk there is. A hunk that was
---applied is meant too where it is named: accepted, it counts as looked at; rejected, it is taken back.
---@class wherefore.DecideParams
---@field proposal? string The proposal meant; all of them when absent.
---@field hunks? string[] The hunks meant, by id.
---@field path? string The file meant, relative to the root.
---@field act wherefore.Act What becomes of them.
---@field reason? string A word for the agent.
---@field applied? boolean Whether hunks that a policy applied, and no person has looked at, are meant as pending ones are.
---@field since? wherefore.Point Only hunks of calls after this point in the log.
---@field texts? table<string, string> What hunks add instead of what was proposed, by the hunk's id: a person changed it before they accept. Names the proposal too.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---What a person does with hunks.
---@alias wherefore.Act "accept"|"reject"

---Answer of `wherefore/decide`.
---@class wherefore.DecideAnswer
---@field proposals wherefore.Proposal[] The proposals touched, as they stand now, read back.
---@field problems? string[] What could not be done, a sentence each: a hunk that went stale, an editor that said no.

---Params of `wherefore/send`.
---@class wherefore.SendParams
---@field text? string What the person says; it may be empty where lines or diagnostics are sent.
---@field path? string The file meant: relative to the root, absolute, or a `file:` URI.
---@field lines? wherefore.LineSpan The lines of the file that are quoted, as the editor shows them.
---@field diagnostics? string[] What language servers say of the file named, a sentence each.
---@field proposal? string The proposal that the message is a comment on. It decides nothing.
---@field hunk? string The hunk of the proposal that is meant.
---@field agent? string The agent meant, by its name with or without its version. A comment goes to the agent that made the proposal.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/send`.
---@class wherefore.SendAnswer
---@field agent? string The agent whose next result brings the message; none where no agent is known: the first that calls gets it.
---@field waiting integer Messages that wait for their agents, this one among them.
---@field problems? string[] What was left out and why, a sentence each.

---Params of `wherefore/undo`.
---@class wherefore.UndoParams
---@field call? string The call to undo, as `c-0007` or `SESSION/c-0007`; the last one that changed a file when absent.
---@field root? string The workspace folder meant.

---Answer of `wherefore/undo`.
---@class wherefore.UndoAnswer
---@field call string The call undone.
---@field undo_id string The id that undoes this undo; empty where no file had to be brought back.
---@field paths string[] The files brought back, relative to the root.
---@field withdrawn? integer Hunks of the call that waited for a decision and were rejected.

---Params of `wherefore/cancel`.
---@class wherefore.CancelParams
---@field call_id string The call to stop, as `c-0007`.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/cancel`: the call was told to stop, and is answered CANCELLED as soon as it does. A command that the
---call started in the background is ended.
---@class wherefore.CancelAnswer
---@field call_id string The call.

---Params of `wherefore/search`.
---@class wherefore.SearchParams
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.
---@field query? string What is sought: a regular expression, a plain text with `literal`, or words.
---@field kind? wherefore.SearchKind What the search goes by.
---@field scope? string The folder or the file to search, relative to the root; the whole workspace where it is left out.
---@field glob? string Only files that match, as `*.rs`; for patterns.
---@field case? wherefore.SearchCase Whether capitals count; for patterns.
---@field literal? boolean Whether the query is plain text; for patterns.
---@field context? integer Lines to give on each side of a match; for patterns.
---@field limit? integer The most results; 10 files or 100 lines where it is left out.
---@field cursor? string Where an earlier answer ended, to go on from there; for patterns.
---@field wait_ms? integer Milliseconds to wait for vectors of files that are not made yet, where the person set a model; for files.

---What a search goes by.
---@alias wherefore.SearchKind "lexical"|"vector"

---Whether capitals count in a pattern.
---@alias wherefore.SearchCase "sensitive"|"insensitive"|"smart"

---Answer of `wherefore/search`.
---@class wherefore.SearchAnswer
---@field results wherefore.SearchHit[] What was found: lines by path and number, files best first.
---@field ranker? string What ranked the files: `words`, or `words+` and a model.
---@field embedded? number The share of the files' pieces that have a vector, 0 to 1; absent where no model is set.
---@field trouble? string Why the model that is set was not heard, or why none is where the settings are wrong.
---@field cursor? string Where the next answer goes on; absent where there is no more.

---A place that was found.
---@class wherefore.SearchHit
---@field path string The file, relative to the root.
---@field start integer Its first line, counted from 1.
---@field end integer Its last line.
---@field line integer The line of it to be shown first: where a piece holds most of what is asked for.
---@field score number How well it fits beside the others of the same answer; 1 for each line that matches a pattern.
---@field text string The line, or the piece of the file.
---@field before? string[] The lines before it that were asked for.
---@field after? string[] The lines after it that were asked for.

---Params of `wherefore/workingSet`.
---@class wherefore.WorkingSetParams
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/workingSet`.
---@class wherefore.WorkingSetAnswer
---@field files wherefore.WorkingFile[] The files that matter now, the hottest first.
---@field budget integer Tokens that a context of it may hold.
---@field tokens integer About how many tokens its files hold together: a quarter of their characters.
---@field problems? string[] What is wrong with `hot.yml`, `cold.yml` and `working-set.yml`, a sentence each.

---A file that matters now.
---@class wherefore.WorkingFile
---@field path string Its path, relative to the root.
---@field hotness number How much it matters, from 0 to 1.
---@field reasons string[] Why it matters, a phrase each, the weightiest first.
---@field pinned boolean Whether it stays in the set whatever happens.
---@field advice? wherefore.Advice The hint that stands on it.
---@field role wherefore.Role What it is.
---@field priority? integer Its place in a context, 1 first; by its hotness when absent.
---@field truncate_strategy wherefore.Truncate Which part of it is cut where it does not fit into a context.
---@field open boolean Whether the editor has it open.
---@field unsaved boolean Whether it is open with text that is not saved.
---@field pending_hunks integer Hunks in it that wait for a decision.
---@field tokens? integer About how many tokens it holds: a quarter of its characters. Absent where there is no such file.

---What a hint says of a file.
---@alias wherefore.Advice "hot"|"cold"

---What a file is in a context.
---@alias wherefore.Role "source"|"test"|"doc"|"reference"|"summary"

---Which part of a file is cut where it does not fit.
---@alias wherefore.Truncate "never"|"start"|"middle"|"end"

---Params of `wherefore/hint`: a person's word on one file.
---@class wherefore.HintParams
---@field path string The file, relative to the root or absolute.
---@field advice wherefore.HintAct What is done with it.
---@field why? string Why, for whoever reads the working set.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---What a person does with a file of the working set.
---@alias wherefore.HintAct "hot"|"cold"|"pin"|"unpin"|"clear"

---One hint with what became of it.
---@class wherefore.HintOutcome
---@field path string The file, relative to the root.
---@field advice string What was advised: `hot`, `cold`, `pin`, `unpin`, `clear`; `drop` where the set was cleaned up.
---@field outcome wherefore.Outcome What became of it.
---@field reason string Why, as a sentence.

---What became of a hint.
---@alias wherefore.Outcome "honoured"|"deferred"|"overridden"|"promoted"|"dropped"

---Params of `wherefore/collect`: cleans the working set up.
---@class wherefore.CollectParams
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/collect`.
---@class wherefore.CollectAnswer
---@field dropped wherefore.HintOutcome[] The files that left, and why.

---Answer of `wherefore/status`.
---@class wherefore.StatusAnswer
---@field version string This program's version.
---@field pid integer The process that answered.
---@field editor boolean Whether an editor is attached.
---@field slot? wherefore.SlotStatus The slot of an agent that looks for its editor, where the settings want one and an editor is attached.
---@field workspaces wherefore.WorkspaceStatus[] Each workspace folder.

---How the IDE slot that the person's settings want stands, in the answer of `wherefore/status`.
---@class wherefore.SlotStatus
---@field agent string The agent, by its name in the settings.
---@field file? string The absolute path of the file by which it finds its editor; none where the slot is not open.
---@field problem? string What keeps the slot from being open, or stands beside it, as a sentence.

---One workspace folder in the answer of `wherefore/status`.
---@class wherefore.WorkspaceStatus
---@field root string Its absolute path.
---@field session string The open session's id, or else that of the last one; empty where there was none.
---@field log string The session log's absolute path.
---@field calls integer Calls made in this session.
---@field ways? table<string, integer> Calls of this session by the way that they came: a tool of ours (`mcp`, `lsp`, `cli`), an agent's own tool (`hook`, `ide`, `acp`), or a change by another program (`outside`).
---@field agents string[] Agents seen in this session.
---@field running integer Calls running now.
---@field pending_hunks integer Hunks that wait for a decision.
---@field pending_files integer Files with such hunks.
---@field unreviewed_hunks integer Hunks that a policy applied and no person has looked at.
---@field problems string[] What is not as it should be: a definition refused, a setting ignored.
---@field servers? wherefore.ServerStatus[] The servers of the Model Context Protocol that its settings name.
---@field watch? wherefore.WatchStatus How its files are watched; absent where no process stays to watch them.

---One server of the Model Context Protocol in the answer of `wherefore/status`.
---@class wherefore.ServerStatus
---@field name string Its name in the settings.
---@field of_project boolean Whether the project names it, and not the person.
---@field running boolean Whether it runs, or is connected to.
---@field remote boolean Whether it is reached at a URL, and no program is started.
---@field confined boolean Whether its program is run in a sandbox.
---@field tier? string What confines it, where it runs in a sandbox.

---How a watch stands.
---@class wherefore.WatchStatus
---@field mode wherefore.WatchMode How changes are learnt of.
---@field folders_watched integer Folders that the kernel watches for us.
---@field folders_polled integer Folders that are read again before each answer.
---@field files integer Files in the list.
---@field generation integer The generation of the list.
---@field pending integer Events that the kernel keeps for us and that were not looked at yet, at most.
---@field untold integer Files whose change listeners were not told of yet.
---@field last_rescan? wherefore.Rescan When, why and for how long files were last read again.
---@field problems string[] What is not as it should be, each with a way out.

---How changes are learnt of.
---@alias wherefore.WatchMode "native"|"polling"|"mixed"

---When files were last read again.
---@class wherefore.Rescan
---@field reason wherefore.RescanReason Why.
---@field at integer When it began, in seconds since 1970.
---@field took_ms integer How long it took, in milliseconds.

---Why files were read again that had been read.
---@alias wherefore.RescanReason "started"|"overflow"|"root_replaced"|"root_missing"|"rules_changed"|"unmounted"|"too_many_changes"|"lagged"

---Params of `wherefore/list`.
---@class wherefore.ListParams
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/list`.
---@class wherefore.ListAnswer
---@field tools wherefore.ToolSummary[] Every tool, by name.

---One tool of `wherefore/list`, with no schema.
---@class wherefore.ToolSummary
---@field name string Its dotted name.
---@field category string The node it stands under.
---@field summary string One line.
---@field risk string `read`, `write`, `execute` or `network`.
---@field activity string The activity that runs it; empty means latent.
---@field aliases string[] Other names it answers to.

---Params of `wherefore/listTools`: what stands at a node.
---@class wherefore.ListToolsParams
---@field path? string[] The node, from the root; the root when empty.
---@field tags? string[] Only tools with all of these tags.
---@field query? string Only what answers this request, best first.
---@field limit? integer Tools at most, 50 at the most.
---@field cursor? string The `next_cursor` to go on from.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/listTools`.
---@class wherefore.ListToolsAnswer
---@field path string[] The node.
---@field nodes wherefore.NodePointer[] The nodes directly below it.
---@field tools wherefore.ToolPointer[] Tools at it or anywhere below.
---@field next_cursor? string Where to go on, if there is more.

---A node.
---@class wherefore.NodePointer
---@field name string Its name.
---@field path string[] From the root, its name last.
---@field summary string One line.
---@field tags string[] Words to find it by.

---A tool with no more than it takes to decide whether to expand it.
---@class wherefore.ToolPointer
---@field tool_id string Its id.
---@field path string[] The node that it stands under.
---@field summary string One line.
---@field tags string[] Words to find it by.
---@field confidence number The chance that it is what was asked for, 0 to 1; 1 where nothing was asked.

---Params of `wherefore/searchToolByCategory`.
---@class wherefore.SearchToolsParams
---@field query string What is wanted, in plain words.
---@field category_path? string[] The node to search under; everywhere when empty.
---@field limit? integer Results at most, 50 at the most.
---@field cursor? string The `next_cursor` to go on from.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/searchToolByCategory`.
---@class wherefore.SearchToolsAnswer
---@field category_path string[] The node searched under.
---@field results wherefore.ToolPointer[] What was found, best first.
---@field next_cursor? string Where to go on, if there is more.

---Params of `wherefore/searchNodes`.
---@class wherefore.SearchNodesParams
---@field query string What is wanted, in plain words.
---@field limit? integer Results at most, 50 at the most.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/searchNodes`.
---@class wherefore.SearchNodesAnswer
---@field results wherefore.NodeMatch[] Nodes, likeliest first.

---A node that may hold what was asked for.
---@class wherefore.NodeMatch
---@field path string[] From the root.
---@field summary string One line.
---@field confidence number The chance that it does, 0 to 1.

---Params of `wherefore/expandTool`.
---@class wherefore.ExpandToolParams
---@field tool_id string The tool, by name or alias.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/expandTool`: all that a call needs.
---@class wherefore.ExpandToolAnswer
---@field tool_id string Its dotted name.
---@field path string[] The node that it stands under.
---@field summary string One line.
---@field args_schema any The schema of its arguments, `why` among them.
---@field result_schema? any The schema of its output, where it is known.
---@field version integer Counted up when the schemas change: what was kept of an earlier one is out of date.
---@field examples any Calls with what they give.
---@field sandbox any What it may touch.
---@field risk string `read`, `write`, `execute` or `network`.

---Params of `wherefore/compose`.
---@class wherefore.ComposeParams
---@field tools? string[] The tools, by name or alias; all of them when empty.
---@field form? wherefore.ComposeForm The form.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---The forms that several tools are put into.
---@alias wherefore.ComposeForm "calls"|"openai"|"ollama"|"anthropic"|"mcp"

---Answer of `wherefore/compose`.
---@class wherefore.ComposeAnswer
---@field composed any The tools in the form asked for: JSON Schema 2020-12 for `calls`, else what that interface takes.

---Params of `wherefore/judgeCommand`: a script, or an argument vector.
---@class wherefore.JudgeCommandParams
---@field script? string A script, as `bash -c` takes it.
---@field argv? string[] A program and its arguments.
---@field root? string The workspace, where several are open: its path or its `file:` URI.

---What the rules say of a command, and of each command in it.
---@class wherefore.Judgement
---@field verdict wherefore.CommandVerdict The strictest verdict of all.
---@field rule? string The rule that gives it.
---@field why? string Why, in a plain sentence.
---@field commands wherefore.JudgedCommand[] The commands that were found, a wrapper before what it runs.

---What becomes of a command. Ordered from the loosest to the strictest.
---@alias wherefore.CommandVerdict "allow"|"ask"|"deny"

---What the rules say of one command.
---@class wherefore.JudgedCommand
---@field command string The command as a person reads it.
---@field argv string[] Its words; what is not known in one is U+FFFC.
---@field via? string[] The wrappers through which it is reached.
---@field within? wherefore.Within[] In what it stands.
---@field verdict wherefore.CommandVerdict What becomes of it.
---@field rule? string The rule that says so.
---@field why? string Why.

---A construct of the shell that a command stands in.
---@alias wherefore.Within "substitution"|"process_substitution"|"here_document"|"function"|"pipeline"

---A call of an agent's own tool, before it acts or after.
---@class wherefore.NativeParams
---@field root? string The workspace, where several are open: its path or its `file:` URI.
---@field cwd? string The folder that the agent works in, which its relative paths start from.
---@field after? boolean Whether the tool has acted already.
---@field act? wherefore.NativeAct What the call does.
---@field origin? wherefore.Origin The agent, its session, its id of the call and its tool. The door is the server's to say.
---@field unread? boolean Whether the reason was not looked for yet: finding it may take a while, and is not always needed.
---@field why? string The reason in the agent's own words; none where it gives none.
---@field wait_s? integer Seconds that a person's decisions are waited for.

---What a call of an agent's own tool does. Paths are as the agent wrote them.
---@alias wherefore.NativeAct table|table|table|table|table|table|table|table

---One text replaced by another.
---@class wherefore.Replacement
---@field old string The text that is there; empty where the file is to be made.
---@field new string The text to put there.
---@field all? boolean Whether every occurrence is meant.

---A change of a notebook's cell.
---@class wherefore.CellEdit
---@field cell? string The cell's id, or `cell-N` for the one at place N, counted from 0. Where a cell is inserted, the one before it; none inserts at the start.
---@field source string Its source.
---@field kind? string `code` or `markdown`, for a new cell or where it changes.
---@field mode? wherefore.CellMode What is done.

---What is done to a cell.
---@alias wherefore.CellMode "replace"|"insert"|"delete"

---What becomes of the call.
---@class wherefore.NativeAnswer
---@field verdict wherefore.NativeVerdict What the agent is to do.
---@field told? string What its model is told.

---What the agent is to do.
---@alias wherefore.NativeVerdict "pass"|"reason"|"leave"|"confine"

---Params of `wherefore/attach`.
---@class wherefore.AttachParams
---@field key string What `wherefore/attached` names the command by: chosen by the caller, unlike any other.
---@field call wherefore.RawCall The call, of `terminal.run`.
---@field allowed? boolean Whether a person was asked about the command at the caller's, and said yes: they are not asked again.

---Params of `wherefore/attached`.
---@class wherefore.AttachedParams
---@field key string The command, by the key of its `wherefore/attach`.
---@field report? wherefore.AttachedReport How it ended; nothing to wait until it may run.
---@field root? string The workspace, where several are open: its path or its `file:` URI.

---How a command ended that its caller ran.
---@class wherefore.AttachedReport
---@field exit_code? integer Its exit code; none where a signal ended it.
---@field signal? string The signal that ended it, as `SIGKILL`.
---@field limit? string The limit that ended it, as an answer names it: `time`.
---@field duration_ms? integer How long it ran, in milliseconds.
---@field peak_memory? integer The most memory it took, in bytes.
---@field sandbox? string What confined it: the tier, in words.
---@field left_out? string[] Changes that are not taken, a sentence each.
---@field diff? string What it changed and is kept apart, as a diff of git's.

---Answer of `wherefore/attached`.
---@class wherefore.AttachedAnswer
---@field granted boolean Whether the command may run. Where not, the answer to its call says why.
---@field layered boolean Whether what it changes is to be kept apart until it is decided on.

---Params of `wherefore/agentRun`.
---@class wherefore.AgentRunParams
---@field task? string What the agent is to do, in the person's words. It may be empty where a run is resumed.
---@field model? string The model, as the settings or its server name it; the one of the settings where nothing is said.
---@field limits? wherefore.AgentLimits What ends the run.
---@field resume? string An earlier run whose conversation goes on, by its id.
---@field policy? wherefore.Policy What becomes of the agent's changes; the settings' word where nothing is said.
---@field name? string What the run's id ends with, in place of a word that nobody chose: up to 40 of `a-z`, `0-9` and `-`.
---@field attended? boolean Whether the client answers the run's questions, by `wherefore/agentSay`, and decides on its changes. Where not, an editor that is attached does.
---@field files? wherefore.AgentFiles What the client does with the files of its own editor.
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---What ends a run of the built-in agent, whatever its model does. A limit that is not set does not hold, but for the
---steps.
---@class wherefore.AgentLimits
---@field max_steps? integer Answers of the model in one turn; 60 where nothing is said.
---@field max_tokens? integer Tokens that the model reads and writes in the whole run.
---@field max_minutes? number Minutes of one turn.
---@field max_cost? number What the model may cost in the whole run, in US dollars. It holds where the price of the model is known.

---What a client that is no attached editor does with files for a run: it answers `read_file` and `write_file` among the
---events.
---@class wherefore.AgentFiles
---@field reads? boolean Whether it tells the text of a file as its editor has it, unsaved or not.
---@field writes? boolean Whether it writes a file through its editor.

---Answer of `wherefore/agentRun`: the run began. `wherefore/agentEvent` and `wherefore/agentEvents` tell how it goes.
---@class wherefore.AgentRunAnswer
---@field run string The id of the run.
---@field session string The session whose log has it.
---@field model string The model that answers.

---Params of `wherefore/agentSay`.
---@class wherefore.AgentSayParams
---@field run? string The run.
---@field text? string The person's words. A run that is at work hears them before its next step, and one that waits goes on with them.
---@field question? string The question that `text` answers, by its id.
---@field later? string A proposal that the person decides on later: the call that waits for it is answered `pending`.
---@field policy? wherefore.Policy What becomes of the run's changes from now on.
---@field file? wherefore.AgentFileAnswer What came of a `read_file` or a `write_file`.

---What came of a `read_file` or a `write_file`.
---@class wherefore.AgentFileAnswer
---@field id? string The id of what was asked.
---@field text? string The text that was read.
---@field error? string Why it could not be done.

---A run in a list.
---@class wherefore.AgentRunSummary
---@field run string Its id.
---@field session string The session whose log has it.
---@field task string What it was asked for first.
---@field model string The model that answered last.
---@field time string When it began, RFC 3339.
---@field state wherefore.AgentState How it stands; `ended` for one of an earlier server.

---How a run stands.
---@alias wherefore.AgentState "working"|"waiting"|"ended"

---Params of `wherefore/agentCancel`.
---@class wherefore.AgentCancelParams
---@field run? string The run.
---@field end? boolean Whether the run ends too. Where not, its turn ends, and it waits for the person's next words.

---Params of `wherefore/agentEvents`.
---@class wherefore.AgentEventsParams
---@field run? string The run.
---@field after? integer The number of the last event that is known; 0 for none.
---@field wait_ms? integer How long to wait for a further one, in milliseconds; 30 seconds at the most.
---@field logged? boolean Whether the whole conversation of the run is told as the session log has it, also that of an earlier server.
---@field root? string The workspace folder meant, where a server has several and `logged` is set: an absolute path inside it.

---Answer of `wherefore/agentEvents`.
---@class wherefore.AgentEventsAnswer
---@field events? wherefore.AgentEvent[] What happened since, in order. The pieces of a text that came meanwhile are one event.
---@field state? wherefore.AgentState How the run stands.

---One thing that happened in a run: the params of `wherefore/agentEvent`. Only a client with the capability
---`experimental.wherefore.agent` gets that notification.
---@class wherefore.AgentEvent
---@field run string The run.
---@field root string The workspace's root, as a `file:` URI.
---@field seq integer Its number in the run, from 1.

---What a run took so far.
---@class wherefore.AgentUsage
---@field steps? integer Answers of the model.
---@field input_tokens? integer Tokens that the model read.
---@field output_tokens? integer Tokens that it wrote.
---@field cost? number What that cost in US dollars, where the price is known.
---@field context_tokens? integer Tokens of the conversation as it stands, estimated.
---@field context_budget? integer Tokens that the conversation may have.

---Why a turn ended.
---@alias wherefore.AgentEnd "complete"|"answered"|"asks"|"limit"|"stuck"|"cancelled"|"failed"

---Params of `wherefore/agentList`.
---@class wherefore.AgentListParams
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.

---Answer of `wherefore/agentList`: the runs of this server, and those that the newest session logs hold.
---@class wherefore.AgentListAnswer
---@field runs wherefore.AgentRunSummary[] The runs, newest first.

---Params of `wherefore/log` and `wherefore.openLog`.
---@class wherefore.LogParams
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.
---@field session? string The session meant; the open one when absent.
---@field text? boolean Whether the text is wanted too.

---Answer of `wherefore/log`.
---@class wherefore.LogAnswer
---@field uri string The log as a document of the server's: `wherefore://log/<session>`.
---@field path string The log as a file, absolute.
---@field text? string Its text, where it was asked for.

---Params of `wherefore/why`.
---@class wherefore.WhyParams
---@field root? string The workspace folder meant, where a server has several: an absolute path inside it.
---@field path? string The file: absolute, or relative to the root.
---@field start? integer The first line, counted from 1; the first of the file where it is left out.
---@field end? integer The last line; the last of the file where it is left out.
---@field commits? boolean Whether git is asked for the commit of each line.
---@field text? string The text meant, where that is not the file's of now, as one that was committed: only what is recorded on this machine is said of its lines.

---Why lines of a file are as they are.
---@class wherefore.LineWhys
---@field path string The file.
---@field total integer How many lines it has.
---@field groups wherefore.LineGroup[] The lines that were asked for.
---@field calls wherefore.LineCall[] The calls that they come from.
---@field commits? table<string, wherefore.LineCommit> The commits that they were last changed in, by hash.
---@field altered? table<string, string> Sessions of these calls whose logs were altered or cut, by name, each with how its log stands. What is said here of their calls was recorded outside of the workspace, and is not from the log.
---@field warnings? string[] What is not certain of it.

---Lines that follow on each other and have all in common that is known of them.
---@class wherefore.LineGroup
---@field start integer The first line, counted from 1.
---@field end integer The last line.
---@field by wherefore.LineBy Who wrote them.
---@field call? integer The call that they come from, by its place in `calls`.
---@field commit? string The commit, by hash: a key of `commits`.
---@field commit_line? integer The first line as the commit has it, counted from 1.

---Who wrote a line.
---@alias wherefore.LineBy "agent"|"human"|"mixed"|"git"|"unknown"

---A call that lines come from.
---@class wherefore.LineCall
---@field session string The session that holds it.
---@field call string The call.
---@field hunk? string The hunk, where it is known which.
---@field tool? string The tool; absent where it is not known.
---@field agent? string The agent, or the door where the agent did not say its name.
---@field why? string Why it was called.
---@field decision? string What was decided on the hunk: `accepted`.
---@field decided_by? string Who decided: `person`, `policy`, `client`, `editor`, `recovery`.
---@field reason? string The person's word on the decision.
---@field time? string When it was decided, RFC 3339.

---A commit that lines were last changed in.
---@class wherefore.LineCommit
---@field author string Its author's name.
---@field mail string Its author's address.
---@field time integer When it was made, in seconds since 1970.
---@field zone string The offset of its clock, as `+0100`.
---@field summary string The first line of its message.

---Params of `wherefore/didFocus`: the person looks at another document. Of a client that sends it, and says so by the
---capability `experimental.wherefore.focus`, nothing else counts as a look; of others that they open a document does.
---@class wherefore.FocusParams
---@field uri string Its URI.

---Params of `wherefore/didSelect`: what the person has selected is another. Of a client whose server has an IDE slot open,
---as `wherefore/slot` says: the agent in the slot is told.
---@class wherefore.SelectParams
---@field uri string The URI of the document.

---A call began: the params of `wherefore/didCall`.
---@class wherefore.CallNotice
---@field call_id string The call's id in the session log.
---@field session string The session whose log that is.
---@field tool string The tool called.
---@field why string Why.
---@field origin wherefore.Origin Who called.
---@field paths string[] The paths it names, relative to the root.
---@field writes boolean Whether it changes anything.
---@field time string When, RFC 3339.
---@field root string The workspace's root, as a `file:` URI.

---A call ended: the params of `wherefore/didFinish`.
---@class wherefore.FinishNotice
---@field call_id string The call's id in the session log.
---@field session string The session whose log that is.
---@field root string The workspace's root, as a `file:` URI.
---@field tool string The tool called.
---@field status wherefore.Status How it ended.
---@field error? wherefore.Fault What went wrong, if anything.
---@field duration_ms number How long it took, in milliseconds.

---A command started, wrote something or ended: the params of `wherefore/command`. Each notice describes the command, so
---that an editor which comes later knows it too. Only a client with the capability `experimental.wherefore.commands`
---gets these notices.
---@class wherefore.CommandNotice
---@field call_id string The id of the call that runs it. `wherefore/cancel` with this id ends the command.
---@field session string The session of the call.
---@field root string The workspace's root, as a `file:` URI.
---@field command string The program and its arguments as one line, cut where they are long.
---@field why string Why the call was made.
---@field tier string What confines the command.
---@field background boolean Whether the command goes on after its call was answered.
---@field state wherefore.CommandState What happened.
---@field text? string What the command wrote to both of its streams since the notice before. Colors are the only escape sequences in it.
---@field left_out? integer Bytes that the command wrote after `text` and that no notice holds, because they came too fast.
---@field outcome? string How the command ended, in words: `exit code 1`.
---@field exit_code? integer The exit code, where the command exited by itself.
---@field duration_ms? integer How long the command ran, in milliseconds.

---What a notice about a command says.
---@alias wherefore.CommandState "started"|"output"|"ended"

---The IDE slot changed: the params of `wherefore/slot`.
---@class wherefore.SlotNotice
---@field env? table<string, string> The variables that the editor's terminals are to have from now on, so that the agent in them finds this editor; none where no agent is served. Those of an earlier notice that are not named here are to go.

---Params of `wherefore/save`: documents to write to the disk.
---@class wherefore.SaveParams
---@field uris string[] Their URIs.

---Answer of `wherefore/save`.
---@class wherefore.SaveAnswer
---@field saved string[] The URIs of those that were written.

---Params of `wherefore/look`: what an agent at the editor's side asks about the editor.
---@class wherefore.LookParams
---@field diagnostics? boolean Whether diagnostics are wanted.
---@field uri? string The one document whose diagnostics are wanted; those of every document where none is named.

---Answer of `wherefore/look`: what the person has before them.
---@class wherefore.LookAnswer
---@field selection? wherefore.SelectedText What is selected; none where no file is shown.
---@field diagnostics? wherefore.DocumentDiagnostics[] The diagnostics, by document.

---The selection of the person; an empty one is the cursor.
---@class wherefore.SelectedText
---@field uri? string The document.
---@field text? string The text that is selected.
---@field start? wherefore.TextPlace Where it begins.
---@field end? wherefore.TextPlace Where it ends.

---A place in a document, as the Language Server Protocol counts: from 0, characters in UTF-16.
---@class wherefore.TextPlace
---@field line? integer The line.
---@field character? integer The character in it.

---What language servers say of a document.
---@class wherefore.DocumentDiagnostics
---@field uri? string The document.
---@field diagnostics? any[] Diagnostics as the Language Server Protocol writes them.

---A question that only a person can answer: the params of `wherefore/ask`.
---@class wherefore.AskParams
---@field root string The workspace's root, as a `file:` URI.
---@field session string The session of the call.
---@field call_id string The call that waits for the answer; empty where none does.
---@field tool string The tool called; the server's name where a server of the Model Context Protocol is asked about.
---@field why string Why it is called; empty where the question is not about one call.
---@field agent? string The agent's name and version, where it said so.
---@field text string The question as a whole, for one who sees nothing else.
---@field answers string[] What may be answered; the first one allows.

---Answer of `wherefore/ask`.
---@class wherefore.AskAnswer
---@field answer? string One of the answers; none where the person turned the question away.

local M = {}

M.methods = {
  -- Calls a tool; how it went stands in the envelope.
  -- from the client: wherefore.RawCall -> wherefore.Envelope
  call = "wherefore/call",
  -- Lists the changes that wait for decisions.
  -- from the client: wherefore.ProposalsParams -> wherefore.ProposalsAnswer
  proposals = "wherefore/proposals",
  -- Accepts or rejects hunks, at a person's word.
  -- from the client: wherefore.DecideParams -> wherefore.DecideAnswer
  decide = "wherefore/decide",
  -- Keeps the person's words for an agent, whose next result brings them.
  -- from the client: wherefore.SendParams -> wherefore.SendAnswer
  send = "wherefore/send",
  -- Takes back what a call changed.
  -- from the client: wherefore.UndoParams -> wherefore.UndoAnswer
  undo = "wherefore/undo",
  -- Tells a call that runs to stop.
  -- from the client: wherefore.CancelParams -> wherefore.CancelAnswer
  cancel = "wherefore/cancel",
  -- Searches a folder's files for a person.
  -- from the client: wherefore.SearchParams -> wherefore.SearchAnswer
  search = "wherefore/search",
  -- Lists the files that matter now, the hottest first.
  -- from the client: wherefore.WorkingSetParams -> wherefore.WorkingSetAnswer
  workingSet = "wherefore/workingSet",
  -- Carries out a person's word on a file of the working set.
  -- from the client: wherefore.HintParams -> wherefore.HintOutcome
  hint = "wherefore/hint",
  -- Cleans the working set up.
  -- from the client: wherefore.CollectParams -> wherefore.CollectAnswer
  collect = "wherefore/collect",
  -- Says how things stand in each folder.
  -- from the client: nil -> wherefore.StatusAnswer
  status = "wherefore/status",
  -- Lists every tool in a line.
  -- from the client: wherefore.ListParams -> wherefore.ListAnswer
  list = "wherefore/list",
  -- Shows what stands at a node of the catalogue.
  -- from the client: wherefore.ListToolsParams -> wherefore.ListToolsAnswer
  listTools = "wherefore/listTools",
  -- Finds the tools that answer a request in plain words.
  -- from the client: wherefore.SearchToolsParams -> wherefore.SearchToolsAnswer
  searchToolByCategory = "wherefore/searchToolByCategory",
  -- Finds the nodes that may hold what a request asks for.
  -- from the client: wherefore.SearchNodesParams -> wherefore.SearchNodesAnswer
  searchNodes = "wherefore/searchNodes",
  -- Gives all that a call of one tool needs.
  -- from the client: wherefore.ExpandToolParams -> wherefore.ExpandToolAnswer
  expandTool = "wherefore/expandTool",
  -- Puts several tools into a form that a model fills or a model's API takes.
  -- from the client: wherefore.ComposeParams -> wherefore.ComposeAnswer
  compose = "wherefore/compose",
  -- Says what the rules make of a command, and of each command in it, without running it.
  -- from the client: wherefore.JudgeCommandParams -> wherefore.Judgement
  judgeCommand = "wherefore/judgeCommand",
  -- Answers the hook of an agent whose own tool is about to act.
  -- from the client: wherefore.NativeParams -> wherefore.NativeAnswer
  native = "wherefore/native",
  -- Calls terminal.run for a command that its caller runs itself, confined.
  -- from the client: wherefore.AttachParams -> wherefore.Envelope
  attach = "wherefore/attach",
  -- Waits until such a command may run, or hands over how it ended.
  -- from the client: wherefore.AttachedParams -> wherefore.AttachedAnswer
  attached = "wherefore/attached",
  -- Starts a run of the built-in agent, which goes on by itself.
  -- from the client: wherefore.AgentRunParams -> wherefore.AgentRunAnswer
  agentRun = "wherefore/agentRun",
  -- Says something to a run of the agent, or answers its question.
  -- from the client: wherefore.AgentSayParams -> wherefore.AgentRunSummary
  agentSay = "wherefore/agentSay",
  -- Cancels the turn of a run, or ends the run.
  -- from the client: wherefore.AgentCancelParams -> wherefore.AgentRunSummary
  agentCancel = "wherefore/agentCancel",
  -- Waits for what happens in a run of the agent.
  -- from the client: wherefore.AgentEventsParams -> wherefore.AgentEventsAnswer
  agentEvents = "wherefore/agentEvents",
  -- Lists the runs of the agent, those of earlier sessions among them.
  -- from the client: wherefore.AgentListParams -> wherefore.AgentListAnswer
  agentList = "wherefore/agentList",
  -- Says where a session log is, and gives its text where that is asked for.
  -- from the client: wherefore.LogParams -> wherefore.LogAnswer
  log = "wherefore/log",
  -- Says why lines of a file are as they are: who wrote each, for which call, and how it was decided.
  -- from the client: wherefore.WhyParams -> wherefore.LineWhys
  why = "wherefore/why",
  -- The person looks at another document.
  -- from the client: wherefore.FocusParams
  didFocus = "wherefore/didFocus",
  -- What the person has selected is another.
  -- from the client: wherefore.SelectParams
  didSelect = "wherefore/didSelect",
  -- A call began.
  -- from the server: wherefore.CallNotice
  didCall = "wherefore/didCall",
  -- A call ended, or was refused.
  -- from the server: wherefore.FinishNotice
  didFinish = "wherefore/didFinish",
  -- A command started, wrote something or ended.
  -- from the server: wherefore.CommandNotice
  command = "wherefore/command",
  -- A change waits for decisions.
  -- from the server: wherefore.Proposal
  proposal = "wherefore/proposal",
  -- Hunks moved or were decided.
  -- from the server: wherefore.Proposal
  proposalChanged = "wherefore/proposalChanged",
  -- Something happened in a run of the built-in agent.
  -- from the server: wherefore.AgentEvent
  agentEvent = "wherefore/agentEvent",
  -- Terminals are to have other variables: an agent finds its editor by them.
  -- from the server: wherefore.SlotNotice
  slot = "wherefore/slot",
  -- Other files matter now: `wherefore/workingSet` says which.
  -- from the server: nil
  workingSetChanged = "wherefore/workingSetChanged",
  -- Asks for documents to be saved.
  -- from the server: wherefore.SaveParams -> wherefore.SaveAnswer
  save = "wherefore/save",
  -- Asks what the person has selected, and for diagnostics.
  -- from the server: wherefore.LookParams -> wherefore.LookAnswer
  look = "wherefore/look",
  -- Puts a question to the person.
  -- from the server: wherefore.AskParams -> wherefore.AskAnswer
  ask = "wherefore/ask",
}

return M
