// The sets of tools that a client may choose from.
export const toolsets = ["core", "activity", "reports", "ai"] as const;
export type Toolset = (typeof toolsets)[number];
