// Twilio's error codes in words for people who write texts or make calls. The codes: https://www.twilio.com/docs/api/errors.

const known = new Map<number, string>([
  [20003, "Twilio does not accept the organization's credentials: an admin can store new ones"],
  [20005, "the organization's account with Twilio is closed or suspended"],
  [20404, "Twilio does not know it"],
  [21210, "the number called from is not one that Twilio has verified"],
  [21211, "is not a number that can be reached"],
  [21212, "cannot be sent from this number: it is not one of the organization's at Twilio"],
  [21214, "is not a number that can be called"],
  [21215, "calls to this country are switched off in the organization's Twilio account"],
  [21216, "Twilio calls no numbers of this kind"],
  [21217, "is not a number that can be called"],
  [21219, "a trial account of Twilio reaches only numbers verified there"],
  [21401, "is not a number that can be called"],
  [21404, "a trial account of Twilio has one number: upgrade it to rent more"],
  [21408, "texts to this country are switched off in the organization's Twilio account"],
  [21421, "is not a number that can be rented"],
  [21422, "is not to be had any more: choose another"],
  [21450, "is rented by somebody else"],
  [21452, "there is no such number to be had"],
  [21606, "cannot be sent from this number: it is not one of the organization's at Twilio"],
  [21608, "a trial account of Twilio reaches only numbers verified there"],
  [21610, "the recipient opted out of texts from this number: they can text START to opt in again"],
  [21611, "too many messages wait to be sent from this number: try again later"],
  [21612, "cannot be sent from this number to that one"],
  [21614, "is not a mobile number, and cannot receive texts"],
  [21617, "is too long"],
  [21620, "an attachment could not be fetched: it must be reachable from the internet"],
  [21615, "is rented only to who has a local address in the organization's Twilio account"],
  [21623, "has too many attachments: ten at most"],
  [21631, "is rented only to who has an address in the organization's Twilio account"],
  [21635, "is a landline, which cannot receive texts"],
  [21649, "is rented only with a regulatory bundle in the organization's Twilio account"],
  [21659, "cannot be sent from this number: it is not one of the organization's at Twilio"],
  [21660, "cannot be sent from this number: it is not one of the organization's at Twilio"],
  [30001, "too many messages waited to be sent from this number: try again later"],
  [30002, "the organization's account with Twilio is suspended"],
  [30003, "the phone could not be reached: it is switched off, or cannot receive texts"],
  [30004, "they, or their carrier, block texts from this number"],
  [30005, "there is no such number any more"],
  [30006, "is a landline, or a number that cannot receive texts"],
  [30007, "the carrier classified it as spam and did not deliver it"],
  [30008, "their carrier did not say why it was not delivered"],
  [30019, "an attachment is too large for the carrier"],
  [30032, "the number is tollfree and not verified with Twilio yet"],
  [30034, "the number is not registered for texts to the United States yet (A2P 10DLC)"],
  [63003, "there is nobody with this address on the channel"],
  [63007, "cannot be sent from this number: it has no WhatsApp sender at Twilio"],
  [63015, "only numbers that joined the Twilio sandbox can be reached from it"],
  [63016, "more than 24 hours after their last message only an approved template reaches them on WhatsApp"],
  [63024, "there is nobody with this number on WhatsApp"],
]);

/** The reason, in our words if we have some, or else in Twilio's. */
export function twilioWords(code: number | null, theirs: string): string {
  const words = code === null ? undefined : known.get(code);
  return words ?? `Twilio refused: ${theirs.slice(0, 300) || "no reason given"}${code === null ? "" : ` (${code})`}`;
}

/** The organization has to pay Twilio first. */
export const isBilling = (code: number | null): boolean => code !== null && [20005, 21404, 30002].includes(code);
