-- Types of the messages between wherefore and its plugins. Generated from server/requests.rs and
-- server/lsp/ext.rs: do not edit; `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.

---A tool with its arguments, unchecked: the params of `wherefore/call` and a line of `call --batch`.
---@class wherefore.RawCall
---@field tool string The tool's name or one of its aliases.
---@field arguments? any An object, or a JSON string that holds one.
---@field origin? wherefore.Origin The caller.
---@field comments? table<string, string> Comments of the model's on its own arguments, by path (`args.path`): kept in the log.
---@field _activity? string The activity that runs the tool, as a composed schema states it; empty means latent. A call that states another one is refused.
---@field environment? string The environment whose activity runs the tool; the folder's when absent.
---@field policy? wherefore.Policy The review policy asked for; settings can only make it stricter.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---The caller.
---@class wherefore.Origin
---@field door? wherefore.Door The way in. A door sets it itself; what a client claims is not used.
---@field agent? string The agent's name and version, as `claude-code/2.1`.
---@field session? string The agent's session at that door.
---@field call? string The agent's own id of the call.
---@field tool? string The agent's own tool that the call represents, such as `Edit`; none if the agent called a tool of this server.
---@field ids? table<string, string> Further ids that the agent sent along, as of its turn or trace.

---The way a call came in.
---@alias wherefore.Door "lsp"|"mcp"|"cli"|"agent"|"hook"|"acp"|"outside"

---The policy for a proposed change. Ordered from the loosest to the strictest.
---@alias wherefore.Policy "auto"|"ask"|"hold"|"deny"

---The answer to a call: of `wherefore/call`, of a line of `call --batch`, of the socket.
---@class wherefore.Envelope
---@field call_id string The call's id in the session log; absent when it never became a call.
---@field status wherefore.Status The status of the call.
---@field result? any The tool's output.
---@field latent? boolean True if no code ran: the caller itself filled `result`, or is to fill it.
---@field error? wherefore.Fault The reason why there is no result.
---@field truncated? boolean True if a limit cut the output.
---@field rest? string The way to get the rest of an output that was cut.
---@field blocks? any[] The content that a model gets instead of `result` as text: text, images, audio and resources, as content blocks of the Model Context Protocol.
---@field warnings? string[] Hints that the caller should do better next time (a mechanical `why`).
---@field decisions? wherefore.Delivery[] Decisions on this agent's earlier calls, made since its last result.
---@field messages? wherefore.PersonMessage[] Messages of the person to this agent since its last result.

---The status of a call.
---@alias wherefore.Status "ok"|"error"|"pending"|"latent"

---The error of a call: names the thing, the limit and the value, and a way out.
---@class wherefore.Fault
---@field code wherefore.Code The error code, for a program.
---@field message string The error message, for a reader.
---@field recoverable boolean True if another call of the same agent can succeed.
---@field suggestion? string An action that the model can take next.
---@field hints? string[] Nearest names, places, alternatives.
---@field near? boolean True if `hints` are names similar to the requested one.
---@field next_action? any The way to recover, in a form that a program can follow.
---@field applied? boolean Set if a write took effect although a later step failed (the folder's fsync).
---@field details? any Details beyond the code: schema violations, a patch's report, the fresh hash.

---The error code, for a program.
---@alias wherefore.Code "NOT_FOUND"|"PERMISSION_DENIED"|"TIMEOUT"|"INVALID_ARGS"|"MISSING_WHY"|"QUOTA_EXCEEDED"|"TOOL_NOT_FOUND"|"UNKNOWN_PATH"|"NO_MATCH_IN_CATEGORY"|"NO_MATCH"|"NOT_AUTHORIZED"|"PATCH_MISMATCH"|"STALE"|"REJECTED"|"CANCELLED"|"UNSUPPORTED"|"SANDBOX_UNAVAILABLE"|"INTERNAL"

---A decision made after its call was answered, brought with the agent's next result.
---@class wherefore.Delivery
---@field proposal string The proposal decided on.
---@field call_id string The call that made it.
---@field status string `applied`, `partly_applied`, `rejected`, `stale` or `undone`.
---@field hunks wherefore.HunkDecision[] Each hunk's decision.

---The decision on one hunk.
---@class wherefore.HunkDecision
---@field id string The hunk.
---@field path string Its file, relative to the root.
---@field state wherefore.HunkState The state of the hunk.
---@field reason? string The person's reason.
---@field text? string The lines it added, if a person changed them before they accepted it.

---The state of a hunk.
---@alias wherefore.HunkState "pending"|"accepted"|"rejected"|"stale"

---Words of the person for an agent, brought with the agent's next result.
---@class wherefore.PersonMessage
---@field sent string When they were sent, RFC 3339.
---@field text string The person's words.
---@field path? string The file, relative to the root.
---@field lines? wherefore.LineSpan The lines.
---@field quoted? string The lines as the editor showed them, or the hunk's lines with `-` and `+` before them.
---@field diagnostics? string[] Diagnostics of language servers there.
---@field proposal? string The proposal that the message comments on; it decides nothing.
---@field hunk? string The hunk of the proposal.

---Lines of a file.
---@class wherefore.LineSpan
---@field first integer The first line, counted from 1.
---@field last integer The last line, which belongs to it.

---Params of `wherefore/callAll`.
---@class wherefore.CallAllParams
---@field message? any The message: an object with `calls`, each in a form that `wherefore/call` takes or filled by the Tool Protocol; a list of calls; or a model's answer with calls, as its API gives it.
---@field origin? wherefore.Origin Who called.
---@field environment? string The environment whose activities run the tools; the folder's when absent.
---@field policy? wherefore.Policy The review policy asked for; settings can only make it stricter.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/callAll`.
---@class wherefore.CallAllAnswer
---@field answers wherefore.Envelope[] The answer of each call, in the order of the message.

---Params of `wherefore/proposals`.
---@class wherefore.ProposalsParams
---@field path? string Only proposals that touch this file, relative to the root.
---@field all? boolean Also proposals that are wholly decided and still kept.
---@field applied? boolean Also proposals with hunks that a policy applied and no person has reviewed.
---@field since? wherefore.Point Only proposals of calls after this point in the log.
---@field root? string The workspace folder.

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
---@field why string The reason for the call.
---@field origin wherefore.Origin The caller.
---@field created string When it was made, RFC 3339.
---@field command? wherefore.ProposalCommand The command that made it, if one did.
---@field files wherefore.ProposedFile[] The files that it changes.

