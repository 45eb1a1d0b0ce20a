// The commands `wherefore.NAME`: what each runs.

import * as vscode from 'vscode';
import { isCall, findUndo, locateCall } from './calls/calls_view';
import type { Context } from './context';
import { copyDiagnostics } from './diagnostics_report';
import { showRemark, warn } from './messages';
import { isReviewEntry, isReviewHunk } from './review/decision_target';
import { showHunkInFile } from './review/session_review';
import { describeError } from './text';
import { isCallLocation } from './why/line_why';

/** A command; its argument is what a button, a link or a key says. */
type Command = (argument?: unknown) => unknown;

/** Lists the commands by their names. */
export function makeCommands(context: Context): Record<string, Command> {
  return { ...reviewCommands(context), ...sessionCommands(context), ...callCommands(context), ...agentCommands(context), ...otherCommands(context) };
}

function reviewCommands({ actions, navigation, editableSide, applied, agentMessages }: Context): Record<string, Command> {
  return {
    review: (argument) => navigation.openReview((argument as { proposal?: string } | undefined)?.proposal),
    acceptLines: () => actions.acceptLines(),
    acceptFile: (argument) => actions.decideFile('accept', argument),
    rejectFile: (argument) => actions.decideFile('reject', argument),
    acceptAll: (argument) => actions.decideAll('accept', argument),
    rejectAll: () => actions.decideAll('reject'),
    comment: (argument) => agentMessages.sendComment(argument),
    send: () => agentMessages.sendWords(),
    endEdit: () => editableSide.endEdit(),
    reviewApplied: async (argument) => {
      const hasBegun = await applied.beginReview((argument as { since?: string } | undefined)?.since);
      if (hasBegun) await navigation.openReview();
    },
    endReviewApplied: () => applied.endReview(),
    showDiff: (argument) => actions.showDiff(argument),
  };
}

/** Makes the commands that act on the session where the person is in it, else on the review. */
function sessionCommands({ actions, navigation, sessionReview, store }: Context): Record<string, Command> {
  return {
    next: (argument) => {
      if (sessionReview.isHere) return sessionReview.step(1);
      if (isReviewHunk(argument)) {
        const hunk = store.findCurrent(argument);
        return hunk ? navigation.goTo(hunk) : navigation.openReview(argument.entry.proposal.id);
      }
      if (isReviewEntry(argument)) {
        const hunk = store.findCurrentEntry(argument)?.hunks[0];
        return hunk ? navigation.goTo(hunk, true) : navigation.openReview(argument.proposal.id);
      }
      return navigation.step(1);
    },
    previous: () => (sessionReview.isHere ? sessionReview.step(-1) : navigation.step(-1)),
    accept: (argument) => (sessionReview.isAbout(argument) ? sessionReview.decideHunk('accept', argument) : actions.decideHunk('accept', argument)),
    reject: (argument) => (sessionReview.isAbout(argument) ? sessionReview.decideHunk('reject', argument) : actions.decideHunk('reject', argument)),
    rejectWithReason: (argument) => (sessionReview.isAbout(argument) ? sessionReview.decideHunk('reject', argument, true) : actions.rejectWithReason(argument)),
    editHunk: (argument) => {
      if (!sessionReview.isAbout(argument)) return actions.editHunk(argument);
      const reference = sessionReview.findWaiting(argument);
      return reference && actions.editHunk(reference);
    },
    reviewSession: () => sessionReview.openSession(),
    showFile: showHunkInFile,
  };
}

function callCommands({ undo, callActions, terminals, logs, lineWhy, sessionReview }: Context): Record<string, Command> {
  return {
    undo: () => undo.undoCall(),
    redo: () => undo.redoCall(),
    undoCall: (argument) => {
      const location = locateCall(argument);
      return undo.undoCall(location && { call: `${location.session}/${location.call}`, root: location.root });
    },
    redoCall: (argument) => undo.redoCall(findUndo(argument)),
    cancelCall: (argument) => callActions.cancelCall(argument),
    showCommand: (argument) => terminals.showOutput(isCall(argument) ? argument.notice : undefined),
    approve: (argument) => callActions.approve(argument),
    deny: (argument) => callActions.deny(argument),
    answer: (argument) => callActions.answerQuestion(argument),
    openLog: (argument) => {
      const location = locateCall(argument) ?? (isCallLocation(argument) ? argument : undefined);
      return logs.showLog(location?.call ?? (argument as { call?: string } | undefined)?.call, location);
    },
    whyLine: () => lineWhy.showHover(),
    showChange: async (argument) => {
      if (!isCallLocation(argument)) return;
      try {
        if (await sessionReview.showCall(argument.call, argument.session)) return;
        showRemark('that change is not kept any more; the log has it');
        await logs.showLog(argument.call, argument);
      } catch (thrown) {
        warn(describeError(thrown));
      }
    },
  };
}

function agentCommands({ agentRuns, connector, example }: Context): Record<string, Command> {
  return {
    askAgent: () => agentRuns.askForTask(),
    agentSay: () => agentRuns.sayMore(),
    agentCancel: () => agentRuns.cancelRun(false),
    agentEnd: () => agentRuns.cancelRun(true),
    connect: () => connector.connectAgents(),
    tryExample: () => example.runExample(),
  };
}

function otherCommands({ extension, output, server, store, search, tools, workingSetActions, reopener }: Context): Record<string, Command> {
  return {
    takeOver: async () => {
      // A server that starts holds all that waits in its folders.
      await server.restart();
      reopener.expect();
    },
    pin: (argument) => workingSetActions.giveHint(argument, 'pin'),
    unpin: (argument) => workingSetActions.giveHint(argument, 'unpin'),
    markHot: (argument) => workingSetActions.giveHint(argument, 'hot'),
    markCold: (argument) => workingSetActions.giveHint(argument, 'cold'),
    clearMark: (argument) => workingSetActions.giveHint(argument, 'clear'),
    collect: () => workingSetActions.collectCooled(),
    search: () => search.openBox('vector'),
    searchText: () => search.openBox('lexical'),
    showTool: (argument) => tools.showTool(argument),
    refreshTools: () => tools.refresh(),
    restart: () => (vscode.workspace.isTrusted ? server.restart() : warn('the server starts once you trust this folder')),
    stop: () => server.stop(),
    showOutput: () => output.show(),
    openSettings: () => vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extension.extension.id}`),
    copyDiagnostics: () => copyDiagnostics(extension, server, store),
  };
}
