// The view of tools: the catalogue's nodes, the tools at them, and what a tool takes.

import * as vscode from 'vscode';
import type { VirtualDocuments } from './virtual_documents';
import type { ServerClient } from './server/client';
import { clip, escapeHidden, describeError } from './text';
import type { ListNodeAnswer, NodePointer, ToolPointer } from './server/wire';
import { TreeProvider } from './tree_view';

interface ToolArgument {
  name: string;
  type: string;
  description: string;
  required: boolean;
}

type ToolNode = { node: NodePointer } | { tool: ToolPointer } | { argument: ToolArgument } | { trouble: string };

interface ArgumentSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, ArgumentSchema>;
  required?: string[];
}

/** The view. */
export class ToolsView extends TreeProvider<ToolNode> {
  constructor(
    private readonly server: ServerClient,
    documents: VirtualDocuments,
  ) {
    super();
    documents.addKind('tool', async (uri) => {
      const tool = await this.server.request('expandTool', { tool_id: uri.path.slice(1).replace(/\.json$/, '') });
      return escapeHidden(`${JSON.stringify(tool, undefined, 2)}\n`);
    });
  }

  async getChildren(node?: ToolNode): Promise<ToolNode[]> {
    if (!this.server.isRunning) return [];
    try {
      if (!node) return await this.listUnder([]);
      if ('node' in node) return await this.listUnder(node.node.path);
      return 'tool' in node ? await this.listArguments(node.tool.tool_id) : [];
    } catch (thrown) {
      return [{ trouble: describeError(thrown) }];
    }
  }

  protected makeItem(node: ToolNode): vscode.TreeItem {
    if ('trouble' in node) {
      const item = new vscode.TreeItem(node.trouble);
      item.iconPath = new vscode.ThemeIcon('warning');
      return item;
    }
    if ('argument' in node) return makeArgumentItem(node.argument);
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
  async showTool(name?: unknown): Promise<void> {
    const tool = typeof name === 'string' ? name : await this.pickTool();
    if (tool === undefined) return;
    const uri = vscode.Uri.from({ scheme: 'wherefore', authority: 'tool', path: `/${tool}.json` });
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  private async pickTool(): Promise<string | undefined> {
    const { tools } = await this.server.request('listTools', {});
    const items = tools.map(({ name, summary }) => ({ label: clip(name, 80), description: clip(summary, 200), name }));
    return (await vscode.window.showQuickPick(items, { title: 'Tools', matchOnDescription: true }))?.name;
  }

  /** The nodes below a node, and the tools at the node itself. */
  private async listUnder(path: string[]): Promise<ToolNode[]> {
    const nodes: NodePointer[] = [];
    const tools: ToolPointer[] = [];
    let cursor: string | null = null;
    do {
      const page: ListNodeAnswer = await this.server.request('list', { path, limit: 50, cursor });
      nodes.push(...page.nodes);
      tools.push(...page.tools.filter((tool) => tool.path.length === path.length));
      cursor = page.next_cursor ?? null;
    } while (cursor);
    return [...nodes.map((node) => ({ node })), ...tools.map((tool) => ({ tool }))];
  }

  private async listArguments(tool_id: string): Promise<ToolNode[]> {
    const { args_schema } = await this.server.request('expandTool', { tool_id });
    const { properties = {}, required = [] } = args_schema as ArgumentSchema;
    return Object.entries(properties).map(([name, schema]) => {
      const type = [schema.type ?? 'any'].flat().join(' or ');
      return { argument: { name, type, description: schema.description ?? '', required: required.includes(name) } };
    });
  }
}

function makeArgumentItem({ name, type, description, required }: ToolArgument): vscode.TreeItem {
  const item = new vscode.TreeItem(required ? name : `${name}?`);
  item.description = `${type}: ${description}`;
  item.tooltip = description;
  item.iconPath = new vscode.ThemeIcon('symbol-field');
  item.accessibilityInformation = { label: `argument ${name}, ${type}, ${required ? 'required' : 'optional'}: ${description}` };
  return item;
}