---The command or the code that made a change, for the one who decides on it.
---@class wherefore.ProposalCommand
---@field script string The command line, the script or the code.
---@field output? string The last lines that it wrote; empty if it wrote nothing, or to its agent's own shell.

---A file of a proposal.
---@class wherefore.ProposedFile
---@field path string Relative to the workspace's root, `/`-separated.
---@field uri string Its `file:` URI, for editors.
---@field kind wherefore.ChangeKind The kind of change.
---@field version? integer The version of the open document that the hunks' positions refer to; absent if it is not open. An editor that is ahead of it keeps the positions that it knows until the next notice.
---@field from? string The source of a copy or a rename.
---@field before? wherefore.PathContent The symlink or binary file before the change; none if there was nothing.
---@field after? wherefore.PathContent The symlink or binary file afterwards; none if nothing is left.
---@field executable? boolean True if the file is executable afterwards: for a change of mode, and for a new file.
---@field what? string The change as a sentence for a person, if no line of a hunk shows it.
---@field hunks wherefore.Hunk[] Its hunks, in order of `start`.

---The change of a proposal to a path.
---@alias wherefore.ChangeKind "edit"|"create"|"delete"|"mkdir"|"copy"|"rmdir"|"rename"|"mode"|"symlink"|"binary"

---The content of a path that is not text.
---@alias wherefore.PathContent table|table

---The smallest part of a change that is decided by itself: a run of changed lines; or a change with no lines, such
---as a rename, a mode, a symlink, the bytes of a file. The details of such a change are in its file.
---@class wherefore.Hunk
---@field id string Unique in its proposal: `h1`, `h2`, … over all files, in order.
---@field state? wherefore.HunkState The state of the hunk.
---@field start integer The first line it replaces in the text as it is now, counted from 0; for an insertion the line before which it goes.
---@field old string[] The lines it removes, each with its line end.
---@field new string[] The lines it adds, each with its line end.
---@field reason? string The person's reason for the decision.
---@field loose? string Set if the patch engine placed it more loosely than exactly: the difference, so that a person looks twice.
---@field warning? string Set if the file makes programs run, as a build file or a package's scripts do: the way it does so, so that a person looks twice. The first hunk of a command also names the files that the command wrote without a review.
---@field reviewed? boolean True if a person decided on it. A hunk that a policy applied is not pending, but can still be reviewed: accepted then, it stays; rejected, it is taken back.
---@field edited? boolean True if a person changed its added lines before they accepted it.

---Params of `wherefore/heldElsewhere`.
---@class wherefore.HeldElsewhereParams
---@field root? string The workspace folder, where a server has several: an absolute path inside it. All folders where it is left out.

---Answer of `wherefore/heldElsewhere`.
---@class wherefore.HeldElsewhereAnswer
---@field proposals wherefore.HeldProposal[] The proposals, by id. Those that were stored in the last moment may be missing.

---A proposal whose hunks wait at another server of the folder, as that of a second window on it.
---@class wherefore.HeldProposal
---@field id string The proposal.
---@field path string Its first file, relative to the folder.
---@field why string The reason of its call.
---@field hunks integer The number of its hunks that wait.

---Params of `wherefore/decide`: the pending hunks to decide on, and the decision. With neither hunks nor path it
---applies to every pending hunk of the proposal; with no proposal, to every pending hunk. An applied hunk is
---included if it is named: accepted, it counts as reviewed; rejected, it is taken back.
---@class wherefore.DecideParams
---@field proposal? string The proposal; all proposals if absent.
---@field hunks? string[] The hunks, by id: at least one if the member is present. They belong to `proposal`, which has to be named.
---@field path? string The file, relative to the root.
---@field act wherefore.Act The action.
---@field reason? string A reason for the agent.
---@field applied? boolean True if hunks that a policy applied, and no person has reviewed, are included like pending ones.
---@field since? wherefore.Point Only hunks of calls after this point in the log.
---@field texts? table<string, string> The lines that hunks add instead of the proposed ones, by the hunk's id: a person changed them before accepting. It requires `proposal`.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---A person's action on hunks.
---@alias wherefore.Act "accept"|"reject"

---Answer of `wherefore/decide`.
---@class wherefore.DecideAnswer
---@field proposals wherefore.Proposal[] The proposals touched, as they stand now, read back.
---@field problems? string[] The parts that were not carried out, a sentence each: a hunk that went stale, an edit that the editor refused.

