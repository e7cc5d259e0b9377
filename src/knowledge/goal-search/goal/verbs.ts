/** What a verb asks for. It is a hint: a state, a value or a text in the goal says the same. */
export type Operation = 'on' | 'off' | 'switch' | 'set' | 'choose' | 'open' | 'add' | 'create'

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'] as const
export type Language = (typeof LANGUAGES)[number]

/** Imperatives and infinitives, without diacritics. `switch` verbs need a particle: "turn ... on", "schalte ... aus". */
const VERBS: Readonly<Record<Operation, Readonly<Record<Language, string>>>> = {
  on: {
    en: 'enable activate',
    de: 'einschalten anschalten anmachen aktivieren aktiviere aktivier aktiviert einzuschalten',
    fr: 'allumer allume allumez activer active activez enclencher enclenche',
    es: 'encender enciende encienda encended activar activa active activad prender prende prenda',
    it: 'accendere accendi accenda accendete attivare attiva attivi attivate abilitare abilita',
    pt: 'ligar liga ligue ativar ativa ative acender acende acenda',
    nl: 'aanzetten inschakelen aandoen activeren activeer',
  },
  off: {
    en: 'disable deactivate',
    de: 'ausschalten abschalten ausmachen deaktivieren deaktiviere deaktivier auszuschalten',
    fr: 'eteindre eteins eteignez desactiver desactive desactivez',
    es: 'apagar apaga apague apagad desactivar desactiva desactive',
    it: 'spegnere spegni spenga spegnete disattivare disattiva disattivi disabilitare disabilita',
    pt: 'desligar desliga desligue desativar desativa desative',
    nl: 'uitzetten uitschakelen uitdoen deactiveren deactiveer',
  },
  switch: {
    en: 'turn switch flip',
    de: 'schalte schalten schalt schaltet mach mache machen dreh drehe',
    fr: '',
    es: '',
    it: '',
    pt: '',
    nl: 'zet zetten doe doen schakel schakelen draai',
  },
  set: {
    en: 'set change adjust put raise lower increase decrease',
    de: 'stelle stellen stell einstellen einzustellen setze setzen setz andere andern regle regeln regele erhohe erhohen senke senken',
    fr: 'regler regle reglez mettre mets mettez changer change changez ajuster ajuste ajustez definir definis definissez',
    es: 'poner pon ponga ajustar ajusta ajuste cambiar cambia cambie fijar fija fije establecer establece configurar configura configure',
    it: 'impostare imposta imposti impostate mettere metti metta cambiare cambia cambi regolare regola regoli',
    pt: 'definir define defina ajustar ajusta ajuste mudar muda mude colocar coloca coloque ponha poe alterar altera altere',
    nl: 'stel instellen stellen wijzig wijzigen verander veranderen',
  },
  choose: {
    en: 'choose select pick',
    de: 'wahle wahlen wahl auswahlen',
    fr: 'choisir choisis choisissez selectionner selectionne selectionnez',
    es: 'elegir elige elija seleccionar selecciona seleccione escoger escoge escoja',
    it: 'scegliere scegli scelga selezionare seleziona selezioni',
    pt: 'escolher escolhe escolha selecionar seleciona selecione',
    nl: 'kies kiezen selecteer selecteren',
  },
  open: {
    en: 'open show go navigate',
    de: 'offne offnen zeige zeigen zeig anzeigen gehe gehen geh',
    fr: 'ouvrir ouvre ouvrez afficher affiche affichez montrer montre montrez aller',
    es: 'abrir abre abra abrid mostrar muestra muestre ir',
    it: 'aprire apri apra aprite mostrare mostra mostri vai',
    pt: 'abrir abre abra mostrar mostra mostre ir',
    nl: 'openen toon tonen ga',
  },
  add: {
    en: 'add write enter type',
    de: 'hinzufugen fuge fug schreibe schreiben schreib notiere notieren notier eintragen trage eingeben',
    fr: 'ajouter ajoute ajoutez ecrire ecris ecrivez noter inscrire inscris saisir saisis',
    es: 'anadir anade anada agregar agrega agregue escribir escribe escriba anotar anota anote apuntar apunta apunte',
    it: 'aggiungere aggiungi aggiunga scrivere scrivi scriva annotare annota annoti',
    pt: 'adicionar adiciona adicione escrever escreve escreva anotar anota anote acrescentar acrescenta acrescente',
    nl: 'toevoegen voeg schrijf schrijven noteer noteren',
  },
  create: {
    en: 'create make',
    de: 'erstelle erstellen erstell anlegen lege',
    fr: 'creer cree creez',
    es: 'crear crea cree',
    it: 'creare crea crei',
    pt: 'criar cria crie',
    nl: 'maak maken aanmaken',
  },
}

