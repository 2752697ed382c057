// A full disk, as the system says it and as PostgreSQL does.
const codes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "53100"]);

export function isNoRoom(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return codes.has(code) || /no space left on device/i.test(message ?? "");
}
