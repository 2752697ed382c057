/** In these states a run may still do something. */
export const livingStates = ["queued", "running", "waiting", "held"] as const;

export const isLivingState = (status: string): boolean => (livingStates as readonly string[]).includes(status);
