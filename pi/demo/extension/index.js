// The demo extension that the gate `extensions` holds: once it is open, the agent has a tool more, and the learner a
// command. It does nothing else.
export default function demo(api) {
  api.registerTool({
    name: "garnish_demo",
    label: "Garnish demo",
    description: "Says that the garnish demo extension is loaded.",
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "The garnish demo extension is loaded." }] }),
  });
  api.registerCommand("garnish-demo", {
    description: "Shows that the demo extension is loaded",
    handler: async (_, context) => context.ui.notify("The garnish demo extension is loaded.", "info"),
  });
}
