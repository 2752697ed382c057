// Whether people sound pleased, by words of four languages.

export const sentiments = ["positive", "neutral", "negative"] as const;
export type Sentiment = (typeof sentiments)[number];

const glad =
  "thanks thank great good perfect excellent love loved happy glad pleased excited interested awesome wonderful yes agree agreed approved helpful impressed fantastic danke super toll prima gerne gut perfekt freue freuen begeistert interessiert merci parfait excellent ravi ravie intéressé intéressée génial bien gracias perfecto excelente encantado encantada interesado interesada genial bueno".split(
    " ",
  );
const sad =
  "bad unhappy disappointed disappointing angry problem problems issue issues broken fail failed fails failing complaint complain cancel cancelled canceled refund unacceptable terrible awful wrong late delayed slow expensive frustrated frustrating worst never leider schlecht problem probleme enttäuscht ärgerlich kündigen kündigung beschwerde falsch fehler teuer verspätet malheureusement mauvais problème problèmes déçu déçue annuler résilier erreur cher retard lamentablemente malo problema problemas decepcionado decepcionada cancelar error caro retraso".split(
    " ",
  );
const words: ReadonlyMap<string, number> = new Map([
  ...glad.map((word) => [word, 1] as const),
  ...sad.map((word) => [word, -1] as const),
]);
const negations = new Set(
  "not no never don't doesn't didn't isn't wasn't won't can't nicht kein keine nie pas jamais nunca sin".split(" "),
);

/** A word after a negation counts for the opposite. Between the two there may be one other word. */
export function sentimentOf(text: string): Sentiment {
  const all =
    text
      .slice(0, 100_000)
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? [];
  let sum = 0;
  all.forEach((word, i) => {
    const value = words.get(word) ?? 0;
    const isNegated = all.slice(Math.max(0, i - 2), i).some((before) => negations.has(before));
    sum += isNegated ? -value : value;
  });
  return sum > 0 ? "positive" : sum < 0 ? "negative" : "neutral";
}
