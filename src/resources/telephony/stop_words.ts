// Recognizes texts that opt out of texts, or in again: the whole text and nothing else. Carriers know a few single words; people
// add courtesies, or write a sentence.

const stops = new Set(
  [
    "stop,stopall,stop all,unsubscribe,cancel,end,quit,optout,opt out,revoke,remove,remove me",
    "stopp,abmelden,beenden,abbestellen",
    "arret,arrêt,arrêter,desabonner,désabonner",
    "parar,alto,baja,cancelar,detener",
    "ferma,basta,annulla,disiscrivimi",
    "sair,pare,remover",
    "afmelden,uitschrijven",
    "avsluta,avbryt,avslutt,afmeld,frameld,slutt,lopeta",
    "koniec,wypisz,zatrzymaj,odhlasit,odhlásit",
    "стоп,отписаться,отписка",
    "iptal,dur,ret",
    "停止,解除,退订,退訂,取消,수신거부,중지",
  ].flatMap((line) => line.split(",")),
);

const starts = new Set(
  [
    "start,unstop,resume,subscribe",
    "starten,anmelden,fortsetzen",
    "commencer,reprendre",
    "empezar,comenzar,reanudar,alta",
    "inizia,iniziare",
    "começar,iniciar",
    "starta,aanmelden",
    "старт",
    "başla",
    "開始,再開,开始,開通,시작",
  ].flatMap((line) => line.split(",")),
);

/** `Stop.`, `« ARRÊT »` and `please STOP texting me!!` are requests; `Stop by on Monday` and `don't stop` are not. */
export function wishIn(text: string): "stop" | "start" | null {
  if (text.length > wholeMax) return null;
  const words = barely(text.normalize("NFC").toLowerCase().replace(signature, ""));
  if (stops.has(words) || stopPhrase.test(words)) return "stop";
  return starts.has(words) || startPhrase.test(words) ? "start" : null;
}

/** A longer text says something else too. */
const wholeMax = 200;

/** Signatures that phones add. */
const signature = /\n\s*(?:sent from my|von meinem|gesendet von|envoyé de mon|enviado desde mi|inviato da)[^\n]*$/;

const courtesy =
  /^(?:please|pls|plz|kindly|hi|hello|hey|ok|okay|bitte|por favor|s il (?:vous|te) pla[iî]t|svp|per favore|por gentileza)\s+|\s+(?:please|pls|plz|now|immediately|thanks|thank you|thx|bitte|danke|por favor|gracias|s il (?:vous|te) pla[iî]t|svp|merci|per favore|grazie|obrigad[oa])$/u;

/** The words alone, repeated ones once, without courtesies. */
function barely(text: string): string {
  let words = text.replace(/[\p{P}\p{S}\s]+/gu, " ").trim();
  words = words.replace(/^(\S+)(?: \1)+$/u, "$1");
  for (let before = ""; before !== words; ) {
    before = words;
    words = words.replace(courtesy, "").trim();
  }
  return words;
}

const what = "(?:all )?(?:the |these |this |those |your |any )?(?:texts?|messages?|messaging|sms|spam|ads?)";
const stopPhrase = new RegExp(
  `^(?:${[
    `stop (?:it|this|${what})`,
    `stop (?:sending|texting|messaging|contacting|bothering|spamming)(?: me| us)?(?: ${what})?(?: any ?more| again)?`,
    `(?:do not|don t|dont|never) (?:text|message|contact|sms|write to|send)(?: me| us| this number)?(?: ${what})?(?: any ?more| again| ever again)?`,
    "(?:remove|delete|take) (?:me|us|my number|this number)(?: (?:from|off)(?: of)?(?: your| the| this| all)?(?: \\w+){0,2} lists?)?",
    "unsubscribe (?:me|us|this number)(?: from (?:all|this|your|the)(?: \\w+)?)?",
    "(?:i )?(?:want to |would like to )?opt (?:me )?out",
    `no more ${what}`,
    "stopp bitte|keine (?:weiteren )?(?:sms|nachrichten|texte)(?: mehr)?",
    "ne m (?:écrivez|envoyez) plus(?: de messages)?|plus de (?:messages|sms)",
    "no (?:me )?(?:envíe[ns]?|mande[ns]?|escriba[ns]?) más(?: mensajes)?|no más mensajes|dar(?:me)? de baja",
  ].join("|")})$`,
  "u",
);
const startPhrase =
  /^(?:re ?start|start (?:again|texting|texts|messages|sending)(?: me)?(?: texts| messages)?(?: again)?|opt (?:me )?in)$/;