---Params of `wherefore/send`.
---@class wherefore.SendParams
---@field text? string The person's message; it may be empty if lines or diagnostics are sent.
---@field path? string The file: relative to the root, absolute, or a `file:` URI.
---@field lines? wherefore.LineSpan The lines of the file that are quoted, as the editor shows them.
---@field diagnostics? string[] Diagnostics of language servers for the file, a sentence each.
---@field proposal? string The proposal that the message comments on. It decides nothing.
---@field hunk? string The hunk of the proposal.
---@field agent? string The agent, by its name with or without its version. A comment goes to the agent that made the proposal.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/send`.
---@class wherefore.SendAnswer
---@field agent? string The agent whose next result brings the message; none if no agent is known: the first agent that calls gets it.
---@field waiting integer Messages that wait for their agents, this one among them.
---@field problems? string[] Parts that were left out, with the reason, a sentence each.

---Params of `wherefore/keptApart`.
---@class wherefore.KeptApartParams
---@field act? wherefore.ApartAct The decision; only a listing when absent.
---@field root? string The workspace folder.

---A person's decision on changes of commands to ignored paths that are kept apart.
---@alias wherefore.ApartAct "take"|"drop"

---Answer of `wherefore/keptApart`.
---@class wherefore.KeptApartAnswer
---@field files? wherefore.DirectWrites[] The changes that are kept apart, by ignored folder; after a decision those that it was about.
---@field left_out? string[] The changes that were not taken over, a sentence each.

---The changes of a command in one folder that git ignores, or to one such file.
---@class wherefore.DirectWrites
---@field path? string The folder or file, from the workspace's root.
---@field files? integer The number of files and links written.
---@field apart? boolean Set if they are kept apart from the workspace, until the person takes them over or drops them.
---@field removed? integer The number of files removed.
---@field run_later? integer The number of written files that a program outside of the sandbox runs later.
---@field run_by? string[] The programs that run them.
---@field named? string[] Some of the files that are run later, by path.

---Params of `wherefore/repository`.
---@class wherefore.RepositoryParams
---@field act? wherefore.RepositoryAct The decision; only a listing when absent.
---@field root? string The workspace folder.

---A person's decision on what commands did to the repository.
---@alias wherefore.RepositoryAct "take"|"drop"|"undo"

---Answer of `wherefore/repository`.
---@class wherefore.RepositoryAnswer
---@field changes? wherefore.RepositoryChange[] The waiting changes, or after a decision the changes that were decided on.
---@field problems? string[] Why the decision, or a part of it, was not carried out, a sentence each.

---The changes of a repository by commands that wait for a decision, as one.
---@class wherefore.RepositoryChange
---@field summary? string The words for it: `commit 3 files on main: fix the limit`.
---@field not_accepted? string[] Files that it holds otherwise than the workspace does: no person accepted that, or it changed since.
---@field passing? string[] Files that an earlier one of its commits holds otherwise.
---@field obstacles? string[] A sentence for each reason why it cannot be taken over.
---@field left_out? string[] A sentence for each part that is left out when it is taken over.

---Params of `wherefore/undo`.
---@class wherefore.UndoParams
---@field call? string The call to undo, as `c-0007` or `SESSION/c-0007`; the last one that changed a file when absent.
---@field root? string The workspace folder.

---Answer of `wherefore/undo`.
---@class wherefore.UndoAnswer
---@field call string The call undone.
---@field undo_id string The id that undoes this undo; empty if no file had to be restored.
---@field paths string[] The files brought back, relative to the root.
---@field withdrawn? integer Hunks of the call that waited for a decision and were rejected.

---Params of `wherefore/cancel`.
---@class wherefore.CancelParams
---@field call_id string The call to stop, as `c-0007`.
---@field root? string The workspace folder, where a server has several: an absolute path inside it.

---Answer of `wherefore/cancel`: the call was cancelled, and is answered CANCELLED as soon as it stops. A command that
---the call started in the background is ended.
---@class wherefore.CancelAnswer
---@field call_id string The call.

---Params of `wherefore/search`.
---@class wherefore.SearchParams
---@field root? string The workspace folder, where a server has several: an absolute path inside it.
---@field query? string The query: a regular expression, a plain text with `literal`, or words.
---@field kind? wherefore.SearchKind The kind of the search.
---@field scope? string The folder or the file to search, relative to the root; the whole workspace where it is left out.
---@field glob? string Only files that match, as `*.rs`; for patterns.
---@field case? wherefore.SearchCase The way capitals count; for patterns.
---@field literal? boolean True where the query is plain text; for patterns.
---@field context? integer Lines to give on each side of a match; for patterns.
---@field limit? integer The most results; 10 files or 100 lines where it is left out.
---@field cursor? string The cursor of an earlier answer, to go on from there; for patterns.
---@field wait_ms? integer Milliseconds to wait for vectors of files that are not made yet, where the person set a model; for files.

---The kind of a search.
---@alias wherefore.SearchKind "lexical"|"vector"

---The way capitals count in a pattern.
---@alias wherefore.SearchCase "sensitive"|"insensitive"|"smart"

---Answer of `wherefore/search`.
---@class wherefore.SearchAnswer
---@field results wherefore.SearchHit[] The results: lines by path and number, files best first.
---@field ranker? string The ranker of the files: `words`, or `words+` and a model.
---@field embedded? number The share of the files' pieces that have a vector, 0 to 1; absent where no model is set.
---@field trouble? string The reason why the configured model was not used, or why there is none where the settings are wrong.
---@field empty? string The reason why no file was found.
---@field cursor? string The cursor of the next answer; absent where there is no more.

---A place that was found.
---@class wherefore.SearchHit
---@field path string The file, relative to the root.
---@field start integer Its first line, counted from 1.
---@field end integer Its last line.
---@field line integer The line of it to be shown first: where a piece holds most of what is asked for.
---@field score number The score relative to the others of the same answer; 1 for each line that matches a pattern.
---@field text string The line, or the piece of the file.
---@field before? string[] The lines before it that were asked for.
---@field after? string[] The lines after it that were asked for.

---Params of `wherefore/workingSet`.
---@class wherefore.WorkingSetParams
---@field root? string The workspace folder, where a server has several: an absolute path inside it.

---Answer of `wherefore/workingSet`.
---@class wherefore.WorkingSetAnswer
---@field files wherefore.WorkingFile[] The files that matter now, the hottest first.
---@field budget integer Tokens that a context of it may hold.
---@field tokens integer About how many tokens its files hold together: a quarter of their characters.
---@field problems? string[] Problems of `hot.yml`, `cold.yml` and `working-set.yml`, a sentence each.

---A file that matters now.
---@class wherefore.WorkingFile
---@field path string Its path, relative to the root.
---@field hotness number The importance of the file, from 0 to 1.
---@field reasons string[] The reasons why it matters, a phrase each, the weightiest first.
---@field pinned boolean True if it is pinned to the set.
---@field advice? wherefore.Advice The hint on it.
---@field role wherefore.Role The role of the file.
---@field priority? integer Its place in a context, 1 first; by its hotness when absent.
---@field truncate_strategy wherefore.Truncate The part of it that is cut if it does not fit into a context.
---@field open boolean True if the editor has it open.
---@field unsaved boolean True if it is open with unsaved text.
---@field pending_hunks integer Hunks in it that wait for a decision.
---@field tokens? integer About how many tokens it holds: a quarter of its characters. Absent if there is no such file.

---The advice of a hint on a file.
---@alias wherefore.Advice "hot"|"cold"

---The role of a file in a context.
---@alias wherefore.Role "source"|"test"|"doc"|"reference"|"summary"

---The part of a file that is cut if it does not fit.
---@alias wherefore.Truncate "never"|"start"|"middle"|"end"

---Params of `wherefore/hint`: a person's advice on one file.
---@class wherefore.HintParams
---@field path string The file, relative to the root or absolute.
---@field advice wherefore.HintAct The action.
---@field why? string The reason, for readers of the working set.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---A person's action on a file of the working set.
---@alias wherefore.HintAct "hot"|"cold"|"pin"|"unpin"|"clear"

---A hint with its outcome.
---@class wherefore.HintOutcome
---@field path string The file, relative to the root.
---@field advice string The advice: `hot`, `cold`, `pin`, `unpin`, `clear`; `drop` if the set was cleaned up.
---@field outcome wherefore.Outcome The outcome of the hint.
---@field reason string The reason, as a sentence.

---The outcome of a hint.
---@alias wherefore.Outcome "honoured"|"deferred"|"overridden"|"promoted"|"dropped"

---Params of `wherefore/collect`: cleans the working set up.
---@class wherefore.CollectParams
---@field root? string The workspace folder, where a server has several: an absolute path inside it.

---Answer of `wherefore/collect`.
---@class wherefore.CollectAnswer
---@field dropped wherefore.HintOutcome[] The files that left, and why.

---Answer of `wherefore/status`.
---@class wherefore.StatusAnswer
---@field version string This program's version.
---@field pid integer The process that answered.
---@field editor boolean True where an editor is attached.
---@field workspaces wherefore.WorkspaceStatus[] Each workspace folder.

---A workspace folder in the answer of `wherefore/status`.
---@class wherefore.WorkspaceStatus
---@field root string Its absolute path.
---@field session string The open session's id, or else that of the last one; empty if there was none.
---@field log string The session log's absolute path.
---@field calls integer Calls made in this session.
---@field ways? table<string, integer> Calls of this session by the way that they came: a tool of wherefore's (`mcp`, `lsp`, `cli`), an agent's own tool (`hook`, `acp`), or a change by another program (`outside`).
---@field agents string[] Agents seen in this session.
---@field running integer Calls running now.
---@field latent? integer Calls of this session that no code ran: their callers filled the results.
---@field pending_hunks integer Hunks that wait for a decision.
---@field pending_files integer Files with such hunks.
---@field unreviewed_hunks integer Hunks that a policy applied and no person has reviewed.
---@field problems string[] Problems: a definition refused, a setting ignored.
---@field servers? wherefore.ServerStatus[] The servers of the Model Context Protocol that its settings name.
---@field watch? wherefore.WatchStatus The state of the file watch; absent if no process stays to watch.
---@field environment? string The environment that its tools run in.
---@field replaced? table<string, string> The tools whose activities that environment replaces, each with what runs it, in words.
---@field own_environments? table<string, string> The connected agents whose calls run in an environment of their own, each with its name.

---A server of the Model Context Protocol in the answer of `wherefore/status`.
---@class wherefore.ServerStatus
---@field name string Its name in the settings.
---@field of_project boolean True if the project names it, and not the person.
---@field running boolean True if it runs, or is connected to.
---@field remote boolean True if it is reached at a URL, and no program is started.
---@field confined boolean True if its program is run in a sandbox.
---@field tier? string The confinement, if it runs in a sandbox.

---The status of a watch.
---@class wherefore.WatchStatus
---@field mode wherefore.WatchMode The way that changes are detected.
---@field backend wherefore.WatchBackend The back end that is used: never `auto`.
---@field folders_watched integer Folders that the kernel watches for us.
---@field folders_polled integer Folders that are read again before each answer.
---@field files integer Files in the list.
---@field generation integer The generation of the list.
---@field pending integer Events that the kernel keeps for this process and that were not read yet, at most.
---@field untold integer Files whose change was not reported to listeners yet.
---@field last_rescan? wherefore.Rescan The last rescan, with its reason and duration.
---@field problems string[] Problems, each with a way out.

---The way that changes are detected.
---@alias wherefore.WatchMode "native"|"polling"|"mixed"

---The back ends that detect changes of files.
---@alias wherefore.WatchBackend "auto"|"inotify"|"notify"|"poll"

---The last time that files were read again.
---@class wherefore.Rescan
---@field reason wherefore.RescanReason The reason.
---@field at integer When it began, in seconds since 1970.
---@field took_ms integer The duration, in milliseconds.

---The reason why files were read again.
---@alias wherefore.RescanReason "started"|"overflow"|"root_replaced"|"root_missing"|"rules_changed"|"unmounted"|"too_many_changes"|"lagged"

---Params of `wherefore/listTools`.
---@class wherefore.ListToolsParams
---@field root? string The workspace folder, where a server has several: an absolute path inside it.

---Answer of `wherefore/listTools`.
---@class wherefore.ListToolsAnswer
---@field tools wherefore.ToolSummary[] Every tool, by name.

---A tool of `wherefore/listTools`, without its schema.
---@class wherefore.ToolSummary
---@field name string Its dotted name.
---@field category string The node that it belongs to.
---@field summary string A summary in one line.
---@field risk string `read`, `write`, `execute` or `network`.
---@field activity string The activity that runs it; empty means latent.
---@field environment? string The environment with its activity in words, if that activity replaces the one of the tool's definition: `dev: a fixed answer`.
---@field aliases string[] Other names it answers to.

---Params of `wherefore/list`: the nodes and tools at a node.
---@class wherefore.ListNodeParams
---@field path? string[] The node, from the root; the root when empty.
---@field tags? string[] Only nodes and tools with all of these tags.
---@field query? string Only nodes and tools that match this request, best first.
---@field limit? integer Nodes and tools at most: 1 to 50.
---@field cursor? string The `next_cursor` to go on from.
---@field why? string The reason, for the log.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/list`.
---@class wherefore.ListNodeAnswer
---@field path string[] The node.
---@field nodes wherefore.NodePointer[] The nodes directly below it.
---@field tools wherefore.ToolPointer[] The tools at it; with tags or a query those below it too.
---@field next_cursor? string The cursor of the next page, if there is more.
---@field message? string The reason why there is nothing to list.
---@field hints? string[] The nearest nodes, else the root's, where there is nothing to list.
---@field next_action? any The call to make next, where there is nothing to list.

