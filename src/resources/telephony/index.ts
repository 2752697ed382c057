import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { availablePhoneNumbers } from "./available.ts";
import { closePort } from "./close_port.ts";
import { dial } from "./dial.ts";
import { dialer } from "./dialer.ts";
import { deleteDialer } from "./dialer_deletion.ts";
import { createDialer, updateDialer } from "./dialer_verbs.ts";
import { nextLead } from "./next.ts";
import { withOffer } from "./number_offer.ts";
import { phoneNumber } from "./phone_number.ts";
import { createPhoneNumber, deletePhoneNumber, updatePhoneNumber } from "./phone_number_verbs.ts";
import { port } from "./port.ts";
import { dialerToken } from "./token.ts";

export const telephony: Operation[] = [
  ...standard(
    phoneNumber,
    {
      ...crud,
      create: createPhoneNumber,
      update: updatePhoneNumber,
      delete: deletePhoneNumber,
    },
    "member",
    { create: withOffer },
  ),
  availablePhoneNumbers,
  ...standard(port, { list: true, get: true }, "member"),
  closePort,
  ...standard(
    dialer,
    { ...crud, create: createDialer, update: updateDialer, delete: deleteDialer },
    { read: "member", write: "calling" },
  ),
  nextLead,
  dialerToken,
  dial,
];
