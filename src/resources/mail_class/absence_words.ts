// The phrases of absence notices, in the languages of automatic replies.

export interface AbsenceSigns {
  /** It says that nobody wrote it. */
  automatic: boolean;
  /** They are out of the office, on leave, ill. */
  absent: boolean;
  /** When they are back, or until when they are away. */
  back: boolean;
  /** Who to contact in the meantime. */
  deputy: boolean;
  /** They read little or nothing in the meantime. */
  limited: boolean;
}

/** Notices say it at the beginning. */
const noticeMax = 4000;

export function absenceSigns(written: string): AbsenceSigns {
  const text = written.slice(0, noticeMax).replace(/[’‘]/g, "'").replace(/\s+/g, " ");
  const says = (words: RegExp) => words.test(text);
  return { automatic: says(automatic), absent: says(absent), back: says(back), deputy: says(deputy), limited: says(limited) };
}

/** The beginnings of subjects by mail programs. A reply to such a mail starts with `Re:`. */
export const isAutomaticSubject = (subject: string): boolean => automaticSubject.test(subject.replace(/[’‘]/g, "'"));

export const isReceipt = (text: string): boolean => receipt.test(text.slice(0, noticeMax).replace(/[’‘]/g, "'"));

/** One pattern for all: `i` and `u`, so that letters of every script match in both cases. */
const any = (...words: string[]): RegExp => new RegExp(words.join("|"), "iu");

const automaticSubject = any(
  "^\\s*(?:\\[?auto(?:matic|mated)?[- ]?(?:reply|response|answer)\\]?|out of (?:the )?office|ooo\\s?[:|-]|away from (?:the|my) office|on (?:vacation|holiday|leave)\\s?[:|-])",
  "\\bis out of (?:the )?office\\b|^\\s*(?:vacation|holiday) (?:reply|notice|message)",
  "^\\s*(?:automatische (?:antwort|antwoord|e-?mail)|automatisch antwoord|auto-?antwort|abwesen(?:d|heit)|(?:ich bin )?(?:nicht im büro|außer haus)|urlaubs?(?:meldung|notiz|abwesenheit))",
  "^\\s*(?:r[ée]ponse automatique|message d'absence|absence du bureau|absent du bureau|absence\\s?[:-]|notification d'absence)",
  "^\\s*(?:respuesta autom[áa]tica|fuera de (?:la )?oficina|ausente|ausencia)",
  "^\\s*(?:risposta automatica|risposta fuori sede|fuori (?:ufficio|sede)|assenza|assente)",
  "^\\s*(?:resposta autom[áa]tica|fora do escrit[óo]rio|aus[êe]ncia|ausente)",
  "^\\s*(?:afwezig|niet aanwezig|buiten kantoor)",
  "^\\s*(?:autosvar|automatiskt? svar|frånvaro|ej på kontoret|fraværende|fravær|ikke på kontoret|automaattinen vastaus|poissa)",
  "^\\s*(?:automatyczna odpowiedź|odpowiedź automatyczna|nieobecność|poza biurem|automatická odpověď|mimo kancelář|automatikus válasz|răspuns automat)",
  "^\\s*(?:автоматический ответ|автоответ|вне офиса|автоматична відповідь|otomatik (?:yanıt|cevap)|ofis dışında|αυτόματη απάντηση)",
  "^\\s*[【\\[(]?(?:自動(?:応答|返信)|不在(?:通知|の)|自动(?:回复|答复)|自動回覆|不在办公室|자동 ?(?:회신|응답))",
);

const automatic = any(
  "\\bauto(?:mat(?:ic|ed)|matically)?[- ](?:generated )?(?:reply|response|message|e-?mail|answer|respon)",
  "(?:automatische|automatisch generierte) (?:antwort|nachricht|e-?mail)|automatisch (?:erstellt|erzeugt|versendet|generiert)",
  "(?:r[ée]ponse|message|courriel|mail) automatique|g[ée]n[ée]r[ée] automatiquement",
  "(?:respuesta|mensaje|correo) autom[áa]tic[oa]|generado autom[áa]ticamente",
  "(?:risposta|messaggio|e-?mail) automatic[ao]|generato automaticamente",
  "(?:resposta|mensagem) autom[áa]tica|gerad[ao] automaticamente",
  "automatisch (?:antwoord|bericht|gegenereerd)|automatiskt? (?:svar|meddelande|besked|genererad)|automaattinen (?:vastaus|viesti)",
  "(?:automatyczna|automatycznie) (?:odpowiedź|wiadomość|wygenerowan)|automatick[áy] (?:odpověď|zpráva)|автоматическ(?:ий ответ|ое сообщение)|otomatik (?:yanıt|cevap|mesaj|olarak)",
  "自動(?:応答|返信|送信|配信)|自动(?:回复|答复)|자동 ?(?:회신|응답)",
);

