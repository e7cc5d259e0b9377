/** Names that were replaced; the glossary in CONTRIBUTING.md lists what is used instead. */
const RETIRED = [
  'Desk',
  'Asked',
  'Act',
  'Edges',
  'Staff',
  'Stage',
  'Surroundings',
  'DeviceEyes',
  'DeviceFloor',
  'DevicePlane',
  'Floor',
  'openFloor',
  'eyes',
  'floor',
  'SkillHands',
  'BundleHands',
  'Witness',
  'testify',
  'Perform',
  'Performance',
  'raiseGate',
  'letOperatorsReview',
  'takeUpLeftWork',
  'BundleShelf',
  'Reception(?!:)',
  'RecordingShelf',
  'SkillShelves',
  'putInForce',
  'takeBack',
  'giveUp',
  'breakOff',
  'lapse',
  'lapsed',
  'isLapsed',
  'lend',
  'recall',
  'Deed',
  'Standing',
  'Sight',
  'Account',
  'Atlas',
  'Met',
  'Mirror',
  'mirrorTable',
  'impatient',
  'unhurried',
  'TeachSession',
  'LearnEntryPoint',
  'entryPointSchema',
  'teaching_sessions',
]
const NAME = new RegExp(`(?<![.\\w$'"\`-])(${RETIRED.join('|')})(?![\\w$-])`, 'g')

/** The retired names among the identifiers of a source text. Comments and strings are not searched. */
export function findRetiredNames(source: string): string[] {
  return [...new Set(withoutTexts(source).match(NAME) ?? [])]
}

/** The source without comments and string literals. Expressions inside templates are removed with them. */
function withoutTexts(source: string): string {
  const texts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return source.replaceAll(texts, "''")
}
