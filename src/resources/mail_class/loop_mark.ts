// The header by which a forward of ours is recognized when it comes back, in lower case. Its value is the organization's id.
export const loopMark = "x-loop";
