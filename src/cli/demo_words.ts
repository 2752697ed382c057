// What people say in the demo.

export const notes = [
  "Met at the trade fair, interested in a pilot.",
  "Budget is decided in the next quarter.",
  "Uses a spreadsheet today and wants out.",
  "Asked for two references in the industry.",
  "Their IT wants to see where the data is kept.",
];

export const calls = [
  "Went through the open questions.",
  "Not the right time, call again next month.",
  "Agreed to send an offer.",
  "Left a message with the assistant.",
  "Talked about the price for all sites.",
];

/** What was written, what came back, and what was said to that. */
export const mails: readonly [subject: string, body: string, answer: string, thanks: string][] = [
  [
    "Our offer",
    "as we discussed, here is our offer. Do you have any questions?",
    "Thank you. Does the price include the training?",
    "Yes, it does: two days for your whole team.",
  ],
  [
    "Next steps",
    "may I suggest a workshop with your team in the next two weeks?",
    "The week after next suits us better.",
    "Gladly. I will send you three dates.",
  ],
  [
    "Your questions about data protection",
    "your data stays in your own database. I have attached our list.",
    "That helps. Our officer will get in touch.",
    "I look forward to it.",
  ],
  [
    "Dates for the demo",
    "would Tuesday at ten suit you?",
    "Tuesday is fine. Please invite Operations, too.",
    "Done. See you on Tuesday.",
  ],
  [
    "A short question",
    "do you still plan to leave your spreadsheet this year?",
    "Not before summer, sorry.",
    "Thank you for telling me. I will write again in June.",
  ],
];

export const meetings = ["Demo with the whole team", "Kick-off", "Price negotiation", "Quarterly review"];
export const texts = [
  "On my way, five minutes late.",
  "Thank you for the call. The offer is in your mail.",
  "Does three o'clock still suit you?",
];
export const tasks = ["Send the offer", "Call back", "Prepare the demo", "Ask for a reference", "Check in before renewal"];

export const callOutcomes = ["Interested", "Call again", "Not interested", "Wrong person", "Left a message"];
export const meetingOutcomes = ["Went well", "Not the right people", "To be repeated"];
/** How a call ended at the other end, as the service names it. */
export const dispositions = [
  "answered",
  "no-answer",
  "answered",
  "vm-left",
  "answered",
  "busy",
  "answered",
  "vm-answer",
  "answered",
  "blocked",
  "abandoned",
  "error",
];
