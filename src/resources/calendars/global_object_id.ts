// Finds the id that Microsoft events share with other calendars in their `iCalUId`, a global object id in hexadecimal (MS-OXOCAL
// 2.2.1.27). Each occurrence of a series has its own, and an event from another calendar contains that calendar's id.

/** The bytes that all ids of this form start with. */
const classId = "040000008200E00074C5B7101A82E008";
/** The year, month and day of an occurrence. Zeros for a series. */
const date = { from: 32, to: 40 };
/** The bytes before an id of another calendar: "vCal-Uid" and a 1 of four bytes. */
const foreign = "7643616C2D55696401000000";

/** The id of the whole series, in the form that other calendars use. A text of another form is returned unchanged. */
export function seriesUid(iCalUid: string): string {
  const hex = iCalUid.toUpperCase();
  if (!hex.startsWith(classId) || !/^([0-9A-F]{2}){41,}$/.test(hex)) return iCalUid;
  const at = hex.indexOf(foreign, 80);
  if (at < 0) return `${hex.slice(0, date.from)}00000000${hex.slice(date.to)}`;
  return Buffer.from(hex.slice(at + foreign.length), "hex")
    .toString("utf8")
    .replace(/\0+$/, "");
}
