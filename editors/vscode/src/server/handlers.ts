// The messages of the server: each goes to the parts that want it.

import { makeCallKey } from '../calls/call_key';
import type { Context } from '../context';
import { isFromAgent, isFromExample } from '../review/example_change';
import { isInReview } from '../review/review_tabs';
import { describeError } from '../text';
import type { ServerListener } from './client';
import { listDiagnostics } from './diagnostics';
import { saveDocuments } from './save_documents';
import type { Proposal } from './wire';

/** The number of times that the waiting proposals are asked for before that is given up. */
const LOADS = 4;

/** Makes the listener that passes the server's messages on. */
export function makeHandlers(context: Context): ServerListener {
  const { notifications, calls, questions, terminals, actions, sessionReview } = context;
  const takeProposal = (proposal: Proposal): void => {
    actions.takeProposals([proposal]);
    sessionReview.refreshSoon();
  };
  return {
    onCall: (notice) => {
      if (isFromAgent(notice)) context.connector.noteConnected();
      notifications.showCall(notice);
      calls.addCall(notice);
    },
    onFinish: (notice) => {
      notifications.showCallEnd(notice);
      questions.endOfCall(makeCallKey(notice));
      calls.endCall(notice);
      context.logs.refresh();
    },
    onCommand: (notice) => terminals.takeNotice(notice),
    onAgentEvent: (event) => {
      context.agentRuns.takeEvent(event);
      context.chat.wakeResponse(event);
    },
    onProposal: (proposal) => {
      const startedAt = performance.now();
      takeProposal(proposal);
      // The example opens by itself.
      if (!isFromExample(proposal)) notifications.addProposal(proposal);
      const hunks = context.store.listWaiting(proposal.id).length;
      context.output.info(`${proposal.id}: ${hunks} hunks, drawn ${(performance.now() - startedAt).toFixed(1)} ms after they came`);
    },
    onProposalChange: takeProposal,
    onWorkingSetChange: () => context.workingSet.refresh(),
    onHeldElsewhereChange: () => void context.otherWindows.refresh(),
    saveDocuments,
    listDiagnostics,
    askPerson: async (params, token) => {
      notifications.noteQuestion(params);
      calls.addAskingCall(params);
      const answer = await questions.askPerson(params, token);
      if (answer.answer) notifications.noteAnswer(params);
      return answer;
    },
    onStateChange: (isRunning) => {
      if (isRunning) begin(context);
      else forget(context);
      context.tools.refresh();
      context.workingSet.refresh();
      void context.otherWindows.refresh();
      context.status.refresh();
    },
  };
}

/** Asks a server that began for all that it knows. */
function begin(context: Context): void {
  void loadProposals(context);
  void context.calls.recall(context.server);
  context.deletedFiles.reportClosed();
  context.focus.reportSoon();
}

/** Forgets what a server knew that ended. */
function forget(context: Context): void {
  const wasInReview = isInReview() && context.store.countWaiting().hunks > 0;
  context.applied.reset();
  context.store.clear();
  if (wasInReview) context.reopener.expect();
  context.notifications.clear();
  context.questions.endAll();
  context.calls.endAll();
  context.terminals.endAll();
  context.agentRuns.endAll();
}

/** Asks for the proposals that wait already: they outlive the editor and the server. */
async function loadProposals({ server, actions, applied, output }: Context): Promise<void> {
  for (let left = LOADS - 1; server.isRunning; left--) {
    try {
      actions.takeProposals((await server.request('proposals', { all: false })).proposals);
      break;
    } catch (thrown) {
      if (left === 0) return output.error(`what waits for a decision could not be read: ${describeError(thrown)}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  applied.takeProposals();
}
