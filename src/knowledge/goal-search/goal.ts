import { splitWords } from './goal-words.ts'

/** A goal whose result can be read from a screen. */
export type Goal =
  | { readonly kind: 'switch'; readonly subject: string; readonly on: boolean }
  | { readonly kind: 'set'; readonly subject: string; readonly value: string }
  | { readonly kind: 'open'; readonly subject: string }
  | {
      readonly kind: 'create'
      readonly subject: string
      readonly text: string
      /** Set when the goal names a title and a text. */
      readonly title?: string | undefined
    }

export type GoalParseResult =
  | { readonly clear: true; readonly goal: Goal }
  | { readonly clear: false; readonly reason: string }

type GoalParser = (text: string) => Goal | undefined

/** Parses a sentence of a known form. Other sentences are rejected with examples; nothing is guessed. */
export function parseGoal(sentence: string): GoalParseResult {
  if (sentence.length > MAX_GOAL_LENGTH) return unclear(`A goal has at most ${MAX_GOAL_LENGTH} characters.`)
  const text = sentence
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .replace(/^(?:please|can you|could you)\s+/iu, '')
    .replace(/(?<=[^.!?])[.!?]+$/u, '')
  for (const read of parsers) {
    const goal = read(text)
    if (goal !== undefined && splitWords(goal.subject).length > 0) return { clear: true, goal }
  }
  return unclear(
    'The result of this goal cannot be read from a screen. Write "turn on ...", "set ... to ...", ' +
      '"open ..." or "create a ... saying ...".',
  )
}

/** The condition that proves the goal, as a sentence. */
export function describeProof(goal: Goal): string {
  switch (goal.kind) {
    case 'switch':
      return `"${goal.subject}" is switched ${goal.on ? 'on' : 'off'} after a restart of the app.`
    case 'set':
      return `"${goal.subject}" shows "${goal.value}" after a restart of the app.`
    case 'open':
      return `A screen called "${goal.subject}" is open.`
    case 'create':
      return `"${goal.title ?? goal.text}" is displayed after a restart of the app.`
  }
}

const MAX_GOAL_LENGTH = 400

const unclear = (reason: string): GoalParseResult => ({ clear: false, reason })

const parseTurn: GoalParser = (text) => {
  const [, first, rest = ''] =
    /^(?:turn|switch) (on|off) (.+)$/iu.exec(text) ?? matchSwapped(/^(?:turn|switch) (.+) (on|off)$/iu, text)
  if (first === undefined) return undefined
  return { kind: 'switch', subject: stripArticle(rest), on: first.toLowerCase() === 'on' }
}

const matchSwapped = (pattern: RegExp, text: string): readonly (string | undefined)[] => {
  const [, subject, state] = pattern.exec(text) ?? []
  return [undefined, state, subject]
}

const parseEnable: GoalParser = (text) => {
  const [, verb = '', subject = ''] = /^((?:de)?activate|enable|disable) (.+)$/iu.exec(text) ?? []
  if (subject === '') return undefined
  return { kind: 'switch', subject: stripArticle(subject), on: !/^d/iu.test(verb) }
}

const parseSet: GoalParser = (text) => {
  const [, subject = '', value = ''] = /^(?:set|change|adjust|put) (.+) to (.+)$/iu.exec(text) ?? []
  if (value === '') return undefined
  const unquoted = unquote(value)
  if (/^(?:on|off)$/iu.test(unquoted)) {
    return { kind: 'switch', subject: stripArticle(subject), on: unquoted.toLowerCase() === 'on' }
  }
  return unquoted === '' ? undefined : { kind: 'set', subject: stripArticle(subject), value: unquoted }
}

const parseOpen: GoalParser = (text) => {
  const [, subject = ''] = /^(?:open|show|go to|navigate to) (.+)$/iu.exec(text) ?? []
  if (subject === '') return undefined
  return { kind: 'open', subject: stripArticle(subject.replace(/ (?:screen|page)$/iu, '')) }
}

const NAMING_PHRASES = 'called|named|titled|with the title|with title'
const TEXT_PHRASES = 'saying|that says|reading|with the text|with text|with the body'

const parseCreate: GoalParser = (text) => {
  const [, subject = '', rest = ''] =
    new RegExp(
      `^(?:create|add|write|make)(?: a| an)?(?: new)? (.+?) ((?:${NAMING_PHRASES}|${TEXT_PHRASES}) .+)$`,
      'iu',
    ).exec(text) ?? []
  if (subject === '') return undefined
  const title = extractPart(rest, NAMING_PHRASES, TEXT_PHRASES)
  const body = extractPart(rest, TEXT_PHRASES, NAMING_PHRASES)
  const content = body ?? title
  if (content === undefined) return undefined
  return {
    kind: 'create',
    subject: stripArticle(subject),
    text: content,
    ...(title === undefined || body === undefined ? {} : { title }),
  }
}

const parsers: readonly GoalParser[] = [parseTurn, parseEnable, parseSet, parseOpen, parseCreate]

/** The text after one of `phrases`, up to one of `others`. */
function extractPart(text: string, phrases: string, others: string): string | undefined {
  const pattern = new RegExp(`(?:^| )(?:${phrases}) (.+?)(?= (?:and )?(?:${others}) |$)`, 'iu')
  const part = unquote(pattern.exec(text)?.[1] ?? '')
  return part === '' ? undefined : part
}

const stripArticle = (text: string): string => unquote(text.replace(/^(?:the|my|a|an) /iu, ''))

const unquote = (text: string): string => (/^["'“‘«](.*)["'”’»]$/u.exec(text.trim())?.[1] ?? text).trim()
