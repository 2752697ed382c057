// Recognizes opt-outs: a short message that says nothing else, or a sentence that requests it. The bare word in a longer text is
// no request, and neither is quoted text.
import type { Facts } from "./parsed.ts";

export interface OptOut {
  rule: string;
  confidence: number;
}

const wordsMax = 3000;

export function optOutIn({ subject, written, header }: Facts): OptOut | null {
  const text = plain(written.slice(0, wordsMax));
  if (isWhole(text)) return { rule: "opt-out-word", confidence: 0.95 };
  // Mail programs write such a mail by themselves, for a `mailto:` in `List-Unsubscribe`.
  const isNew = header("in-reply-to") === "";
  if (isNew && text.length < 100 && isWhole(plain(subject.slice(0, 200)))) return { rule: "opt-out-subject", confidence: 0.9 };
  return asks(text) ? { rule: "opt-out-sentence", confidence: 0.85 } : null;
}

const plain = (text: string): string => text.normalize("NFC").replace(/[’‘]/g, "'").replace(/\s+/g, " ").trim().toLowerCase();

// --- messages with nothing else ---

const courtesy =
  "please|pls|kindly|hello|hi|hey|dear (?:sir|madam|all|team)|thanks?|thank you|thx|regards|best(?: regards)?|bitte|hallo|guten tag|danke|mfg|gruß|grüße|s'il vous pla[îi]t|svp|bonjour|merci|cordialement|por favor|hola|gracias|saludos|per favore|per cortesia|buongiorno|ciao|grazie|por gentileza|olá|obrigad[oa]|alstublieft|graag|bedankt|dank u|vänligen|tack|hej|venligst|tak|vennligst|takk|kiitos|proszę|dziękuję|prosím|děkuji|пожалуйста|спасибо|здравствуйте|lütfen|teşekkürler|お願いします|お願いいたします|请|谢谢";
const whole = [
  "(?:me )?unsubscribe(?: me)?(?: now| immediately)?(?: from (?:this|your|the|all)(?: mailing)?(?: list| e-?mails?| mails?)?)?",
  "un-?subscribe",
  "stop(?: all| it| this| now)?",
  "stop (?:sending|mailing|e-?mailing|contacting|spamming)(?: me)?",
  "(?:opt|opting)[- ]?out",
  "remove(?: me)?(?: from (?:this|your|the)(?: mailing)? list)?",
  "take me off(?: (?:this|your|the)(?: mailing)? list)?",
  "no more (?:e-?)?mails?",
  "abmelden|abmeldung|abbestellen|austragen|kündigen|löschen|stopp|keine (?:weiteren )?(?:e-?)?mails(?: mehr)?",
  "d[ée]sabonner|d[ée]sabonnement|d[ée]sinscrire|d[ée]sinscription|se d[ée]sinscrire|me d[ée]sinscrire",
  "baja|darse de baja|darme de baja|dar de baja|cancelar suscripci[óo]n|desuscribir(?:me)?|anular suscripci[óo]n",
  "disiscriv(?:imi|iti|etemi|ere)|disiscrizione|cancella(?:mi|temi|zione)|rimuovi(?:mi)?|annulla iscrizione",
  "descadastrar|descadastre|descadastramento|cancelar inscri[çc][ãa]o|cancelar assinatura|sair|remover|desinscrever",
  "uitschrijven|afmelden|afmelding|uitschrijving",
  "avregistrera|avprenumerera|avsluta|afmeld|frameld|avmeld|meld meg av|peru tilaus|peruuta tilaus",
  "wypisz(?: mnie)?|wypisz mnie z listy|rezygnuję|rezygnacja|odhlásit|odhlášení",
  "отписаться|отписка|отпишите(?: меня)?|стоп",
  "abonelikten çık|listeden çık|iptal",
  "(?:配信|メール|購読)?(?:の)?(?:停止|解除|配信停止|登録解除|購読解除|退会)(?:希望|を)?",
  "退订|退訂|取消订阅|取消訂閱|수신 ?거부|구독 ?취소",
];
const wholeText = new RegExp(`^(?:${whole.join("|")})$`, "u");
const around = new RegExp(
  `^(?:(?:${courtesy})(?!\\p{L})[\\s,;:!.]*)|[\\s,;:!.。！]*(?<!\\p{L})(?:${courtesy})[\\s,;:!.。！]*$`,
  "u",
);

