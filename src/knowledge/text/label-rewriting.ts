import { capitalised, clip, oneLine } from './plain-text.ts'

/**
 * What ties a label to one screen, one machine or one person. Removed wherever it stands: a skill tells the
 * state to reach, not the place that was touched, and what somebody typed is nobody else's business.
 */
const concrete: readonly RegExp[] = [
  // First, so that nothing removed later can part a secret from its name.
  /\b(?:password|passwd|passcode|secret|token|api[_ -]?key)\s*[=:]\s*(?:"[^"]*"|\S+)/giu,
  // Literals: quoted spans, masked and tokenised text.
  /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‹[^›]*›|`[^`]*`|‘[^’]*’|(?<!\w)'[^']*'(?!\w)|•+/gu,
  // Markup and selectors.
  /<\/?[a-z][^>]*>/giu,
  /\b(?:div|span|tr|td|li|ul|ol|iframe|svg|btn|button|input|elem|element|node|ember|react|mui|ng)-\d+\b/giu,
  /\b(?:(?:div|span|ul|ol|li|tr|td|table|form|nav|section|main|body)[\w.#-]*|[a-z][\w-]*[#.][\w-]+)(?:\s*>\s*[\w.#-]+)+/gu,
  /\b(?:div|span|ul|ol|li|tr|td|table|form|nav|section|body|button|input)\.[\w-]+/gu,
  /\b[a-z][a-z0-9]*(?:#[A-Za-z_][\w-]*|\[[\w-]+\s*[~|^$*]?=[^\]]*\])/gu,
  /(?<=^|[\s(])[#.][A-Za-z_][\w-]*(?:[-_][\w-]+)?(?=\s|$|[>+~.:[)])/gu,
  /\b(?:querySelector(?:All)?|getElement\w+)\b(?:\([^)]*\))?|\bdata-test(?:id)?\b(?:\s*=\s*\S+)?|\baria-[a-z]+\s*=\s*\S*|:nth-[a-z-]+\([^)]*\)/giu,
  /\b(?:resource-?id|content-?desc|id)\s*[=:]\s*\S+|\b[a-z][\w.]*:id\/\w+/giu,
  // Coordinates and sizes.
  /\(\s*-?\d{1,5}(?:\.\d+)?\s*,\s*-?\d{1,5}(?:\.\d+)?\s*\)|\[-?\d+,-?\d+\]/gu,
  /\bx\s*[=:]\s*-?\d+\s*[,; ]\s*y\s*[=:]\s*-?\d+/giu,
  /\b\d{1,5}\s*(?:px|pixels?|dp)\b/giu,
  /\b(?:at|to|position|coordinates?|point)\s+-?\d{1,5}\s*,\s*-?\d{1,5}\b/giu,
  // Paths into a tree, handles, addresses of machines.
  /(?<![:\w])\/\/[a-z*@][\w:\-/[\]@='"]*/giu,
  /\bAX[A-Z][A-Za-z]+\b|\b0x[0-9a-f]{4,}\b|\bhwnd\b/giu,
  /\b(?:window|pane|child|row|tab|group|cell)\s*\[\d+\]/giu,
  /\b[a-z][a-z0-9+.-]*:\/\/\S+|\bwww\.\S+/giu,
  /(?:\/(?:Users|home|private|var|tmp|sdcard|storage|data)\/|[A-Z]:\\)\S*/gu,
  // Ids, secrets and people.
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/giu,
  /\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/giu,
  /\b(?:sk|pk|ghp|gho|xox[abpr])[-_][\w-]{10,}|\bAKIA[0-9A-Z]{12,}|\bBearer\s+\S{8,}|\beyJ[\w-]{10,}/gu,
  /[\w.+-]+@[\w-]+\.[\w.-]+/gu,
  /\b(?:\d[ -]?){9,}\b/gu,
  // Key chords and shell or code marks.
  /(?:\b(?:cmd|command|ctrl|control|alt|opt|option|shift|meta)|[⌘⌃⌥⇧])(?:\s*\+\s*[\p{L}\p{N}]+)+/giu,
  /\$\(|&&|[`{}\\$^<|~*[\]]|[-=_]{2,}|;\s*$/gu,
]

/** The label without anything that ties it to one screen or one person; may be empty. */
export function withoutConcrete(label: string, max: number): string {
  let text = oneLine(label, 2000)
  for (const pattern of concrete) text = text.replaceAll(pattern, ' ')
  text = text.replaceAll(/\(\s*\)|\[\s*\]|\s+(?=[,.;:!?])/gu, '').replaceAll(/\s+/gu, ' ')
  return clip(text.replaceAll(edges, ''), max)
}

/** Punctuation, and at the end also the words that now lead nowhere. */
const edges =
  /^[^\p{L}\p{N}]+|(?:[^\p{L}\p{N})%]|(?<=\s)(?:to|at|in|on|into|onto|for|with|from|of|by|as|the|a|an))+$/giu