---A node.
---@class wherefore.NodePointer
---@field name string Its name.
---@field path string[] From the root, its name last.
---@field summary string A summary in one line.
---@field tags string[] Words to find it by.

---A tool with no more than it takes to decide whether to expand it.
---@class wherefore.ToolPointer
---@field tool_id string Its id.
---@field path string[] The node that it belongs to.
---@field summary string A summary in one line.
---@field tags string[] Words to find it by.
---@field confidence number The chance that it is what was asked for, 0 to 1; 1 if nothing was asked.

---Params of `wherefore/searchToolByCategory`.
---@class wherefore.SearchToolsParams
---@field query string The request, in plain words.
---@field category_path? string[] The node to search under; everywhere when empty.
---@field limit? integer Results at most: 1 to 50.
---@field cursor? string The `next_cursor` to go on from.
---@field why? string The reason, for the log.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/searchToolByCategory`.
---@class wherefore.SearchToolsAnswer
---@field category_path string[] The node searched under.
---@field results wherefore.ToolPointer[] The tools found, best first.
---@field next_cursor? string The cursor of the next page, if there is more.

---Params of `wherefore/searchNodes`.
---@class wherefore.SearchNodesParams
---@field query string The request, in plain words.
---@field limit? integer Results at most: 1 to 50.
---@field why? string The reason, for the log.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/searchNodes`.
---@class wherefore.SearchNodesAnswer
---@field results wherefore.NodeMatch[] Nodes, likeliest first.
---@field message? string The reason why none may hold it.
---@field hints? string[] The nearest nodes, else the root's, where none may hold it.
---@field next_action? any The call to make next, where none may hold it.

