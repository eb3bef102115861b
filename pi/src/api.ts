// The parts of the harnesses' extension API that both document and garnish uses. Types only.

export interface Ui {
  notify(text: string, level: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
  setWidget(key: string, lines: string[] | undefined, options?: { placement: "belowEditor" }): void;
}

export interface Context {
  ui: Ui;
  /** `tui`, `rpc`, `json` or `print`. */
  mode?: string;
  cwd: string;
  sessionManager: object;
}

export interface CommandContext extends Context {
  reload(): Promise<void>;
}

export interface ToolInfo {
  name: string;
}

type Handler = (event: never, context: Context) => unknown;

export interface ExtensionApi {
  on(event: "tool_call", handler: (event: { toolName: string; input: unknown }, context: Context) => unknown): void;
  on(event: string, handler: Handler): void;
  getActiveTools(): string[];
  getAllTools(): ToolInfo[];
  /** A promise in omp, which must be awaited; nothing in Pi. */
  setActiveTools(names: string[]): Promise<void> | void;
  registerCommand(
    name: string,
    command: {
      description: string;
      getArgumentCompletions?(prefix: string): { value: string; label: string; description?: string }[] | null;
      handler(args: string, context: CommandContext): Promise<void>;
    },
  ): void;
}
