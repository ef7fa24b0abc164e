import type { Transport } from '@tektite/client';
import type { ToolAnswers, ToolInput, ToolName } from '../api/tool-answers.ts';

/** A tool works with the connection of the visitor, and so has the visitor's rights. */
export interface PageTool<N extends ToolName> {
  /** A page that is read-only does not have tools that write. */
  readonly isWriting: boolean;
  run(transport: Transport, input: ToolInput, signal: AbortSignal): Promise<ToolAnswers[N]>;
}

/** Work that the page asks for and that needs a program: plans, history, explanations. The page serves those it is given. */
export type PageTools = { readonly [N in ToolName]?: PageTool<N> };

/** The tool of this name, if the page has it. */
export function findTool(tools: PageTools, name: string): PageTool<ToolName> | undefined {
  return Object.hasOwn(tools, name) ? (tools[name as ToolName] as PageTool<ToolName>) : undefined;
}