---A node that may hold what was asked for.
---@class wherefore.NodeMatch
---@field path string[] From the root.
---@field summary string A summary in one line.
---@field confidence number The chance that it does, 0 to 1.

---Params of `wherefore/expandTool`.
---@class wherefore.ExpandToolParams
---@field tool_id string The tool, by name or alias.
---@field why? string The reason, for the log.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/expandTool`: all that a call needs.
---@class wherefore.ExpandToolAnswer
---@field tool_id string Its dotted name.
---@field path string[] The node that it belongs to.
---@field summary string A summary in one line.
---@field args_schema any The schema of its arguments, `why` among them.
---@field result_schema? any The schema of its output, if it is known.
---@field version integer Counted up when the schemas change: what was kept of an earlier one is out of date.
---@field examples any Calls with what they give.
---@field sandbox any The resources that it may access.
---@field risk string `read`, `write`, `execute` or `network`.

---Params of `wherefore/compose`.
---@class wherefore.ComposeParams
---@field tools? string[] The tools, by name or alias; all of them when empty.
---@field form? wherefore.ComposeForm The form.
---@field root? string The workspace folder, where a server has several: an absolute path inside it.

---The forms that several tools are put into.
---@alias wherefore.ComposeForm "calls"|"openai"|"ollama"|"anthropic"|"mcp"

---Answer of `wherefore/compose`.
---@class wherefore.ComposeAnswer
---@field composed any The tools in the form asked for: JSON Schema 2020-12 for `calls`, else what that interface takes.

---Params of `wherefore/environment`.
---@class wherefore.EnvironmentParams
---@field name? string The environment to run tools in from the next call on; the one there is stays when absent.
---@field reset? boolean True to let the settings choose again.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/environment`.
---@class wherefore.EnvironmentAnswer
---@field environment string The environment that tools run in.
---@field chosen_by wherefore.EnvironmentSource Who chose it.
---@field environments table<string, table<string, string>> Every environment, by name: the tools that it replaces the activities of, each with what runs it there, in words.
---@field problems string[] A sentence for each problem of the environments in the settings.

---Who chose an environment.
---@alias wherefore.EnvironmentSource "default"|"project"|"settings"|"command"|"start"

---Params of `wherefore/judgeCommand`: a script, or an argument vector.
---@class wherefore.JudgeCommandParams
---@field script? string A script, as `bash -c` takes it.
---@field argv? string[] A program and its arguments.
---@field unconfined? boolean True where it is to run outside of the sandbox: what is allowed because the sandbox bounds it is asked about then.
---@field root? string The workspace, where several are open: its path or its `file:` URI.

---The verdict of the rules on a command, and on each command in it.
---@class wherefore.Judgement
---@field verdict wherefore.CommandVerdict The strictest verdict of all.
---@field rule? string The rule that gives it.
---@field why? string Why, in a plain sentence.
---@field commands wherefore.JudgedCommand[] The commands that were found, a wrapper before what it runs.

---The verdicts on a command, ordered from the loosest to the strictest.
---@alias wherefore.CommandVerdict "allow"|"ask"|"deny"

---The verdict of the rules on one command.
---@class wherefore.JudgedCommand
---@field command string The command as a person reads it.
---@field argv string[] Its words; an unknown part of a word is U+FFFC.
---@field via? string[] The wrappers through which it is reached.
---@field within? wherefore.Within[] The constructs of the shell around it.
---@field verdict wherefore.CommandVerdict The verdict on it.
---@field rule? string The rule that gives the verdict.
---@field why? string Why.

---A construct of the shell around a command.
---@alias wherefore.Within "substitution"|"process_substitution"|"here_document"|"function"|"pipeline"

---A call of an agent's own tool, before it acts or after.
---@class wherefore.NativeParams
---@field root? string The workspace, where several are open: its path or its `file:` URI.
---@field cwd? string The folder that the agent works in, which its relative paths start from.
---@field after? boolean True if the tool has run already.
---@field act? wherefore.NativeAct The action of the call.
---@field beside? wherefore.NativeAct[] Further actions of the call: other places that are read or searched.
---@field taken_over? boolean True if the agent's own tool must not run whatever the policy is: a shell was given an edit.
---@field origin? wherefore.Origin The agent, its session, its id of the call and its tool. The door is the server's to say.
---@field unread? boolean True if the reason was not looked for yet: finding it may take a while, and is not always needed.
---@field why? string The reason in the agent's own words; none where it gives none.
---@field served? boolean True if the server runs the command and answers with its result: the agent's shell cannot.
---@field read_only? boolean True if the agent is in a mode in which it may change nothing by itself.
---@field takes_yes? boolean True if the agent accepts a yes that skips its own questions, but none of the person's own rules for it.
---@field step? wherefore.CommandStep The way in which the agent's shell gets the command line that confines a command.
---@field claim? wherefore.CommandClaim The token and the script of a command that an earlier answer let into the sandbox, where the agent runs that now.
---@field wait_s? integer Seconds that a person's decisions are waited for.

---The action of a call of an agent's own tool. Paths are as the agent wrote them.
---@alias wherefore.NativeAct table|table|table|table|table|table|table|table|table

---A text replaced by another.
---@class wherefore.Replacement
---@field old string The text that is there; empty where the file is to be made.
---@field new string The text to put there.
---@field all? boolean True if every occurrence is replaced.

