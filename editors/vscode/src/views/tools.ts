// The view of tools: the catalogue's nodes, the tools at them, and what a tool takes.

import * as vscode from 'vscode';
import type { Documents } from '../documents';
import type { Server } from '../server';
import { clip, plain, sentence } from '../text';
import type { ListToolsAnswer, NodePointer, ToolPointer } from '../wire';
import { Tree } from './tree';

interface Argument {
  name: string;
  type: string;
  description: string;
  required: boolean;
}

type Node = { node: NodePointer } | { tool: ToolPointer } | { argument: Argument } | { trouble: string };

interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The view. */
export class Tools extends Tree<Node> {
  constructor(
    private readonly server: Server,
    documents: Documents,
  ) {
    super();
    documents.add('tool', async (uri) => {
      const tool = await this.server.ask('expandTool', { tool_id: uri.path.slice(1).replace(/\.json$/, '') });
      return plain(`${JSON.stringify(tool, undefined, 2)}\n`);
    });
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!this.server.running) return [];
    try {
      if (!node) return await this.under([]);
      if ('node' in node) return await this.under(node.node.path);
      return 'tool' in node ? await this.arguments(node.tool.tool_id) : [];
    } catch (thrown) {
      return [{ trouble: sentence(thrown) }];
    }
  }

  protected item(node: Node): vscode.TreeItem {
    if ('trouble' in node) {
      const item = new vscode.TreeItem(node.trouble);
      item.iconPath = new vscode.ThemeIcon('warning');
      return item;
    }
    if ('argument' in node) return ofArgument(node.argument);
    const { path, summary } = 'node' in node ? node.node : node.tool;
    const name = 'node' in node ? node.node.name : node.tool.tool_id;
    const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed);
    item.id = [...path, 'tool' in node ? `:${name}` : ''].join('/');
    item.description = summary;
    item.tooltip = summary;
    item.iconPath = new vscode.ThemeIcon('node' in node ? 'folder' : 'tools');
    item.accessibilityInformation = { label: `${'node' in node ? 'node' : 'tool'} ${name}: ${summary}` };
    if ('tool' in node) item.command = { title: 'Show the schema', command: 'wherefore.showTool', arguments: [name] };
    return item;
  }

  /** Opens a tool's whole schema; asks which where none is named. */
  async show(name?: unknown): Promise<void> {
    const tool = typeof name === 'string' ? name : await this.pick();
    if (tool === undefined) return;
    const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'tool', path: `/${tool}.json` });
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  private async pick(): Promise<string | undefined> {
    const { tools } = await this.server.ask('list', {});
    const items = tools.map(({ name, summary }) => ({ label: clip(name, 80), description: clip(summary, 200), name }));
    return (await vscode.window.showQuickPick(items, { title: 'Tools', matchOnDescription: true }))?.name;
  }

  /** The nodes below a node, and the tools at the node itself. */
  private async under(path: string[]): Promise<Node[]> {
    const nodes: NodePointer[] = [];
    const tools: ToolPointer[] = [];
    let cursor: string | null = null;
    do {
      const page: ListToolsAnswer = await this.server.ask('listTools', { path, limit: 50, cursor });
      nodes.splice(0, nodes.length, ...page.nodes);
      tools.push(...page.tools.filter((tool) => tool.path.length === path.length));
      cursor = page.next_cursor ?? null;
    } while (cursor);
    return [...nodes.map((node) => ({ node })), ...tools.map((tool) => ({ tool }))];
  }

  private async arguments(tool_id: string): Promise<Node[]> {
    const { args_schema } = await this.server.ask('expandTool', { tool_id });
    const { properties = {}, required = [] } = args_schema as Schema;
    return Object.entries(properties).map(([name, schema]) => {
      const type = [schema.type ?? 'any'].flat().join(' or ');
      return { argument: { name, type, description: schema.description ?? '', required: required.includes(name) } };
    });
  }
}

function ofArgument({ name, type, description, required }: Argument): vscode.TreeItem {
  const item = new vscode.TreeItem(required ? name : `${name}?`);
  item.description = `${type}: ${description}`;
  item.tooltip = description;
  item.iconPath = new vscode.ThemeIcon('symbol-field');
  item.accessibilityInformation = { label: `argument ${name}, ${type}, ${required ? 'required' : 'optional'}: ${description}` };
  return item;
}