/** Apart from courtesy, it says nothing else. */
function isWhole(text: string): boolean {
  if (text.length > 200) return false;
  let rest = text.replace(/["'«»„“”]/g, "");
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(around, "").replace(/^[\s,;:!.\-–]+|[\s,;:!.。！\-–]+$/gu, "");
  }
  return rest !== "" && wholeText.test(rest);
}

// --- sentences that request it ---

const lists =
  "(?:[^.!?。]{0,60}(?:list|mailing|database|data base|e-?mails?|mails|newsletter|distribution|crm|contacts|campaign|sequence))";
const requests = [
  `(?:remove|delete|take|drop|strike|unsubscribe|exclude) (?:me|us|my (?:e-?mail|address|name|details|contact|data)[^.!?]{0,30}|this (?:e-?mail )?address) (?:from|off|out of)${lists}`,
  "(?:please|kindly|pls|you to|you) (?:immediately )?unsubscribe (?:me|us|my|this)",
  "unsubscribe me",
  "opt me out|(?:i|we)(?:'d| would)? (?:like|want|wish) to (?:unsubscribe|opt[- ]?out|be (?:removed|unsubscribed|taken off))",
  "(?:please |kindly |now )?stop (?:sending|e-?mailing|mailing|contacting|messaging|spamming|bothering|writing(?: to)?|soliciting)(?: (?:me|us|these|this|your|such|any)(?!\\p{L}))",
  "(?:do not|don't|never) (?:e-?mail|contact|mail|message|write(?: to)?|spam|send) (?:me|us)(?: [^.!?]{0,40})?(?:again|any ?more|any (?:more|further)|further|(?=[.!?]|$))",
  "(?:no|not) (?:want|wish) to (?:receive|get|hear)[^.!?]{0,60}(?:mail|message|from you|any ?more)|(?:do not|don't|no longer) (?:want|wish)[^.!?]{0,20}(?:mail|messages?|hear from)[^.!?]{0,40}(?:you|any ?more)",
  "take me off (?:of )?(?:your|this|the)[^.!?]{0,30}list",
  "(?:streichen|entfernen|löschen|nehmen|tragen|melden) sie (?:mich|uns|meine (?:e-?mail-?)?adresse|diese adresse)[^.!?]{0,60}(?:aus|von|ab|ihre[mrn]?)[^.!?]{0,40}",
  "(?:mich|uns|meine (?:e-?mail-?)?adresse)[^.!?]{0,40}(?:aus|von) (?:ihrem|dem|der|ihrer|eurem|deinem)[^.!?]{0,40}(?:verteiler|liste|newsletter|datenbank)[^.!?]{0,30}(?:streichen|entfernen|löschen|nehmen|austragen)",
  "(?:nimm|nehmt|lösch|streich|trag)[^.!?]{0,10} (?:mich|uns)[^.!?]{0,30}(?:verteiler|liste|newsletter)",
  "(?:bitte|möchte|wünsche)[^.!?]{0,40}keine (?:weiteren )?(?:e-?mails?|mails?|nachrichten|werbung|newsletter)[^.!?]{0,30}(?:mehr|erhalten|bekommen|senden|schicken)",
  "(?:schreiben|schicken|senden|kontaktieren) sie (?:mir|mich|uns) (?:bitte )?(?:nicht|keine)[^.!?]{0,40}mehr",
  "d[ée](?:sabonn|sinscri)(?:ez|vez)[- ](?:moi|nous)|(?:me|nous) d[ée](?:sabonner|sinscrire)",
  "(?:retirez|supprimez|enlevez|rayez)[- ](?:moi|nous)|(?:retirer|supprimer|enlever) (?:mon|notre) (?:adresse|e-?mail|nom)[^.!?]{0,40}(?:liste|base|fichier|envoi)",
  "ne (?:souhaite|veux|d[ée]sire|souhaitons) plus (?:recevoir|[êe]tre)|(?:ne )?(?:m'|nous )?(?:envoyez|[ée]crivez|contactez)[- ]?(?:moi |nous )?plus|ne plus (?:m'envoyer|me contacter|m'[ée]crire|recevoir)",
  "(?:darme|darnos|den ?me|d[ée]me|deme|d[áa]me) de baja|(?:quiero|deseo|solicito|ruego)[^.!?]{0,30}(?:la )?baja",
  "(?:elim[íi]n(?:en|e|ar)me|qu[íi]t(?:en|e|ar)me|b[óo]rr(?:en|e|ar)me)[^.!?]{0,20}(?:de (?:su|la|esta|vuestra))",
  "no (?:deseo|quiero|queremos|deseamos) (?:recibir|seguir)|no me (?:env[íi]en?|manden?|escriban?|contacten?) m[áa]s|dejen? de (?:enviar|mandar|escribir|contactar)",
  "(?:cancellatemi|cancellami|disiscrivetemi|disiscrivimi|rimuovetemi|rimuovimi|toglietemi|toglimi)(?!\\p{L})|(?:cancellare|rimuovere|eliminare|togliere) (?:il mio|la mia|il nostro|i miei)[^.!?]{0,60}(?:lista|elenco|mailing|database|dati)",
  "non (?:voglio|desidero|vorrei|intendo) (?:pi[ùu] )?(?:ricevere|essere)|non (?:inviatemi|mandatemi|scrivetemi|contattatemi)|smettete(?:la)? di",
  "(?:remova|retire|exclua|tire|descadastre)(?:-me|m-me)?[^.!?]{0,30}(?:lista|cadastro|base|mailing)|me (?:remova|remover|retire|tire|descadastre|exclua)[^.!?]{0,30}(?:lista|cadastro|base|mailing)",
  "n[ãa]o (?:quero|desejo|gostaria de|queremos) (?:mais )?(?:receber|continuar)|pare(?:m)? de (?:enviar|mandar|me)|n[ãa]o (?:me )?(?:envie|mande|contate)[^.!?]{0,20}mais",
  "(?:schrijf|meld) (?:mij|me|ons) (?:a\\.?u\\.?b\\.? |alstublieft )?(?:uit|af)|(?:haal|verwijder) (?:mij|me|ons|mijn)[^.!?]{0,60}(?:lijst|bestand|mailing)|(?:mij|me|ons) (?:willen |te )?(?:uitschrijven|afmelden)",
  "geen (?:e-?)?(?:mails?|berichten) meer[^.!?]{0,30}(?:ontvangen|sturen|te)|stop met (?:mailen|sturen|e-?mailen)",
  "(?:ta|plocka) bort (?:mig|oss)[^.!?]{0,30}(?:list|utskick|register)|(?:vill|önskar) (?:inte|ej)[^.!?]{0,20}(?:ha|få|ta emot)[^.!?]{0,30}(?:mejl|mail|utskick)|fjern (?:mig|meg|os|oss) fra[^.!?]{0,30}list|(?:ønsker|vil) ikke[^.!?]{0,30}(?:modtage|motta|ha|få)[^.!?]{0,30}(?:mail|e-?post|mer|mere)",
  "poistakaa? (?:minut|meidät|osoitteeni)[^.!?]{0,40}list|en halua (?:enää )?(?:vastaanottaa|saada)",
  "(?:wypisać|wypiszcie|wypisanie|usunąć|usuńcie|usunięcie|wykreślić) (?:mnie|mojego|mój)[^.!?]{0,40}|nie (?:życzę sobie|chcę)[^.!?]{0,30}(?:otrzymywać|wiadomości|maili)|(?:vyřaďte|odhlaste|smažte) mě|nepřeji si (?:dostávat|dále)",
  "(?:отпишите|удалите|исключите|уберите) (?:меня|нас|мой)[^.!?]{0,40}|не (?:присылайте|пишите|отправляйте)[^.!?]{0,20}(?:мне|нам|больше)|больше не (?:пишите|присылайте|хочу)",
  "(?:listeden|listenizden|abonelikten) (?:beni )?çıkar|(?:mail|e-?posta)[^.!?]{0,20}(?:göndermeyin|almak istemiyorum)",
  "(?:配信|メール|送信)[^。]{0,15}(?:停止|解除|不要|やめて|止めて)|リストから[^。]{0,10}(?:外して|削除)|(?:不要|请勿|请不要|別)再?(?:给我)?(?:发|發|寄)|(?:将我|把我)[^。]{0,10}(?:移除|删除)|메일[^.]{0,15}(?:보내지|그만)",
];
const request = new RegExp(`(?<!\\p{L})(?:${requests.join("|")})`, "gu");

/** `please don't remove me from the list`, and messages that only give another address. */
const isMeantOtherwise =
  /(?:don't|do not|didn't|did not|never|not to|nicht|ne pas|wouldn't|would not|shouldn't|before (?:i|you|we)|if (?:i|you|we)|why (?:did|would)|how (?:do|can|to))[^.!?]{0,15}$/u;
const elsewhere =
  /(?:instead|new (?:e-?mail )?address|use (?:this|my other|the following) (?:e-?mail|address)|stattdessen|neue (?:e-?mail-?)?adresse|nouvelle adresse|nueva direcci[óo]n|nuovo indirizzo)/u;

function asks(text: string): boolean {
  for (const found of text.matchAll(request)) {
    const before = text.slice(Math.max(0, found.index - 40), found.index);
    const behind = text.slice(found.index, found.index + 250);
    if (!isMeantOtherwise.test(before) && !elsewhere.test(behind)) return true;
  }
  return false;
}