/** What holds once the labelled action is done, e.g. "Open the export dialog" -> "Export dialog is open". */
export function stateAfter(label: string, max = 200): string | undefined {
  const [said = ''] = withoutConcrete(label, 400).split(/[,;]?\s+(?:and then|then)\s+/iu, 1)
  const text = said.replace(/^\d+[.)]\s*/u, '')
  if (checking.test(text)) return worded(text.replace(checking, ''), '', max)
  if (tellsState.test(text) && !gesture.test(text)) return worded(text, '', max)
  for (const [verb, outcome] of outcomes) {
    const spoken = verb.exec(text)
    if (spoken !== null) return worded(objectOf(text.slice(spoken[0].length)), outcome, max)
  }
  return worded(text, 'is finished', max)
}

const checking =
  /^(?:verify|check|ensure|confirm|make sure|see)\s+(?:that\s+)?(?=.*\b(?:is|are|has|have|shows?|exists?)\b)/iu
const tellsState = /\b(?:is|are|was|were|has|have|shows|appears|exists|exist)\b/iu

const gesture =
  /^(?:(?:left|right|double|triple|single|long)[- ]?)?(?:click|tap|press|typed?(?!\s+(?:of|is|field|matches))|drag|scroll|hover|swipe)/iu

const outcomes: readonly (readonly [RegExp, string])[] = [
  verbs('open(?:ed|s)?|launch(?:ed)?', 'is open'),
  verbs('closed?|quit|exit(?:ed)?|dismiss(?:ed)?', 'is closed'),
  verbs('select(?:ed)?|cho(?:o|)se|chosen|pick(?:ed)?|highlight(?:ed)?|tick(?:ed)?', 'is selected'),
  verbs('saved?|stored?', 'is saved'),
  verbs('add(?:ed)?|insert(?:ed)?|attach(?:ed)?', 'is added'),
  verbs('created?|make|made', 'is created'),
  verbs('deleted?|removed?|clear(?:ed)?|discard(?:ed)?', 'is removed'),
  verbs('sen[dt]', 'is sent'),
  verbs('shared?', 'is shared'),
  verbs('post(?:ed)?|publish(?:ed)?', 'is posted'),
  verbs('submit(?:ted)?', 'is submitted'),
  verbs('typed?|enter(?:ed)?|fill(?:ed)?(?: in| out)?|write|wrote|input', 'is filled in'),
  verbs('turn(?:ed)? on|switch(?:ed)? on|enabled?', 'is on'),
  verbs('turn(?:ed)? off|switch(?:ed)? off|disabled?', 'is off'),
  verbs('set', 'is set'),
  verbs('export(?:ed)?', 'is exported'),
  verbs('import(?:ed)?', 'is imported'),
  verbs('download(?:ed)?', 'is downloaded'),
  verbs('upload(?:ed)?', 'is uploaded'),
  verbs('renamed?', 'is renamed'),
  verbs('cop(?:y|ied)', 'is copied'),
  verbs('moved?|drag(?:ged)?', 'is moved'),
  verbs('edit(?:ed)?|changed?|updated?', 'is changed'),
  verbs('confirm(?:ed)?|approved?|accept(?:ed)?', 'is confirmed'),
  verbs('check(?:ed)?|verif(?:y|ied)|review(?:ed)?|read', 'has been checked'),
  verbs('search(?:ed)?(?: for)?|find|found|look(?:ed)?(?: for| up)?', 'is found'),
  verbs('scroll(?:ed)?|swiped?|hover(?:ed)?', 'is in view'),
  verbs('go|went|navigated?|switch(?:ed)?|return(?:ed)?|back|show(?:ed)?', 'is shown'),
  verbs('run|ran|execut(?:e|ed)|start(?:ed)?', 'has been run'),
  verbs(
    '(?:(?:left|right|double|triple|single|long)[- ]?)?(?:click(?:ed)?|tap(?:ped)?|press(?:ed)?|push(?:ed)?|hit)|used?',
    'has been used',
  ),
]

function verbs(forms: string, outcome: string): readonly [RegExp, string] {
  return [new RegExp(`^(?:${forms})(?=\\s|$|:)`, 'iu'), outcome]
}

/** The thing acted on: of "some text into the title field" the title field. */
function objectOf(rest: string): string {
  const into = /(?:^|\s)(?:into|onto)\s+(?<place>\S.*)$/iu.exec(rest)?.groups?.['place']
  return (into ?? rest)
    .replace(/^[\s:]+/u, '')
    .replace(/^(?:(?:on|to|at|in|up|down|back|over|for|with)\s+)+/iu, '')
    .replace(/^(?:on|to|at|in|up|down|back|over|for|with)$/iu, '')
    .replace(/^(?:the|a|an|this|that)\s+/iu, '')
}

/** Undefined when too little is left to say anything. */
function worded(subject: string, outcome: string, max: number): string | undefined {
  const text = withoutConcrete(subject, max - outcome.length - 1)
  if (!/\p{L}{2}/u.test(text)) return undefined
  return capitalised(`${text} ${outcome}`.trim())
}
