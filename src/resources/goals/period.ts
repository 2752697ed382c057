// Months, quarters and years.

const form = /^(\d{4})(?:-(?:(0[1-9]|1[0-2])|Q([1-4])))?$/;

/** `2026-01`, `2026-Q1` or `2026`; null for anything else. */
export const parsePeriod = (raw: string): string | null => (form.test(raw) && !raw.startsWith("0000") ? raw : null);

/** The first and the last day of a period. */
export function spanOf(period: string): { start: string; end: string } {
  const [, year, month, quarter] = form.exec(period)!;
  const first = quarter ? (Number(quarter) - 1) * 3 : month ? Number(month) - 1 : 0;
  const months = quarter ? 3 : month ? 1 : 12;
  return { start: day(Number(year), first, 1), end: day(Number(year), first + months, 0) };
}

function day(year: number, month: number, dayOfMonth: number): string {
  const date = new Date(0);
  date.setUTCFullYear(year, month, dayOfMonth);
  return date.toISOString().slice(0, 10);
}
