// The places that a trace shows: requests, statements, jobs. Without one who records them, they only ask whether there is one.

/** What is known of a piece of work when it begins. */
export interface Work {
  name: string;
  kind: "server" | "client" | "internal";
  attributes: Record<string, string | number>;
  /** The caller's `traceparent`, of a request. */
  caller?: string | undefined;
}

export interface Recorder {
  /** Does the work, and records it within what is under way, with how it ended. */
  around<T>(work: Work, act: () => Promise<T>): Promise<T>;
}

/** One for the process: connections and jobs are shared by all requests. */
let recorder: Recorder | null = null;

export const recordBy = (one: Recorder): void => void (recorder = one);

/** True if somebody records. Asked before anything is put together for it. */
export const isRecorded = (): boolean => recorder !== null;

export const traced = <T>(work: Work, act: () => Promise<T>): Promise<T> =>
  recorder === null ? act() : recorder.around(work, act);