const absent = any(
  "\\bout of (?:the )?office\\b|\\bout of town\\b|\\baway from (?:the|my) (?:office|desk|e-?mail)|\\bon (?:annual |maternity |paternity |parental |sick |medical )?(?:leave|vacation|holidays?|pto)\\b|\\b(?:am|be|is) (?:currently )?(?:away|travell?ing|on the road)\\b|\\bmaternity leave\\b|\\boffice (?:is|will be) closed\\b",
  "nicht im (?:büro|hause?|office)|außer haus|im (?:\\p{L}+)?urlaub|abwesend|nicht (?:erreichbar|am arbeitsplatz|anwesend)|elternzeit|mutterschutz|auf (?:dienst|geschäfts)reise|krankheitsbedingt|betriebsferien",
  "absent(?:e)?\\b|en (?:cong[ée]s?|vacances|d[ée]placement)|hors du bureau|cong[ée] (?:maternit[ée]|parental|annuel)",
  "fuera de (?:la |mi )?oficina|de vacaciones|(?:estoy|estar[ée]|estaré|me encuentro) (?:ausente|fuera|de viaje)|de baja (?:m[ée]dica|maternal)|permiso de maternidad",
  "fuori (?:ufficio|sede)|in ferie|(?:sono|sar[òo]) (?:assente|in viaggio)|in maternit[àa]|assente dall'ufficio",
  "fora do escrit[óo]rio|de f[ée]rias|(?:estou|estarei) (?:ausente|fora|em viagem)|licen[çc]a[- ](?:maternidade|m[ée]dica)",
  "niet (?:op kantoor|aanwezig)|(?:ben|zal) (?:ik )?(?:\\p{L}+ )?(?:afwezig|met (?:vakantie|verlof))|op vakantie|met (?:vakantie|verlof)|buiten kantoor",
  "inte på kontoret|(?:på|har) semester|föräldraledig|tjänstledig|ikke på kontoret|på ferie|har ferie|holder ferie|er fraværende|barselsorlov|poissa (?:toimistolta|\\d)|olen (?:poissa|lomalla)|lomalla|vuosilomalla",
  "poza biurem|nieobecn|na urlopie|przebywam na|mimo kancelář|na dovolené|nepřítom|szabadságon|în concediu",
  "(?:нахожусь|буду|я) (?:\\p{L}+ )?(?:в отпуске|вне офиса|в командировке)|в отпуске|отсутству|izinde(?:yim)?|tatilde(?:yim)?|ofis dışında|yıllık izin|άδεια",
  "不在(?:に|と|です|中|のため)|休暇|夏季休業|休業|出張中|休假|不在办公室|出差|外出|부재|휴가",
);

const back = any(
  "\\b(?:return(?:ing)?|(?:be|am|come) back|back (?:in|at|on)|until|through|till|from .{1,40} (?:to|until|through)|between .{1,40} and)\\b",
  "\\b(?:bis|zurück|wieder (?:da|im|erreichbar|ab)|ab dem|vom .{1,40} bis)(?!\\p{L})",
  "jusqu'?(?:au|à)|de retour|mon retour|\\bdu .{1,40} au\\b",
  "hasta (?:el)?|de vuelta|(?:regreso|regresar[ée]|vuelvo|volver[ée])|\\bdel .{1,40} al\\b",
  "fino al?|rientr|torner[òo]|\\bdal .{1,40} al\\b",
  "at[ée] (?:o dia|a|ao|dia)?|(?:retorno|retornarei|voltarei|regressarei)|\\bde .{1,40} a\\b",
  "\\btot(?: en met)?\\b|terug|weer (?:bereikbaar|aanwezig)|\\bvan .{1,40} t(?:ot|/m)\\b",
  "(?:tillbaka|åter|till och med|t\\.?o\\.?m|tilbage|tilbake|frem til|til og med|palaan|takaisin|asti|saakka)(?!\\p{L})",
  "(?:\\bdo dnia|\\bdo\\b|wracam|wrócę|powrot|vrátím|zpět|до|вернусь|возвращ)(?!\\p{L})|tarihine kadar|döne(?:ceğim|rim)|kadar",
  "まで|戻り|出社|至|到|返回|까지|복귀",
);

const deputy = any(
  "(?:urgent|immediate|emergency|in my absence|meanwhile|assistance|urgently)[^.!?]{0,120}(?:contact|e-?mail|call|reach|write)|(?:contact|reach out to|e-?mail|call) .{1,80}(?:in my absence|urgent|immediate|meanwhile|while i)",
  "(?:dringend|eilig|notf[äa]ll|wichtig|zwischenzeit|vertret)[^.!?]{0,160}|wenden sie sich",
  "(?:urgen|absence)[^.!?]{0,120}(?:contact|adress|joindre|appel)|contacter|veuillez (?:contacter|vous adresser)",
  "(?:urgen|ausencia)[^.!?]{0,120}(?:contact|dir[ií]|llam|escrib)|p[óo]ngase en contacto|contactar (?:con|a)",
  "(?:urgen|assenza)[^.!?]{0,120}(?:contatt|rivolg|chiam|scriv)|potete contattare|si prega di contattare",
  "(?:urgen|aus[êe]ncia)[^.!?]{0,120}(?:contact|contat|ligar|escrev)|favor (?:contatar|contactar|entrar em contato)",
  "(?:dringend|spoed|afwezigheid)[^.!?]{0,120}(?:contact|bel|mail)|neem (?:dan )?contact op",
  "(?:brådskande|akut|haster|hastende|kiireellis)[^.!?]{0,120}|kontakta|kontakt (?:venligst|gerne)|ottakaa? yhteyttä",
  "piln(?:ych|ej|e)[^.!?]{0,120}|proszę o kontakt|naléhav[^.!?]{0,120}|kontaktujte|(?:срочн|неотложн)[^.!?]{0,120}|обращайтесь|acil[^.!?]{0,120}",
  "(?:急|緊急)[^。]{0,60}|(?:まで)?ご連絡|请联系|紧急|긴급",
);

