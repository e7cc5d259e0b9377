import { capitalize, clip, toOneLine } from './plain-text.ts'

/**
 * Parts of a label that are specific to one screen, machine or person. They are removed because a skill describes
 * states, not screen positions, and must not contain private text.
 */
const CONCRETE_PATTERNS: readonly RegExp[] = [
  // First, because a later pattern could separate a secret from its name.
  /\b(?:password|passwd|passcode|secret|token|api[_ -]?key)\s*[=:]\s*(?:"[^"]*"|\S+)/giu,
  // Literals: quoted spans, masked and tokenised text.
  /"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|‹[^‹›]*›|`[^`]*`|‘[^‘’]*’|(?<!\w)'[^']*'(?!\w)|•+/gu,
  // Markup and selectors.
  /<\/?[a-z][^<>]*>/giu,
  /\b(?:div|span|tr|td|li|ul|ol|iframe|svg|btn|button|input|elem|element|node|ember|react|mui|ng)-\d+\b/giu,
  /\b(?:(?:div|span|ul|ol|li|tr|td|table|form|nav|section|main|body)[\w.#-]{0,100}|[a-z][\w-]{0,60}[#.][\w-]{1,60})(?:\s{0,9}>\s{0,9}[\w.#-]{1,100})+/gu,
  /\b(?:div|span|ul|ol|li|tr|td|table|form|nav|section|body|button|input)\.[\w-]+/gu,
  /\b[a-z][a-z0-9]*(?:#[A-Za-z_][\w-]*|\[[\w-]+\s*[~|^$*]?=[^\]]*\])/gu,
  /(?<=^|[\s(])[#.][A-Za-z_][\w-]*(?:[-_][\w-]+)?(?=\s|$|[>+~.:[)])/gu,
  /\b(?:querySelector(?:All)?|getElement\w+)\b(?:\([^)]*\))?|\bdata-test(?:id)?\b(?:\s*=\s*\S+)?|\baria-[a-z]+\s*=\s*\S*|:nth-[a-z-]+\([^)]*\)/giu,
  /\b(?:resource-?id|content-?desc|id)\s{0,9}[=:]\s{0,9}\S+|\b[a-z][\w.]{0,200}:id\/\w+/giu,
  // Coordinates and sizes.
  /\(\s*-?\d{1,5}(?:\.\d+)?\s*,\s*-?\d{1,5}(?:\.\d+)?\s*\)|\[-?\d+,-?\d+\]/gu,
  /\bx\s*[=:]\s*-?\d+\s*[,; ]\s*y\s*[=:]\s*-?\d+/giu,
  /\b\d{1,5}\s*(?:px|pixels?|dp)\b/giu,
  /\b(?:at|to|position|coordinates?|point)\s+-?\d{1,5}\s*,\s*-?\d{1,5}\b/giu,
  // Paths into a tree, handles, addresses of machines.
  /(?<![:\w])\/\/[a-z*@][\w:\-/[\]@='"]*/giu,
  /\bAX[A-Z][A-Za-z]+\b|\b0x[0-9a-f]{4,}\b|\bhwnd\b/giu,
  /\b(?:window|pane|child|row|tab|group|cell)\s*\[\d+\]/giu,
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/\S+|\bwww\.\S+/giu,
  /(?:\/(?:Users|home|private|var|tmp|sdcard|storage|data)\/|[A-Z]:\\)\S*/gu,
  // Ids, secrets and people.
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/giu,
  /\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/giu,
  /\b(?:sk|pk|ghp|gho|xox[abpr])[-_][\w-]{10,}|\bAKIA[0-9A-Z]{12,}|\bBearer\s+\S{8,}|\beyJ[\w-]{10,}/gu,
  /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+/gu,
  /\b(?:\d[ -]?){9,}\b/gu,
  // Key chords and shell or code marks.
  /(?:\b(?:cmd|command|ctrl|control|alt|opt|option|shift|meta)|[⌘⌃⌥⇧])(?:\s*\+\s*[\p{L}\p{N}]+)+/giu,
  /\$\(|&&|[`{}\\$^<|~*[\]]|[-=_]{2,}|;\s*$/gu,
]

/** The label without parts that are specific to one screen or person. May be empty. */
export function removeConcrete(label: string, max: number): string {
  let text = toOneLine(label, 2000)
  let before: string
  do {
    before = text
    for (const pattern of CONCRETE_PATTERNS) text = text.replaceAll(pattern, ' ')
    // What remains around a removed part may itself look like one.
  } while (text !== before)
  text = text.replaceAll(/\(\s*\)|\[\s*\]|(?<!\s)\s+(?=[,.;:!?])/gu, '').replaceAll(/\s+/gu, ' ')
  return clip(text.replaceAll(TRIM_PATTERN, ''), max)
}

/** Punctuation at both ends, and dangling prepositions and articles at the end. */
const TRIM_PATTERN =
  /^[^\p{L}\p{N}]+|(?:[^\p{L}\p{N})%]|(?<=\s)(?:to|at|in|on|into|onto|for|with|from|of|by|as|the|a|an))+$/giu

/** The state after the labelled action, e.g. "Open the export dialog" -> "Export dialog is open". */
export function describeStateAfter(label: string, max = 200): string | undefined {
  const [firstAction = ''] = removeConcrete(label, 400).split(/(?:[,;]|(?<!\s))\s+(?:and then|then)\s+/iu, 1)
  const text = firstAction.replace(/^\d+[.)]\s*/u, '')
  if (CHECK_PATTERN.test(text)) return formatState(text.replace(CHECK_PATTERN, ''), '', max)
  if (STATE_PATTERN.test(text) && !GESTURE_PATTERN.test(text)) return formatState(text, '', max)
  for (const [verb, outcome] of OUTCOMES) {
    const match = verb.exec(text)
    if (match !== null) return formatState(findObject(text.slice(match[0].length)), outcome, max)
  }
  return formatState(text, 'is finished', max)
}

const CHECK_PATTERN =
  /^(?:verify|check|ensure|confirm|make sure|see)\s+(?:that\s+)?(?=.*\b(?:is|are|has|have|shows?|exists?)\b)/iu
const STATE_PATTERN = /\b(?:is|are|was|were|has|have|shows|appears|exists|exist)\b/iu

const GESTURE_PATTERN =
  /^(?:(?:left|right|double|triple|single|long)[- ]?)?(?:click|tap|press|typed?(?!\s+(?:of|is|field|matches))|drag|scroll|hover|swipe)/iu

const OUTCOMES: readonly (readonly [RegExp, string])[] = [
  defineOutcome('open(?:ed|s)?|launch(?:ed)?', 'is open'),
  defineOutcome('closed?|quit|exit(?:ed)?|dismiss(?:ed)?', 'is closed'),
  defineOutcome('select(?:ed)?|cho(?:o|)se|chosen|pick(?:ed)?|highlight(?:ed)?|tick(?:ed)?', 'is selected'),
  defineOutcome('saved?|stored?', 'is saved'),
  defineOutcome('add(?:ed)?|insert(?:ed)?|attach(?:ed)?', 'is added'),
  defineOutcome('created?|make|made', 'is created'),
  defineOutcome('deleted?|removed?|clear(?:ed)?|discard(?:ed)?', 'is removed'),
  defineOutcome('sen[dt]', 'is sent'),
  defineOutcome('shared?', 'is shared'),
  defineOutcome('post(?:ed)?|publish(?:ed)?', 'is posted'),
  defineOutcome('submit(?:ted)?', 'is submitted'),
  defineOutcome('typed?|enter(?:ed)?|fill(?:ed)?(?: in| out)?|write|wrote|input', 'is filled in'),
  defineOutcome('turn(?:ed)? on|switch(?:ed)? on|enabled?', 'is on'),
  defineOutcome('turn(?:ed)? off|switch(?:ed)? off|disabled?', 'is off'),
  defineOutcome('set', 'is set'),
  defineOutcome('export(?:ed)?', 'is exported'),
  defineOutcome('import(?:ed)?', 'is imported'),
  defineOutcome('download(?:ed)?', 'is downloaded'),
  defineOutcome('upload(?:ed)?', 'is uploaded'),
  defineOutcome('renamed?', 'is renamed'),
  defineOutcome('cop(?:y|ied)', 'is copied'),
  defineOutcome('moved?|drag(?:ged)?', 'is moved'),
  defineOutcome('edit(?:ed)?|changed?|updated?', 'is changed'),
  defineOutcome('confirm(?:ed)?|approved?|accept(?:ed)?', 'is confirmed'),
  defineOutcome('check(?:ed)?|verif(?:y|ied)|review(?:ed)?|read', 'has been checked'),
  defineOutcome('search(?:ed)?(?: for)?|find|found|look(?:ed)?(?: for| up)?', 'is found'),
  defineOutcome('scroll(?:ed)?|swiped?|hover(?:ed)?', 'is in view'),
  defineOutcome('go|went|navigated?|switch(?:ed)?|return(?:ed)?|back|show(?:ed)?', 'is shown'),
  defineOutcome('run|ran|execut(?:e|ed)|start(?:ed)?', 'has been run'),
  defineOutcome(
    '(?:(?:left|right|double|triple|single|long)[- ]?)?(?:click(?:ed)?|tap(?:ped)?|press(?:ed)?|push(?:ed)?|hit)|used?',
    'has been used',
  ),
]

function defineOutcome(forms: string, outcome: string): readonly [RegExp, string] {
  return [new RegExp(`^(?:${forms})(?=\\s|$|:)`, 'iu'), outcome]
}

/** The object of the action, e.g. "the title field" in "some text into the title field". */
function findObject(rest: string): string {
  const into = /(?:^|\s)(?:into|onto)\s+(?<place>\S.*)$/iu.exec(rest)?.groups?.['place']
  return (into ?? rest)
    .replace(/^[\s:]+/u, '')
    .replace(/^(?:(?:on|to|at|in|up|down|back|over|for|with)\s+)+/iu, '')
    .replace(/^(?:on|to|at|in|up|down|back|over|for|with)$/iu, '')
    .replace(/^(?:the|a|an|this|that)\s+/iu, '')
}

/** Undefined if the subject has fewer than two consecutive letters. */
function formatState(subject: string, outcome: string, max: number): string | undefined {
  const text = removeConcrete(subject, max - outcome.length - 1)
  if (!/\p{L}{2}/u.test(text)) return undefined
  return capitalize(`${text} ${outcome}`.trim())
}