---A change of a notebook's cell.
---@class wherefore.CellEdit
---@field cell? string The cell's id, or `cell-N` for the one at place N, counted from 0. Where a cell is inserted, the one before it; none inserts at the start.
---@field source string Its source.
---@field kind? string `code` or `markdown`, for a new cell or where it changes.
---@field mode? wherefore.CellMode The kind of the change.

---The kind of a cell's change.
---@alias wherefore.CellMode "replace"|"insert"|"delete"

---The way in which an agent's shell gets the command line that confines a command.
---@alias wherefore.CommandStep "rewritten"|"announced"|"begun"

---A command that the agent was given to run, by its text.
---@class wherefore.CommandClaim
---@field token string The token in it.
---@field script string The script that it runs in the sandbox.

---The decision on the call.
---@class wherefore.NativeAnswer
---@field verdict wherefore.NativeVerdict The instruction to the agent.
---@field told? string The text for its model.
---@field token? string The token by which the command runs in the sandbox, once.

---The instruction to the agent.
---@alias wherefore.NativeVerdict "pass"|"allow"|"reason"|"leave"|"confine"|"ask"

---Params of `wherefore/issueCommandToken`.
---@class wherefore.IssueCommandTokenParams
---@field command wherefore.ConfinedCommand The command line.
---@field origin wherefore.Origin The agent, its session, its id of the call and its tool. The door is the server's to say.
---@field allowed? boolean True where a person was asked about the command at the door, and said yes: they are not asked again.
---@field root? string The workspace, where several are open: its path or its `file:` URI.

---A command line that runs in the sandbox.
---@class wherefore.ConfinedCommand
---@field argv string[] The program and its arguments.
---@field env? table<string, string> The variables that are set for it.

---Answer of `wherefore/issueCommandToken`.
---@class wherefore.IssueCommandTokenAnswer
---@field token string The token that `wherefore sandbox` shows: for one run of this very command.

---Params of `wherefore/attach`.
---@class wherefore.AttachParams
---@field key string The key by which `wherefore/attached` names the command: chosen by the caller, and unique.
---@field token string The command's token, which an earlier answer gave for one run of it.
---@field command wherefore.ConfinedCommand The command line.
---@field agent? string The agent whose command it is.
---@field cwd string The folder that it runs in.
---@field why? string The reason why it is run.
---@field root? string The workspace, where several are open: its path or its `file:` URI.

---Params of `wherefore/attached`.
---@class wherefore.AttachedParams
---@field key string The command, by the key of its `wherefore/attach`.
---@field report? wherefore.AttachedReport The end of the command; nothing to wait until it may run.
---@field root? string The workspace, where several are open: its path or its `file:` URI.

---The end of a command that its caller ran.
---@class wherefore.AttachedReport
---@field exit_code? integer Its exit code; none where a signal ended it.
---@field signal? string The signal that ended it, as `SIGKILL`.
---@field limit? string The limit that ended it, as an answer names it: `time`.
---@field duration_ms? integer Its duration in milliseconds.
---@field peak_memory? integer The most memory it took, in bytes.
---@field sandbox? string The tier of the sandbox that confined it, in words.
---@field left_out? string[] Changes that are not taken, a sentence each.
---@field written? wherefore.DirectWrites[] Its changes of paths that git ignores, which are written already.
---@field diff? string Its changes that are kept in a layer, as a diff of git's.

---Answer of `wherefore/attached`.
---@class wherefore.AttachedAnswer
---@field granted boolean True where the command may run. Otherwise the answer to its call gives the reason.
---@field layered boolean True where what it changes is to be kept apart until it is decided on.
---@field network? wherefore.SharedNetwork The network that it shares with other commands of its session.

---A network that commands of a session share, as another process of the person's finds it.
---@class wherefore.SharedNetwork
---@field keeper integer The number of the process that keeps it.
---@field device integer The device of the namespace's file.
---@field inode integer The inode of the namespace's file.

---Params of `wherefore/agentRun`.
---@class wherefore.AgentRunParams
---@field task? string The task for the agent, in the person's words. It may be empty when a run is resumed.
---@field model? string The model, as the settings or its server name it; by default the model of the settings.
---@field limits? wherefore.AgentLimits The limits that end the run.
---@field resume? string An earlier run whose conversation goes on, by its id.
---@field policy? wherefore.Policy The review policy for the agent's changes; by default that of the settings.
---@field name? string The end of the run's id, instead of a generated word: up to 40 of `a-z`, `0-9` and `-`.
---@field attended? boolean True if the client answers the run's questions, by `wherefore/agentSay`, and decides on its changes. Otherwise an attached editor does.
---@field files? wherefore.AgentFiles The client's access to the files of its own editor.
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---The limits that end a run of the built-in agent, whatever its model does. A limit that is not set does not apply,
---except for the steps.
---@class wherefore.AgentLimits
---@field max_steps? integer Answers of the model in one turn; 60 by default.
---@field max_tokens? integer Tokens that the model reads and writes in the whole run.
---@field max_minutes? number Minutes of one turn.
---@field max_cost? number The cost of the model in the whole run, in US dollars. It applies if the price of the model is known.

---File access of a client that is not an attached editor: it answers the events `read_file` and `write_file` of a
---run.
---@class wherefore.AgentFiles
---@field reads? boolean True if it gives the text of a file as its editor has it, unsaved or not.
---@field writes? boolean True if it writes a file through its editor.

---Answer of `wherefore/agentRun`: the run began. `wherefore/agentEvent` and `wherefore/agentEvents` report its
---progress.
---@class wherefore.AgentRunAnswer
---@field run string The id of the run.
---@field session string The session whose log has it.
---@field model string The model that answers.

---Params of `wherefore/agentSay`.
---@class wherefore.AgentSayParams
---@field run? string The run.
---@field text? string The person's message. A run that is at work receives it before its next step; a waiting run continues with it.
---@field question? string The question that `text` answers, by its id.
---@field later? string A proposal that the person decides on later: the call that waits for it is answered `pending`.
---@field policy? wherefore.Policy The review policy for the run's changes from now on.
---@field file? wherefore.AgentFileAnswer The outcome of a `read_file` or a `write_file`.

---The outcome of a `read_file` or a `write_file`.
---@class wherefore.AgentFileAnswer
---@field id? string The id of the request.
---@field text? string The text that was read.
---@field error? string The reason for a failure.