/** Words that end a separable verb: "füge ... hinzu", "lege ... an". They say nothing by themselves. */
export const VERB_ENDINGS: ReadonlySet<string> = new Set('hinzu toe zien'.split(' '))

/** "Turn ... on", and states of things: "the light is switched on". */
const ON_WORDS: Readonly<Record<Language, string>> = {
  en: 'on enabled activated',
  de: 'an ein aktiviert eingeschaltet angeschaltet',
  fr: 'allume allumee active activee',
  es: 'encendido encendida activado activada',
  it: 'acceso accesa attivo attivato attivata',
  pt: 'ligado ligada ativado ativada aceso acesa',
  nl: 'aan ingeschakeld aangezet',
}

const OFF_WORDS: Readonly<Record<Language, string>> = {
  en: 'off disabled deactivated',
  de: 'aus ab deaktiviert ausgeschaltet abgeschaltet',
  fr: 'eteint eteinte desactive desactivee',
  es: 'apagado apagada desactivado desactivada',
  it: 'spento spenta disattivato disattivata',
  pt: 'desligado desligada desativado desativada',
  nl: 'uit uitgeschakeld uitgezet',
}

/** These are also prepositions or articles: their place in the clause decides. */
export const PARTICLES: ReadonlySet<string> = new Set('on off an ein aus ab aan uit in'.split(' '))

interface VerbEntry {
  readonly operation: Operation
  readonly languages: ReadonlySet<Language>
}

const VERB_TABLE: ReadonlyMap<string, VerbEntry> = buildVerbTable()
const STATE_TABLE: ReadonlyMap<string, boolean> = new Map([
  ...listForms(OFF_WORDS).map((word): [string, boolean] => [word, false]),
  ...listForms(ON_WORDS).map((word): [string, boolean] => [word, true]),
])

export const readVerb = (word: string): Operation | undefined => VERB_TABLE.get(word)?.operation

/** Whether a word says that something is on or off. */
export const readStateWord = (word: string): boolean | undefined => STATE_TABLE.get(word)

export const listVerbLanguages = (word: string): readonly Language[] => [...(VERB_TABLE.get(word)?.languages ?? [])]

/** Another verb for the same in each language that the word belongs to. */
export function listOtherVerbs(word: string): string[] {
  const entry = VERB_TABLE.get(word)
  if (entry === undefined) return []
  return [...entry.languages].flatMap(
    (language) => splitForms(VERBS[entry.operation][language]).find((form) => form !== word) ?? [],
  )
}

/** A form that several operations share belongs to the first one. */
function buildVerbTable(): Map<string, VerbEntry> {
  const table = new Map<string, VerbEntry>()
  for (const [operation, forms] of Object.entries(VERBS) as [Operation, Record<Language, string>][]) {
    for (const language of LANGUAGES) {
      for (const word of splitForms(forms[language])) {
        const known = table.get(word)
        if (known === undefined) table.set(word, { operation, languages: new Set([language]) })
        else if (known.operation === operation) {
          table.set(word, { operation, languages: new Set([...known.languages, language]) })
        }
      }
    }
  }
  return table
}

function listForms(forms: Readonly<Record<Language, string>>): string[] {
  return LANGUAGES.flatMap((language) => splitForms(forms[language]))
}

function splitForms(forms: string): string[] {
  return forms.split(' ').filter((word) => word !== '')
}