const limited = any(
  "(?:limited|no|little|without|intermittent|sporadic) (?:or no )?access to (?:my )?(?:e-?mail|phone|internet|messages)|(?:not|n't) (?:be )?(?:checking|reading|monitoring|able to respond)|as soon as (?:possible|i (?:can|return|am back))|(?:reply|respond|get back to you)[^.!?]{0,40}(?:return|back)|not (?:be )?forwarded",
  "(?:nicht|kein)[^.!?]{0,40}(?:weitergeleitet|gelesen|bearbeitet|zugriff)|eingeschränkt(?:en)?|nach meiner rückkehr|werde? ich[^.!?]{0,60}(?:beantworten|melden|bearbeiten)",
  "acc[èe]s limit[ée]|(?:pas|aucun)[^.!?]{0,40}acc[èe]s|d[èe]s mon retour|à mon retour",
  "acceso limitado|sin acceso|a mi (?:regreso|vuelta)|en cuanto (?:regrese|vuelva)",
  "accesso limitato|al (?:mio )?rientro|acesso limitado|no (?:meu )?(?:retorno|regresso)|assim que (?:retornar|poss[íi]vel)",
  "beperkt(?:e)? (?:bereikbaar|toegang)|bij (?:mijn )?terugkomst|begränsad|när jag är tillbaka|begrænset|når jeg er tilbage|rajoitetusti|ograniczony dostęp|po (?:moim )?powrocie|po návratu|ограничен|по возвращении",
  "戻り次第|返信(?:が)?遅|回复",
);

const receipt = any(
  "^\\s*(?:not )?(?:read|delivered|relayed|displayed)\\s?:|^\\s*(?:read|delivery|return) receipt|\\b(?:message|e-?mail|mail)\\b[^.!?]{0,120} (?:was|has been) (?:not )?(?:read|displayed|opened|delivered|deleted without being read)\\b",
  "^\\s*(?:(?:un)?gelesen|zugestellt|lesebestätigung|übermittelt)\\s?:|lesebestätigung|wurde[^.!?]{0,80} (?:gelesen|angezeigt|zugestellt|geöffnet)",
  "^\\s*(?:(?:non )?lu|remis)\\s?:|(?:accusé|confirmation) de (?:lecture|remise)|^\\s*(?:(?:no )?leído|letto|non letto|lida|lido|não lida|gelezen|ongelezen|läst|læst|lest|luettu|przeczytane|přečteno|прочитано|okundu)\\s?:|(?:acuse|confirmación) de lectura|conferma di lettura|confirmação de leitura|leesbevestiging|開封(?:済み|確認)|已读",
  "(?:ticket|case|request|inquiry|enquiry|application|order|support id|reference(?: number)?)[^.!?\\n]{0,60}(?:has been|was|is) (?:received|created|opened|registered|logged|submitted)|(?:we(?:'ve| have)? )?(?:received|got) your (?:\\p{L}+ )?(?:message|e-?mail|request|inquiry|enquiry|application|order|mail)|thank(?:s| you) for (?:contacting|reaching out|writing|your (?:\\p{L}+ )?(?:message|e-?mail|inquiry|enquiry|request|interest))|\\bticket\\b|\\[#?\\p{L}*-?\\d{3,}\\]|(?:confirm|verify) (?:that )?(?:you|your)",
  "(?:anfrage|nachricht|e-?mail|mail|bewerbung|ticket)[^.!?\\n]{0,60}(?:erhalten|eingegangen|erstellt|angelegt)|vielen dank für ihre (?:anfrage|nachricht|e-?mail|mail)|eingangsbestätigung",
  "(?:bien reçu|avons reçu) votre|accus[ée] de r[ée]ception|merci (?:de nous avoir contact|pour votre (?:message|demande))",
  "hemos recibido|gracias por (?:contactar|escribir|su (?:mensaje|correo))|abbiamo ricevuto|grazie per (?:averci|il tuo|la tua|la sua)|recebemos (?:a |o )?(?:sua|seu)|obrigado por (?:entrar|contactar)",
  "hebben (?:wij )?(?:uw|je|jouw)[^.!?\\n]{0,40}ontvangen|bedankt voor (?:uw|je)|tack för (?:ditt|att du)|tak for din|otrzymaliśmy|dziękujemy za|получили ваш|ваше (?:обращение|письмо)",
  "受け付け|お問い合わせ(?:いただき|ありがとう)|已收到",
);
