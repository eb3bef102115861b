// The three interfaces that are implemented here, as jco types them. Types only.
import type { ImportObject } from "#component";

export type Files = ImportObject["garnish:gating/files@0.1.0"];
export type EventLog = ImportObject["garnish:gating/event-log@0.1.0"];
export type Clock = ImportObject["garnish:gating/clock@0.1.0"];

export interface AgentDirImports {
  "garnish:gating/files@0.1.0": Files;
  "garnish:gating/event-log@0.1.0": EventLog;
  "garnish:gating/clock@0.1.0": Clock;
}