---A run in a list.
---@class wherefore.AgentRunSummary
---@field run string Its id.
---@field session string The session whose log has it.
---@field task string The first task of the run.
---@field model string The model that answered last.
---@field time string When it began, RFC 3339.
---@field state wherefore.AgentState The state of the run; `ended` for a run of an earlier server.

---The state of a run.
---@alias wherefore.AgentState "working"|"waiting"|"ended"

---Params of `wherefore/agentCancel`.
---@class wherefore.AgentCancelParams
---@field run? string The run.
---@field end? boolean True if the run ends too. Otherwise only its turn ends, and it waits for the person's next message.

---Params of `wherefore/agentEvents`.
---@class wherefore.AgentEventsParams
---@field run? string The run.
---@field after? integer The number of the last event that is known; 0 for none.
---@field wait_ms? integer The time to wait for a further event, in milliseconds; 30 seconds at most.
---@field logged? boolean True if the answer holds the run's whole conversation as the session log has it, also that of an earlier server.
---@field root? string The workspace folder, if a server has several and `logged` is set: an absolute path inside it.

---Answer of `wherefore/agentEvents`.
---@class wherefore.AgentEventsAnswer
---@field events? wherefore.AgentEvent[] The events since then, in order. Pieces of one text that arrived meanwhile are one event.
---@field state? wherefore.AgentState The state of the run.

---An event of a run: the params of `wherefore/agentEvent`. Only a client with the capability
---`experimental.wherefore.agent` gets that notification.
---@class wherefore.AgentEvent
---@field run string The run.
---@field root string The workspace's root, as a `file:` URI.
---@field seq integer Its number in the run, from 1.

---The resources that a run used so far.
---@class wherefore.AgentUsage
---@field steps? integer Answers of the model.
---@field input_tokens? integer Tokens that the model read.
---@field output_tokens? integer Tokens that it wrote.
---@field cost? number The cost in US dollars, if the price is known.
---@field context_tokens? integer Tokens of the conversation at the moment, estimated.
---@field context_budget? integer Tokens that the conversation may have.

---The reason why a turn ended.
---@alias wherefore.AgentEnd "complete"|"answered"|"asks"|"limit"|"stuck"|"cancelled"|"failed"

---Params of `wherefore/agentList`.
---@class wherefore.AgentListParams
---@field root? string The workspace folder, if a server has several: an absolute path inside it.

---Answer of `wherefore/agentList`: the runs of this server, and those that the newest session logs hold.
---@class wherefore.AgentListAnswer
---@field runs wherefore.AgentRunSummary[] The runs, newest first.

---Params of `wherefore/log` and `wherefore.openLog`.
---@class wherefore.LogParams
---@field root? string The workspace folder, where a server has several: an absolute path inside it.
---@field session? string The session; the open one when absent.
---@field text? boolean True where the text is wanted too.

---Answer of `wherefore/log`.
---@class wherefore.LogAnswer
---@field uri string The log as a document of the server's: `wherefore://log/<session>`.
---@field path string The log as a file, absolute.
---@field text? string Its text, where it was asked for.

---Params of `wherefore/why`.
---@class wherefore.WhyParams
---@field root? string The workspace folder, where a server has several: an absolute path inside it.
---@field path? string The file: absolute, or relative to the root.
---@field start? integer The first line, counted from 1; the first of the file where it is left out.
---@field end? integer The last line; the last of the file where it is left out.
---@field commits? boolean True where git is asked for the commit of each line.
---@field text? string The text to explain, where that is not the file's current one, for example a committed one: only the records of this machine describe its lines.

---The reasons for the lines of a file.
---@class wherefore.LineWhys
---@field path string The file.
---@field total integer The number of lines of the file.
---@field groups wherefore.LineGroup[] The lines that were asked for.
---@field calls wherefore.LineCall[] The calls that they come from.
---@field commits? table<string, wherefore.LineCommit> The commits that they were last changed in, by hash.
---@field altered? table<string, string> Sessions of these calls whose logs were altered or cut, by name, each with the state of its log. The data on their calls was recorded outside of the workspace, and is not from the log.
---@field warnings? string[] Uncertainties of the answer.

---Consecutive lines with the same known origin.
---@class wherefore.LineGroup
---@field start integer The first line, counted from 1.
---@field end integer The last line.
---@field by wherefore.LineBy Their author.
---@field call? integer The call that they come from, by its place in `calls`.
---@field commit? string The commit, by hash: a key of `commits`.
---@field commit_line? integer The first line as the commit has it, counted from 1.

---The author of a line.
---@alias wherefore.LineBy "agent"|"human"|"mixed"|"git"|"unknown"

---A call that lines come from.
---@class wherefore.LineCall
---@field session string The session that holds it.
---@field call string The call.
---@field hunk? string The hunk, if it is known which.
---@field tool? string The tool; absent if it is not known.
---@field agent? string The agent, or the door if the agent did not say its name.
---@field why? string The reason for the call.
---@field decision? string The decision on the hunk: `accepted`.
---@field decided_by? string The one who decided: `person`, `policy`, `client`, `editor`, `recovery`.
---@field reason? string The person's reason for the decision.
---@field time? string When it was decided, RFC 3339.

---A commit that lines were last changed in.
---@class wherefore.LineCommit
---@field author string Its author's name.
---@field mail string Its author's address.
---@field time integer When it was made, in seconds since 1970.
---@field zone string The offset of its clock, as `+0100`.
---@field summary string The first line of its message.

---Params of `wherefore/didFocus`: the person looks at another document. Of a client that sends it, and announces so by the
---capability `experimental.wherefore.focus`, nothing else counts as a look; of others that they open a document does.
---@class wherefore.FocusParams
---@field uri string Its URI.

---A call began: the params of `wherefore/didCall`.
---@class wherefore.CallNotice
---@field call_id string The call's id in the session log.
---@field session string The session whose log that is.
---@field tool string The tool called.
---@field why string Why.
---@field origin wherefore.Origin The caller.
---@field paths string[] The paths it names, relative to the root.
---@field writes boolean True if it changes anything.
---@field time string When, RFC 3339.
---@field root string The workspace's root, as a `file:` URI.

---A call ended: the params of `wherefore/didFinish`.
---@class wherefore.FinishNotice
---@field call_id string The call's id in the session log.
---@field session string The session whose log that is.
---@field root string The workspace's root, as a `file:` URI.
---@field tool string The tool called.
---@field status wherefore.Status The status of the call.
---@field latent? boolean True if no code ran: the caller itself filled the result, or is to fill it.
---@field error? wherefore.Fault The error, if any.
---@field failure? string Set if the call ended well and its command did not: the ending of that, such as `exit code 1`.
---@field duration_ms number The duration, in milliseconds.

