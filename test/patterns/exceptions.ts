/** Patterns of more than linear time whose input is short, with what bounds it. */
export const BOUNDED_INPUTS: readonly { readonly source: string; readonly bound: string }[] = [
  {
    source: String.raw`^(all\s+)?(.*?)(?:\s+as\s+([A-Za-z][A-Za-z0-9_]{0,63}))?$`,
    bound: 'a line that the user of the program types into a terminal',
  },
  {
    source: String.raw`(?:\[[^\]']*(?:'[^']*')?\]|\S)+`,
    bound: 'an app document of a simulated phone, which an operator installs',
  },
]

const CONSTANT = 'words and patterns of the source'
const ESCAPED = 'escaped text without a repetition'

/** Files that make patterns at run time, with what the patterns are made from. Foreign patterns run on re2js. */
export const COMPOSED_PATTERNS: Readonly<Record<string, string>> = {
  'src/devices/driver/ui-source.ts': 'an id that the daemon made',
  'src/devices/recording/export-redaction.ts': ESCAPED,
  'src/domain/capture/coaching.ts': CONSTANT,
  'src/domain/mining/goal-key.ts': ESCAPED,
  'src/knowledge/action-policy/policy-words.ts': CONSTANT,
  'src/knowledge/checkpoint-lint/expressions.ts': CONSTANT,
  'src/knowledge/interpret/align/examples.ts': ESCAPED,
  'src/knowledge/interpret/read/captions.ts': CONSTANT,
  'src/knowledge/interpret/read/lone-rows.ts': ESCAPED,
  'src/knowledge/interpret/words/label-likeness.ts': CONSTANT,
  'src/knowledge/recipes/check/literal-detectors.ts': CONSTANT,
  'src/knowledge/redaction/replace-literal.ts': ESCAPED,
  'src/knowledge/scenes/period/find-periods.ts':
    'constants of the file; every repetition is bounded or optional, and the text has at most 1000 characters',
  'src/knowledge/skill-format/entry.ts': CONSTANT,
  'src/knowledge/text/label-rewriting.ts': CONSTANT,
  'src/knowledge/text/quoted-spans.ts': 'one quotation mark',
  'src/phone/host/faults.ts': 'a pattern of a test',
  'src/phone/model/links.ts': 'an app document of a simulated phone, which an operator installs',
  'src/screen/account-marks.ts': CONSTANT,
  'src/screen/shown-value/part-edges.ts': CONSTANT,
  'src/screen/shown-value/text-spans.ts': CONSTANT,
  'src/screen/shown-value/typed-spans.ts': CONSTANT,
  'src/screen/structure/mask-text.ts': CONSTANT,
  'src/screen/words/phrase-index.ts': CONSTANT,
  'src/server/app.ts': 'the URL of a contract',
  'src/setup/failure-message.mjs': CONSTANT,
}
