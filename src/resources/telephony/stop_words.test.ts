import assert from "node:assert/strict";
import { test } from "node:test";
import { wishIn } from "./stop_words.ts";

const all = (texts: readonly string[], wish: "stop" | "start" | null) => {
  for (const text of texts) assert.equal(wishIn(text), wish, JSON.stringify(text));
};

test("whoever asks for no more texts, in the shapes in which people write it, is heard", () => {
  all(
    [
      "STOP",
      "stop",
      " Stop. ",
      "Stop!!!",
      "\u201cSTOP\u201d",
      "STOP \ud83d\uded1",
      "stop stop STOP",
      "Stopall",
      "STOP ALL",
      "quit",
      "End",
      "CANCEL",
    ],
    "stop",
  );
  all(["Please stop", "stop please!", "Pls STOP, thanks", "ok stop now", "Stop\nSent from my iPhone", "hi, stop this"], "stop");
  all(
    [
      "Stop texting me",
      "please stop sending me messages",
      "STOP SENDING TEXTS",
      "don't text me again",
      "Do not contact me anymore",
    ],
    "stop",
  );
  all(["Unsubscribe", "unsubscribe me", "Unsubscribe me from this list", "opt-out", "I want to opt out", "OPTOUT"], "stop");
  all(
    [
      "Remove me",
      "remove me from your list",
      "Take me off your marketing list",
      "take this number off the list",
      "No more texts",
    ],
    "stop",
  );
  all(
    [
      "Stopp bitte",
      "Keine SMS mehr!",
      "\u00ab ARR\u00caT \u00bb",
      "Por favor, BAJA",
      "no m\u00e1s mensajes",
      "\u505c\u6b62",
      "\u0421\u0422\u041e\u041f",
    ],
    "stop",
  );
});

test("whoever asks for texts again is heard", () => {
  all(
    [
      "START",
      "Start!",
      "unstop",
      "please start",
      "Start again",
      "start texting me again",
      "Opt in",
      "RESUME",
      "Starten",
      "\u0421\u0422\u0410\u0420\u0422",
    ],
    "start",
  );
});

test("what only has the word in it, and a call for help, is a message like any other", () => {
  all(
    ["Stop by on Monday", "don't stop", "Please do not stop the delivery", "Can we stop at 5?", "The bus stop", "stop sign"],
    null,
  );
  all(
    [
      "Cancel my appointment",
      "I want to end the contract",
      "Remove the second item",
      "Let's start on Monday",
      "start of the week",
    ],
    null,
  );
  all(["HELP", "help!", "INFO", "Yes", "", "  ", "\ud83d\udc4d", "text me when you stop by", "send me the texts"], null);
  all([`stop ${"please ".repeat(60)}`, "a".repeat(100_000)], null);
});
