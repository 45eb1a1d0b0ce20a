// The request `wherefore/search`, which newer servers answer, and what is said where one does not.

import * as vscode from 'vscode';
import type { Server } from './server';

/** What is searched for: words as they stand, or what is meant. */
export type SearchKind = 'lexical' | 'vector';

/** Params of `wherefore/search`. */
export interface SearchParams {
  root: string;
  query: string;
  kind: SearchKind;
  case: 'sensitive' | 'insensitive' | 'smart';
  /** Whether the query is text, not a regular expression. */
  literal: boolean;
  /** Lines around a found one. */
  context: number;
  limit: number;
}

/** A place that was found; lines count from 1. */
export interface SearchResult {
  path: string;
  start: number;
  end: number;
  score: number;
  text: string;
}

/** Answer of `wherefore/search`. */
export interface SearchAnswer {
  results: SearchResult[];
  /** Where to go on, when there is more. */
  cursor?: string | null;
}

/** JSON-RPC: there is no such method. */
const METHOD_NOT_FOUND = -32601;

/** Searches one folder. What goes wrong is thrown as a sentence. */
export async function search(server: Server, params: SearchParams, over: vscode.CancellationToken): Promise<SearchAnswer> {
  try {
    return await server.request<SearchAnswer>('wherefore/search', params, over);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== METHOD_NOT_FOUND) throw thrown;
    throw new Error('this server is too old to search for the editor; build it anew, then Wherefore: Restart Server');
  }
}
