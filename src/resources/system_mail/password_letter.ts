// The mail with a link to set a password.
import { findPasswordLink } from "../../auth/unscoped_sign_in.ts";
import type { Core } from "../../core/core.ts";
import type { Composed, SystemMail } from "./letter.ts";
import { tokenPlace } from "./queue.ts";

/** Null when the link was used or is too old. */
export async function passwordLetter(core: Core, mail: SystemMail): Promise<Composed> {
  const token = core.settings.secrets.open(mail.sealed_token!, tokenPlace(mail.organization_id, mail.id));
  const person = await findPasswordLink(core.db, token, core.clock());
  if (person === null) return null;
  return {
    to: person.email,
    letter: {
      subject: "Set your password for Headwater",
      parts: [
        { words: "Hello," },
        { words: "somebody, probably you, asked for a link to set the password of your account." },
        { button: "Set the password", href: `${core.settings.base_url}/password/${token}/` },
        {
          words: "The link works once, for an hour. If you did not ask for it, you can ignore this mail: nothing changes.",
          small: true,
        },
      ],
    },
  };
}