---A command started, wrote something or ended: the params of `wherefore/command`. Each notice describes the command, so
---that an editor which comes later knows it too. Only a client with the capability `experimental.wherefore.commands`
---gets these notices.
---@class wherefore.CommandNotice
---@field call_id string The id of the call that runs it. `wherefore/cancel` with this id ends the command.
---@field session string The session of the call.
---@field root string The workspace's root, as a `file:` URI.
---@field command string The program and its arguments as one line, cut if they are long.
---@field why string The reason for the call.
---@field tier string The confinement of the command.
---@field background boolean True if the command continues after its call was answered.
---@field state wherefore.CommandState The event.
---@field text? string The output of both streams since the notice before. Colors are the only escape sequences in it.
---@field left_out? integer Bytes that the command wrote after `text` and that no notice holds, because they came too fast.
---@field outcome? string The outcome of the command, in words: `exit code 1`.
---@field exit_code? integer The exit code, if the command exited by itself.
---@field duration_ms? integer The duration of the command, in milliseconds.

---The event of a command that a notice reports.
---@alias wherefore.CommandState "started"|"output"|"ended"

---Params of `wherefore/save`: documents to write to the disk.
---@class wherefore.SaveParams
---@field uris string[] Their URIs.

---Answer of `wherefore/save`.
---@class wherefore.SaveAnswer
---@field saved string[] The URIs of those that were written.

---Params of `wherefore/diagnostics`: asks an editor for what its language servers say.
---@class wherefore.DiagnosticsParams
---@field uri? string The one document that is asked about; every document where none is named.

---Answer of `wherefore/diagnostics`.
---@class wherefore.DiagnosticsAnswer
---@field documents? wherefore.DocumentDiagnostics[] The documents of which something is said.

---The diagnostics of one document.
---@class wherefore.DocumentDiagnostics
---@field uri? string The document.
---@field diagnostics? any[] Diagnostics as the Language Server Protocol writes them: places count from 0, characters in UTF-16.

---A question that only a person can answer: the params of `wherefore/ask`.
---@class wherefore.AskParams
---@field root string The workspace's root, as a `file:` URI.
---@field session string The session of the call.
---@field call_id string The call that waits for the answer; empty if none does.
---@field tool string The tool called; the server's name if a server of the Model Context Protocol is asked about.
---@field why string The reason for the call; empty if the question is not about one call.
---@field agent? string The agent's name and version, if it said so.
---@field text string The whole question, readable without any context.
---@field answers string[] The possible answers; the first one allows.

---Answer of `wherefore/ask`.
---@class wherefore.AskAnswer
---@field answer? string The chosen answer; none if the person dismissed the question.

local M = {}

M.methods = {
  -- Calls a tool; how it went stands in the envelope.
  -- from the client: wherefore.RawCall -> wherefore.Envelope
  call = "wherefore/call",
  -- Makes the calls of one message, an answer each.
  -- from the client: wherefore.CallAllParams -> wherefore.CallAllAnswer
  callAll = "wherefore/callAll",
  -- Lists the changes that wait for decisions.
  -- from the client: wherefore.ProposalsParams -> wherefore.ProposalsAnswer
  proposals = "wherefore/proposals",
  -- Lists the changes that wait at another server of the folder, as that of a second window.
  -- from the client: wherefore.HeldElsewhereParams -> wherefore.HeldElsewhereAnswer
  heldElsewhere = "wherefore/heldElsewhere",
  -- Accepts or rejects hunks, at a person's word.
  -- from the client: wherefore.DecideParams -> wherefore.DecideAnswer
  decide = "wherefore/decide",
  -- Keeps the person's words for an agent, whose next result brings them.
  -- from the client: wherefore.SendParams -> wherefore.SendAnswer
  send = "wherefore/send",
  -- Lists what commands changed of ignored paths and is kept apart, or takes it over or drops it.
  -- from the client: wherefore.KeptApartParams -> wherefore.KeptApartAnswer
  keptApart = "wherefore/keptApart",
  -- Lists what commands did to the repository and waits for a decision, or takes it over, drops it, or moves it back.
  -- from the client: wherefore.RepositoryParams -> wherefore.RepositoryAnswer
  repository = "wherefore/repository",
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
  -- from the client: wherefore.ListToolsParams -> wherefore.ListToolsAnswer
  listTools = "wherefore/listTools",
  -- Shows what stands at a node of the catalogue.
  -- from the client: wherefore.ListNodeParams -> wherefore.ListNodeAnswer
  list = "wherefore/list",
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
  -- Says which environment tools run in, or has them run in another.
  -- from the client: wherefore.EnvironmentParams -> wherefore.EnvironmentAnswer
  environment = "wherefore/environment",
  -- Says what the rules make of a command, and of each command in it, without running it.
  -- from the client: wherefore.JudgeCommandParams -> wherefore.Judgement
  judgeCommand = "wherefore/judgeCommand",
  -- Answers the hook of an agent whose own tool is about to act.
  -- from the client: wherefore.NativeParams -> wherefore.NativeAnswer
  native = "wherefore/native",
  -- Lets a command of an agent into the sandbox: its token holds for one run.
  -- from the client: wherefore.IssueCommandTokenParams -> wherefore.IssueCommandTokenAnswer
  issueCommandToken = "wherefore/issueCommandToken",
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
  -- Another server of a folder holds other hunks than before: `wherefore/heldElsewhere` lists them.
  -- from the server: nil
  heldElsewhereChanged = "wherefore/heldElsewhereChanged",
  -- Other files matter now: `wherefore/workingSet` says which.
  -- from the server: nil
  workingSetChanged = "wherefore/workingSetChanged",
  -- Asks for documents to be saved.
  -- from the server: wherefore.SaveParams -> wherefore.SaveAnswer
  save = "wherefore/save",
  -- Asks for what the editor's language servers say of files.
  -- from the server: wherefore.DiagnosticsParams -> wherefore.DiagnosticsAnswer
  diagnostics = "wherefore/diagnostics",
  -- Puts a question to the person.
  -- from the server: wherefore.AskParams -> wherefore.AskAnswer
  ask = "wherefore/ask",
}

return M
